"""Listed companies, as Chinese news names them: by a name with its stock code behind it."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from engine.corpus.document import SourceDocument
from engine.generate.rules.facts.names import is_institution, is_whole, names
from engine.generate.rules.vocabulary import any_of

_LISTED = re.compile(
    r"(?P<name>[A-Z]*[一-鿿]{2,8}[A-Z]?)[(（](?:[A-Z]+[.:：])?"
    r"(?:\d{6}(?:\.S[HZ])?|0?\d{4,5}(?:\.HK)?)(?:[，,、；;][^（）()]{0,12})?[)）]"
)
_LEAD = re.compile("^.*(?:" + any_of("zh", "before listed companies") + ")(?=[一-鿿]{3,})")
_COMPANY = re.compile(
    "(?:^|(?<=[，。；：、 ]))(?P<name>[一-鿿]{2,4}(?:"
    + any_of("zh", "ends of companies")
    + "))(?![一-鿿]{0,2}(?:等|、))"
)
_EARLY = 160
_ODDS = 2
"""A name is the document's main one when it comes up so many times as often as any other."""
_PLACE = re.compile(r"[省市县区州国镇村]$")
_AUTHORITY = re.compile(any_of("zh", "authorities"))


def listed(text: str) -> tuple[str, ...]:
    """The names with a stock code behind them, each once, in order."""
    return tuple(dict.fromkeys(_LEAD.sub("", match["name"]) for match in _LISTED.finditer(text)))


@lru_cache(maxsize=512)
def main_company(document: SourceDocument) -> str:
    """The one company that a report calls 公司; empty where it may be any of several."""
    text = document.text
    companies = listed(text[:4_000])
    if len(companies) == 1:
        return companies[0]
    if companies:
        return ""
    spans = [text[start:end] for start, end in names(text, "zh")]
    counts = Counter(name for name in spans if not _PLACE.search(name) and is_whole(name, text))
    ranked = counts.most_common()
    if not ranked or ranked[0][1] < 2 or not is_institution(ranked[0][0]):
        ranked = Counter(companies["name"] for companies in _COMPANY.finditer(text)).most_common()
        if not ranked or ranked[0][1] < 3:
            return ""
    name, count = ranked[0]
    others = [many for other, many in ranked[1:] if other not in name and name not in other]
    is_main = text.find(name) < _EARLY and count >= _ODDS * max(others, default=0)
    return name if is_main and not _AUTHORITY.search(name) else ""

"""The subject of a document, from its title, else from the names in its text."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from engine.corpus.document import SourceDocument
from engine.generate.rules.facts.fact import Subject
from engine.generate.rules.facts.names import is_whole, names
from engine.generate.rules.vocabulary import any_of

_HEADING = re.compile(r"\A\s*#\s+(?P<title>[^\n]+)")
_ZH_KIND = re.compile(
    r"(?:的?(?:募集说明书|说明书?|报告|摘要|公告|通报|通知|总结|概要|回顾|简介|要点|情况)|（[^（）]*）)+$"
)
_EN_KIND = re.compile(
    r"\b(?:summary|terms|fact sheet|report|handbook|note|guide|memorandum|circular|wording|standard"
    r"|policy|policies|extract|term sheet|review|monthly|factsheet|prospectus|minutes)\b",
    re.IGNORECASE,
)
_EN_TIME = re.compile(rf"(?:\b(?:{any_of('en', 'months')}) )?(?<![/\d])(?P<year>(?:19|20)\d\d)\s*$")
_ORGANISED = re.compile(r"\b(?:Bank|Group|Market|Mutual|Clearing|Exchange|Insurance|Inc|plc|Ltd)\b")
_NOTE_NUMBER = re.compile(
    r"^(?:(?:note|item)\s+)?\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Z](?=[.)]))[.)]?\s*[-–—:.]?\s*"
    r"|\s*\((?:continued|unaudited)[^)]*\)|[ ,:–-]+continued$",
    re.IGNORECASE,
)
_NO_HEADING = re.compile(
    r"\d{4}|•|^(?:the following|years? ended|(?:three|six|nine) months|as (?:of|at)|for the"
    r"|a summary)\b",
    re.IGNORECASE,
)
"""A first line with one of these is the beginning of a text or of a page, no heading."""
_STAMP = re.compile(r"\A\W*(?P<year>(?:19|20)\d\d)[-/年.]\d{1,2}")
_YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?=年|\b)")
_LONGEST_HEADING = 90
_LONGEST_NAME = 60


@lru_cache(maxsize=512)
def subject_of(document: SourceDocument) -> Subject:
    """The document's subject; its name comes from the title, or from the names it mentions most."""
    title = title_of(document)
    year = _year_of(document)
    if title:
        name = _zh_name(title) if document.lang == "zh" else _en_name(title)
        return Subject(name[:_LONGEST_NAME], year=year)
    heading = "" if document.lang == "zh" else _first_line(document.text)
    return Subject(_main_name(document), heading, year)


def title_of(document: SourceDocument) -> str:
    """The title given, else a Markdown heading at the beginning of the text."""
    if document.title.strip():
        return document.title.strip().lstrip("# ")
    heading = _HEADING.match(document.text)
    return heading["title"].strip() if heading else ""


def is_headed(document: SourceDocument) -> bool:
    """Returns whether a document has a title, or its text begins with a heading of any level."""
    return bool(document.title) or document.text.lstrip().startswith("#")


def _zh_name(title: str) -> str:
    name = _ZH_KIND.sub("", re.sub(r"^关于", "", title)).strip("：: 　") or title
    year = re.search(r"（(?P<year>\d{4}年)度?）$", title)
    return f"{name}（{year['year']}）" if year and year["year"] not in name else name


def _en_name(title: str) -> str:
    """The part of a title that names the thing, not the kind of document, with its time."""
    parts = [part.strip() for part in re.split(r":| [-–—] ", title) if part.strip()]
    named = [part for part in parts if not _EN_KIND.search(part) and not _EN_TIME.fullmatch(part)]
    if _ORGANISED.search(parts[0]) and len(parts) > 1:
        rest = named[-1:] if parts[0] not in named else []
        chosen = parts[0] + "".join(f" ({part})" for part in rest)
    else:
        chosen = re.sub(r"\s*\([^)]*\)", "", (named or parts)[0])
    name, _, owner = (part.strip() for part in chosen.partition(","))
    if _ORGANISED.search(owner) and not _ORGANISED.search(name):
        name = f"{name} of {owner}"
    time = _EN_TIME.search(title)
    if time and time["year"] not in name:
        return f"{name} in {time.group().strip(' ,')}"
    return name


def _first_line(text: str) -> str:
    line = text.strip().split("\n", 1)[0].strip()
    if not line or len(line) > _LONGEST_HEADING or line[-1] in ".;:,|" or line.startswith("|"):
        return ""
    heading = _NOTE_NUMBER.sub("", line).strip(" -–—:")
    is_words = sum(map(str.isalpha, heading)) > len(heading) / 2
    return heading if is_words and not _NO_HEADING.search(heading) else ""


def _main_name(document: SourceDocument) -> str:
    """The name that the text mentions most, longer names before shorter; empty below two."""
    phrases = [document.text[start:end] for start, end in names(document.text, document.lang)]
    counts = Counter(phrases)
    good = [name for name, count in counts.items() if count >= 2 and is_whole(name, document.text)]
    good.sort(key=lambda name: (-counts[name] * min(len(name), 8), document.text.find(name)))
    return good[0] if good else ""


def _year_of(document: SourceDocument) -> int | None:
    """The year of a date stamp at the beginning, else the first year that is named."""
    match = (
        _STAMP.match(document.text)
        or _YEAR.search(title_of(document))
        or _YEAR.search(document.text)
    )
    return int(match["year"]) if match else None

"""The reasons of rules in the language of whoever reads them.

A rule gives its reason in the language of the item, each sentence from a table of both languages.
The sentence says which entry it is and with what arguments, which makes it again in the other.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from tui.language.choice import language
from tui.language.translation import Template, longest_first, read, said_by, template

if TYPE_CHECKING:
    from store.records import Lang

_SENTENCES = {
    "zh": re.compile(r"(?:“[^”]*”|[^。；“])+[。；]?"),
    "en": re.compile(r'(?:"[^"]*"|“[^”]*”|[^.;"“]|[.;](?! ))+[.;]? ?'),
}
"""Up to the end of a sentence or clause that is not in quotation marks."""


def read_reason(text: str) -> str:
    """Returns a rule's stored reason in the interface's language; other texts as `read` does."""
    return _in(language(), text)


@lru_cache(maxsize=1024)
def _in(chosen: Lang, text: str) -> str:
    stored = "zh" if re.search("[\u4e00-\u9fff]", re.sub(r'"[^"]*"|“[^”]*”', "", text)) else "en"
    if stored == chosen or not text:
        return text
    whole = _again(text.strip(), stored)
    if whole:
        return whole
    made = [_again(part.strip(), stored) for part in _SENTENCES[stored].findall(text)]
    return (" " if chosen == "en" else "").join(made) if all(made) else read(text)


def _again(sentence: str, stored: str) -> str:
    """The sentence in the other language; empty where no entry makes it."""
    return said_by(_entries(stored), sentence, lambda _, value: value)


@cache
def _entries(stored: str) -> tuple[Template, ...]:
    from engine.generate.inspection import check_reasons
    from engine.judge.rules import reasons

    pairs = (*reasons.TEXTS.values(), *check_reasons.TEXTS.values())
    return longest_first(
        template(zh, en) if stored == "zh" else template(en, zh) for zh, en in pairs
    )

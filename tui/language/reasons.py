"""The reasons of rules in the language of whoever reads them.

A rule gives its reason in the language of the item, each sentence from a table of both languages.
The sentence says which entry it is and with what arguments, which makes it again in the other.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from string import Formatter
from typing import TYPE_CHECKING, NamedTuple

from tui.language.choice import language
from tui.language.translation import read

if TYPE_CHECKING:
    from store.records import Lang

_SENTENCES = {
    "zh": re.compile(r"(?:“[^”]*”|[^。；“])+[。；]?"),
    "en": re.compile(r'(?:"[^"]*"|“[^”]*”|[^.;"“]|[.;](?! ))+[.;]? ?'),
}
"""Up to the end of a sentence or clause that is not in quotation marks."""


class _Entry(NamedTuple):
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    other: str


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
    for entry in _entries(stored):
        if match := entry.pattern.fullmatch(sentence):
            return entry.other.format(**dict(zip(entry.names, match.groups(), strict=True)))
    return ""


@cache
def _entries(stored: str) -> tuple[_Entry, ...]:
    from engine.generate.inspection import check_reasons
    from engine.judge.rules import reasons

    made: list[tuple[int, _Entry]] = []
    for zh, en in (*reasons.TEXTS.values(), *check_reasons.TEXTS.values()):
        given, other = (zh, en) if stored == "zh" else (en, zh)
        names, pattern, literals = [], "", 0
        for literal, name, _, _ in Formatter().parse(given):
            pattern += re.escape(literal)
            literals += len(literal)
            if name:
                pattern += "(.*?)"
                names.append(name)
        made.append((literals, _Entry(re.compile(pattern, re.DOTALL), tuple(names), other)))
    made.sort(key=lambda one: -one[0])
    return tuple(entry for _, entry in made)

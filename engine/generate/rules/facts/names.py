"""Names of institutions, places and products in a text, by rule."""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from typing import Any

from engine.generate.rules.vocabulary import any_of
from store.records import Lang

_NAMING = frozenset({"ns", "nt", "nz", "nr", "nrt", "nrfg", "eng"})
"""Tags of jieba that make a run of nouns a name, if it ends as names of institutions do."""
_ALONE = frozenset({"ns", "nt"})
"""Tags of words that are names by themselves; names of persons are left out."""
_JOINING = _NAMING | {"n", "vn", "j", "b", "nw", "s"}
_LAST_IN_NAME = re.compile("(?:" + any_of("zh", "ends of names") + ")$")
_WITHHELD = re.compile(
    r"[赵钱孙李周吴郑王冯陈卫蒋沈韩杨朱许何吕张孔曹严金魏姜谢邹苏潘葛范彭马方任袁唐薛贺倪汤罗于傅邱高刘林黄胡徐郭]某"
)
_HAN = re.compile(r"[一-鿿A-Za-z]")
_BARE = re.compile(r"[一-鿿]{2,4}")
_EN_ORGANISATION = re.compile(
    r"\b(?!The\b|This\b|Our\b|Each\b)(?:[A-Z][\w&’'-]+ ){1,4}(?:"
    + any_of("en", "ends of organisations")
    + r")\b"
)
_INSTITUTION = re.compile("(?:" + any_of("zh", "ends of institutions") + ")$")
_ANY_INSTITUTION = re.compile(
    "(?:"
    + any_of("zh", "what any institution is called, first part")
    + ")?(?:"
    + any_of("zh", "what any institution is called, last part")
    + ")"
)
"""Words that look like names and say only what kind of thing is meant."""
_LONGEST_NAME = 24
_READ = 4_000
"""Characters that are searched for names; a document names its subject early."""


@lru_cache(maxsize=4096)
def names(text: str, lang: Lang) -> tuple[tuple[int, int], ...]:
    """Spans of names in the beginning of `text`, in order, without overlap."""
    if lang == "en":
        matches = _EN_ORGANISATION.finditer(text[:_READ])
        return tuple(match.span() for match in matches)
    return tuple(_chinese(text[:_READ]))


def is_institution(name: str) -> bool:
    """Returns whether a name is that of an institution or a place with its rank (商丘市), not a
    country."""
    return (
        len(name) >= 3
        and _INSTITUTION.search(name) is not None
        and _ANY_INSTITUTION.fullmatch(name) is None
    )


def is_private(text: str) -> bool:
    """Returns whether a text speaks of a person whose name is withheld (张某), so of
    private affairs."""
    return _WITHHELD.search(text) is not None


def ends_whole(phrase: str, text: str) -> bool:
    """Returns whether a phrase is not the beginning of a longer word, as `is_whole` of its other
    end."""
    after = [text[match.end() : match.end() + 1] for match in re.finditer(re.escape(phrase), text)]
    return len(after) < 2 or len(set(after)) > 1 or not _HAN.fullmatch(after[0])


def is_whole(name: str, text: str) -> bool:
    """Returns whether a name found in Chinese text is not the end of a longer one.

    It is when the same character stands before it wherever it occurs, twice or more.
    """
    before = [
        text[match.start() - 1 : match.start()] for match in re.finditer(re.escape(name), text)
    ]
    return len(before) < 2 or len(set(before)) > 1 or not _HAN.fullmatch(before[0])


def _chinese(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    run: list[tuple[str, str]] = []
    at = begin = 0
    for pair in tagger().cut(text):
        word, flag = pair.word, pair.flag
        if flag in _JOINING and len(word.strip()) > 0:
            if not run:
                begin = at
            run.append((word, flag))
        elif run:
            spans.extend(_name_in(run, begin))
            run = []
        at += len(word)
    return spans + _name_in(run, begin)


def _name_in(run: list[tuple[str, str]], begin: int) -> list[tuple[int, int]]:
    """The name that a run of nouns holds: from its first naming word to the last fitting end."""
    first = next((at for at, (_, flag) in enumerate(run) if flag in _NAMING), None)
    if first is None:
        return []
    start = begin + sum(len(word) for word, _ in run[:first])
    best = 0
    length = 0
    for at, (word, flag) in enumerate(run[first:]):
        length += len(word)
        is_end = _LAST_IN_NAME.search(word) or (at == 0 and flag in _ALONE and _BARE.match(word))
        if is_end and (3 if _LAST_IN_NAME.search(word) else 2) <= length <= _LONGEST_NAME:
            best = length
    name = "".join(word for word, _ in run[first:])[:best]
    return [(start, start + best)] if best and not _ANY_INSTITUTION.fullmatch(name) else []


@lru_cache(maxsize=1)
def tagger() -> Any:
    """The part-of-speech tagger of jieba, loaded on first use."""
    import jieba
    import jieba.posseg

    jieba.setLogLevel(logging.WARNING)  # else it prints its loading time on stderr
    return jieba.posseg

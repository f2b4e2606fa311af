"""The topic of a stretch of Chinese text: the noun phrase that it and its document return to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from engine.generate.rules.facts.names import ends_whole, is_whole, tagger
from engine.generate.rules.vocabulary import any_of, word_list

_NOUNS = frozenset({"n", "vn", "nz", "ns", "nt", "j", "b", "an", "s", "l", "nrt"})
_NAMING = frozenset({"nz", "nt", "eng", "j"})
_LAST = frozenset({"n", "vn", "nz", "j"})
_JOINING = frozenset("pdcuryaz")
"""Tags of prepositions, adverbs, conjunctions, particles and the like."""
_LONGEST = 14
_SHORTEST = 3
_EARLY = 260
"""Characters at a report's beginning that say what it is about."""
_OFTEN = 4
_LEAST = 2
"""Times that a document names what it is about."""
_READ = 6_000
_PLAIN = re.compile(r"[一-鿿]+")
_NO_TOPIC = frozenset(word_list("zh", "no topics"))
_NO_MATTER = re.compile(
    "(?:" + any_of("zh", "ends of no topics") + ")$|^(?:领域|方面|时间|地区|产业|部门|事实)"
)
"""Persons, institutions and places, and what is left of 等领域合作."""


@lru_cache(maxsize=512)
def noun_phrases(text: str) -> Counter[str]:
    """The runs of nouns in the beginning of a text, two words or three characters at least, and how
    often each comes up as a whole."""
    counts: Counter[str] = Counter()
    run: list[tuple[str, str]] = []
    for pair in tagger().cut(text[:_READ]):
        if pair.flag in _NOUNS and _PLAIN.fullmatch(pair.word):
            run.append((pair.word, pair.flag))
            continue
        if phrase := _phrase(run):
            counts[phrase] += 1
        run = []
    if phrase := _phrase(run):
        counts[phrase] += 1
    return counts


def is_name(word: str) -> bool:
    """Returns whether a word is one that names somebody or something: 穆迪, 欧洲央行, IEA."""
    flags = [pair.flag for pair in tagger().cut(word)]
    return len(word) > 1 and all(flag in _NAMING for flag in flags)


def is_nominal(phrase: str) -> bool:
    """Returns whether a phrase is made of names and nouns, without words that join a sentence."""
    return not any(pair.flag[:1] in _JOINING for pair in tagger().cut(phrase))


def topic_of(sentences: Sequence[str], text: str, without: str = "") -> str:
    """The phrase that says best what some sentences are about; empty where none stands out.

    Half of them have it, two at least, and the document has it early or often. Phrases that are
    in `without`, the speaker's name, do not count.
    """
    early = text[:_EARLY]
    return _best(
        ["".join(sentences)],
        text,
        without,
        lambda phrase: (
            sum(phrase in sentence for sentence in sentences) >= max(2, len(sentences) / 2)
            and (phrase in early or text.count(phrase) > _OFTEN)
        ),
    )


def common_topic(parts: Sequence[str], text: str, without: str = "") -> str:
    """The phrase that parts of a document have in common and that it begins with; empty if none."""
    early = text[:_EARLY]
    return _best(parts, text, without, lambda phrase: phrase in early)


def _best(parts: Sequence[str], text: str, without: str, fits: Callable[[str], bool]) -> str:
    best, worth = "", 0.0
    for phrase in noun_phrases(parts[0]):
        count = text.count(phrase)
        if count < _LEAST or not all(phrase in part for part in parts) or not fits(phrase):
            continue
        if phrase in without or phrase in _NO_TOPIC or _NO_MATTER.search(phrase):
            continue
        if not (is_whole(phrase, text) and ends_whole(phrase, text)):
            continue
        points = (sum(part.count(phrase) for part in parts) + count) * min(len(phrase), 8) ** 0.5
        if points > worth:
            best, worth = phrase, points
    return best


def _phrase(run: list[tuple[str, str]]) -> str:
    """A run of nouns without what cannot end it."""
    while run and run[-1][1] not in _LAST:
        run = run[:-1]
    if all(flag in ("ns", "nt") for _, flag in run):
        return ""
    phrase = "".join(word for word, _ in run)
    return phrase if _SHORTEST <= len(phrase) <= _LONGEST else ""

"""Gives a document a topic by the words it uses: offline, deterministic, explainable.

Each topic of the taxonomy carries terms in Chinese and English. A topic's score is

    sum over its terms found of  weight * (1 + log2(occurrences))  /  (1 + log2(1 + words / 150))

with a title occurrence counting as three. The weight of a term grows with its length, since long
terms are rare and unambiguous, and is shared among the topics that list the term. The divisor
levels long documents with short ones: incidental terms grow with the length of a text. A document
whose best score is below `THRESHOLD`, or rests on a single term, is unassigned.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log2
from typing import NamedTuple

from msgspec import Struct

from engine.text.segmentation import CJK
from store.records import UNASSIGNED, Taxonomy

THRESHOLD = 3.0
"""Least score of a topic that is assigned; chosen on Chinese news, most of it not finance."""
TITLE_OCCURRENCES = 3
READ_CHARACTERS = 20_000
"""A document's beginning decides its topic; reading on costs time and changes few."""

_HAN = re.compile(f"[{CJK}]")
_GAP = re.compile(r"[\s\-–—_]+")


class TopicGuess(Struct, frozen=True):
    """The topic of a text, and what spoke for it."""

    key: str
    """A topic's key, or `unassigned`."""
    score: float
    """Of the best topic, assigned or not: 0 or more, higher is surer; comparable across texts."""
    runner_up: str
    """Key of the second-best topic; `unassigned` when no other topic has a term in the text."""
    matched: tuple[str, ...]
    """The best topic's terms found, those that weighed most first."""


def classify(text: str, title: str, taxonomy: Taxonomy) -> TopicGuess:
    """The topic of `text` among those of `taxonomy`; ties go to the topic listed first."""
    lexicon = _lexicon(taxonomy)
    body = fold(text[:READ_CHARACTERS])
    occurrences = lexicon.count(body)
    for term, count in lexicon.count(fold(title)).items():
        occurrences[term] += TITLE_OCCURRENCES * count
    points = lexicon.points(occurrences)
    if not points:
        return TopicGuess(UNASSIGNED, 0.0, UNASSIGNED, ())
    # a Chinese word has about as many bytes in UTF-8 as an English one with its space
    words = len(body.encode()) / 6
    ranked = sorted(points, key=lambda key: -sum(points[key].values()))
    best = points[ranked[0]]
    score = round(sum(best.values()) / (1 + log2(1 + words / 150)), 4)
    assigned = score >= THRESHOLD and len(best) >= 2
    return TopicGuess(
        key=ranked[0] if assigned else UNASSIGNED,
        score=score,
        runner_up=ranked[1] if len(ranked) > 1 else UNASSIGNED,
        matched=tuple(sorted(best, key=lambda term: (-best[term], term))),
    )


def fold(text: str) -> str:
    """`text` as terms are compared: NFKC, case-folded, white space and hyphens as one space."""
    return _GAP.sub(" ", unicodedata.normalize("NFKC", text).casefold())


def term_weight(term: str) -> float:
    """Weight of a folded term, 1 or more: log2 of its Chinese characters or twice its words."""
    units = len(_HAN.findall(term)) + 2 * len(_HAN.sub(" ", term).split())
    return max(1.0, log2(units))


class _Entry(NamedTuple):
    term: str
    """As the taxonomy writes it."""
    topic: str
    weight: float


class _Lexicon:
    """All terms of a taxonomy as one pattern, and what each says for which topic."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        listed = [
            (fold(term), term, topic.key) for topic in taxonomy.topics for term in topic.terms
        ]
        topics_of = Counter(folded for folded, _, _ in listed)
        self.order = [topic.key for topic in taxonomy.topics]
        self.entries: dict[str, list[_Entry]] = {}
        for folded, term, topic in listed:
            entry = _Entry(term, topic, term_weight(folded) / topics_of[folded])
            self.entries.setdefault(folded, []).append(entry)
        self.patterns = _patterns(self.entries)

    def count(self, folded: str) -> Counter[str]:
        """Occurrences of each folded term; where terms overlap the longest counts."""
        counts: Counter[str] = Counter()
        for pattern in self.patterns:
            counts.update(match.group(1) for match in pattern.finditer(folded))
        return counts

    def points(self, occurrences: Mapping[str, int]) -> dict[str, dict[str, float]]:
        """Points of each term by topic, for topics with any, in the taxonomy's order."""
        points: dict[str, dict[str, float]] = {key: {} for key in self.order}
        for folded, count in occurrences.items():
            for entry in self.entries[folded]:
                points[entry.topic][entry.term] = entry.weight * (1 + log2(count))
        return {key: terms for key, terms in points.items() if terms}


@lru_cache(maxsize=8)
def _lexicon(taxonomy: Taxonomy) -> _Lexicon:
    return _Lexicon(taxonomy)


def _patterns(terms: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """One pattern for Chinese terms, anywhere, and one for others, as whole words or plurals."""
    chinese = [term for term in terms if _HAN.search(term)]
    others = [term for term in terms if not _HAN.search(term)]
    return (
        re.compile(f"({_longest_of(chinese)})"),
        re.compile(rf"(?<![a-z0-9])(?=[a-z0-9])({_longest_of(others)})(?:e?s)?(?![a-z0-9])"),
    )


def _longest_of(terms: Sequence[str]) -> str:
    """A pattern that matches the longest of `terms`, as a tree over their characters.

    Terms that begin alike share their beginning, so a position of the text is tried against a
    few branches instead of a thousand terms.
    """
    if not terms:
        return "(?!)"
    branches: dict[str, list[str]] = {}
    for term in sorted(terms):
        branches.setdefault(term[:1], []).append(term[1:])
    ends = branches.pop("", None) is not None
    parts = [re.escape(first) + _longest_of(rest) for first, rest in branches.items()]
    if not parts:
        return ""
    return f"(?:{'|'.join(parts)})" + ("?" if ends else "")

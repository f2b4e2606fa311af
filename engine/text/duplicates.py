"""Finds near-duplicate texts exactly: of a new question, and all pairs of a collection."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from math import ceil
from typing import Generic, TypeVar

from msgspec import Struct

Key = TypeVar("Key", bound=Hashable)

THRESHOLD = 0.8
"""Jaccard similarity from which two questions, or two documents, count as one."""
GRAM = 5
_ROUNDING = 1e-9
"""The tolerance for rounding where a count is compared with a share of another."""
_SPACE = re.compile(r"\s+")


def grams(text: str) -> frozenset[str]:
    """Character 5-grams of `text` after NFKC, case folding and joining of white space.

    A text shorter than that is one gram, so that equal short texts are equal.
    """
    folded = _SPACE.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()
    if len(folded) <= GRAM:
        return frozenset({folded})
    return frozenset(folded[at : at + GRAM] for at in range(len(folded) - GRAM + 1))


def similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard similarity |a ∩ b| / |a ∪ b| of two sets of grams, 0 to 1."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)


class Duplicate(Struct, Generic[Key], frozen=True):
    """The most similar question, with its similarity."""

    key: Key
    similarity: float


class NearDuplicates(Generic[Key]):
    """An index of questions that finds the near-duplicate of a new one.

    Exact: sets with Jaccard similarity t or more share at least ceil(t |x|) grams of x, so of any
    |x| - ceil(t |x|) + m grams of x they share m. The rarest are looked up, whatever they are at
    that moment, and what has m of them is compared in full. A larger m reads more of the index
    and compares fewer questions, which pays where many are cut from one pattern.
    """

    def __init__(self, threshold: float = THRESHOLD) -> None:
        if not 0 < threshold <= 1:
            raise ValueError("threshold must be above 0 and at most 1")
        self._threshold = threshold
        self._keys: list[Key] = []
        self._grams: list[frozenset[str]] = []
        self._holders: defaultdict[str, list[int]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: Key, question: str) -> None:
        """Adds a question without checking for duplicates; call `find` first."""
        number = len(self._keys)
        own = grams(question)
        self._keys.append(key)
        self._grams.append(own)
        for gram in own:
            self._holders[gram].append(number)

    def find(self, question: str) -> Duplicate[Key] | None:
        """The most similar question at or above the threshold, the earliest of equals, or None."""
        own = grams(question)
        best: Duplicate[Key] | None = None
        for number in sorted(self._candidates(own)):
            alike = similarity(own, self._grams[number])
            if alike >= self._threshold and (best is None or alike > best.similarity):
                best = Duplicate(self._keys[number], alike)
        return best

    def _candidates(self, own: frozenset[str]) -> set[int]:
        rarest = sorted(own, key=lambda gram: (len(self._holders.get(gram, ())), gram))
        shared = ceil(self._threshold * len(own) - _ROUNDING)
        least_shared = max(1, shared // 3)
        held: Counter[int] = Counter()
        for gram in rarest[: len(own) - shared + least_shared]:
            held.update(self._holders.get(gram, ()))
        least, most = self._threshold * len(own), len(own) / self._threshold
        return {
            number
            for number, count in held.items()
            if count >= least_shared
            and least - _ROUNDING <= len(self._grams[number]) <= most + _ROUNDING
        }


def duplicate_pairs(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places (i, j), j < i, of near-duplicates among the texts, in order of i and j.

    With grams in one order, the rarest first, two such sets share a gram among the first
    |x| - ceil(t |x|) + 1 of each (Chaudhuri et al. 2006, the prefix filter); what that finds is
    compared in full.
    """
    sets = [grams(text) for text in texts]
    counts = Counter(gram for own in sets for gram in own)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(sets):
        ordered = sorted(own, key=lambda gram: (counts[gram], gram))
        prefix = ordered[: len(own) - ceil(THRESHOLD * len(own) - _ROUNDING) + 1]
        near = {other for gram in prefix for other in holders[gram]}
        for other in sorted(near):
            if similarity(own, sets[other]) >= THRESHOLD:
                yield number, other
        for gram in prefix:
            holders[gram].append(number)

"""Finds the texts that share most words with a text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from engine.text.content_words import content_terms


class Near(NamedTuple):
    """A text that is like another."""

    place: int
    """In the sequence that was searched, from 0."""
    similarity: float
    """0 (no word in common) to 1 (the same words)."""


def nearest(text: str, others: Sequence[str], limit: int) -> list[Near]:
    """Returns the texts most like `text`, the most similar first, equal ones in their order; none
    without a word in common.

    Similarity is the weighted Jaccard index (Ioffe 2010) of the sets of content words, Chinese
    by the dictionary: a word weighs ln(1 + N / n) where n of the N texts hold it, so that what all
    questions ask says little.
    """
    own = frozenset(content_terms(text))
    sets = [frozenset(content_terms(other)) for other in others]
    holders = Counter(word for words in (own, *sets) for word in words)
    weight = {word: math.log(1 + (len(sets) + 1) / count) for word, count in holders.items()}

    def weigh(words: frozenset[str]) -> float:
        return sum(weight[word] for word in sorted(words))

    found = [
        Near(place, weigh(own & words) / weigh(own | words))
        for place, words in enumerate(sets)
        if own & words
    ]
    return sorted(found, key=lambda near: (-near.similarity, near.place))[:limit]

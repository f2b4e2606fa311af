"""Counts over two token sequences, from which the text metrics of all variants are built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def ngram_counts(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """The count of each n-gram; empty when there are fewer than n tokens."""
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def overlap(left: Counter[Key], right: Counter[Key]) -> int:
    """Size of the multiset intersection."""
    return sum(min(left[key], right[key]) for key in left.keys() & right.keys())


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Length of the longest common subsequence of tokens."""
    from rapidfuzz.distance import LCSseq

    return int(LCSseq.similarity(left, right))


def f_measure(shared: int, left: int, right: int) -> float:
    """2PR / (P + R) with P = shared / left and R = shared / right; 0 when nothing is shared."""
    if shared == 0:
        return 0.0
    precision, recall = shared / left, shared / right
    return 2 * precision * recall / (precision + recall)

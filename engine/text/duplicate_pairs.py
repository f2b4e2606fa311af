"""Finds all pairs of near-duplicate texts in a collection, exactly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import ceil

from engine.text.duplicates import THRESHOLD, grams, similarity


def duplicate_pairs(
    texts: Sequence[str], threshold: float = THRESHOLD
) -> Iterator[tuple[int, int]]:
    """Places (i, j), j < i, of texts whose character 5-grams have a Jaccard similarity of
    `threshold` or more, in order of i and j.

    With grams in one order, the rarest first, two such sets share a gram among the first
    |x| - ceil(t |x|) + 1 of each (Chaudhuri et al. 2006, the prefix filter); what that finds is
    compared in full.
    """
    sets = [grams(text) for text in texts]
    counts = Counter(gram for one in sets for gram in one)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(sets):
        ordered = sorted(own, key=lambda gram: (counts[gram], gram))
        prefix = ordered[: len(own) - ceil(threshold * len(own) - 1e-9) + 1]
        near = {other for gram in prefix for other in holders[gram]}
        for other in sorted(near):
            if similarity(own, sets[other]) >= threshold:
                yield number, other
        for gram in prefix:
            holders[gram].append(number)

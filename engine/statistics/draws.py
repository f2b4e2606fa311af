"""How labelled answers were drawn: what each stands for, and what varied in the draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FEWEST_OF_STRATUM = 8
"""Labels that a stratum needs for a variance of its own: with fewer, the few degrees of freedom
cost more than what varies between strata (half of .21 against .33 with 2 labels in each of 15 cells
whose sizes follow Zipf's law)."""


def label_weights(
    strata: Sequence[tuple[Hashable, ...]], labelled: Sequence[int]
) -> NDArray[np.float64]:
    """The share of the population that each labelled member stands for; the weights sum to 1.

    `strata` gives for each member of the population its place, from coarse to fine: task and
    topic, then what the sample was balanced over. A labelled member shares the weight of its finest
    stratum with the labelled ones in it; a stratum without labels falls to the next coarser one
    that has some. Raises ValueError without any label.
    """
    if not len(labelled):
        raise ValueError("nothing is labelled")
    depth = max(map(len, strata))
    counted = [Counter(strata[at][:level] for at in labelled) for level in range(depth + 1)]
    owed: Counter[tuple[Hashable, ...]] = Counter()
    for place in strata:
        level = len(place)
        while not counted[level][place[:level]]:
            level -= 1
        owed[place[:level]] += 1
    weights = np.array(
        [
            sum(
                owed[strata[at][:level]] / counted[level][strata[at][:level]]
                for level in range(len(strata[at]) + 1)
            )
            for at in labelled
        ]
    )
    shares: Floats = weights / weights.sum()
    return shares


def variance_strata(
    strata: Sequence[tuple[Hashable, ...]], labelled: Sequence[int]
) -> tuple[Ints, int]:
    """The number of each member's stratum, and how many strata had to be joined to others.

    `strata` are as in `label_weights`. All of one part that have fewer than `FEWEST_OF_STRATUM`
    labels are joined, and what is still too small joins the next coarser part.
    """
    places = list(strata)
    for level in range(max(map(len, places)), 0, -1):
        held = Counter(places[at] for at in labelled)
        places = [
            place[:-1] if len(place) == level and held[place] < FEWEST_OF_STRATUM else place
            for place in places
        ]
    held = Counter(places[at] for at in labelled)
    if 0 < held[()] < FEWEST_OF_STRATUM or (() in places and not held[()]):
        largest = held.most_common(1)[0][0]
        places = [place or largest for place in places]
    numbers = {place: number for number, place in enumerate(sorted(set(places), key=str))}
    merged = {first for first, last in zip(strata, places, strict=True) if first != last}
    return np.array([numbers[place] for place in places], dtype=np.int64), len(merged)


class Labels(Struct, frozen=True):
    """Labels of some answers of a population, and how these were drawn."""

    at: Ints
    """Places in the population."""
    values: Floats
    """People's, NaN where they say that the metric does not apply."""
    weights: Floats
    """The number of answers that each stands for, up to a common factor: 1 / its chance."""
    spread: Floats | None = None
    """The factor of each squared residual in the variance of the draw, on the scale of the squared
    weights, where it is not w^2 (1 - 1 / w): of several draws, one after the other."""
    strata: Ints | None = None
    """The stratum of each member of the population; all are in one where it is not given."""
    merged: int = 0
    """Strata that were joined to others as they have too few labels."""
    whole_groups: bool = False
    """Whether groups were drawn, not answers: then a group is what counts."""


def all_alike(at: Ints, values: Floats, answers: int) -> Labels:
    """Labels that were drawn alike from so many answers."""
    return Labels(at, values, np.full(len(at), answers / max(len(at), 1)))

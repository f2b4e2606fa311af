"""Whether a judge changed between two times, from reruns over the same answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from engine.statistics.inference import MIN_GROUPS, Interval
from engine.statistics.linearised import LEVEL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

FEWEST_RERUNS = 2
"""On each side; one rerun cannot tell a change from the judge's own noise."""


class Drift(Struct, frozen=True):
    """Values that differ across two times, beyond those that differ within each."""

    answers: int
    across: float
    """Share of pairs of reruns, one of each time, that differ."""
    within: float
    """The same of pairs of one time: what the judge does to itself."""
    excess: Interval
    """Of `across - within`, with its p; `undefined` without reruns."""


def judge_drift(before: Ints, after: Ints, groups: Ints) -> Drift:
    """Compares two times of a judge; both hold answers x reruns, codes of values, of one order.

    A judge that is asked again differs from itself, so a change is only what differs more across
    than within: per answer the share of differing pairs across minus the mean of those within,
    which is 0 on average whatever the noise, by group, with Student's t.
    """
    across = (before[:, :, None] != after[:, None, :]).mean((1, 2))
    if min(before.shape[1], after.shape[1]) < FEWEST_RERUNS:
        reason = f"takes {FEWEST_RERUNS} reruns or more of each"
        nothing = Interval("new", "undefined", reason=reason)
        return Drift(len(across), float(across.mean()), float("nan"), nothing)
    within = (_differing(before) + _differing(after)) / 2
    excess = across - within
    point = float(excess.mean())
    counted = (len(across), float(across.mean()), float(within.mean()))
    sums = np.bincount(groups, excess - point)
    present = np.bincount(groups) > 0
    k = int(present.sum())
    if k < MIN_GROUPS:
        reason = f"too few groups for an interval: {k}"
        return Drift(*counted, Interval("new", "too few", reason=reason))
    from scipy.special import stdtr, stdtrit

    # two answers that would differ by half: none seen to differ is no proof that none does
    floor = 0.5 / k**2 if not excess.any() else 0.0
    error = (float(sums @ sums) * k / (k - 1) / len(across) ** 2 + floor) ** 0.5
    half = float(stdtrit(k - 1, 1 - LEVEL / 2)) * error
    p = 2 * float(stdtr(k - 1, -abs(point) / error))
    return Drift(*counted, Interval("new", "ok", point - half, point + half, "", "t", k - 1, p))


def _differing(reruns: Ints) -> Floats:
    """For each answer the share of its pairs of reruns that differ."""
    k = reruns.shape[1]
    pairs = (reruns[:, :, None] != reruns[:, None, :]).sum((1, 2))
    shares: Floats = pairs / (k * (k - 1))
    return shares

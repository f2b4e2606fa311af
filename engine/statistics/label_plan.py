"""The number of labels that a precision, or telling two runs apart, takes, from a pilot."""

from __future__ import annotations

from engine.statistics.inference import LabelCount
from engine.statistics.linearised import LEVEL, Linear

POWER = 0.8
"""The chance that a difference as large as asked for is found."""
UPPER = 0.8
"""How sure the standard deviation is below the one planned with: with the pilot's own, half of the
plans fall short."""
NO_PILOT = 0.5
"""The standard deviation of values on [0, 1] where nothing is known: the largest there is."""


def labels_needed(
    joined: Linear | None,
    alone: Linear | None,
    *,
    answers: int,
    groups: int,
    asked: float,
    is_difference: bool,
) -> tuple[LabelCount, LabelCount]:
    """The labels that make half of the interval's width `asked`, or find a difference of `asked`.

    `joined` and `alone` are the estimate of a pilot with the judge and without; without a pilot
    the judge counts as useless. `run` has the correction for a finite population; `new` keeps
    what varies between groups however many labels there are.
    """
    from scipy.special import ndtri

    quantile = float(ndtri(1 - LEVEL / 2)) + (float(ndtri(POWER)) if is_difference else 0.0)
    error = (asked / quantile) ** 2
    spread, bare = (_upper(one, is_difference) for one in (joined, alone))
    run = LabelCount(
        "run", *(_count(one / (error + one / answers), answers) for one in (spread, bare))
    )
    kept = _kept(joined)
    if kept >= error:
        return run, LabelCount("new", None, None, round(groups * kept / error) + 1)
    new = (
        _count(one / (error - _kept(of)), answers) if error > _kept(of) else None
        for one, of in ((spread, joined), (bare, alone))
    )
    return run, LabelCount("new", *new)


def _kept(found: Linear | None) -> float:
    """The variance over questions that no further label takes away."""
    return 0.0 if found is None else max(0.0, found.new.variance - found.of_labels)


def _upper(found: Linear | None, is_difference: bool) -> float:
    """The upper limit of the variance of a label's residual."""
    from scipy.special import chdtri

    if found is None:
        return NO_PILOT**2 * (2 if is_difference else 1)
    n = found.effective
    seen = (found.of_labels + found.new.floor) * n
    # the quantile below which a share 1 - UPPER of chi squared lies
    return float(seen * (n - 1) / chdtri(n - 1, UPPER))


def _count(labels: float, answers: int) -> int | None:
    """Rounded up; null for more than there are."""
    whole = -int(-labels // 1)
    return whole if whole <= answers else None

"""The agreement of raters as one figure, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from engine.statistics.agreement import formulas
from engine.statistics.agreement.counts import Counts
from engine.statistics.agreement.statistic import Statistic

FEWEST = 2
"""Units that two raters must share for a coefficient to mean anything."""

Ratings = Sequence[Sequence[Hashable | None]]
"""units x raters; None where a rater gave no value."""


NOMINAL = ("raw", "kappa_plain", "alpha_nominal", "ac1")
ORDINAL = (*NOMINAL, "kappa_linear", "kappa_quadratic", "alpha_ordinal", "ac2", "spearman")
STATISTICS = (*ORDINAL, "alpha_interval")
"""What `computed` computes: the share of agreeing pairs of ratings, averaged over units (`raw`),
Cohen's kappa and Spearman's rank correlation (-1 to 1; of more than two raters the mean over their
pairs, without those for which it is not defined, Light 1971), Krippendorff's alpha (at most 1;
`interval` takes values as numbers), Gwet's AC1, and AC2 with quadratic weights."""


def computed(
    name: str, counts: Counts, values: Sequence[Hashable], whole: Counts | None = None
) -> Any:
    """The statistic for each place of the leading axes of `counts`; NaN where undefined.

    `whole` are the counts that these are resampled from: a pair of raters that it leaves out is
    left out of every resample too."""
    kind, _, how = name.partition("_")
    options: Any = how
    match kind:
        case "raw":
            return formulas.raw(counts.agreed, counts.pairable)
        case "kappa":
            return _mean_of_pairs(
                formulas.kappa(counts.tables, options),
                None if whole is None else formulas.kappa(whole.tables, options),
            )
        case "spearman":
            return _mean_of_pairs(
                formulas.spearman(counts.tables),
                None if whole is None else formulas.spearman(whole.tables),
            )
        case "alpha":
            numbers = [float(value) for value in values] if how == "interval" else None  # type: ignore[arg-type]
            return formulas.alpha(counts.coincidences, options, numbers)
        case "ac1":
            return formulas.gwet(counts.agreed, counts.pairable, counts.shares)
        case "ac2":
            return formulas.gwet(counts.nearly, counts.pairable, counts.shares, "quadratic")
    raise ValueError(f"there is no statistic {name!r}; there are {', '.join(STATISTICS)}")


def described(name: str, figure: float, counts: Counts, values: Sequence[Hashable]) -> Statistic:
    """`figure`, or the reason in words why it is undefined for `counts`."""
    units = int(counts.pairable)
    if units == 0:
        return Statistic(None, "no subject has values of two raters")
    if units < FEWEST and name != "raw":
        return Statistic(None, f"too few subjects with values of two raters: {units}")
    if len(values) < 2 and name != "raw":
        return Statistic(None, "only one value is legal")
    if not math.isnan(figure):
        return Statistic(figure)
    seen = [value for value, held in zip(values, counts.shares, strict=True) if held > 0]
    if len(seen) == 1:
        return Statistic(None, f"all gave the value {seen[0]}: chance would agree as well")
    if name == "spearman":
        return Statistic(None, "a rater gave one value only, which has no ranks")
    return Statistic(None, "each two raters gave one value only, the same throughout")


def _mean_of_pairs(coefficients: Any, unsampled: Any) -> Any:
    known = (
        ~np.isnan(coefficients)
        if unsampled is None
        else ~np.isnan(coefficients) & ~np.isnan(unsampled)
    )
    total = np.where(known, coefficients, 0).sum(-1)
    number = known.sum(-1)
    return np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)

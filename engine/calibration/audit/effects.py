"""What changes of answers did to a judge's values, from the stored ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from engine.calibration.audit.audit_records import (
    Consistency,
    Drift,
    DriftVerdict,
    Probe,
    ProbeVerdict,
)
from engine.calibration.audit.changes import CHANGES, GOLDEN, SAME, Change
from engine.metrics.spec import MetricSpec, normalised
from engine.statistics.difference import adjusted, difference
from engine.statistics.inference import MIN_GROUPS, Difference, Settings
from engine.statistics.means import mean_interval
from engine.statistics.pairing import CommonSet
from store.records import ScoreState
from store.runs.audits import ProbeScore

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEVEL = 0.05
TOLERANCE = 0.05
"""A mean change within it, on [0, 1], is none that matters."""
LEAST_CAUGHT = 0.8
"""Of planted errors."""
ACCEPTED = 0.99
"""A golden answer with this value on [0, 1] is accepted: not 1, for a cosine is rounded."""
CAUGHT_DROP = 0.25
"""Of the value on [0, 1], at least: half a step of a scale of three values."""

Value = tuple[ScoreState, float | None]
Values = Mapping[str, Mapping[tuple[int, str], Mapping[int, Value]]]
"""By change, by answer and metric, by repeat: usable values, `na` among them."""


def usable(scores: Iterable[ProbeScore]) -> Values:
    """The values that count, of those that are stored."""
    out: dict[str, dict[tuple[int, str], dict[int, Value]]] = {}
    for one in scores:
        if one.state in (ScoreState.OK, ScoreState.NA):
            cases = out.setdefault(one.change, {})
            repeats = cases.setdefault((one.prediction_id, one.metric), {})
            repeats[one.repeat] = (one.state, one.value)
    return out


def probes(
    values: Values,
    specs: Sequence[MetricSpec],
    groups: Mapping[int, str],
    asked: Mapping[tuple[str, str], int],
) -> list[Probe]:
    """Every probe of every metric; Holm's adjustment is over all that must leave a value.

    `groups` are those of the probed answers; `asked` counts the values that were asked for by
    change and metric, so that those without a usable one are known.
    """
    stays, differences = [], []
    falls = []
    for change in CHANGES:
        for spec in specs:
            count = asked.get((change.key, spec.name), 0)
            if change.must is None or not count:
                continue
            if change.must == "fall":
                falls.append(_caught(change, spec, values, groups, count))
                continue
            pairs = _pairs(change, spec, values)
            stays.append((change, spec, count, _flips(change, spec, values)))
            differences.append(_difference(pairs, groups))
    tested = adjusted(differences, None, Settings())
    return [
        *(
            _stay(change, spec, count, flips, found)
            for (change, spec, count, flips), found in zip(stays, tested, strict=True)
        ),
        *falls,
    ]


def consistency(values: Values, specs: Sequence[MetricSpec]) -> list[Consistency]:
    """How often repeats of the same case agree, by metric; of judges that were asked again."""
    out = []
    for spec in specs:
        shares = [
            share
            for (_, metric), repeats in values.get(SAME, {}).items()
            if metric == spec.name and (share := _agreeing(spec, repeats)) is not None
        ]
        if shares:
            out.append(Consistency(spec.name, len(shares), float(np.mean(shares))))
    return out


def drifts(
    other: str,
    mine: Values,
    theirs: Mapping[tuple[int, str], Value],
    specs: Sequence[MetricSpec],
    groups: Mapping[int, str],
    right: Callable[[int, str, Value], bool | None],
) -> list[Drift]:
    """This judge beside another on equal cases.

    Values that differ between the judges are compared with those that differ between repeats of
    this one, answer by answer, so that a judge which is not steady has not drifted. `right` says
    whether people gave the value.
    """
    rows, differences = [], []
    for spec in specs:
        pairs: dict[int, tuple[float, float]] = {}
        shifts: list[float] = []
        rights: list[int] = []
        for (answer, metric), repeats in mine.get(SAME, {}).items():
            its = theirs.get((answer, metric))
            if metric != spec.name or its is None or 0 not in repeats:
                continue
            pairs[answer] = _differing(spec, repeats, its)
            gap = _gap(spec, repeats[0], its)
            shifts += [] if gap is None else [gap]
            known = [right(answer, metric, one) for one in (repeats[0], its)]
            if known[0] is not None and known[1] is not None:
                rights.append(known[0] - known[1])
        rows.append((spec, shifts, rights))
        differences.append(_difference(pairs, groups))
    return [
        Drift(
            other,
            spec.name,
            found.items,
            found.difference,
            *_ends(found),
            found.p_holm,
            float(np.mean(shifts)) if shifts else None,
            float(np.mean(rights)) if rights else None,
            _drift_verdict(found),
        )
        for (spec, shifts, rights), found in zip(
            rows, adjusted(differences, None, Settings()), strict=True
        )
    ]


def _drift_verdict(found: Difference) -> DriftVerdict:
    if found.p_holm is None:
        return "too few answers"
    return "drift" if found.p_holm < LEVEL and (found.difference or 0) > 0 else "no drift found"


def _differs(spec: MetricSpec, one: Value, other: Value) -> bool:
    """Whether two values are not the same; on a continuous scale, by more than the tolerance."""
    gap = _gap(spec, one, other)
    return one != other if gap is None else abs(gap) > TOLERANCE


def _agreeing(spec: MetricSpec, repeats: Mapping[int, Value]) -> float | None:
    """The share of pairs of repeats with one value; none of a single one."""
    pairs = list(combinations(repeats.values(), 2))
    return sum(not _differs(spec, a, b) for a, b in pairs) / len(pairs) if pairs else None


def _pairs(change: Change, spec: MetricSpec, values: Values) -> dict[int, tuple[float, float]]:
    """By answer, what the change came to beside what it is compared with.

    The order of passages has no direction: that a value flips is compared with its flipping by
    itself. Other changes are compared by value. Either way both sides are one draw each, which
    are exchangeable where the change does nothing, so that flipping signs is an exact test; a
    mean of repeats on one side would not be.
    """
    base, changed = values.get(change.against, {}), values.get(change.key, {})
    out = {}
    for (answer, metric), after in changed.items():
        before = base.get((answer, metric), {})
        if metric != spec.name or 0 not in before:
            continue
        if change.name == "order":
            out[answer] = _differing(spec, before, after[0])
        else:
            known, value = _number(spec, before[0]), _number(spec, after[0])
            if known is not None and value is not None:
                out[answer] = (value, known)
    return out


def _differing(spec: MetricSpec, repeats: Mapping[int, Value], other: Value) -> tuple[float, float]:
    """Whether another value differs from the first of a case, and whether the second does."""
    again = repeats.get(1, repeats[0])
    return float(_differs(spec, other, repeats[0])), float(_differs(spec, again, repeats[0]))


def _flips(change: Change, spec: MetricSpec, values: Values) -> float | None:
    base = values.get(change.against, {})
    flips = [
        _differs(spec, after[0], base[key][0])
        for key, after in values.get(change.key, {}).items()
        if key[1] == spec.name and 0 in base.get(key, {})
    ]
    return float(np.mean(flips)) if flips else None


def _difference(pairs: Mapping[int, tuple[float, float]], groups: Mapping[int, str]) -> Difference:
    known = sorted(pairs)
    names = sorted({groups[answer] for answer in known})
    place = {name: at for at, name in enumerate(names)}
    return difference(
        CommonSet(
            np.array([pairs[answer] for answer in known], dtype=np.float64).reshape(len(known), 2),
            np.array([place[groups[answer]] for answer in known], dtype=np.int64),
            (("", ""),) * len(known),
            {},
        ),
        None,
        Settings(),
    )


def _ends(found: Difference) -> tuple[float | None, float | None]:
    """The interval, with the doubt that is left where no change was seen: two answers more that
    change by half the scale, as in the mean of a run."""
    if found.difference is None or found.low is None or found.high is None:
        return None, None
    doubt = 2 * 0.5**0.5 / found.groups
    below, above = found.difference - found.low, found.high - found.difference
    return (
        found.difference - float(np.hypot(below, doubt)),
        found.difference + float(np.hypot(above, doubt)),
    )


def _stay(
    change: Change, spec: MetricSpec, count: int, flips: float | None, found: Difference
) -> Probe:
    low, high = _ends(found)
    verdict: ProbeVerdict = "unsettled"
    reason = ""
    if flips == 0 and not found.items:
        verdict = "na"
    elif low is None or high is None or found.difference is None:
        reason = f"{found.groups} groups could be compared; it takes {MIN_GROUPS}"
    elif found.p_holm is not None and found.p_holm < LEVEL and abs(found.difference) > TOLERANCE:
        verdict = "biased"
    elif low >= -TOLERANCE and high <= TOLERANCE:
        verdict = "clean"
    else:
        reason = _more(found.groups, found.difference, low, high)
    return Probe(
        change.name,
        change.in_words,
        False,
        spec.name,
        found.items,
        count - found.items,
        found.difference,
        low,
        high,
        found.p_holm,
        flips,
        verdict,
        reason,
    )


def _more(groups: int, effect: float, low: float, high: float) -> str:
    """How many groups would settle it, if the effect stays: intervals narrow as their root."""
    distance = max(abs(abs(effect) - TOLERANCE), TOLERANCE / 5)
    needed = int(np.ceil(groups * ((high - low) / 2 / distance) ** 2)) + 1
    return f"about {needed:,} groups would settle it"


def _caught(
    change: Change, spec: MetricSpec, values: Values, groups: Mapping[int, str], count: int
) -> Probe:
    """The share of planted errors that cost the golden answer at least `CAUGHT_DROP`."""
    changed = values.get(change.key, {})
    caught: dict[int, bool] = {}
    for (answer, metric), before in values.get(GOLDEN, {}).items():
        after = changed.get((answer, metric), {})
        if metric != spec.name or 0 not in after or 0 not in before:
            continue
        gap = _gap(spec, before[0], after[0])
        # where the golden answer itself is refused there is nothing to lose
        if gap is not None and (_number(spec, before[0]) or 0) >= ACCEPTED:
            caught[answer] = gap >= CAUGHT_DROP
    low = high = share = None
    verdict: ProbeVerdict = "unsettled"
    if caught:
        share = float(np.mean(list(caught.values())))
        names = sorted({groups[answer] for answer in caught})
        inside = [[caught[one] for one in caught if groups[one] == name] for name in names]
        sums = np.array([sum(one) for one in inside], dtype=np.float64)
        sizes = np.array([len(one) for one in inside], dtype=np.float64)
        low, high = mean_interval(sums, sizes, True, Settings())
    if low is not None and high is not None:
        verdict = "caught" if low >= LEAST_CAUGHT else "missed" if high < LEAST_CAUGHT else verdict
    return Probe(
        change.name,
        change.in_words,
        True,
        spec.name,
        len(caught),
        count - len(caught),
        share,
        low,
        high,
        None,
        None,
        verdict,
        "" if verdict != "unsettled" else "more answers would settle it",
    )


def _number(spec: MetricSpec, value: Value) -> float | None:
    if value[1] is None:
        return None
    # a cosine that is rounded may lie a little beyond the end of its scale
    most = value[1] if spec.maximum is None else min(value[1], spec.maximum)
    return normalised(spec, max(most, spec.minimum))


def _gap(spec: MetricSpec, before: Value, after: Value) -> float | None:
    first, second = _number(spec, before), _number(spec, after)
    return None if first is None or second is None else first - second

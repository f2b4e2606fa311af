"""A judge's values against people's: agreement by metric and cell, confusion, tests in pairs.

The layout is that of OmniEval's table 3 (arXiv 2412.13018): accuracy and Cohen's kappa over the
labels of all metrics pooled, unweighted, with `na` as a label. Beside it stand the metrics one by
one. Intervals resample whole groups (dialogue, source document, question).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

import numpy as np

from engine.calibration.calibration_records import (
    CellAgreement,
    Confusion,
    Given,
    Grade,
    MetricCalibration,
    PairedTest,
    Truth,
)
from engine.judge.base import LABELLED
from engine.metrics.spec import resolve
from engine.statistics.agreement.intervals import RESAMPLES
from engine.statistics.agreement.intervals import measures as measured
from engine.statistics.agreement.statistic import Statistic
from engine.statistics.agreement.weighted import weighted_measures
from engine.statistics.difference import adjusted, difference
from engine.statistics.inference import Difference, Settings
from engine.statistics.pairing import CommonSet
from store.records import ScoreState

Key = tuple[int, str]
"""An answer's number and a metric."""

_PLAIN = ("raw", "kappa_plain")
_OVERALL = (*_PLAIN, "ac1")
_APPLIES = ("applies", "na")
_ORDERED = ("kappa_quadratic", "spearman")
_NO_VALUE = "the judge gave no usable value where people gave one"
_NEVER_BOTH = "people and judge never both say that the metric applies"
_NOT_POOLED = "values of different metrics have no common order"


def calibrate(
    truths: Sequence[Truth],
    given: Mapping[Key, Given],
    *,
    resamples: int = RESAMPLES,
    by_cell: bool = True,
    weights: Mapping[int, float] | None = None,
) -> tuple[MetricCalibration, ...]:
    """The judge whose values are `given` against `truths`: all metrics pooled first, then each.

    A metric that the judge gave no label of anything is left out. `resamples` 0 leaves the
    intervals out. `weights` are the numbers of answers that the labels of each answer stand for;
    not given, all count alike.
    """
    judged = {metric for _, metric in given}
    known = [truth for truth in truths if truth.metric in judged]
    metrics = [metric for metric in LABELLED if any(truth.metric == metric for truth in known)]
    by_metric = [
        _one(
            metric,
            [truth for truth in known if truth.metric == metric],
            given,
            resamples,
            by_cell,
            weights,
        )
        for metric in metrics
    ]
    return (_one("", known, given, resamples, by_cell, weights), *by_metric) if by_metric else ()


def _one(
    metric: str,
    truths: Sequence[Truth],
    given: Mapping[Key, Given],
    resamples: int,
    by_cell: bool,
    weights: Mapping[int, float] | None,
) -> MetricCalibration:
    left_out: Counter[ScoreState] = Counter()
    both: list[tuple[Truth, Grade]] = []
    for truth in truths:
        one = given.get((truth.prediction_id, truth.metric), Given(ScoreState.MISSING, None))
        grade = one.grade
        if grade is None:
            left_out[one.state] += 1
        else:
            both.append((truth, grade))
    values = labels_of(metric)
    plain = _measured(both, values, _OVERALL, resamples, weights)
    ordered = (
        dict.fromkeys(_ORDERED, Statistic(None, _NOT_POOLED))
        if not metric
        else _measured(
            [(truth, grade) for truth, grade in both if "na" not in (truth.value, grade)],
            [value for value in values if value != "na"],
            _ORDERED,
            resamples,
            weights,
            _NEVER_BOTH if both else _NO_VALUE,
        )
    )
    return MetricCalibration(
        metric=metric,
        n=len(both),
        groups=len({truth.group_key for truth, _ in both}),
        left_out=dict(sorted(left_out.items())),
        accuracy=plain["raw"],
        kappa=plain["kappa_plain"],
        ac1=plain["ac1"],
        applicability=_applicability(both, resamples, weights),
        kappa_quadratic=ordered["kappa_quadratic"],
        spearman=ordered["spearman"],
        confusion=_confusion(metric, truths, given) if metric else None,
        cells=_cells(both, values, weights) if by_cell else (),
    )


def labels_of(metric: str) -> list[Grade]:
    """The labels of a metric in their order, `na` first where it has it; of all, for no metric."""
    if not metric:
        return ["na", 0, 1, 2]
    # fields that are not asked of an answer are n/a for a judge, whatever the metric
    return ["na", *(int(value) for value in resolve(metric).values)]


def _measured(
    both: Sequence[tuple[Truth, Grade]],
    values: Sequence[Grade],
    names: Sequence[str],
    resamples: int,
    weights: Mapping[int, float] | None,
    nothing: str = _NO_VALUE,
) -> dict[str, Statistic]:
    if not both:
        return dict.fromkeys(names, Statistic(None, nothing))
    pairs: list[tuple[Hashable, Hashable]] = [(truth.value, grade) for truth, grade in both]
    return _agreement(pairs, [truth for truth, _ in both], values, names, resamples, weights)


def _applicability(
    both: Sequence[tuple[Truth, Grade]], resamples: int, weights: Mapping[int, float] | None
) -> Statistic:
    if not both:
        return Statistic(None, _NO_VALUE)
    pairs = [(_APPLIES[truth.value == "na"], _APPLIES[grade == "na"]) for truth, grade in both]
    truths = [truth for truth, _ in both]
    found = _agreement(pairs, truths, _APPLIES, ("kappa_plain",), resamples, weights)
    return found["kappa_plain"]


def _agreement(
    pairs: Sequence[tuple[Hashable, Hashable]],
    truths: Sequence[Truth],
    values: Sequence[Hashable],
    names: Sequence[str],
    resamples: int,
    weights: Mapping[int, float] | None,
) -> dict[str, Statistic]:
    """The named statistics of pairs of people's and the judge's, one a label."""
    groups = [truth.group_key for truth in truths]
    if weights is not None:
        stand_for = [weights[truth.prediction_id] for truth in truths]
        return weighted_measures(pairs, values, names, groups, stand_for)
    return measured(pairs, values, names, groups, resamples=resamples)


def _confusion(metric: str, truths: Sequence[Truth], given: Mapping[Key, Given]) -> Confusion:
    counts: Counter[tuple[Grade, Grade | None]] = Counter()
    for truth in truths:
        value = given.get((truth.prediction_id, truth.metric))
        counts[truth.value, value.grade if value is not None else None] += 1
    values = tuple(labels_of(metric))
    return Confusion(
        values,
        tuple(tuple(counts[mine, its] for its in values) for mine in values),
        tuple(counts[mine, None] for mine in values),
    )


def _cells(
    both: Sequence[tuple[Truth, Grade]],
    values: Sequence[Grade],
    weights: Mapping[int, float] | None,
) -> tuple[CellAgreement, ...]:
    places: dict[tuple[str, str], list[tuple[Truth, Grade]]] = {}
    for truth, grade in both:
        places.setdefault((truth.topic, truth.task), []).append((truth, grade))
    cells = []
    for (topic, task), inside in sorted(places.items()):
        measured = _measured(inside, values, _PLAIN, 0, weights)
        cells.append(
            CellAgreement(topic, task, len(inside), measured["raw"], measured["kappa_plain"])
        )
    return tuple(cells)


def paired_tests(
    truths: Sequence[Truth],
    judges: Mapping[str, Mapping[Key, Given]],
    settings: Settings = Settings(),  # noqa: B008 - frozen
) -> tuple[PairedTest, ...]:
    """Every pair of judges with labels in common, in the order given: whether their accuracies
    differ.

    Sign-flip test over groups, which a pair of judges that are equally often right would pass;
    exact McNemar beside it where each group holds one label. Holm over pairs, and within a pair
    over metrics.
    """
    compared: list[tuple[str, str, Difference, dict[str, Difference]]] = []
    for first, second in combinations(judges, 2):
        common = [
            (truth, right)
            for truth in truths
            if (right := _rights(truth, judges[first], judges[second])) is not None
        ]
        if not common:
            continue
        metrics = [metric for metric in LABELLED if any(t.metric == metric for t, _ in common)]
        parts = [
            _difference([(t, right) for t, right in common if t.metric == metric], settings)
            for metric in metrics
        ]
        by_metric = dict(zip(metrics, adjusted(parts, True, settings), strict=True))
        compared.append((first, second, _difference(common, settings), by_metric))
    pooled = adjusted([one[2] for one in compared], True, settings)
    return tuple(
        PairedTest(first, second, whole, metrics)
        for (first, second, _, metrics), whole in zip(compared, pooled, strict=True)
    )


def _rights(
    truth: Truth, first: Mapping[Key, Given], second: Mapping[Key, Given]
) -> tuple[float, float] | None:
    """1 for each judge that says what people say; None unless both say anything."""
    key = (truth.prediction_id, truth.metric)
    if key not in first or key not in second:
        return None
    grades = (first[key].grade, second[key].grade)
    if None in grades:
        return None
    return float(grades[0] == truth.value), float(grades[1] == truth.value)


def _difference(
    common: Sequence[tuple[Truth, tuple[float, float]]], settings: Settings
) -> Difference:
    groups = sorted({truth.group_key for truth, _ in common})
    number = {group: place for place, group in enumerate(groups)}
    values = np.array([right for _, right in common], dtype=np.float64).reshape(len(common), 2)
    group_of = np.array([number[truth.group_key] for truth, _ in common], dtype=np.int64)
    cells = tuple((truth.topic, truth.task) for truth, _ in common)
    return difference(CommonSet(values, group_of, cells, {}), True, settings)

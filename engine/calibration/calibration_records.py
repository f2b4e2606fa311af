"""Labels and judges' values that go into a calibration, and the figures that come out."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from engine.labelling.human_label import LabelSource
from engine.statistics.agreement.statistic import Statistic
from engine.statistics.inference import Cell, Difference, Interval, Powered, PoweredDifference
from store.records import ScoreState

Standing = Literal["current", "stale", "imported", "not configured"]
"""Whether a judge is still defined as it was when it gave its scores."""

Grade = int | Literal["na"]
"""A value on a judged metric's scale, or that it does not apply."""


class Truth(Struct, frozen=True):
    """People's value of one metric of one answer."""

    prediction_id: int
    run_id: int
    metric: str
    value: Grade
    source: LabelSource
    group_key: str
    topic: str
    task: str


class Disputed(Struct, frozen=True):
    """A label that raters differ on and nobody has settled, at its lowest and its highest value."""

    lowest: Truth
    highest: Truth


class Given(Struct, frozen=True):
    """A judge's value of one metric of one answer; `value` is null unless the state is ok."""

    state: ScoreState
    value: float | None

    @property
    def grade(self) -> Grade | None:
        """The value as people give it; null for a reply that could not be used."""
        if self.state is ScoreState.NA:
            return "na"
        return None if self.value is None else int(self.value)


class Confusion(Struct, frozen=True):
    """The counts of a judge's values by the values that people gave."""

    values: tuple[Grade, ...]
    """Of both axes, in order; `na` first where the metric has it."""
    counts: tuple[tuple[int, ...], ...]
    """One row for each value of people's, one column for each of the judge's."""
    unusable: tuple[int, ...]
    """For each value of people's, replies that could not be used."""


class CellAgreement(Struct, frozen=True):
    topic: str
    task: str
    n: int
    accuracy: Statistic
    kappa: Statistic


class MetricCalibration(Struct, frozen=True):
    """A judge against people on one metric, or on all of them pooled."""

    metric: str
    """Empty for all metrics pooled: one label a metric and answer, n/a among the labels."""
    n: int
    """Labels that both gave."""
    groups: int
    left_out: dict[ScoreState, int]
    """Labels of people's for which the judge has no usable value, by state of its score."""
    accuracy: Statistic
    """Share of equal labels."""
    kappa: Statistic
    """Cohen's, plain, with n/a as a label of its own."""
    ac1: Statistic
    """Gwet's AC1, with n/a as a label: stands in for kappa where nearly all labels are one value.
    """
    applicability: Statistic
    """Cohen's kappa of whether the metric applies; undefined where all say that it does."""
    kappa_quadratic: Statistic
    """Of the values where both say that the metric applies; so is `spearman`. Undefined when
    pooled: values of different metrics have no common order."""
    spearman: Statistic
    confusion: Confusion | None
    cells: tuple[CellAgreement, ...]

    @property
    def coverage(self) -> float | None:
        """Share of people's labels for which the judge has a usable value."""
        labels = self.n + sum(self.left_out.values())
        return self.n / labels if labels else None


class PairedTest(Struct, frozen=True):
    """The test whether one judge agrees with people more often than another, on what both judged.

    The difference is of accuracies, first minus second, in [-1, 1].
    """

    first: str
    second: str
    pooled: Difference
    """`p_holm` is over the pairs of judges."""
    metrics: dict[str, Difference]
    """`p_holm` is over the metrics of the pair."""


class CellMean(Struct, frozen=True):
    """The estimated mean of a cell of a run, from its own labels."""

    topic: str
    task: str
    powered: Powered


class RunMean(Struct, frozen=True):
    """The estimated mean of a run on one metric."""

    run: str
    metric: str
    sample: str
    """That the labels were drawn by, and are weighted by; empty when they count alike."""
    powered: Powered
    cells: tuple[CellMean, ...] = ()
    """Those with enough labels for an interval, by topic and task."""
    conflicts: int = 0
    """Labels left out since raters differ: those are seldom like the others, so that the estimate
    may be wrong by more than its interval says."""
    bounds: tuple[float, float] | None = None
    """From the lower end of the interval of this run if all of these had the lowest value that a
    rater gave to the upper one if all had the highest; null without conflicts or interval."""
    bounds_new: tuple[float, float] | None = None
    """The same for questions like these."""


class CorrectedDifference(Struct, frozen=True):
    """Two runs on one metric, by a judge and people's labels: the first minus the second."""

    overall: PoweredDifference
    cells: dict[Cell, PoweredDifference]
    """Those with enough labels for an interval; Holm is over these."""
    samples: tuple[str, ...]
    """That the labels were drawn by; labels outside a sample count alike."""
    conflicts: int
    """Labels left out since raters differ."""
    bounds: tuple[float, float] | None = None
    """Of the difference in these runs, from what the intervals reach with the conflicts at the
    values worst for the first run to those worst for the second; null without conflicts."""
    bounds_new: tuple[float, float] | None = None
    """The same for questions like these."""


Choose = Literal["precision", "comparison", "agreement"]
"""What labels are drawn for: the mean of a run, the difference of two, or how far judge and people
agree."""


class LabelGoal(Struct, frozen=True):
    """How far the labels of a sample are from answering what it was drawn for."""

    choose: Choose
    metric: str
    judge: str
    runs: tuple[str, ...]
    drawn: int
    """Answers in the sample, or questions of a comparison."""
    within: float | None
    """Half of the interval's width that is precise enough; null where nobody said."""
    interval: Interval
    """The ordinary one: of the mean of this run, of the difference on questions like these, or of
    kappa."""
    labels: int = 0
    """Labels that count, of questions of a comparison where both answers have one."""
    estimate: float | None = None
    sequence: Interval | None = None
    """Of a comparison: the interval that holds at every look."""
    is_answered: bool = False
    """Whether one may stop: precise enough, or decided."""


class JudgeCalibration(Struct, frozen=True):
    judge: str
    """`NAME@` and digits of its hash."""
    name: str
    hash: str
    kind: str
    standing: Standing
    prompts: dict[str, str]
    """Hashes of a model judge's templates, by `LANG/ID`."""
    shown: int
    """Labels left out, of groups of which the judge was shown or taught an answer."""
    steady: float | None
    """Share of labels on which all repeats gave the same; null without repeats."""
    metrics: tuple[MetricCalibration, ...]
    """All pooled first, under the empty name."""
    means: tuple[RunMean, ...]


class Calibration(Struct, frozen=True):
    answers: int
    labels: int
    """People's labels, one for each metric of an answer."""
    sources: dict[LabelSource, int]
    """How they came about."""
    conflicts: int
    """Labels left out since raters differ, nobody ruled and there is no majority."""
    with_aids: int
    """Of `labels`, those of which a rater could see before how the answer compares with the golden
    one by the rules of the judge `rules`, which they flatter."""
    groups: int
    judges: tuple[JudgeCalibration, ...]
    tests: tuple[PairedTest, ...]

"""Settings and results of statistical inference on runs, importable without numpy."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from msgspec import Struct

Cell = tuple[str, str]
"""Row and column of a matrix: a topic and a task, or two facets."""

MIN_GROUPS = 6
"""With fewer groups there is no verdict: of 2 ** 5 sign patterns two are always as extreme as the
observed one, so no result of five groups has p below 2 / 32 = .0625."""


class Settings(Struct, frozen=True):
    """The settings of a comparison; equal settings and rows give equal results."""

    level: float = 0.05
    """Of the test; intervals cover 1 - level."""
    seed: int = 0
    resamples: int = 9_999
    """Bootstrap samples behind an interval, and random sign patterns behind a p value that is
    neither exact nor in the far tail."""


class TurnState(StrEnum):
    """The state of a run's score for one turn of an item, or why there is no score."""

    OK = "ok"
    NA = "na"
    UNPARSED = "unparsed"
    OUT_OF_RANGE = "out_of_range"
    ERROR = "error"
    MISSING = "missing"
    PENDING = "pending"
    ABSENT = "absent"
    """The run holds no prediction for this turn."""
    REVISED = "revised"
    """The runs answered different revisions of the item."""


class Verdict(StrEnum):
    A_BETTER = "a better"
    B_BETTER = "b better"
    A_HIGHER = "a higher"
    """In place of `better` for a metric that describes without judging, such as `length`."""
    B_HIGHER = "b higher"
    NO_DIFFERENCE = "no difference found"
    TOO_FEW = "too few to tell"


class Difference(Struct, frozen=True):
    """Run a minus run b on the turns that both have a value for."""

    items: int
    """Turns in the common set; an item of one turn counts once, whatever its repeats."""
    groups: int
    """Independent units (dialogue, source document) among them: what is resampled."""
    mean_a: float | None
    """Null, as is all that follows from it, when the common set is empty."""
    mean_b: float | None
    difference: float | None
    """`mean_a - mean_b`, whichever direction is better."""
    low: float | None
    """Ends of the interval of the difference; null with fewer than `MIN_GROUPS` groups."""
    high: float | None
    p: float | None
    """Two-sided sign-flip test over groups."""
    p_holm: float | None
    """`p` adjusted for all the differences tested beside this one. Null where nothing is tested
    beside it, and with fewer than `MIN_GROUPS` groups: such a one is not tested."""
    mcnemar: float | None
    """Exact McNemar test; null unless every value is 0 or 1 and every group has one turn."""
    wins: int
    """Turns on which a is better (higher, where no direction is); equal up to 1e-9 is a tie."""
    ties: int
    losses: int
    verdict: Verdict
    """By `p_holm` if there is one, else by `p`, at the level of the settings."""
    groups_differing: int = 0
    """Groups in which a and b differ: the others say nothing to the test."""
    least_p_holm: float | None = None
    """What `p_holm` would be if in every test all groups that differ pointed one way. Above the
    level, this test cannot tell the runs apart whatever it finds. Null where `p_holm` is."""

    def can_tell(self, level: float) -> bool:
        """Whether the groups that differ suffice for a verdict among all that is tested."""
        return self.least_p_holm is not None and self.least_p_holm <= level


Target = Literal["run", "new"]
"""What a number is about: `run`, the mean that people would give exactly these answers, or `new`,
the mean over questions like these, of which the run's groups are a draw."""

IntervalState = Literal["ok", "too few", "census", "undefined"]
"""`census`: all is labelled, so that nothing about this run is uncertain."""


class Interval(Struct, frozen=True):
    """The 95 % interval of an estimate for one target, or the reason why there is none."""

    target: Target
    state: IntervalState
    low: float | None = None
    high: float | None = None
    reason: str = ""
    """The reason why there are no ends."""
    method: str = ""
    """`t` (linearised variance), `by verdict` (Wilson in each verdict), or `exact` (binomial)."""
    df: float = 0.0
    """Degrees of freedom of Student's t."""
    p: float | None = None
    """Of a difference: two-sided, with the variance and the t of the interval."""

    @property
    def half(self) -> float | None:
        """Half the width."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


class Powered(Struct, frozen=True):
    """The estimated human mean of a run, from few labels and many judge's values.

    All means are on [0, 1], over the answers that the metric applies to.
    """

    answers: int
    n_labelled: int
    """Labels of people's with a value."""
    n_judged: int
    """Answers with a judge's value."""
    groups_labelled: int
    judge_mean: float | None
    """The judge's own mean over the run: as wrong as the judge is."""
    human_mean: float | None
    """Over the labelled answers, weighted to stand for the run."""
    human_run: Interval
    human_new: Interval
    mean: float | None
    """The prediction-powered estimate."""
    run: Interval
    new: Interval
    weight: float
    """Of the judge's values, 0 to 1: 0 means that they say nothing of people's."""
    effective: float = 0.0
    """Labels that would say as much if all weighed the same (Kish)."""
    strata: int = 1
    """Parts of the run that the labels were drawn from, each by itself."""
    merged: int = 0
    """Parts with few labels, joined to others for the variance."""
    rare_groups: int | None = None
    """Labelled groups that hold the rarer of the values 0 and 1, where these are so few that the
    interval of `new` is narrower than it should be; null elsewhere."""

    @property
    def worth(self) -> float | None:
        """The factor of labels that an interval of this run as narrow would take without the
        judge."""
        without, mine = self.human_run.half, self.run.half
        return (without / mine) ** 2 if without is not None and mine else None


class PoweredDifference(Struct, frozen=True):
    """The difference of two runs' human means, a minus b, corrected by labels; on [-1, 1]."""

    questions: int
    """That both runs answered."""
    n_a: int
    """Labels of the answers of each run that count."""
    n_b: int
    paired: int
    """Questions with labels of both answers."""
    is_paired: bool
    """Whether the estimate is over these differences; else each run has labels of its own."""
    judge: float | None
    """The judge's own difference, uncorrected."""
    difference: float | None
    run: Interval
    new: Interval
    weight: float
    """Of the judge's differences, 0 to 1."""
    p_holm: float | None = None
    """`new.p` adjusted for all the differences tested beside this one."""


class LabelCount(Struct, frozen=True):
    """What one target takes."""

    target: Target
    needed: int | None
    """Labels, or questions with both answers labelled; null where no number suffices."""
    without_judge: int | None
    questions: int | None = None
    """With null: the number of groups that it would take at least."""

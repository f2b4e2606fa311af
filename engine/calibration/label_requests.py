"""What is asked of people next: a draw of answers, and how many labels a question takes."""

from __future__ import annotations

from msgspec import Struct

from engine.calibration.calibration_records import Choose
from engine.statistics.inference import LabelCount
from store.labels.samples.draws import Draw
from store.labels.samples.samples import Sample


class NextRequest(Struct, frozen=True):
    """What to draw for labelling with the form `judge_labels`."""

    name: str
    choose: Choose
    runs: tuple[str, ...]
    """One; for a comparison two."""
    metric: str
    judge: str
    number: int
    """Answers, or questions of a comparison, to draw."""
    seed: int = 0
    within: float | None = None
    """Half of the interval's width that is precise enough, on [0, 1]; shown while labelling."""
    raters_wanted: int = 1
    raters: tuple[str, ...] | None = None
    adjudicators: tuple[str, ...] | None = None


class NextPlan(Struct, frozen=True):
    """What a draw would take."""

    number: int
    """Answers, or questions of a comparison, that would be drawn."""
    frame: int
    """Candidates that there are."""
    is_burn_in: bool
    """Whether all have the same chance, since too few labels say anything of uncertainty."""


class NextDrawn(Struct, frozen=True):
    sample: Sample
    draw: Draw
    added: int
    """Answers that came into the sample."""
    frame: int
    """Candidates that there were."""
    is_burn_in: bool
    """Whether all had the same chance."""
    least: float
    """The lowest and the highest chance."""
    most: float


class LabelPlan(Struct, frozen=True):
    """What it takes to learn the mean of a run, or the difference of two, so well."""

    runs: tuple[str, ...]
    metric: str
    judge: str
    asked: float
    """Half of the interval's width, or the difference to be found."""
    answers: int
    """That there are, or questions that both runs answered."""
    labels: int
    """That there are already."""
    has_pilot: bool
    """Whether these are enough to plan by; else the plan is for a judge that says nothing."""
    run: LabelCount
    new: LabelCount
    seconds_each: float
    """For a label at this rater's pace; twice that of an answer where both are labelled."""
    is_own_pace: bool

    def minutes(self, count: LabelCount) -> float | None:
        """For the labels that are still to be given."""
        if count.needed is None:
            return None
        return max(count.needed - self.labels, 0) * self.seconds_each / 60

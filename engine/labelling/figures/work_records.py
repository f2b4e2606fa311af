"""What comes out of a report on raters' work; light, since screens hold it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from engine.labelling.figures.statistics import WorkFigures
from engine.prompts.languages import by_lang
from engine.statistics.agreement.statistic import Statistic
from store.labels.forms import Value, Verdict
from store.labels.samples.progress import CellLabels
from store.labels.samples.quotas import RaterProgress
from store.labels.statistics import SubjectLine


class Axis(Struct, frozen=True):
    """The keys of topics or tasks that were labelled, in their taxonomy's order, with names."""

    keys: tuple[str, ...]
    zh: tuple[str, ...]
    en: tuple[str, ...]

    def labels(self, lang: str) -> tuple[str, ...]:
        return by_lang(lang, self.zh, self.en)


class Distribution(Struct, frozen=True):
    """How often each legal value of a field was given, hidden repeats left out."""

    field: str
    values: tuple[Value, ...]
    counts: tuple[int, ...]


class Today(Struct, frozen=True):
    labels: int
    per_hour: float | None
    """Complete labels an hour at the keys; null when no time was measured."""


class Second(Struct, frozen=True):
    """How far those agree who labelled the same subjects, on one field."""

    field: str
    n: int
    """Subjects with the values of two raters or more."""
    raw: Statistic
    kappa: Statistic


class AutomaticAgainst(Struct, frozen=True):
    """What people decided on texts that have an automatic evaluation."""

    counts: dict[int, dict[Verdict, int]]
    """By evaluation (2 very good, 1 correctable, 0 poor) and by what the person's value decides."""

    @property
    def n(self) -> int:
        return sum(sum(row.values()) for row in self.counts.values())

    @property
    def agreeing(self) -> int:
        """Labels that decide what the evaluation would: 2 accept, 1 correct, 0 discard."""
        same: dict[int, Verdict] = {2: "accept", 1: "correct", 0: "discard"}
        return sum(self.counts.get(value, {}).get(verdict, 0) for value, verdict in same.items())


class WorkReport(Struct, frozen=True):
    """Everything that the statistics of a form say to one person."""

    form: str
    viewer: str
    by: str
    axes: tuple[str, ...]
    """What `by` may be."""
    is_rater: bool
    """Whether the person labels with the form: then other raters are told together only."""
    decides: bool
    """Whether the form decides on items, so that there is an acceptance."""
    field: str
    """Whose values the rows count: the deciding one, or the first that is asked."""
    choices: tuple[Value, ...]
    rows: tuple[WorkFigures, ...]
    by_topic: tuple[WorkFigures, ...]
    by_task: tuple[WorkFigures, ...]
    total: WorkFigures | None
    """Null where nobody has touched anything."""
    topics: Axis
    tasks: Axis
    distributions: tuple[Distribution, ...]
    today: Today
    """Of the person where they label, else of everybody."""
    seconds: tuple[Second, ...]
    automatic: AutomaticAgainst | None
    """Null for a form that decides nothing on items. Of a rater, over their own labels only."""
    progress: tuple[RaterProgress, ...] = ()
    """Raters with a quota in an open sample; of a rater their own."""


class LabelledSubject(Struct, frozen=True):
    """A subject behind a figure. What others made of it is told to nobody who may yet label it."""

    line: SubjectLine
    is_told: bool
    """Whether state and values are told."""
    values: tuple[tuple[str, Value], ...]
    """Raters with their values of the report's field, as far as they are told; own ones always."""
    seconds: float | None
    """Median time of the labels that are told."""


class SampleProgress(Struct, frozen=True):
    """How far the cells of a form's samples are."""

    cells: tuple[CellLabels, ...]
    topics: Axis
    tasks: Axis
    samples: tuple[str, ...]
    """All open samples of the form, by name."""


Period = Literal["all", "month", "week", "day"]
PERIODS: tuple[Period, ...] = ("all", "month", "week", "day")


class Estimate(Struct, frozen=True):
    """A figure with its 95 % interval."""

    value: float | None
    """Null where there is nothing to count."""
    low: float | None
    high: float | None
    """Null where there is too little for an interval."""
    n: int


class Reliability(Struct, frozen=True):
    """One rater in one period."""

    rater: str
    period: str
    """`2026-11`, `2026-W47`, `2026-11-22`; empty for all time."""
    labels: int
    """Subjects completed, hidden repeats and known questions among them."""
    known: Estimate
    """The share of right values on known questions; n are the questions."""
    agreement: Estimate
    """The share of other raters' values on the same fields of the same subjects that are the same;
    n are the subjects."""
    minutes: Estimate
    """The median time at the keys of a completed subject."""


class ReliabilityReport(Struct, frozen=True):
    """What one person may see of it."""

    form: str
    by: Period
    rows: tuple[Reliability, ...]
    is_rater: bool
    """Whether the person labels with the form: then they see themselves only, and of known
    questions those that they were told the answers of."""

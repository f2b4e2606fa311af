"""The facts that screens show of a workspace at one moment: datasets, runs and jobs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from store.datasets.coverage import CellCount
from store.datasets.datasets import Dataset, Release
from store.jobs.jobs import Job
from store.labels.consensus import LabelCount
from store.labels.forms import SubjectKind
from store.labels.news import News
from store.labels.samples.quotas import FullQuota
from store.records import JobState, Taxonomy
from store.runs.runs import Run, RunProgress
from store.sharing.team import Role
from tui.language import tr
from tui.live.titles import job_title

INSPECTION = "inspection"
"""The form that has a place of its own."""


class DatasetFact(NamedTuple):
    dataset: Dataset
    corpus: str
    taxonomy: Taxonomy
    releases: tuple[Release, ...]
    """Oldest first; empty when nothing of it has been frozen."""
    cells: tuple[CellCount, ...]
    """Of the latest release; of what the dataset holds, where there is none."""

    @property
    def latest(self) -> Release | None:
        return self.releases[-1] if self.releases else None

    @property
    def filled_cells(self) -> int:
        """Cells of the taxonomy that hold an item."""
        topics = {topic.key for topic in self.taxonomy.topics}
        tasks = {task.key for task in self.taxonomy.tasks}
        return sum(cell.topic in topics and cell.task in tasks for cell in self.cells)

    @property
    def all_cells(self) -> int:
        return len(self.taxonomy.topics) * len(self.taxonomy.tasks)


class Building(NamedTuple):
    """A dataset that items are being generated into."""

    dataset: str
    short: int
    """Cells below what the latest generation was to fill them to."""
    drafted: int
    """Items that nobody and nothing has inspected."""


class Topicless(NamedTuple):
    """A corpus whose documents were given topics, and most of them got none."""

    corpus: str
    taxonomy: str
    without: int
    """Documents that fit no topic of the taxonomy."""
    documents: int


class ToInspect(NamedTuple):
    """The progress of the items that were drawn for people to inspect."""

    done: int
    wanted: int
    """Items times raters wanted."""
    short: int
    """Cells that are below their target."""


class WorkFact(NamedTuple):
    """A run with its latest job; or a job that belongs to no run."""

    run: Run | None
    release: str
    """`NAME@V`, empty without a run."""
    job: Job | None
    progress: RunProgress
    per_second: float
    status: str
    """In one word or two, as every list shows it."""
    unanswered: int = 0
    """What a job that belongs to no run, and is done, has no reply for."""

    @property
    def key(self) -> str:
        """Names the line for as long as it exists."""
        if self.run is not None:
            return f"run {self.run.id}"
        return f"job {self.job.id}" if self.job is not None else ""

    @property
    def title(self) -> str:
        if self.run is not None:
            return self.run.name
        return job_title(self.job.title) if self.job is not None else ""

    @property
    def done(self) -> int:
        """Answers of a run that need no more work; units of any other job."""
        if self.run is not None:
            return self.progress.finished
        return self.job.done if self.job is not None else 0

    @property
    def total(self) -> int | None:
        """None while the total is unknown."""
        if self.run is not None:
            return self.progress.total
        return self.job.total if self.job is not None else None

    @property
    def phase(self) -> str:
        """What a running job does before or beside what it counts; empty for nothing else."""
        job = self.job
        return job.phase or "" if job is not None and self.status == "running" else ""

    @property
    def counts(self) -> tuple[int, int | None]:
        """How many of how many, of the phase or else of the whole; None while that is unknown."""
        job = self.job
        if not self.phase or job is None:
            return self.done, self.total
        return job.phase_done, job.phase_total

    @property
    def failed(self) -> int:
        """What failed in work that is done, and can be tried again."""
        if self.status != "done":
            return 0
        return self.progress.failed if self.run is not None else self.unanswered

    @property
    def lack(self) -> str:
        """What a piece of work that is done has not done: `37 short`, `3 failed`; empty where it
        has done all, and while it goes on."""
        if self.failed:
            return tr("{number:,} failed", number=self.failed)
        if self.status != "done" or self.run is not None:
            return ""
        short = (self.total or 0) - self.done
        return tr("{number:,} short", number=short) if short > 0 else ""

    @property
    def is_active(self) -> bool:
        """Whether the job is being worked on or waits for its turn."""
        return self.status in ("queued", "running", "pausing", "cancelling")

    @property
    def can_resume(self) -> bool:
        return self.job is not None and self.job.state is not JobState.DONE and not self.is_active


class ToLabel(NamedTuple):
    """The labels that the samples of a form ask for, except for the form of Inspect."""

    form: str
    kind: SubjectKind
    done: int
    wanted: int
    """Labels: subjects times the raters that each wants."""


class Waiting(NamedTuple):
    """The work that waits for the rater of this app."""

    form: str
    kind: SubjectKind
    sample: str
    """Empty for Inspect, where one goes through all samples of its form."""
    waiting: int
    """As many as the desk will give them, if they complete each and nobody else labels."""
    done: int
    """As many as they are done with."""


@dataclass(frozen=True)
class Facts:
    folder: Path
    is_known: bool = field(default=False, kw_only=True)
    """False until the workspace has been looked at: what is not known yet is not empty."""
    is_open: bool = False
    """False while the workspace's file is not there."""
    opened: int = 0
    """Rises each time that the file is opened anew, because it was replaced or came back."""
    problem: str = ""
    datasets: tuple[DatasetFact, ...] = ()
    work: tuple[WorkFact, ...] = ()
    """Newest first."""
    sources: tuple[tuple[str, int], ...] = ()
    """Corpora by name, with the number of sources in each."""
    inspection: ToInspect = field(default_factory=lambda: ToInspect(0, 0, 0))
    labelled: tuple[LabelCount, ...] = ()
    """By form, what people have labelled and what they differ on."""
    to_label: tuple[ToLabel, ...] = ()
    building: tuple[Building, ...] = ()
    rater: str = ""
    """Who `own` is about, and `to_rule` of what is labelled."""
    own: tuple[Waiting, ...] = ()
    """The open samples that the rater may label."""
    full: tuple[FullQuota, ...] = field(default=(), kw_only=True)
    """The rater's quotas that are full."""
    topicless: tuple[Topicless, ...] = ()
    others_named: tuple[str, ...] = ()
    """Whom the open samples are for, where none is for the rater."""
    news: tuple[News, ...] = ()
    """What the rater has not seen yet."""
    role: Role = Role.OPERATOR
    """What the account may do in the workspace."""

    def find(self, key: str) -> WorkFact | None:
        return next((fact for fact in self.work if fact.key == key), None)

    def labels(self, form: str) -> LabelCount | None:
        """What people have labelled with a form; None where nobody has completed anything."""
        return next((one for one in self.labelled if one.form == form), None)

    @property
    def active(self) -> tuple[WorkFact, ...]:
        return tuple(fact for fact in self.work if fact.is_active)

    @property
    def is_empty(self) -> bool:
        return not (self.datasets or self.work or self.sources)

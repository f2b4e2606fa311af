"""One look at a workspace: its datasets, runs and jobs, as the screens show them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from engine.labelling.forms import load_form
from store.clock import now_seconds
from store.corpora import corpora, taxonomies
from store.datasets import coverage, datasets, generation_figures, generations
from store.datasets.coverage import CellCount
from store.datasets.datasets import Dataset, Release
from store.jobs import jobs
from store.jobs.jobs import Job
from store.labels import conflicts, queue
from store.labels import progress as label_progress
from store.labels import samples as label_samples
from store.labels.conflicts import LabelCount
from store.labels.forms import SubjectKind
from store.records import ItemState, JobState, Taxonomy
from store.runs import runs
from store.runs.runs import Run, RunProgress
from tui.live.pace import Pace

JOBS_SHOWN = 1000
INSPECTION = "inspection"
"""The form that has a place of its own."""
STARTING_SECONDS = 6.0
"""How long a queued job may wait for its worker to start before that is said."""

ACTIVE = (JobState.QUEUED, JobState.RUNNING)


class DatasetFact(NamedTuple):
    dataset: Dataset
    corpus: str
    taxonomy: Taxonomy
    releases: tuple[Release, ...]
    """Oldest first; empty when nothing of it has been frozen."""
    cells: tuple[CellCount, ...]
    """Of the latest release; of what the dataset holds, where there is none."""

    @property
    def is_chinese(self) -> bool:
        """Whether most items of the cells are."""
        return 2 * sum(cell.chinese for cell in self.cells) > sum(cell.items for cell in self.cells)

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
    """A dataset that items are generated into."""

    dataset: str
    short: int
    """Cells below what the latest generation was to fill them to."""
    drafted: int
    """Items that nobody and nothing has inspected."""


class ToInspect(NamedTuple):
    """How far the items that were drawn for people to inspect are."""

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
        return self.job.title if self.job is not None else ""

    @property
    def done(self) -> int:
        """Answers of a run that need no more work; units of any other job."""
        if self.run is not None:
            return self.progress.finished
        return self.job.done if self.job is not None else 0

    @property
    def total(self) -> int | None:
        """None while nobody knows how much there is."""
        if self.run is not None:
            return self.progress.total
        return self.job.total if self.job is not None else None

    @property
    def is_active(self) -> bool:
        """Somebody works on it, or will as soon as it is its turn."""
        return self.status in ("queued", "running", "pausing", "cancelling")

    @property
    def can_resume(self) -> bool:
        return self.job is not None and self.job.state is not JobState.DONE and not self.is_active


class ToLabel(NamedTuple):
    """What samples of a form, other than that of Inspect, want of people."""

    form: str
    kind: SubjectKind
    done: int
    wanted: int
    """Labels: subjects times the raters that each wants."""


class Waiting(NamedTuple):
    """What waits for the rater whose app this is, to be labelled."""

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
    others_named: tuple[str, ...] = ()
    """Whom the open samples are for, where none is for the rater."""

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


@dataclass
class Reader:
    """Reads facts again and again over one connection, and only what can have changed."""

    db: sqlite3.Connection
    rater: str = ""
    _signature: tuple[int, ...] = ()
    _datasets: tuple[DatasetFact, ...] = ()
    _progress: dict[int, tuple[object, RunProgress]] = field(default_factory=dict)
    _paces: dict[str, Pace] = field(default_factory=dict)
    _labels: dict[int, str] = field(default_factory=dict)
    _inspection: tuple[object, ToInspect] = (None, ToInspect(0, 0, 0))
    _labelled: tuple[object, tuple[LabelCount, ...]] = (None, ())
    _to_label: tuple[object, tuple[ToLabel, ...]] = (None, ())
    _own: tuple[object, tuple[Waiting, ...]] = (None, ())
    _until: float = float("inf")
    _short: dict[int, tuple[object, int]] = field(default_factory=dict)

    def read(self, folder: Path, opened: int) -> Facts:
        signature = coverage.signature(self.db)
        if signature != self._signature:
            self._datasets = tuple(map(self._dataset, datasets.listing(self.db)))
            self._signature = signature
        sources = tuple(corpora.source_counts(self.db).items())
        return Facts(
            folder,
            True,
            opened,
            "",
            self._datasets,
            self._work(),
            sources,
            self._to_inspect(),
            self._read_labelled(),
            self._read_to_label(),
            tuple(self._building()),
            self.rater,
            self._read_own(),
            self._others_named(),
        )

    @property
    def is_due(self) -> bool:
        """Whether time alone has changed something: a lease of another rater has run out."""
        return now_seconds() >= self._until

    def _read_own(self) -> tuple[Waiting, ...]:
        """Counted anew only when somebody has judged, taken a subject or left one, or when samples
        have changed."""
        at_work = queue.others_at_work(self.db, self.rater)
        self._until = min((until for *_, until in at_work), default=float("inf"))
        drawn = tuple((one.id, one.form_key, one.raters) for one in label_samples.listing(self.db))
        signature = (label_progress.signature(self.db), drawn, tuple(one[:3] for one in at_work))
        if signature != self._own[0]:
            forms = dict.fromkeys(form for _, form, _ in drawn)
            found = (one for form in forms for one in self._waiting(form))
            self._own = (signature, tuple(found))
        return self._own[1]

    def _others_named(self) -> tuple[str, ...]:
        """Nobody where a sample is for whoever comes."""
        drawn = [one.raters for one in label_samples.listing(self.db)]
        if not all(drawn) or any(self.rater in raters for raters in drawn):
            return ()
        return tuple(dict.fromkeys(name for raters in drawn for name in raters))

    def _waiting(self, form: str) -> Iterator[Waiting]:
        samples = queue.by_sample(self.db, form, self.rater)
        if form != INSPECTION:
            for one in samples:
                yield Waiting(form, one.kind, one.sample, one.waiting, one.done)
        elif samples:
            counts = queue.together(self.db, form, self.rater, samples)
            yield Waiting(form, samples[0].kind, "", *counts)

    def _building(self) -> Iterator[Building]:
        """Cells are counted anew only when items or targets have changed."""
        for fact in self._datasets:
            dataset = fact.dataset
            latest = generations.of_dataset(self.db, dataset.id)
            if not latest:
                continue
            states = datasets.state_counts(self.db, dataset)
            signature = (self._signature, latest[0], states)
            kept = self._short.get(dataset.id)
            if kept is None or kept[0] != signature:
                kept = (signature, generation_figures.short_cells(self.db, dataset.id))
                self._short[dataset.id] = kept
            yield Building(dataset.name, kept[1], states.get(ItemState.DRAFTED, 0))

    def _read_to_label(self) -> tuple[ToLabel, ...]:
        """Counted anew only when somebody has judged or something has been drawn."""
        signature = label_progress.signature(self.db)
        if signature != self._to_label[0]:
            kinds = {one.form_key: one.subject_kind for one in label_samples.listing(self.db)}
            found = []
            for form, kind in kinds.items():
                if form != INSPECTION:
                    cells = label_progress.cell_progress(self.db, form)
                    done, wanted = sum(one.done for one in cells), sum(one.wanted for one in cells)
                    found.append(ToLabel(form, kind, done, wanted))
            self._to_label = (signature, tuple(found))
        return self._to_label[1]

    def _read_labelled(self) -> tuple[LabelCount, ...]:
        """Compared anew only when a subject has been completed, changed or ruled on."""
        signature = conflicts.signature(self.db)
        if signature != self._labelled[0]:
            self._labelled = (signature, conflicts.counts(self.db, load_form, self.rater))
        return self._labelled[1]

    def _to_inspect(self) -> ToInspect:
        """Counted anew only when somebody has judged or something has been drawn."""
        signature = label_progress.signature(self.db)
        if signature != self._inspection[0]:
            cells = label_progress.cell_progress(self.db, INSPECTION)
            found = ToInspect(
                sum(cell.done for cell in cells),
                sum(cell.wanted for cell in cells),
                sum(not cell.is_full for cell in cells),
            )
            self._inspection = (signature, found)
        return self._inspection[1]

    def _dataset(self, dataset: Dataset) -> DatasetFact:
        frozen = tuple(datasets.releases(self.db, dataset))
        return DatasetFact(
            dataset,
            corpora.get_by_id(self.db, dataset.corpus_id).name,
            taxonomies.get(self.db, dataset.taxonomy_id),
            frozen,
            coverage.released_cells(self.db, frozen[-1].id)
            if frozen
            else coverage.held_cells(self.db, dataset.id),
        )

    def _work(self) -> tuple[WorkFact, ...]:
        found = jobs.listing(self.db, JOBS_SHOWN)
        held = jobs.worker(self.db)
        has_worker = held is not None and held.alive
        latest: dict[int, Job] = {}
        for job in found:
            if job.run_id is not None:
                latest.setdefault(job.run_id, job)
        facts = [
            self._fact(run, latest.get(run.id) or jobs.of_run(self.db, run.id), has_worker)
            for run in runs.listing(self.db)
        ]
        alone = [job for job in found if job.run_id is None]
        facts += [
            WorkFact(None, "", job, RunProgress(), 0.0, _status(job, has_worker)) for job in alone
        ]
        return tuple(map(self._with_pace, facts))

    def _fact(self, run: Run, job: Job | None, has_worker: bool) -> WorkFact:
        status = _status(job, has_worker) if job is not None else "imported"
        return WorkFact(run, self._label(run), job, self._read_progress(run, job), 0.0, status)

    def _with_pace(self, fact: WorkFact) -> WorkFact:
        if fact.status != "running":
            self._paces.pop(fact.key, None)
            return fact
        meter = self._paces.setdefault(fact.key, Pace())
        return fact._replace(per_second=meter.per_second(fact.done))

    def _read_progress(self, run: Run, job: Job | None) -> RunProgress:
        """The counts of a run; once nobody works on it they are kept."""
        settled = None if job is None else (job.id, job.state, job.finished_at)
        kept = self._progress.get(run.id)
        if kept is not None and kept[0] == settled and (job is None or job.state not in ACTIVE):
            return kept[1]
        progress = runs.progress(self.db, run.id)
        self._progress[run.id] = (settled, progress)
        return progress

    def _label(self, run: Run) -> str:
        if run.release_id not in self._labels:
            label = datasets.release_by_id(self.db, run.release_id).label
            self._labels[run.release_id] = label
        return self._labels[run.release_id]


def _status(job: Job, has_worker: bool) -> str:
    """The job's own word for its state, unless its worker is known to be gone."""
    if job.state is JobState.RUNNING and not has_worker:
        return "interrupted"
    if job.state is JobState.QUEUED and not has_worker and _age(job) > STARTING_SECONDS:
        return "no worker"
    return job.status


def _age(job: Job) -> float:
    """Seconds since the job was made."""
    return now_seconds() - datetime.fromisoformat(job.created_at).timestamp()

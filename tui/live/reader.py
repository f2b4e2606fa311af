"""The reader of a workspace's facts, which reads again only what may have changed."""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from engine.labelling.forms import load_form
from store.clock import now_seconds
from store.corpora import corpora, taxonomies
from store.datasets import coverage, datasets, generation_figures, generations
from store.datasets.datasets import Dataset
from store.jobs import jobs
from store.jobs.jobs import Job
from store.labels import consensus, queue
from store.labels import progress as label_progress
from store.labels import samples as label_samples
from store.labels.consensus import LabelCount
from store.records import ItemState, JobState
from store.runs import runs
from store.runs.runs import Run, RunProgress
from tui.live.facts import (
    INSPECTION,
    Building,
    DatasetFact,
    Facts,
    ToInspect,
    ToLabel,
    Waiting,
    WorkFact,
)

JOBS_SHOWN = 1000
STARTING_SECONDS = 6.0
"""How long a queued job may wait for its worker to start before that is said."""

ACTIVE = (JobState.QUEUED, JobState.RUNNING)


@dataclass
class Reader:
    """Reads facts over one connection."""

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
        """Whether the passing of time has changed something: the lease of another rater has
        expired."""
        return now_seconds() >= self._until

    def _read_own(self) -> tuple[Waiting, ...]:
        """Counts again only when somebody has labelled, taken or left a subject, or when samples
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
        """Returns the raters of open samples; nobody if a sample is open to any rater."""
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
        """Counts cells again only when items or targets have changed."""
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
        """Counts again only when something has been labelled or drawn."""
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
        """Compares again only when a subject has been completed, changed or ruled on."""
        signature = consensus.signature(self.db)
        if signature != self._labelled[0]:
            self._labelled = (signature, consensus.label_counts(self.db, load_form, self.rater))
        return self._labelled[1]

    def _to_inspect(self) -> ToInspect:
        """Counts again only when something has been labelled or drawn."""
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
        """Returns the counts of a run; those of a finished run are kept."""
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
    """Returns the job's own state, or that its worker has gone."""
    if job.state is JobState.RUNNING and not has_worker:
        return "interrupted"
    if job.state is JobState.QUEUED and not has_worker and _age(job) > STARTING_SECONDS:
        return "no worker"
    return job.status


def _age(job: Job) -> float:
    """Seconds since the job was made."""
    return now_seconds() - datetime.fromisoformat(job.created_at).timestamp()


class Pace:
    """Units a second over a sliding window, so that a pause shows and a burst does not last."""

    def __init__(self, window: float = 30.0) -> None:
        self._window = window
        self._seen: deque[tuple[float, int]] = deque()

    def per_second(self, done: int, now: float | None = None) -> float:
        """Records the count of finished units and returns the rate; 0 after the first call."""
        at = time.monotonic() if now is None else now
        self._seen.append((at, done))
        while at - self._seen[0][0] > self._window:
            self._seen.popleft()
        first_at, first = self._seen[0]
        return (done - first) / (at - first_at) if at > first_at else 0.0

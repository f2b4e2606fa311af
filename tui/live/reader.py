"""The reader of a workspace's facts, which reads again only what may have changed."""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

from engine.jobs.operation import TAG, decoded
from store.clock import now_seconds
from store.corpora import corpora, document_topics, taxonomies
from store.datasets import coverage, datasets, generation_figures, generations
from store.datasets.datasets import Dataset
from store.jobs import jobs
from store.jobs.jobs import Job
from store.labels import consensus, news
from store.labels.consensus import LabelCount
from store.labels.samples import progress as label_progress
from store.labels.samples import queue, quotas
from store.labels.samples import samples as label_samples
from store.labels.samples.quotas import FullQuota
from store.records import UNASSIGNED, ItemState, JobState
from store.runs import experiments, runs
from store.runs.runs import Run, RunProgress
from tui.language import later
from tui.live.facts import (
    INSPECTION,
    Building,
    DatasetFact,
    Facts,
    ToInspect,
    ToLabel,
    Topicless,
    Waiting,
    WorkFact,
)

T = TypeVar("T")

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
    _paces: dict[str, tuple[str, Pace]] = field(default_factory=dict)
    _labels: dict[int, str] = field(default_factory=dict)
    _until: float = float("inf")
    _counts: dict[object, tuple[object, object]] = field(default_factory=dict)
    """By what is counted: a signature of what it depends on, and the count."""

    def read(self, folder: Path, opened: int) -> Facts:
        signature = coverage.signature(self.db)
        if signature != self._signature:
            self._datasets = tuple(map(self._dataset, datasets.listing(self.db)))
            self._signature = signature
        sources = tuple(corpora.source_counts(self.db).items())
        own, full = self._read_own(folder)
        return Facts(
            folder,
            True,
            opened,
            "",
            self._datasets,
            self._work(),
            sources,
            self._counted("inspected", label_progress.signature(self.db), self._to_inspect),
            self._counted("labelled", consensus.signature(self.db), self._labelled),
            self._counted("to label", label_progress.signature(self.db), self._to_label),
            tuple(self._building()),
            self.rater,
            own,
            tuple(self._topicless()),
            self._others_named(),
            tuple(news.unseen(self.db, self.rater)),
            full=full,
        )

    @property
    def is_due(self) -> bool:
        """Whether the passing of time has changed something: the lease of another rater has
        expired."""
        return now_seconds() >= self._until

    def _counted(self, what: object, signature: object, count: Callable[[], T]) -> T:
        """The last count of this, made again only where the signature has changed."""
        kept = self._counts.get(what)
        if kept is None or kept[0] != signature:
            kept = self._counts[what] = (signature, count())
        return cast("T", kept[1])

    def _read_own(self, folder: Path) -> tuple[tuple[Waiting, ...], tuple[FullQuota, ...]]:
        """What waits, and full quotas. Counts again only when somebody has labelled, taken or left
        a subject, or when samples or the rater's quotas have changed."""
        at_work = queue.others_at_work(self.db, self.rater)
        self._until = min((until for *_, until in at_work), default=float("inf"))
        drawn = tuple((one.id, one.form_key, one.raters) for one in label_samples.listing(self.db))
        signature = (
            label_progress.signature(self.db),
            drawn,
            tuple(one[:3] for one in at_work),
            quotas.given(self.db, self.rater),
        )
        forms = dict.fromkeys(form for _, form, _ in drawn)

        def count() -> tuple[tuple[Waiting, ...], tuple[FullQuota, ...]]:
            waiting = tuple(one for form in forms for one in self._waiting(form))
            return waiting, tuple(quotas.full(self.db, folder, self.rater))

        return self._counted("own", signature, count)

    def _others_named(self) -> tuple[str, ...]:
        """Returns the raters of open samples; nobody if a sample is open to any rater."""
        drawn = [one.raters for one in label_samples.listing(self.db)]
        if not all(drawn) or any(self.rater in raters for raters in drawn):
            return ()
        return tuple(dict.fromkeys(name for raters in drawn for name in raters))

    def _topicless(self) -> Iterator[Topicless]:
        """Counts again only when documents have been given topics anew: by the last job that did,
        of each corpus."""
        latest: dict[str, Job] = {}
        for job in jobs.listing(self.db, JOBS_SHOWN):
            if job.kind == "classify" and job.state is JobState.DONE:
                latest.setdefault(str(job.params["corpus"]), job)
        for name, job in latest.items():
            fact = self._counted(("topics", name), job.id, partial(self._without_topic, job))
            if fact is not None and 2 * fact.without > fact.documents:
                yield fact

    def _without_topic(self, job: Job) -> Topicless | None:
        """None where the corpus is there no longer."""
        name = str(job.params["corpus"])
        taxonomy = taxonomies.get(self.db, job.params["taxonomy"]).key
        corpus = next((one for one in corpora.listing(self.db) if one.name == name), None)
        if corpus is None:
            return None
        counts = document_topics.counts(self.db, corpus, taxonomy)
        return Topicless(name, taxonomy, counts.get(UNASSIGNED, 0), sum(counts.values()))

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
            short = self._counted(
                ("short", dataset.id),
                (self._signature, latest[0], states),
                partial(generation_figures.short_cells, self.db, dataset.id),
            )
            yield Building(dataset.name, short, states.get(ItemState.DRAFTED, 0))

    def _to_label(self) -> tuple[ToLabel, ...]:
        kinds = {one.form_key: one.subject_kind for one in label_samples.listing(self.db)}
        counts = []
        for form, kind in kinds.items():
            if form != INSPECTION:
                cells = label_progress.cell_progress(self.db, form)
                done, wanted = sum(cell.done for cell in cells), sum(cell.wanted for cell in cells)
                counts.append(ToLabel(form, kind, done, wanted))
        return tuple(counts)

    def _labelled(self) -> tuple[LabelCount, ...]:
        return consensus.label_counts(self.db, self.rater)

    def _to_inspect(self) -> ToInspect:
        cells = label_progress.cell_progress(self.db, INSPECTION)
        return ToInspect(
            sum(cell.done for cell in cells),
            sum(cell.wanted for cell in cells),
            sum(not cell.is_full for cell in cells),
        )

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
        listed = jobs.listing(self.db, JOBS_SHOWN)
        worker = jobs.worker(self.db)
        has_worker = worker is not None and worker.alive
        latest: dict[int, Job] = {}
        for job in listed:
            if job.run_id is not None:
                latest.setdefault(job.run_id, job)
        facts = [
            self._fact(run, latest.get(run.id) or jobs.of_run(self.db, run.id), has_worker)
            for run in runs.listing(self.db)
        ]
        alone = [job for job in listed if job.run_id is None]
        newest = {(job.kind, job.title): job.id for job in reversed(alone)}
        for job in alone:
            is_newest = newest[job.kind, job.title] == job.id
            unanswered = self._unanswered(job) if is_newest else 0
            status = _status(job, has_worker)
            facts.append(WorkFact(None, "", job, RunProgress(), 0.0, status, unanswered))
        return tuple(map(self._with_pace, facts))

    def _unanswered(self, job: Job) -> int:
        """Counted once the job is done; to try these again, a job of the same title follows."""
        if job.state is not JobState.DONE or TAG not in job.params:
            return 0
        return self._counted(
            ("unanswered", job.id),
            job.finished_at,
            lambda: decoded(job.params).failed(self.db),
        )

    def _fact(self, run: Run, job: Job | None, has_worker: bool) -> WorkFact:
        if job is not None:
            status = _status(job, has_worker)
        else:
            status = experiments.state_without_job(self.db, run.id)
        return WorkFact(run, self._label(run), job, self._read_progress(run, job), 0.0, status)

    def _with_pace(self, fact: WorkFact) -> WorkFact:
        if fact.status != "running":
            self._paces.pop(fact.key, None)
            return fact
        phase, meter = self._paces.get(fact.key, ("", Pace()))
        if phase != fact.phase:
            meter = Pace()
        self._paces[fact.key] = (fact.phase, meter)
        return fact._replace(per_second=meter.per_second(fact.counts[0]))

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
        return later("no worker")
    if job.state is JobState.PAUSED:
        return (
            later("paused by hand") if job.pause_reason == "user" else f"paused: {job.pause_reason}"
        )
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

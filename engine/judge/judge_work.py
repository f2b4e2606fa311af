"""Working off a judging: every answer of a run gets a judge's scores.

What is left is read from the score rows, so the same code begins, resumes and ends the work. A
score is committed as soon as it exists. Judges that compute do so in the child processes, in
batches; the others ask their model, several answers at a time. All replies are kept.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice

from msgspec import Struct

from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.fan_out import side_by_side
from engine.jobs.operation import Budget
from engine.judge import pool_tasks
from engine.judge.asking import judgements
from engine.judge.base import Case, Judgement, JudgeSpec
from engine.judge.cases import read_case
from engine.judge.registry import open_judge
from engine.models.budget import Spending
from engine.models.cached import call_refs
from engine.models.settings import Provider
from store.datasets import datasets
from store.jobs import jobs
from store.records import MetricScore, ScoreState
from store.runs import judge_scores, results, stages
from store.runs.judge_scores import JudgeValue, Unjudged, fitting
from store.runs.runs import Run

_PAGE = 64
_BATCH = 32


class Share(Struct, frozen=True):
    """The share of a job that one of its judges has."""

    before: int
    """The judges of the job that came before it."""
    judges: int
    spent: Spending
    """By all judges of the job on this run, so far."""
    phase: str = ""
    """Of the job, whose progress this is; empty for that of the job itself."""


async def work_off(
    context: JobContext, run: Run, judge_id: int, spec: JudgeSpec, budget: Budget, share: Share
) -> None:
    """Works until nothing is left to judge by `spec`, stored under `judge_id`; raises Stopped when
    it has to end before that."""
    work = _Work(context, run, judge_id, spec, budget, share)
    if work.left:
        provider = work.spec.provider
        await (_compute(work) if provider is None else _ask(work, provider))
    work.report()
    if work.count_left():
        context.raise_if_stopping()


class _Work:
    """The answers of a run that still lack scores, and the counting of those that have them."""

    def __init__(
        self,
        context: JobContext,
        run: Run,
        judge_id: int,
        spec: JudgeSpec,
        budget: Budget,
        share: Share,
    ) -> None:
        self.context = context
        self.commits = GroupCommit(context.workspace)
        self.db = context.workspace.db
        self.run = run
        self.judge_id = judge_id
        self.spec = spec
        self.budget = budget
        self.share = share
        self.total = judge_scores.total(self.db, self.run.id)
        self.left = self.count_left()
        with context.workspace.write() as db:
            judge_scores.forget_outdated(db, self.run.id, self.judge_id)
            self._show_progress(db)

    def count_left(self) -> int:
        return judge_scores.remaining(
            self.db, self.run.id, self.judge_id, self.spec.metrics, self.spec.repeats
        )

    def pending(self) -> Iterator[Unjudged]:
        """The predictions left, a page at a time, so that memory does not grow with the run."""
        after = -1
        while page := judge_scores.unjudged(
            self.db,
            self.run.id,
            self.judge_id,
            self.spec.metrics,
            self.spec.repeats,
            after=after,
            limit=_PAGE,
        ):
            yield from page
            after = page[-1].ordinal

    async def store(
        self,
        prediction_id: int,
        score: MetricScore,
        repeat: int = 0,
        value: JudgeValue | None = None,
        elapsed_ms: float = 0.0,
    ) -> None:
        await self.commits.write(
            lambda db: judge_scores.put(
                db, prediction_id, self.judge_id, score, repeat, value, elapsed_ms
            )
        )

    async def count(self, answers: int) -> None:
        """Counts answers that have every score."""
        self.left -= answers
        await self.commits.write(self._show_progress)

    def _show_progress(self, db: sqlite3.Connection) -> None:
        done = self.share.before * self.total + self.total - self.left
        total = self.share.judges * self.total
        if self.share.phase:
            jobs.set_phase(db, self.context.job.id, self.share.phase, done, total)
        else:
            jobs.set_progress(db, self.context.job.id, done, total)

    def report(self) -> None:
        """Notes how many scores of the judge are in which state."""
        counted = judge_scores.counts(self.db, self.run.id, self.judge_id)
        for metric in self.spec.metrics:
            states = counted.get(metric, {})
            parts = [f"{count:,} {state}" for state, count in states.items()]
            if parts:
                said = f"{metric}: {', '.join(parts)}"
                shared = self.share.judges > 1
                self.context.note("judged", f"{self.spec.name}, {said}" if shared else said)


async def _compute(work: _Work) -> None:
    for batch in _batches(work.pending()):
        if work.context.stopping:
            return
        given = await work.context.in_child(pool_tasks.judge, work.spec, work.run.id, batch)
        with work.context.workspace.write() as db:
            for prediction_id, judgements in zip(batch, given, strict=True):
                scores = [made.score for made in judgements]
                stages.put_scores(db, prediction_id, scores, judge_id=work.judge_id)
                for made in judgements:
                    if (value := _value(made)) is not None:
                        judge_scores.put_value(
                            db, prediction_id, work.judge_id, made.score.metric, 0, value
                        )
        await work.count(sum(1 for judgements in given if judgements))


def _batches(pending: Iterator[Unjudged]) -> Iterator[list[int]]:
    while batch := [answer.prediction_id for answer in islice(pending, _BATCH)]:
        yield batch


async def _ask(work: _Work, provider: Provider) -> None:
    asker = _Asker(work, provider)
    await side_by_side(work.context, work.pending(), asker.in_flight, asker.judge)


class _Asker:
    """A judge at work that asks a model."""

    def __init__(self, work: _Work, provider: Provider) -> None:
        self._work = work
        self._model = provider.model
        self._judge = open_judge(work.context.workspace.folder, work.spec)
        self._variants = {spec.name: spec.variant for spec in self._judge.metrics}
        self._corpus = datasets.corpus_of(work.db, work.run.release_id)
        self._chat = JobChat(work.context, provider, work.budget, work.commits, work.share.spent)
        self.in_flight = self._chat.in_flight

    async def judge(self, answer: Unjudged) -> None:
        """Gives one answer all scores that it lacks, unless the job is to stop before that."""
        work = self._work
        case = read_case(work.db, self._corpus, work.run.system, answer.prediction_id)
        unused = results.unused_metrics(work.db, answer.prediction_id, work.spec.metrics)
        for repeat in range(work.spec.repeats):
            lacking = [
                metric for metric in work.spec.metrics if (metric, repeat) not in answer.done
            ]
            for metric in unused.intersection(lacking):
                lacking.remove(metric)
                variant = self._variants[metric]
                score = MetricScore(metric, variant, None, ScoreState.NA, results.UNUSED)
                await work.store(answer.prediction_id, score, repeat)
            if not lacking:
                continue
            if work.context.stopping or not await self._judge_once(case, lacking, repeat):
                return
        await work.count(1)

    async def _judge_once(self, case: Case, metrics: list[str], repeat: int) -> bool:
        """Stores a judgement of each metric; false when the job is to stop before the last."""
        left = len(metrics)
        begin = time.perf_counter()
        ask = partial(self._chat.complete, repeat=repeat)
        async for made in judgements(self._judge, case, metrics, ask):
            await self._store(case, made, repeat, begin)
            left -= 1
            if left and self._work.context.stopping:
                return False
            begin = time.perf_counter()
        return True

    async def _store(self, case: Case, made: Judgement, repeat: int, begin: float) -> None:
        value = _value(made, self._model)
        elapsed = round((time.perf_counter() - begin) * 1000, 3)
        await self._work.store(case.prediction_id, made.score, repeat, value, elapsed)


def _value(made: Judgement, model: str = "") -> JudgeValue | None:
    """What is stored beside a score; nothing where nothing was asked and nothing is told."""
    if made.prompt is None and not made.replies and made.details is None:
        return None
    return JudgeValue(
        prompt=f"{made.prompt.lang}/{made.prompt.id}" if made.prompt else "",
        prompt_hash=made.prompt.hash if made.prompt else "",
        model=model,
        calls=call_refs(made.replies),
        repaired=made.repaired,
        details=fitting(made.details),
    )

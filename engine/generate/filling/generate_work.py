"""Filling the cells of a dataset up to their targets, several attempts at a time.

What is left to do is read from the rows, so the same code begins, resumes and ends a generation.
An attempt is written down before its call is made, and ended in the transaction that stores its
items: a killed worker's successor makes exactly the attempts that were under way again, whose
replies are in the cache where they came in time.
"""

from __future__ import annotations

import asyncio
import sqlite3

from engine.generate.builders.stage_asking import MOST_REPEATS
from engine.generate.filling.beside import Beside, open_beside
from engine.generate.filling.intake import DraftIntake, Taken
from engine.generate.filling.quota import Attempt
from engine.generate.filling.setup import Scope, documents_of_topics, make_plan, stored_scope
from engine.generate.filling.shortfall import shortfalls
from engine.generate.filling.writers import Writer, Written, make_writer
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext, Stopped
from engine.jobs.operation import Budget
from engine.taxonomy.offline_classification import classify_corpus
from store.corpora import document_topics
from store.datasets import generation_figures, generations
from store.datasets.generations import AttemptRow, AttemptState
from store.jobs import jobs
from store.records import JobState, PauseReason
from store.workspace import open_workspace

FAILURES_IN_A_ROW = 20
"""Calls without an answer after which the endpoint, not the documents, is to blame."""
USELESS_IN_A_ROW = 40
"""Attempts whose replies were refused, unreadable or no items at all, after which the model or the
prompt is to blame and going on wastes money."""


async def fill_cells(context: JobContext, budget: Budget) -> None:
    """Fills cells until all are full or nothing is left to try; raises Stopped before that when
    it has to end."""
    db = context.workspace.db
    generation = generations.get(db, context.job.id)
    scope = stored_scope(context.workspace, generation)
    if next(document_topics.unclassified(db, scope.corpus, scope.taxonomy.key), None) is not None:
        await asyncio.to_thread(_classify, context, scope)
    commits = GroupCommit(context.workspace)
    beside = await open_beside(context, scope, commits)
    writer = make_writer(context, scope, budget, commits, beside)
    job = _Generation(context, scope, writer, beside, commits)
    await job.work()
    if job.is_left:
        context.raise_if_stopping()
    _conclude(context, job)


def _classify(context: JobContext, scope: Scope) -> None:
    """In a thread, with a connection of its own, so that the worker's leases stay fresh."""
    with open_workspace(context.workspace.folder) as workspace:
        counts = classify_corpus(workspace, scope.corpus, scope.taxonomy)
        with workspace.write() as db:
            jobs.note(
                db,
                context.job.id,
                "classified",
                f"{counts.total():,} documents had no topic yet and got one by their words",
            )


def _conclude(context: JobContext, job: _Generation) -> None:
    """Says what was made, and of each cell that is not full why."""
    job_id = context.job.id
    lacks = job.plan.lacks()
    with context.workspace.write() as db:
        generations.set_lacks(db, job_id, ((cell, lack) for cell, lack in lacks.items()))
        cells = generation_figures.progress(db, job_id)
        for short in shortfalls(cells):
            jobs.note(db, job_id, "shortfall", f"{short.place}: {short.reason}")
        kept = sum(cell.outcomes.get(generations.KEPT, 0) for cell in cells)
        full = sum(cell.filled >= cell.target for cell in cells)
        jobs.note(
            db,
            job_id,
            "generated",
            f"{kept:,} items from {sum(cell.attempts for cell in cells):,} attempts;"
            f" {full} of {len(cells)} cells are full",
        )


class _Generation:
    """A generation under way: several attempts at a time."""

    def __init__(
        self,
        context: JobContext,
        scope: Scope,
        writer: Writer,
        beside: Beside,
        commits: GroupCommit,
    ) -> None:
        db = context.workspace.db
        self.context = context
        self.scope = scope
        self.writer = writer
        self.beside = beside
        self.commits = commits
        self.job_id = context.job.id
        before = generations.attempts(db, self.job_id)
        assert scope.dataset is not None
        self.plan = make_plan(
            scope,
            documents_of_topics(db, scope),
            filled={},
            given=generations.given(db, self.job_id),
            tried=[(row.topic, row.task, row.document_id, row.round) for row in before],
        )
        self.intake = DraftIntake(context.workspace, scope, self.plan)
        self._resumed = [row for row in before if row.state is AttemptState.PENDING]
        for row in self._resumed:
            self.plan.resume(_attempt(row))
        self._busy = 0
        self._changed = asyncio.Event()
        self._failed: list[int] = []
        self._useless = 0

    @property
    def is_left(self) -> bool:
        """Whether something is still to be tried."""
        pending = generations.pending(self.context.workspace.db, self.job_id)
        return bool(pending) or self.plan.next() is not None

    async def work(self) -> None:
        tasks = [asyncio.create_task(self._work_off()) for _ in range(self.writer.in_flight)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def _work_off(self) -> None:
        """Makes one attempt after the other, while there are any."""
        while not self.context.stopping:
            row = self._resumed.pop(0) if self._resumed else None
            attempt = self.plan.next() if row is None else _attempt(row)
            if attempt is None:
                if not self._busy:
                    return
                await self._changed.wait()  # what is under way may leave room for more
                continue
            self._busy += 1
            try:
                await self._try(attempt, row)
            except Stopped as stopped:
                self.context.end(stopped)
            finally:
                self._busy -= 1
                self._changed.set()
                self._changed = asyncio.Event()

    async def _try(self, attempt: Attempt, row: AttemptRow | None) -> None:
        """One attempt with the calls that it takes until its reply can be read."""
        if row is None:
            row = await self._begin(attempt)
        while row is not None and not self.context.stopping:
            written = await self.writer.write(row)
            row = await self._end(attempt, row, written)

    async def _begin(self, attempt: Attempt) -> AttemptRow | None:
        documents = await self.beside.documents(attempt)
        if documents is None:
            self.plan.skip(attempt)
            return None
        prompt_id, prompt_hash = self.writer.prompt(attempt.task, documents)
        begun: list[AttemptRow] = []
        await self.commits.write(
            lambda db: begun.append(
                generations.begin_attempt(
                    db,
                    self.job_id,
                    self.scope.settings.model,
                    cell=attempt.cell,
                    round=attempt.round,
                    repeat=0,
                    documents=documents,
                    prompt_id=prompt_id,
                    prompt_hash=prompt_hash,
                )
            )
        )
        return begun[0]

    async def _end(self, attempt: Attempt, row: AttemptRow, written: Written) -> AttemptRow | None:
        """Stores what an attempt gave; returns the one that asks again, if one does."""
        again = written.repeat and row.repeat + 1 < MOST_REPEATS
        taken = self.intake.take(row, written.items)
        if not again:
            self.plan.record(attempt, taken.kept)
        begun: list[AttemptRow] = []

        def store(db: sqlite3.Connection) -> None:
            outcomes = self.intake.store(db, row, taken)
            generations.end_attempt(
                db,
                row.id,
                written.state,
                outcomes,
                reason=written.reason,
                call_key=written.call_key,
                cached=written.cached,
            )
            if again:
                begun.append(_repeat(db, self.job_id, self.scope.settings.model, row))
            jobs.set_progress(db, self.job_id, self.plan.done, self.plan.total)

        await self.commits.write(store)
        await self._watch_failures(row, written, again)
        if not again:
            self._watch_useless(written, taken)
        return begun[0] if begun else None

    def _watch_useless(self, written: Written, taken: Taken) -> None:
        """Pauses when a model writes nothing that can be used, whatever it is asked."""
        is_useless = written.state in (AttemptState.UNPARSED, AttemptState.REFUSED)
        if not is_useless and not taken.is_useless:
            self._useless = 0
            return
        self._useless += 1
        if self._useless < USELESS_IN_A_ROW or self.context.stopping:
            return
        raise Stopped(
            JobState.PAUSED,
            PauseReason.REPLIES,
            f"{self._useless} attempts in a row gave no item; the last:"
            f" {written.reason or taken.decided[0].reason}",
            "Try another model or prompt. Resuming goes on with the documents that are left.",
        )

    async def _watch_failures(self, row: AttemptRow, written: Written, again: bool) -> None:
        """Pauses when calls fail whatever is asked; those are made again when it goes on."""
        if written.state is not AttemptState.FAILED:
            self._failed.clear()
            return
        if again:
            return
        self._failed.append(row.id)
        if len(self._failed) < FAILURES_IN_A_ROW or self.context.stopping:
            return
        failed, self._failed = self._failed, []
        await self.commits.write(lambda db: generations.reopen(db, failed))
        raise Stopped(
            JobState.PAUSED,
            PauseReason.ENDPOINT,
            f"{len(failed)} calls in a row had no answer; the last: {written.reason}",
            "Mend that, then resume: they are made again.",
        )


def _attempt(row: AttemptRow) -> Attempt:
    return Attempt(row.topic, row.task, row.document_id, row.round)


def _repeat(db: sqlite3.Connection, job_id: int, model: str, row: AttemptRow) -> AttemptRow:
    return generations.begin_attempt(
        db,
        job_id,
        model,
        cell=(row.topic, row.task),
        round=row.round,
        repeat=row.repeat + 1,
        documents=row.documents,
        prompt_id=row.prompt_id,
        prompt_hash=row.prompt_hash,
    )

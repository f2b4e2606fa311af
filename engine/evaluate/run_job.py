"""The job `run`: every prediction of a run is retrieved for, answered and scored.

What is left to do is read from the rows, so the same code begins, resumes and ends a run.
Items are worked in the run's own order, several at a time; the turns of an item one after the
other, since a later turn may need the earlier answers. A stage's result is committed as soon as
it exists, and a stage that has a result is not worked again.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator

from engine.answer.history import search_query, visible_history
from engine.evaluate import pool_tasks
from engine.evaluate.answering import Answered, Answerer, ModelAnswerer, OfflineAnswerer
from engine.evaluate.reuse import copy_equal, scoring_code
from engine.jobs.batches import Batches
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext, Stopped
from engine.judge.rules.method import RULE_JUDGE
from store.datasets import datasets
from store.records import NO_ANSWERS, Hit, ItemContent, PredictionState
from store.runs import results, runs
from store.runs.results import RetrieveValue, ScoreValue
from store.runs.runs import PendingItem, PendingTurn, Run

IN_FLIGHT_PER_CHILD = 2
"""Enough to keep every child busy while the loop stores what came back."""

_PAGE = 64


async def evaluate(context: JobContext) -> None:
    """Works the run until nothing is pending; raises Stopped when it has to end before that."""
    assert context.job.run_id is not None
    run = runs.get(context.workspace.db, context.job.run_id)
    with context.workspace.write() as db:
        judge_id = runs.put_judge(db, RULE_JUDGE.name, RULE_JUDGE.config)
    if run.settings.provider is not None:
        await copy_equal(context, run, judge_id)
    if _is_left(context, run):
        await _work_all(context, run, judge_id)
    if _is_left(context, run):
        context.raise_if_stopping()


def _is_left(context: JobContext, run: Run) -> bool:
    return bool(runs.pending_items(context.workspace.db, run.id, -1, 1))


async def _work_all(context: JobContext, run: Run, judge_id: int) -> None:
    job = await _RunJob.begin(context, run, judge_id)
    items = job.pending()
    tasks = [
        asyncio.create_task(_work_off(context, job, items)) for _ in range(job.answerer.in_flight)
    ]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _work_off(context: JobContext, job: _RunJob, items: Iterator[PendingItem]) -> None:
    """Works one item after the other; `items` is shared with others that do the same.

    An end that the provider or the budget asks for lets what is in flight finish.
    """
    for item in items:
        if context.stopping:
            return
        try:
            await job.work(item)
        except Stopped as stopped:
            context.end(stopped)


class _RunJob:
    def __init__(
        self,
        context: JobContext,
        run: Run,
        corpus_id: int,
        judge_id: int,
        answerer: Answerer,
        commits: GroupCommit,
    ) -> None:
        self.context = context
        self.commits = commits
        self.scoring = Batches(context.pool, pool_tasks.score)
        self.workspace = context.workspace
        self.pool = context.pool
        self.run = run
        self.system = run.system
        self.corpus_id = corpus_id
        self.judge_id = judge_id
        self.answerer = answerer

    @classmethod
    async def begin(cls, context: JobContext, run: Run, judge_id: int) -> _RunJob:
        workspace = context.workspace
        release = datasets.release_by_id(workspace.db, run.release_id)
        corpus_id = datasets.get_by_id(workspace.db, release.dataset_id).corpus_id
        if run.system.retrieval is not None:
            notices = await context.pool.call(
                pool_tasks.prepare_index,
                corpus_id,
                run.system.retrieval,
                run.settings.corpus_fingerprint,
            )
            if notices:
                context.note("index", notices)
        commits = GroupCommit(workspace)
        answerer: Answerer
        if run.settings.provider is not None:
            answerer = ModelAnswerer(context, run, corpus_id, commits)
        else:
            in_flight = context.pool.size * IN_FLIGHT_PER_CHILD
            answerer = OfflineAnswerer(context, run, corpus_id, in_flight)
        return cls(context, run, corpus_id, judge_id, answerer, commits)

    def pending(self) -> Iterator[PendingItem]:
        """What is left, a page at a time, so that memory does not grow with the run."""
        after = -1
        while page := runs.pending_items(self.workspace.db, self.run.id, after, _PAGE):
            yield from page
            after = page[-1].last_ordinal

    async def work(self, item: PendingItem) -> None:
        content = datasets.content(self.workspace.db, item.revision_id)
        answers: list[str | None] = []
        for turn in item.turns:
            if self.context.stopping:
                return
            answers.append(await self._work_turn(content, turn, answers, item.repeat))

    async def _work_turn(
        self, content: ItemContent, turn: PendingTurn, answers: list[str | None], repeat: int
    ) -> str | None:
        history = visible_history(content.turns, turn.turn, self.system.history, answers)
        hits = await self._retrieve(content, turn, history)
        answer = turn.answer
        if turn.state is PredictionState.PENDING:
            answer = await self._answer(content, turn, history, hits, repeat)
        if answer is not None:
            await self._score(content, turn, history, hits, self._as_scored(answer))
        return answer

    def _as_scored(self, answer: str) -> str | None:
        return None if self.system.generator == NO_ANSWERS else answer

    async def _retrieve(
        self, content: ItemContent, turn: PendingTurn, history: tuple[tuple[str, str], ...]
    ) -> tuple[Hit, ...] | None:
        if self.system.retriever is None:
            return None
        stored: RetrieveValue | None = runs.stage(
            self.workspace.db, turn.prediction_id, "retrieve", RetrieveValue
        )
        if stored is not None:
            return stored.hits
        retrieval = self.system.retrieval
        if retrieval is None or turn.state is not PredictionState.PENDING:
            return None  # an imported answer that came without what was retrieved for it
        query = search_query(content.turns[turn.turn], history, self.system.expansion)
        found = await self.pool.call(
            pool_tasks.retrieve,
            self.corpus_id,
            retrieval,
            self.run.settings.corpus_fingerprint,
            query,
            self.system.top_k,
        )
        value = RetrieveValue(query, found.hits)
        await self.commits.write(
            lambda db: runs.put_stage(
                db, turn.prediction_id, "retrieve", value, elapsed_ms=found.elapsed_ms
            )
        )
        return found.hits

    async def _answer(
        self,
        content: ItemContent,
        turn: PendingTurn,
        history: tuple[tuple[str, str], ...],
        hits: tuple[Hit, ...] | None,
        repeat: int,
    ) -> str | None:
        made = await self.answerer.answer(content, turn.turn, history, hits or (), repeat)
        await self.commits.write(lambda db: _store_answer(db, turn.prediction_id, made))
        return made.text

    async def _score(
        self,
        content: ItemContent,
        turn: PendingTurn,
        history: tuple[tuple[str, str], ...],
        hits: tuple[Hit, ...] | None,
        answer: str | None,
    ) -> None:
        was_pending = turn.state is PredictionState.PENDING
        if not was_pending and results.is_scored(self.workspace.db, turn.prediction_id):
            return
        made = await self.scoring.call(
            pool_tasks.ToScore(
                self.corpus_id,
                content.turns[turn.turn],
                history,
                answer,
                hits,
                content.lang,
                self.system.top_k,
                retrieval_unknown=hits is None and self.system.retriever is not None,
            )
        )
        await self.commits.write(
            lambda db: _store_scores(db, turn.prediction_id, made, self.judge_id)
        )


def _store_answer(db: sqlite3.Connection, prediction_id: int, made: Answered) -> None:
    runs.finish_prediction(
        db,
        prediction_id,
        made.state,
        answer=made.text,
        error_kind=made.error_kind,
        error_text=made.error_text,
    )
    runs.put_stage(
        db,
        prediction_id,
        "answer",
        made.value,
        elapsed_ms=made.elapsed_ms,
        call_key=made.call_key,
    )


def _store_scores(
    db: sqlite3.Connection, prediction_id: int, made: pool_tasks.Scored, judge_id: int
) -> None:
    runs.put_scores(db, prediction_id, made.scores.rule)
    runs.put_scores(db, prediction_id, made.scores.judged, judge_id=judge_id)
    value = ScoreValue(len(made.scores.rule) + len(made.scores.judged), scoring_code())
    runs.put_stage(db, prediction_id, "score", value, elapsed_ms=made.elapsed_ms)

"""Working off a run: every prediction of it is retrieved for, answered and scored.

What is left to do is read from the rows, so the same code begins, resumes and ends a run.
Items are worked in the run's own order, several at a time; the turns of an item one after the
other, since a later turn may need the earlier answers. A stage's result is committed as soon as
it exists, and a stage that has a result is not worked again.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from msgspec import structs

from engine.answer.history import visible_history
from engine.evaluate import pool_tasks
from engine.evaluate.answering import (
    Answered,
    Answerer,
    ModelAnswerer,
    OfflineAnswerer,
    OwnAnswerer,
    RunModels,
    not_answered,
)
from engine.evaluate.refining import refine_corpus
from engine.evaluate.scoring_code import reusable_codes, scoring_code
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext, for_job
from engine.jobs.fan_out import side_by_side
from engine.jobs.operation import Budget
from engine.jobs.pool import Batches
from engine.judge.rules.method import RULE_JUDGE
from engine.models.chat import ChatReply, ChatRequest
from engine.prompts.templates import FrozenPrompts, PromptText
from engine.retrieve import in_child
from engine.retrieve.expression import read_expression
from engine.retrieve.hidden import Visible
from engine.retrieve.passages import passages
from engine.retrieve.stage import TurnState
from engine.retrieve.stages import (
    GIVEN,
    StageFailed,
    first_state,
    plain_search,
    stages_of,
    vector_index,
    word_index,
)
from engine.taxonomy.shapes import GOLD_BY
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.hashing import canonical_json
from store.messages import plural
from store.records import (
    Hit,
    ItemContent,
    Lang,
    Passage,
    PredictionState,
    SearchText,
)
from store.runs import equal_runs, predictions, runs, stages
from store.runs.runs import PendingItem, PendingTurn, Run
from store.runs.stages import ContextValue, RetrieveValue, ScoreValue
from store.systems import NO_ANSWERS, Retrieval

IN_FLIGHT_PER_CHILD = 32
"""So many that a child works on some while what it gave for others is stored, and so few that a
stop has not long to wait."""

_PAGE = 64
_COPIED = 250
"""Items of one transaction, so that others who write wait a few hundredths of a second at most."""


async def work_off(
    context: JobContext, run_id: int, budget: Budget, until: int | None = None
) -> None:
    """Works the run until nothing is pending, or nothing before ordinal `until`; raises Stopped
    when it has to end before that."""
    run = runs.get(context.workspace.db, run_id)
    with context.workspace.write() as db:
        judge_id = stages.put_judge(db, RULE_JUDGE.name, RULE_JUDGE.config)
    if run.settings.provider is not None:
        await _copy_equal(context, run, judge_id)
    if _is_left(context, run, until):
        job = await _RunJob.begin(context, run, judge_id, budget, until)
        try:
            await side_by_side(context, job.pending(), job.in_flight, job.work)
        finally:
            await job.models.close()
    if _is_left(context, run, until):
        context.raise_if_stopping()
    await _note_hidden(context, run)
    _note_own_gold(context, run)
    _note_unusable(context, run)


def _note_unusable(context: JobContext, run: Run) -> None:
    """Says how often a stage of the run searched for the question itself, or left passages where
    they were, for want of a usable reply."""
    unusable = predictions.unusable_replies(context.workspace.db, run.id)
    if "retrieve" in unusable:
        count, turns = unusable.pop("retrieve")
        context.note(
            "stages",
            f"passages of {count:,} of {plural(turns, 'turn')} were not reranked, because a model"
            " gave no usable reply, twice",
        )
    if unusable:
        said = (
            f"{stage.split('/')[-1]}: {count:,} of {plural(turns, 'turn')}"
            for stage, (count, turns) in unusable.items()
        )
        context.note(
            "stages",
            f"searched for the question as it was, because a model gave no usable reply, twice:"
            f" {'; '.join(said)}",
        )


async def _note_hidden(context: JobContext, run: Run) -> None:
    """Says how many hidden documents were kept from the system, where items hide any, or how often
    one that retrieves elsewhere has seen them."""
    if run.system.is_imported or run.system.is_own:
        answers = predictions.hidden_and_retrieved(context.workspace.db, run.id)
        corpus_id = datasets.of_release(context.workspace.db, run.release_id).corpus_id
        seen = await context.in_child(in_child.count_seen, corpus_id, answers) if answers else 0
        if seen:
            context.note(
                "hidden",
                f"{seen:,} of {plural(len(answers), 'answer')} to items that hide documents come"
                " with one of these among what was retrieved: the system could copy them",
            )
        return
    counts = predictions.hidden_counts(context.workspace.db, run.id)
    if counts.predictions:
        context.note(
            "hidden",
            f"{plural(counts.predictions, 'answer')} to items that hide documents:"
            f" {plural(counts.documents, 'hidden document')} kept out of what was retrieved for"
            f" {counts.kept_back:,} of them",
        )


def _note_own_gold(context: JobContext, run: Run) -> None:
    """Says how many items have documents as evidence that a retriever of the system chose."""
    if run.system.retrieval is None:
        return
    used = _sides(run.system.retrieval.retriever)
    items = datasets.released_items(context.workspace.db, run.release_id)
    named = [item.content.facets.get(GOLD_BY) for item in items]
    own = [name for name in named if isinstance(name, str) and used & _sides(name)]
    if own:
        context.note(
            "gold",
            f"{plural(len(own), 'item')} with evidence that {' or '.join(sorted({*own}))}"
            " chose: recall there flatters this system",
        )


def _sides(retriever: str) -> set[str]:
    """The names of the retrievers that are joined in one."""
    return {side.name for side in read_expression(retriever).sides}


async def _copy_equal(context: JobContext, run: Run, judge_id: int) -> None:
    """Copies what runs equal to `run` hold, newest first, until a stop is asked for."""
    for source in equal_runs.find(context.workspace.db, run):
        after: int | None = -1
        while after is not None and not context.stopping:
            with context.workspace.write() as db:
                after = equal_runs.copy(
                    db,
                    source,
                    run.id,
                    codes=reusable_codes(),
                    judge_id=judge_id,
                    after=after,
                    limit=_COPIED,
                )
            await asyncio.sleep(0)


def _is_left(context: JobContext, run: Run, until: int | None) -> bool:
    return bool(runs.pending_items(context.workspace.db, run.id, -1, 1, until))


class _RunJob:
    def __init__(
        self,
        context: JobContext,
        run: Run,
        corpus: Corpus,
        judge_id: int,
        models: RunModels,
        answerer: Answerer,
        commits: GroupCommit,
        until: int | None,
    ) -> None:
        self.until = until
        self.context = context
        self.commits = commits
        self.scoring = Batches(context.pool, pool_tasks.score)
        self._searches: dict[bytes, Batches[in_child.ToRetrieve, in_child.Retrieved]] = {}
        self.workspace = context.workspace
        self.pool = context.pool
        self.run = run
        self.system = run.system
        self.corpus = corpus
        self.stages = stages_of(run.system)
        self.prompts = FrozenPrompts(run.settings.prompts)
        self.judge_id = judge_id
        self.models = models
        self.answerer = answerer

    @classmethod
    async def begin(
        cls, context: JobContext, run: Run, judge_id: int, budget: Budget, until: int | None
    ) -> _RunJob:
        workspace = context.workspace
        corpus = datasets.corpus_of(workspace.db, run.release_id)
        system = run.system
        commits = GroupCommit(workspace)
        models = RunModels(context, run, budget, commits)
        await refine_corpus(context, run, corpus, models, commits)
        plain = None if system.retrieval is None else plain_search(system)[0]
        for retrieval in (plain, word_index(system), vector_index(system)):
            if retrieval is None:
                continue
            notices = await context.in_child(
                in_child.prepare_index, corpus.id, retrieval, run.settings.corpus_fingerprint
            )
            if notices:
                context.note("index", notices)
        answerer: Answerer
        if system.is_own:
            answerer = OwnAnswerer(context, run, corpus, models)
        elif run.settings.provider is not None:
            answerer = ModelAnswerer(workspace, run, corpus, models)
        else:
            answerer = OfflineAnswerer(context, run, corpus.id)
        return cls(context, run, corpus, judge_id, models, answerer, commits, until)

    @property
    def in_flight(self) -> int:
        """How many items to work at once."""
        return self.models.in_flight or self.pool.size * IN_FLIGHT_PER_CHILD

    def pending(self) -> Iterator[PendingItem]:
        """The items left, a page at a time, so that memory does not grow with the run."""
        after = -1
        while page := runs.pending_items(self.workspace.db, self.run.id, after, _PAGE, self.until):
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
        state = first_state(content, turn.turn, history, self.system)
        begin = time.perf_counter()
        try:
            state = await self._prepare(state, turn, repeat)
        except StageFailed as failed:
            elapsed = (time.perf_counter() - begin) * 1000
            answer = await self._store_answer(turn, not_answered(failed.error, elapsed))
        else:
            answer = turn.answer
            if turn.state is PredictionState.PENDING:
                made = await self.answerer.answer(state, repeat)
                answer = await self._store_answer(turn, made)
                state = _with_retrieved(state, made)
        if answer is not None:
            await self._score(state, turn, self._as_scored(answer))
        return answer

    async def search(
        self,
        retrieval: Retrieval,
        top_k: int,
        queries: tuple[SearchText, ...],
        hidden: tuple[str, ...],
    ) -> in_child.Retrieved:
        """What is found for a turn, together with what other turns search for meanwhile."""
        key = canonical_json((retrieval, top_k))
        if key not in self._searches:
            fingerprint = self.run.settings.corpus_fingerprint
            search = partial(in_child.retrieve, self.corpus.id, retrieval, fingerprint, top_k)
            self._searches[key] = Batches(self.pool, partial(for_job, self.context.job.id, search))
        async with self.context.until_stopped():
            return await self._searches[key].call(in_child.ToRetrieve(queries, hidden))

    def _as_scored(self, answer: str) -> str | None:
        return None if self.system.generator == NO_ANSWERS else answer

    async def _prepare(self, state: TurnState, turn: PendingTurn, repeat: int) -> TurnState:
        """The turn after all stages before its answer. Raises StageFailed."""
        tools = _Tools(self, repeat)
        for stage in self.stages:
            value = stages.get(self.workspace.db, turn.prediction_id, stage.name, stage.value)
            if value is None:
                elsewhere = self.system.is_imported or self.system.is_own
                if elsewhere or turn.state is not PredictionState.PENDING:
                    break  # an answer that came without what was retrieved for it, or is to come
                value, elapsed = await stage.make(state, tools)
                await self._store_stage(turn.prediction_id, stage.name, value, elapsed)
            state = stage.apply(state, value)
        return state

    async def _store_stage(
        self, prediction_id: int, name: str, value: Any, elapsed_ms: float
    ) -> None:
        await self.commits.write(
            lambda db: stages.put(db, prediction_id, name, value, elapsed_ms=elapsed_ms)
        )

    async def _store_answer(self, turn: PendingTurn, made: Answered) -> str | None:
        await self.commits.write(lambda db: _store_answer(db, turn.prediction_id, made))
        return made.text

    async def _score(self, state: TurnState, turn: PendingTurn, answer: str | None) -> None:
        was_pending = turn.state is PredictionState.PENDING
        if not was_pending and stages.is_scored(self.workspace.db, turn.prediction_id):
            return
        made = await self.scoring.call(
            pool_tasks.ToScore(
                self.corpus.id,
                state.turn,
                state.history,
                answer,
                state.hits,
                state.lang,
                self.system.top_k,
                retrieval_unknown=state.hits is None and self.system.retriever is not None,
                hidden=state.content.hidden,
                passages=state.passages if self.system.is_own else None,
                unmatched=_unmatched(state) if self.system.is_own else 0,
            )
        )
        await self.commits.write(
            lambda db: _store_scores(db, turn.prediction_id, made, self.judge_id)
        )


class _Tools:
    """The means that a run lends its stages."""

    def __init__(self, job: _RunJob, repeat: int) -> None:
        self._job = job
        self._repeat = repeat

    async def retrieve(
        self, queries: tuple[SearchText, ...], hidden: tuple[str, ...]
    ) -> tuple[Visible, float]:
        job = self._job
        retrieved = await job.search(*plain_search(job.system), queries, hidden)
        return retrieved.visible, retrieved.elapsed_ms

    def read(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        return tuple(passages(self._job.workspace.db, self._job.corpus, hits))

    async def ask(self, request: ChatRequest, provider: str = "") -> ChatReply:
        return await self._job.models.ask(request, self._repeat, provider)

    async def key_terms(self, text: str, most: int) -> tuple[str, ...]:
        job = self._job
        index = word_index(job.system)
        assert index is not None, "only a stage that weighs words asks for them"
        return await job.context.in_child(
            in_child.key_terms,
            job.corpus.id,
            index,
            job.run.settings.corpus_fingerprint,
            text,
            most,
        )

    async def nearest(
        self, query: SearchText, most: int, hidden: tuple[str, ...]
    ) -> tuple[Hit, ...]:
        job = self._job
        index = vector_index(job.system)
        assert index is not None, "only a stage that needs vectors asks for them"
        retrieved = await job.search(index, most, (query,), hidden)
        return retrieved.visible.hits

    def prompt(self, id: str, lang: Lang) -> PromptText:
        return self._job.prompts.find(id, lang)


def _with_retrieved(state: TurnState, made: Answered) -> TurnState:
    """The turn with what a system of one's own retrieved along with its answer."""
    if made.retrieved is None:
        return state
    return structs.replace(state, hits=made.retrieved.hits, passages=made.retrieved.passages)


def _unmatched(state: TurnState) -> int:
    """The number of hits that stand for no document of the corpus."""
    return sum(not hit.end for hit in state.hits or ())


def _store_answer(db: sqlite3.Connection, prediction_id: int, made: Answered) -> None:
    stages.finish_prediction(
        db,
        prediction_id,
        made.state,
        answer=made.text,
        error_kind=made.error_kind,
        error_text=made.error_text,
    )
    stages.put(
        db,
        prediction_id,
        "answer",
        made.value,
        elapsed_ms=made.elapsed_ms,
        call_key=made.call_key,
    )
    if made.retrieved is not None:
        hits, passages = made.retrieved.hits, made.retrieved.passages
        stages.put(db, prediction_id, "retrieve", RetrieveValue("", hits), elapsed_ms=0.0)
        stages.put(db, prediction_id, GIVEN, ContextValue(passages), elapsed_ms=0.0)


def _store_scores(
    db: sqlite3.Connection, prediction_id: int, made: pool_tasks.Scored, judge_id: int
) -> None:
    stages.put_scores(db, prediction_id, made.scores.rule)
    stages.put_scores(db, prediction_id, made.scores.judged, judge_id=judge_id)
    value = ScoreValue(len(made.scores.rule) + len(made.scores.judged), scoring_code())
    stages.put(db, prediction_id, "score", value, elapsed_ms=made.elapsed_ms)

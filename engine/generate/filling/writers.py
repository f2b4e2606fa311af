"""The writers of a generation's items: rules in a child process, or a model at an endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from engine.corpus.source_documents import source_documents
from engine.generate import pool_tasks
from engine.generate.builders.base import Builder, Material, Nothing
from engine.generate.builders.registry import staged_builder
from engine.generate.builders.stage_asking import (
    MOST_REPEATS,
    RETRY_TEMPERATURE,
    WORTH_REPEATING,
    StageAsking,
    Unanswered,
)
from engine.generate.drafts import Draft, Grade, Problem
from engine.generate.filling.beside import Beside
from engine.generate.filling.setup import Scope, items_a_call
from engine.generate.items import ReadItem
from engine.generate.partners import ways_of
from engine.generate.replies import read_generation
from engine.generate.requests import generation_request
from engine.generate.rules.drafting import DRAFTS_A_DOCUMENT
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.operation import Budget
from engine.models.budget import Spending
from engine.models.chat import ChatRequest
from engine.models.errors import Effect, ModelError
from engine.models.replies import ReplyState
from store.datasets import generation_steps, generations
from store.datasets.generation_steps import Step
from store.datasets.generations import AttemptRow, AttemptState
from store.records import ItemContent, Task

LEAST_SCORE = 3
"""Of a draft by rule that becomes an item, 1 to 5: what raters may mend."""
_PER_CHILD = 2


class Written(Struct, frozen=True):
    """The outcome of an attempt."""

    state: AttemptState
    items: tuple[ReadItem, ...] = ()
    reason: str = ""
    call_key: str | None = None
    cached: bool = False
    repeat: bool = False
    """Whether to ask again."""


class Writer(Protocol):
    in_flight: int
    """Attempts to make at once."""

    def prompt(self, task: str, documents: Sequence[str]) -> tuple[str, str | None]:
        """Id of the prompt and hash of its text; of a rule its name, and None."""

    async def write(self, row: AttemptRow) -> Written:
        """The items. Raises Stopped and RagdeskError as `JobChat.complete` does."""


def make_writer(
    context: JobContext, scope: Scope, budget: Budget, commits: GroupCommit, beside: Beside
) -> Writer:
    """The writer of a generation."""
    if scope.provider is None:
        return RuleWriter(context, scope, beside)
    spent = Spending(*generations.spent(context.workspace.db, context.job.id))
    # generation watches for failures itself, and asks again for what they cost
    chat = JobChat(context, scope.provider, budget, commits, spent, equal_failures=None)
    return ModelWriter(context, scope, beside, chat, commits)


class RuleWriter:
    """Drafts by rule: a baseline that needs neither network nor weights."""

    def __init__(self, context: JobContext, scope: Scope, beside: Beside) -> None:
        self.in_flight = context.pool.size * _PER_CHILD
        self._context = context
        self._scope = scope
        self._beside = beside

    def prompt(self, task: str, documents: Sequence[str]) -> tuple[str, str | None]:
        return f"rules/{self._scope.task(task).builder}", None

    async def write(self, row: AttemptRow) -> Written:
        task = self._scope.task(row.task)
        share = items_a_call(task, self._scope.settings)
        wanted = pool_tasks.ToDraft(
            self._scope.corpus.id,
            task,
            self._scope.topic(row.topic),
            row.documents,
            self._scope.settings.seed,
            skip=share if row.round else 0,
            most=DRAFTS_A_DOCUMENT if row.round else share,
        )
        drafts = await self._context.in_child(pool_tasks.draft_items, wanted)
        items = await self._beside.with_reports(row, list(map(_checked, drafts)))
        return Written(AttemptState.PARSED if items else AttemptState.EMPTY, items)


class ModelWriter:
    """A model at an OpenAI-compatible endpoint, asked for a few items at a time, for some tasks in
    stages."""

    def __init__(
        self,
        context: JobContext,
        scope: Scope,
        beside: Beside,
        chat: JobChat,
        commits: GroupCommit,
    ) -> None:
        assert scope.provider is not None
        self.in_flight = chat.in_flight
        self._db = context.workspace.db
        self._scope = scope
        self._beside = beside
        self._chat = chat
        self._commits = commits
        self._may_heat = scope.provider.temperature != "default"

    def prompt(self, task: str, documents: Sequence[str]) -> tuple[str, str | None]:
        (first,) = source_documents(self._db, self._scope.corpus, documents[:1])
        text = self._scope.prompts[f"{first.lang}/{task}"]
        return text.id, text.hash

    async def write(self, row: AttemptRow) -> Written:
        builder = staged_builder(self._scope.task(row.task))
        try:
            if builder is None:
                return await self._write_at_once(row)
            return await self._write_in_stages(row, builder)
        except ModelError as error:
            if error.effect is Effect.REFUSE_ITEM:
                return Written(AttemptState.REFUSED, reason=error.message)
            again = builder is None and error.kind in WORTH_REPEATING
            return Written(AttemptState.FAILED, reason=str(error), repeat=again)

    async def _write_at_once(self, row: AttemptRow) -> Written:
        task = self._scope.task(row.task)
        documents = source_documents(self._db, self._scope.corpus, row.documents, row.topic)
        request = model_request(self._scope, row.topic, task, row.documents, self._db)
        repeat = repeat_of(task, row.round, row.repeat)
        if repeat and self._may_heat:
            request = replace(request, temperature=RETRY_TEMPERATURE)
        reply = await self._chat.complete(request, repeat)
        read = read_generation(reply.text, documents, row.topic, task, documents[0].lang)
        why = read.problem
        if read.state is ReplyState.UNPARSED and reply.truncated:
            why = f"{why}; the reply was cut short by max_tokens".removeprefix("; ")
        items = tuple(_with_kind(item, task, len(documents)) for item in read.items)
        return Written(
            AttemptState(read.state),
            items,
            why,
            reply.key,
            reply.cached,
            repeat=read.state is ReplyState.UNPARSED,
        )

    async def _write_in_stages(self, row: AttemptRow, builder: Builder) -> Written:
        task = self._scope.task(row.task)
        material = stage_material(self._scope, row.topic, task, row.documents, row.round, self._db)

        async def store(step: Step) -> None:
            await self._commits.write(lambda db: generation_steps.put(db, row.id, step))

        ask = StageAsking(
            material,
            self._scope.prompts_of(task.key, material.lang),
            self._chat.complete,
            store,
            first=repeat_of(task, row.round, 0),
            may_heat=self._may_heat,
        )
        try:
            items = await builder.build(material, ask)
        except Nothing as nothing:
            return Written(AttemptState.EMPTY, reason=str(nothing))
        except Unanswered as error:
            return Written(error.state, reason=str(error))
        return Written(AttemptState.PARSED, await self._beside.with_reports(row, items))


def stage_material(
    scope: Scope,
    topic: str,
    task: Task,
    document_ids: Sequence[str],
    round: int,
    db: Connection,
) -> Material:
    """What the builder of a task is given for some documents."""
    documents = source_documents(db, scope.corpus, document_ids, topic)
    count = items_a_call(task, scope.settings)
    return Material(scope.topic(topic), task, tuple(documents), count, round)


def repeat_of(task: Task, round: int, repeat: int) -> int:
    """The repeat index of a call: one request is made again in a later round of its document."""
    return repeat + MOST_REPEATS * (round // len(ways_of(task)))


def model_request(
    scope: Scope, topic: str, task: Task, document_ids: Sequence[str], db: Connection
) -> ChatRequest:
    """The request that a model is sent for some documents."""
    documents = source_documents(db, scope.corpus, document_ids, topic)
    prompt = scope.prompts[f"{documents[0].lang}/{task.key}"]
    count = items_a_call(task, scope.settings)
    return generation_request(documents, scope.topic(topic), task, prompt, count=count).request


def _checked(draft: Draft) -> ReadItem:
    """A draft as a reply's item: one that scores too low has that as its fatal problem."""
    if draft.score >= LEAST_SCORE:
        return ReadItem(draft.content)
    bad = (check for check in draft.checks if check.grade is not Grade.MET)
    why = "; ".join(f"{check.aspect}: {check.reason}" for check in bad)
    return ReadItem(None, (Problem("check_failed", f"scores {draft.score}: {why}"),))


def _with_kind(item: ReadItem, task: Task, documents: int) -> ReadItem:
    """OmniEval's two kinds of multi-hop items, told apart: by calculation, and along a chain."""
    if item.content is None or task.builder != "multi_hop":
        return item
    kind = "calculation" if documents == 1 else "chain"
    content: ItemContent = item.content
    return replace(item, content=replace(content, facets={**content.facets, "kind": kind}))

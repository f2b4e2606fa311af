"""The writers of a generation's items: rules in a child process, or a model at an endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from engine.corpus.source_documents import source_documents
from engine.generate import pool_tasks
from engine.generate.drafts import Draft, Grade, Problem
from engine.generate.items import ReadItem
from engine.generate.partners import (
    MOST,
    MOST_BY_RULE,
    needs_partners,
    set_beside,
    takes_partners,
    way_of,
    ways_of,
)
from engine.generate.quota import Attempt
from engine.generate.replies import read_generation
from engine.generate.requests import generation_request
from engine.generate.rules.drafting import DRAFTS_A_DOCUMENT
from engine.generate.setup import Scope, items_a_call
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.operation import Budget
from engine.models.budget import Spending
from engine.models.chat import ChatRequest
from engine.models.errors import Effect, FailureKind, ModelError
from engine.models.replies import ReplyState
from engine.retrieve.in_child import prepare_index
from store.corpora import corpora
from store.datasets import generations
from store.datasets.generations import AttemptRow, AttemptState
from store.records import ItemContent, Task

LEAST_SCORE = 3
"""Of a draft by rule that becomes an item, 1 to 5: what raters may mend."""
MOST_REPEATS = 3
"""Calls for one request whose replies cannot be read."""
RETRY_TEMPERATURE = 0.7
"""Of a repeated call: at 0 a model would write the same unreadable reply again."""
_WORTH_REPEATING = frozenset({FailureKind.BAD_REPLY, FailureKind.EMPTY_REPLY})
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

    async def documents(self, attempt: Attempt) -> tuple[str, ...] | None:
        """The documents to write from; None when the document cannot be used in that way."""

    def prompt(self, task: str, documents: Sequence[str]) -> tuple[str, str | None]:
        """Id of the prompt and hash of its text; of a rule its name, and None."""

    async def write(self, row: AttemptRow) -> Written:
        """The items. Raises Stopped and RagdeskError as `JobChat.complete` does."""


class _Partners:
    """Partners of documents, looked up once each, in a child process."""

    def __init__(self, context: JobContext, scope: Scope, fingerprint: str) -> None:
        self._most = MOST_BY_RULE if scope.provider is None else MOST
        self._context = context
        self._corpus_id = scope.corpus.id
        self._fingerprint = fingerprint
        self._known: dict[str, tuple[str, ...]] = {}

    async def of(self, document_id: str) -> tuple[str, ...]:
        if document_id not in self._known:
            self._known[document_id] = await self._context.in_child(
                pool_tasks.partners, self._corpus_id, self._fingerprint, document_id, self._most
            )
        return self._known[document_id]


async def make_writer(
    context: JobContext, scope: Scope, budget: Budget, commits: GroupCommit
) -> Writer:
    """The writer of a generation; builds the index that partners are found by, where needed."""
    db = context.workspace.db
    fingerprint = corpora.fingerprint(db, scope.corpus)
    if any(takes_partners(scope.task(task)) for _, task in scope.targets):
        await context.in_child(prepare_index, scope.corpus.id, pool_tasks.PARTNERS, fingerprint)
    partners = _Partners(context, scope, fingerprint)
    if scope.provider is None:
        return RuleWriter(context, scope, partners)
    spent = Spending(*generations.spent(db, context.job.id))
    # generation watches for failures itself, and asks again for what they cost
    chat = JobChat(context, scope.provider, budget, commits, spent, equal_failures=None)
    return ModelWriter(context, scope, partners, chat)


class RuleWriter:
    """Drafts by rule: a baseline that needs neither network nor weights."""

    def __init__(self, context: JobContext, scope: Scope, partners: _Partners) -> None:
        self.in_flight = context.pool.size * _PER_CHILD
        self._context = context
        self._scope = scope
        self._partners = partners

    async def documents(self, attempt: Attempt) -> tuple[str, ...] | None:
        task = self._scope.task(attempt.task)
        if not takes_partners(task):
            return (attempt.document_id,)
        beside = await self._partners.of(attempt.document_id)
        if not beside and needs_partners(task):
            return None
        return (attempt.document_id, *beside)

    def prompt(self, task: str, documents: Sequence[str]) -> tuple[str, str | None]:
        return f"rules/{self._scope.task(task).builder}", None

    async def write(self, row: AttemptRow) -> Written:
        share = items_a_call(self._scope.task(row.task), self._scope.settings)
        wanted = pool_tasks.ToDraft(
            self._scope.corpus.id,
            self._scope.task(row.task),
            self._scope.topic(row.topic),
            row.documents,
            self._scope.settings.seed,
            skip=share if row.round else 0,
            most=DRAFTS_A_DOCUMENT if row.round else share,
        )
        drafts = await self._context.in_child(pool_tasks.draft_items, wanted)
        state = AttemptState.PARSED if drafts else AttemptState.EMPTY
        return Written(state, tuple(map(_checked, drafts)))


class ModelWriter:
    """A model at an OpenAI-compatible endpoint, asked for a few items at a time."""

    def __init__(
        self, context: JobContext, scope: Scope, partners: _Partners, chat: JobChat
    ) -> None:
        self.in_flight = chat.in_flight
        self._db = context.workspace.db
        self._scope = scope
        self._partners = partners
        self._chat = chat

    async def documents(self, attempt: Attempt) -> tuple[str, ...] | None:
        task = self._scope.task(attempt.task)
        way = way_of(task, attempt.document_id, attempt.round)
        beside = await self._partners.of(attempt.document_id) if way else ()
        return set_beside(attempt.document_id, beside, way)

    def prompt(self, task: str, documents: Sequence[str]) -> tuple[str, str | None]:
        (first,) = source_documents(self._db, self._scope.corpus, documents[:1])
        text = self._scope.prompts[f"{first.lang}/{task}"]
        return text.id, text.hash

    async def write(self, row: AttemptRow) -> Written:
        task = self._scope.task(row.task)
        documents = source_documents(self._db, self._scope.corpus, row.documents, row.topic)
        request = model_request(self._scope, row.topic, task, row.documents, self._db)
        repeat = repeat_of(task, row.round, row.repeat)
        if repeat and self._scope.provider and self._scope.provider.temperature != "default":
            request = replace(request, temperature=RETRY_TEMPERATURE)
        try:
            reply = await self._chat.complete(request, repeat)
        except ModelError as error:
            return _unanswered(error)
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


def _unanswered(error: ModelError) -> Written:
    if error.effect is Effect.REFUSE_ITEM:
        return Written(AttemptState.REFUSED, reason=error.message)
    return Written(
        AttemptState.FAILED,
        reason=str(error),
        repeat=error.kind in _WORTH_REPEATING,
    )


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

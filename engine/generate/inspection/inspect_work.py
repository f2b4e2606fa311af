"""Inspecting items: each gets a verdict, and a correction where one is offered and can be used.

What is left is read from the rows, so the same code begins and resumes. A verdict, its correction
and the item's move are committed together. A text that the inspector wrote is inspected in turn,
once: what is very good then is accepted, the rest waits for a person.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Literal

from engine.corpus.document import SourceDocument
from engine.corpus.source_documents import source_documents
from engine.generate import requests
from engine.generate.inspection.by_rule import Inspection, inspect_item
from engine.generate.replies import read_inspection
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.fan_out import side_by_side
from engine.jobs.model_choice import ModelOperation, frozen_prompts, load_prompts
from engine.jobs.operation import Estimate
from engine.jobs.request_count import RequestCount
from engine.models.budget import Spending
from engine.models.errors import Effect, ModelError
from engine.models.settings import Provider
from engine.prompts.templates import PromptedRequest, PromptText
from store.corpora import corpora, taxonomies
from store.corpora.corpora import Corpus
from store.datasets import datasets, generations, inspections
from store.datasets.datasets import Dataset
from store.datasets.inspections import ASKED_AT_MOST, OFFLINE, Inspected, ToInspect
from store.errors import NotFound
from store.jobs import jobs
from store.records import ItemContent, ItemState, Task, Taxonomy, Topic
from store.workspace import Workspace

IN_FLIGHT_PER_CHILD = 2


def estimate_inspection(
    workspace: Workspace, dataset: str, states: Sequence[ItemState], provider: Provider
) -> Estimate:
    """The cost of inspecting a dataset's items in those states by a model; see
    `Inspect.estimate`."""
    scope = _Scope(workspace.db, datasets.get(workspace.db, dataset))
    texts = load_prompts(workspace, requests.INSPECTION)
    count = RequestCount(workspace, provider)
    left = inspections.pending(workspace.db, scope.dataset, 0, provider.model, states)
    for candidate in left:
        documents = scope.documents(candidate)
        if documents:
            count.add(scope.request(candidate.content, documents, texts).request, candidate.repeat)
    return count.estimate


async def inspect_items(
    context: JobContext,
    dataset: str,
    states: Sequence[ItemState],
    by: ModelOperation,
) -> None:
    """Inspects what is left, by the model frozen in `by`, without one by rule; raises Stopped when
    it has to end before that."""
    job = _InspectJob(context, dataset, states, by)
    left = job.pending()
    job.total = job.done + len(left)
    await side_by_side(context, iter(left), job.in_flight, job.work)
    if job.pending():
        context.raise_if_stopping()
    if held := inspections.held(context.workspace.db, job.scope.dataset, states):
        context.note("left", f"{held:,} items lay before a rater; inspect again for them")


class _Scope:
    """A dataset with what its items are judged by."""

    def __init__(self, db: sqlite3.Connection, dataset: Dataset) -> None:
        self.db = db
        self.dataset = dataset
        self.corpus: Corpus = corpora.get_by_id(db, dataset.corpus_id)
        self.taxonomy: Taxonomy = taxonomies.get(db, dataset.taxonomy_id)

    def documents(self, candidate: ToInspect) -> list[SourceDocument]:
        """The documents that an item quotes, else those that its evidence names; of an item
        without evidence, as one that nothing answers, those that it was written from."""
        units = [unit for turn in candidate.content.turns for unit in turn.evidence]
        quoted = [unit for unit in units if unit.start is not None]
        names = [unit.document_id for unit in quoted or units]
        names = list(dict.fromkeys(names)) or generations.written_from(self.db, candidate.item)
        return source_documents(self.db, self.corpus, names, candidate.content.topic)

    def task(self, content: ItemContent) -> Task:
        """The item's task; one without a requirement for an item that fits none."""
        for task in self.taxonomy.tasks:
            if task.key == content.task:
                return task
        is_dialogue = len(content.turns) > 1
        shape: Literal["single", "conversation"] = "conversation" if is_dialogue else "single"
        return Task(content.task, "不限", "any", shape=shape)

    def topic(self, content: ItemContent) -> Topic | None:
        return next((topic for topic in self.taxonomy.topics if topic.key == content.topic), None)

    def request(
        self,
        content: ItemContent,
        documents: Sequence[SourceDocument],
        prompts: dict[str, PromptText],
    ) -> PromptedRequest:
        return requests.inspection_request(
            content, documents, self.topic(content), self.task(content), prompts[content.lang]
        )


class _InspectJob:
    def __init__(
        self, context: JobContext, dataset: str, states: Sequence[ItemState], by: ModelOperation
    ) -> None:
        db = context.workspace.db
        self.db = db
        self.context = context
        self.states = states
        self.job_id = context.job.id
        self.scope = _Scope(db, datasets.get(db, dataset))
        self.prompts = frozen_prompts(db, by.prompts)
        self.commits = GroupCommit(context.workspace)
        self.chat: JobChat | None = None
        self.inspector = OFFLINE
        self.in_flight = context.pool.size * IN_FLIGHT_PER_CHILD
        if by.provider is not None:
            spent = Spending(*inspections.spent(db, self.job_id))
            self.chat = JobChat(context, by.provider, by.budget, self.commits, spent)
            self.inspector = by.provider.model
            self.in_flight = self.chat.in_flight
        self.done = context.job.done
        self.total = 0

    def pending(self) -> list[ToInspect]:
        return inspections.pending(
            self.db, self.scope.dataset, self.job_id, self.inspector, self.states
        )

    async def work(self, candidate: ToInspect) -> None:
        """Judges an item, and once more the text that this made of it."""
        correction = await self._judge(candidate, is_last=False)
        if correction is None or self.context.stopping:
            return
        content = datasets.content(self.db, correction)
        state = ItemState.CORRECTED
        again = ToInspect(candidate.item, correction, state, candidate.item_key, content, 0, 0)
        await self._judge(again, is_last=True)

    async def _judge(self, candidate: ToInspect, *, is_last: bool) -> int | None:
        """Asks until there is a verdict that can be read, or often enough; the revision that was
        written, if one was."""
        repeat = candidate.repeat
        for asked in range(candidate.asked + 1, ASKED_AT_MOST + 1):
            made = await self._ask(candidate, repeat)
            ends = made.state != "unparsed" or asked == ASKED_AT_MOST
            written: list[int | None] = []
            await self.commits.write(partial(self._store, candidate, made, ends, is_last, written))
            if ends:
                return written[0]
            repeat += 1
        return None

    def _store(
        self,
        candidate: ToInspect,
        made: Inspected,
        ends: bool,
        is_last: bool,
        written: list[int | None],
        db: sqlite3.Connection,
    ) -> None:
        correction = inspections.record(db, self.job_id, candidate, made)
        written.append(correction)
        # an item that is looked at a second time counts when that is done
        if ends and (is_last or correction is None):
            self.done += 1
            jobs.set_progress(db, self.job_id, self.done, self.total)

    async def _ask(self, candidate: ToInspect, repeat: int) -> Inspected:
        try:
            documents = self.scope.documents(candidate)
        except NotFound as error:
            return self._failed(repeat, error.message)
        if not documents:
            return self._failed(repeat, "the item names no document to judge it by")
        if self.chat is None:
            return await self._by_rule(candidate, documents, repeat)
        asked = self.scope.request(candidate.content, documents, self.prompts)
        try:
            reply = await self.chat.complete(asked.request, repeat)
        except ModelError as error:
            state = "refused" if error.effect is Effect.REFUSE_ITEM else "failed"
            return Inspected(
                repeat, self.inspector, state, reason=str(error), prompt_hash=asked.prompt_hash
            )
        read = read_inspection(
            reply.text, candidate.content, documents, self.scope.task(candidate.content)
        )
        reasons = [read.problem, *(problem.message for problem in read.problems)]
        return Inspected(
            repeat,
            self.inspector,
            read.state.value,
            read.evaluation,
            "; ".join(text for text in reasons if text),
            correction=read.correction,
            prompt_hash=asked.prompt_hash,
            call_key=reply.key,
            cached=reply.cached,
        )

    async def _by_rule(
        self, candidate: ToInspect, documents: Sequence[SourceDocument], repeat: int
    ) -> Inspected:
        inspection: Inspection = await self.context.in_child(
            inspect_item,
            candidate.content,
            self.scope.task(candidate.content),
            documents,
            self.scope.topic(candidate.content),
        )
        mended = f"mended: {', '.join(inspection.mended)}" if inspection.mended else ""
        return Inspected(
            repeat,
            OFFLINE,
            "parsed",
            inspection.evaluation,
            "; ".join(text for text in (mended, inspection.reason) if text),
            inspection.checks,
            # what is very good needs no other text; further forms of an answer are no fault
            inspection.correction if inspection.evaluation == 1 else None,
        )

    def _failed(self, repeat: int, reason: str) -> Inspected:
        return Inspected(repeat, self.inspector, "failed", reason=reason)

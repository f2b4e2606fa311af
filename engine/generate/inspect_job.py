"""The job `inspect`: an automatic verdict of 0, 1 or 2 on every drafted item, with its correction.

What is left is read from the rows, so the same code begins and resumes. A verdict, its correction
and the item's move are committed together. A text that the inspector wrote is inspected in turn,
once: what is very good then is accepted, the rest waits for a person.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine.corpus.source_documents import source_documents
from engine.evaluate.estimate import RequestCount
from engine.generate import requests
from engine.generate.inspection import Inspection, inspect_item
from engine.generate.records import SourceDocument
from engine.generate.replies import read_inspection
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.fan_out import side_by_side
from engine.jobs.launch import JobBudget
from engine.jobs.model_choice import (
    chosen_provider,
    freeze_prompts,
    frozen_prompts,
    frozen_provider,
    load_prompts,
)
from engine.models.budget import Spending
from engine.models.errors import Effect, ModelError
from engine.models.settings import Provider
from engine.prompts.templates import PromptText
from store.corpora import corpora, taxonomies
from store.corpora.corpora import Corpus
from store.datasets import datasets, inspections
from store.datasets.datasets import Dataset
from store.datasets.inspections import ASKED_AT_MOST, OFFLINE, Inspected, ToInspect
from store.errors import InputError, NotFound
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import ItemContent, ItemState, Task, Taxonomy, Topic
from store.workspace import Workspace

IN_FLIGHT_PER_CHILD = 2


class InspectParams(Struct, frozen=True, omit_defaults=True):
    dataset: str
    states: tuple[ItemState, ...] = (ItemState.DRAFTED,)
    provider: dict[str, Any] | None = None
    """The model's settings as they were; null for inspection by rule."""
    prompts: dict[str, str] = {}
    """Hash of the prompt by language."""
    max_tokens: int | None = None
    max_cost: float | None = None


def queue_inspect(
    workspace: Workspace,
    dataset_name: str,
    *,
    model: str | None = None,
    states: Sequence[ItemState] = (ItemState.DRAFTED,),
    budget: JobBudget | None = None,
) -> Job:
    """A job that inspects a dataset's items in those states; no worker is started.

    Without a model by the five checks. Raises what `check_inspect` raises.
    """
    budget = budget or JobBudget()
    dataset, provider = check_inspect(
        workspace, dataset_name, model=model, states=states, budget=budget
    )
    inspector = OFFLINE if provider is None else provider.model
    with workspace.write() as db:
        texts = {} if provider is None else load_prompts(workspace, requests.INSPECTION)
        params = InspectParams(
            dataset.name,
            tuple(states),
            None if provider is None else msgspec.to_builtins(provider),
            freeze_prompts(db, texts),
            budget.max_tokens,
            budget.max_cost,
        )
        title = f"{dataset.name} by {inspector}"
        return jobs.enqueue(db, "inspect", title, params=msgspec.to_builtins(params))


def check_inspect(
    workspace: Workspace,
    dataset_name: str,
    *,
    model: str | None,
    states: Sequence[ItemState],
    budget: JobBudget,
) -> tuple[Dataset, Provider | None]:
    """What would be inspected, and by which model; none for the five checks. Changes nothing.

    Raises NotFound for an unknown dataset or model, InputError when nothing is to inspect, and
    what `chosen_provider` raises.
    """
    provider = chosen_provider(workspace, model, budget)
    dataset = datasets.get(workspace.db, dataset_name)
    inspector = OFFLINE if provider is None else provider.model
    _check_work(workspace.db, dataset, inspector, states)
    return dataset, provider


def _check_work(
    db: sqlite3.Connection, dataset: Dataset, inspector: str, states: Sequence[ItemState]
) -> None:
    if inspections.pending(db, dataset, 0, inspector, states):
        return
    counted = datasets.state_counts(db, dataset)
    have = ", ".join(f"{count:,} {state}" for state, count in sorted(counted.items())) or "none"
    before = inspections.held(db, dataset, states)
    raise InputError(
        f"Dataset {dataset.name!r} has no {' or '.join(states)} item that {inspector} has yet to"
        f" inspect. Its items: {have}."
        + (f" {before:,} lie before a rater now." if before else ""),
        "Items that a person has judged are left alone; --only-state names other states.",
    )


def estimate_inspect(
    workspace: Workspace, dataset_name: str, provider: Provider, states: Sequence[ItemState]
) -> RequestCount:
    """What inspecting would take, every item asked about once; changes nothing.

    Corrected items are asked about a second time, which nobody can foresee.
    """
    scope = _Scope(workspace.db, datasets.get(workspace.db, dataset_name))
    texts = load_prompts(workspace, requests.INSPECTION)
    count = RequestCount(workspace, provider)
    for one in inspections.pending(workspace.db, scope.dataset, 0, provider.model, states):
        documents = scope.documents(one.content)
        if documents:
            count.add(scope.request(one.content, documents, texts).request, one.repeat)
    return count


async def inspect_in_background(context: JobContext) -> None:
    """Inspects what is left; raises Stopped when it has to end before that."""
    params = msgspec.convert(context.job.params, InspectParams)
    job = _InspectJob(context, params)
    left = job.pending()
    job.total = job.done + len(left)
    await side_by_side(context, iter(left), job.in_flight, job.work)
    if job.pending():
        context.raise_if_stopping()
    if held := inspections.held(context.workspace.db, job.scope.dataset, params.states):
        context.note("left", f"{held:,} items lay before a rater; inspect again for them")


class _Scope:
    """A dataset with what its items are judged by."""

    def __init__(self, db: sqlite3.Connection, dataset: Dataset) -> None:
        self.db = db
        self.dataset = dataset
        self.corpus: Corpus = corpora.get_by_id(db, dataset.corpus_id)
        self.taxonomy: Taxonomy = taxonomies.get(db, dataset.taxonomy_id)

    def documents(self, content: ItemContent) -> list[SourceDocument]:
        """The documents that an item's evidence stands in; none where it has no evidence."""
        named = (found.document_id for turn in content.turns for found in turn.evidence)
        return source_documents(self.db, self.corpus, list(dict.fromkeys(named)), content.topic)

    def task(self, content: ItemContent) -> Task:
        """The item's task; one without a requirement for an item that fits none."""
        for task in self.taxonomy.tasks:
            if task.key == content.task:
                return task
        is_dialogue = len(content.turns) > 1
        shape: Literal["single", "conversation"] = "conversation" if is_dialogue else "single"
        return Task(content.task, "不限", "any", shape=shape)

    def topic(self, content: ItemContent) -> Topic | None:
        return next((one for one in self.taxonomy.topics if one.key == content.topic), None)

    def request(
        self,
        content: ItemContent,
        documents: Sequence[SourceDocument],
        prompts: dict[str, PromptText],
    ) -> requests.Asked:
        return requests.inspection_request(
            content, documents, self.topic(content), self.task(content), prompts[content.lang]
        )


class _InspectJob:
    def __init__(self, context: JobContext, params: InspectParams) -> None:
        db = context.workspace.db
        self.db = db
        self.context = context
        self.params = params
        self.job_id = context.job.id
        self.scope = _Scope(db, datasets.get(db, params.dataset))
        self.prompts = frozen_prompts(db, params.prompts)
        self.commits = GroupCommit(context.workspace)
        self.chat: JobChat | None = None
        self.inspector = OFFLINE
        self.in_flight = context.pool.size * IN_FLIGHT_PER_CHILD
        provider = frozen_provider(params.provider)
        if provider is not None:
            spent = Spending(*inspections.spent(db, self.job_id))
            self.chat = JobChat(context, provider, self.commits, spent)
            self.inspector = provider.model
            self.in_flight = self.chat.in_flight
        self.done = context.job.done
        self.total = 0

    def pending(self) -> list[ToInspect]:
        return inspections.pending(
            self.db, self.scope.dataset, self.job_id, self.inspector, self.params.states
        )

    async def work(self, one: ToInspect) -> None:
        """Judges an item, and once more the text that this made of it."""
        correction = await self._judge(one, is_last=False)
        if correction is None or self.context.stopping:
            return
        content = datasets.content(self.db, correction)
        state = ItemState.CORRECTED
        again = ToInspect(one.item, correction, state, one.item_key, content, 0, 0)
        await self._judge(again, is_last=True)

    async def _judge(self, one: ToInspect, *, is_last: bool) -> int | None:
        """Asks until there is a verdict that can be read, or often enough; the revision that was
        written, if one was."""
        repeat = one.repeat
        for asked in range(one.asked + 1, ASKED_AT_MOST + 1):
            made = await self._ask(one, repeat)
            ends = made.state != "unparsed" or asked == ASKED_AT_MOST
            written: list[int | None] = []
            await self.commits.write(partial(self._store, one, made, ends, is_last, written))
            if ends:
                return written[0]
            repeat += 1
        return None

    def _store(
        self,
        one: ToInspect,
        made: Inspected,
        ends: bool,
        is_last: bool,
        written: list[int | None],
        db: sqlite3.Connection,
    ) -> None:
        correction = inspections.record(db, self.job_id, one, made)
        written.append(correction)
        # an item that is looked at a second time counts when that is done
        if ends and (is_last or correction is None):
            self.done += 1
            jobs.set_progress(db, self.job_id, self.done, self.total)

    async def _ask(self, one: ToInspect, repeat: int) -> Inspected:
        try:
            documents = self.scope.documents(one.content)
        except NotFound as error:
            return self._failed(repeat, error.message)
        if not documents:
            return self._failed(repeat, "the item names no document to judge it by")
        if self.chat is None:
            return await self._by_rule(one, documents, repeat)
        asked = self.scope.request(one.content, documents, self.prompts)
        try:
            reply = await self.chat.complete(asked.request, repeat)
        except ModelError as error:
            state = "refused" if error.effect is Effect.REFUSE_ITEM else "failed"
            return Inspected(
                repeat, self.inspector, state, reason=str(error), prompt_hash=asked.prompt_hash
            )
        read = read_inspection(reply.text, one.content, documents, self.scope.task(one.content))
        said = [read.problem, *(problem.message for problem in read.problems)]
        return Inspected(
            repeat,
            self.inspector,
            read.state.value,
            read.evaluation,
            "; ".join(text for text in said if text),
            correction=read.correction,
            prompt_hash=asked.prompt_hash,
            call_key=reply.key,
            cached=reply.cached,
        )

    async def _by_rule(
        self, one: ToInspect, documents: Sequence[SourceDocument], repeat: int
    ) -> Inspected:
        found: Inspection = await self.context.pool.call(
            inspect_item,
            one.content,
            self.scope.task(one.content),
            documents,
            self.scope.topic(one.content),
        )
        mended = f"mended: {', '.join(found.mended)}" if found.mended else ""
        return Inspected(
            repeat,
            OFFLINE,
            "parsed",
            found.evaluation,
            "; ".join(text for text in (mended, found.reason) if text),
            found.checks,
            # what is very good needs no other text; further forms of an answer are no fault
            found.correction if found.evaluation == 1 else None,
        )

    def _failed(self, repeat: int, reason: str) -> Inspected:
        return Inspected(repeat, self.inspector, "failed", reason=reason)

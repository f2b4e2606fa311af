"""The job `classify`: a topic for every document of a corpus, from a model or by its words.

What is left to ask for is read from the rows, so the same code begins and resumes. A reply and the
topic it gives are committed together.
"""

from __future__ import annotations

import asyncio
import sqlite3
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from engine.corpus.source_documents import source_documents
from engine.evaluate.estimate import RequestCount
from engine.generate import requests
from engine.generate.replies import read_topic
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
from engine.taxonomy.offline_classification import classify_corpus
from engine.taxonomy.stored import find_taxonomy
from store.corpora import corpora, taxonomies, topic_replies
from store.corpora.corpora import Corpus
from store.corpora.topic_replies import ASKED_AT_MOST, ToClassify, TopicReply
from store.errors import InputError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import Taxonomy
from store.workspace import Workspace, open_workspace


class ClassifyParams(Struct, frozen=True, omit_defaults=True):
    corpus: str
    taxonomy_id: int
    again: bool = False
    provider: dict[str, Any] | None = None
    """The model's settings as they were; null for classifying by words."""
    prompts: dict[str, str] = {}
    """Hash of the prompt by language."""
    max_tokens: int | None = None
    max_cost: float | None = None


def queue_classify(
    workspace: Workspace,
    corpus_name: str,
    taxonomy_name: str,
    *,
    model: str | None = None,
    again: bool = False,
    budget: JobBudget | None = None,
) -> Job:
    """A job that classifies a corpus; no worker is started. Without a model, by words.

    Raises what `check_classify` raises.
    """
    budget = budget or JobBudget()
    corpus, taxonomy, provider = check_classify(
        workspace, corpus_name, taxonomy_name, model=model, budget=budget
    )
    with workspace.write() as db:
        texts = {} if provider is None else load_prompts(workspace, requests.CLASSIFICATION)
        params = ClassifyParams(
            corpus.name,
            taxonomies.put(db, taxonomy),
            again,
            None if provider is None else msgspec.to_builtins(provider),
            freeze_prompts(db, texts),
            budget.max_tokens,
            budget.max_cost,
        )
        who = "by words" if provider is None else f"by {provider.model}"
        title = f"{corpus.name} {who}"
        return jobs.enqueue(db, "classify", title, params=msgspec.to_builtins(params))


def check_classify(
    workspace: Workspace,
    corpus_name: str,
    taxonomy_name: str,
    *,
    model: str | None,
    budget: JobBudget,
) -> tuple[Corpus, Taxonomy, Provider | None]:
    """What would be classified, by what, and by which model; none for by words. Changes nothing.

    Raises NotFound for an unknown corpus, taxonomy or model, InputError when the taxonomy has no
    words to classify by, and what `chosen_provider` raises.
    """
    corpus = corpora.get(workspace.db, corpus_name)
    taxonomy = find_taxonomy(workspace.db, taxonomy_name)
    provider = chosen_provider(workspace, model, budget)
    if provider is None:
        _check_terms(taxonomy)
    return corpus, taxonomy, provider


def _check_terms(taxonomy: Taxonomy) -> None:
    """Raises InputError for a taxonomy whose topics have no terms: words cannot tell them apart."""
    if not any(topic.terms for topic in taxonomy.topics):
        raise InputError(
            f"The topics of taxonomy {taxonomy.key!r} have no terms to classify by.",
            "Name a model: --model NAME; or add terms: `ragdesk topics export`, edit, `import`.",
        )


def estimate_classify(
    workspace: Workspace, corpus_name: str, taxonomy_name: str, provider: Provider, again: bool
) -> RequestCount:
    """What classifying would take, every document asked for once; changes nothing."""
    corpus = corpora.get(workspace.db, corpus_name)
    taxonomy = find_taxonomy(workspace.db, taxonomy_name)
    texts = load_prompts(workspace, requests.CLASSIFICATION)
    count = RequestCount(workspace, provider)
    number = taxonomies.number(workspace.db, taxonomy) or 0
    for one in topic_replies.pending(
        workspace.db, corpus, taxonomy.key, number, 0, provider.model, again=again
    ):
        count.add(_asked(workspace.db, corpus, taxonomy, texts, one).request, one.repeat)
    return count


async def classify_in_background(context: JobContext) -> None:
    """Classifies what has no topic; raises Stopped when it has to end before that."""
    params = msgspec.convert(context.job.params, ClassifyParams)
    provider = frozen_provider(params.provider)
    if provider is None:
        await asyncio.to_thread(_by_words, context, params)
        return
    job = _ClassifyJob(context, params, provider)
    left = job.pending()
    job.total = job.done + len(left)
    await side_by_side(context, iter(left), job.chat.in_flight, job.work)
    if job.pending():
        context.raise_if_stopping()


def _by_words(context: JobContext, params: ClassifyParams) -> None:
    """In a thread, with a connection of its own, so that the worker's leases stay fresh."""
    with open_workspace(context.workspace.folder) as workspace:
        corpus = corpora.get(workspace.db, params.corpus)
        taxonomy = taxonomies.get(workspace.db, params.taxonomy_id)
        counts = classify_corpus(workspace, corpus, taxonomy, again=params.again)
        with workspace.write() as db:
            jobs.set_progress(db, context.job.id, counts.total(), counts.total())


class _ClassifyJob:
    def __init__(self, context: JobContext, params: ClassifyParams, provider: Provider) -> None:
        db = context.workspace.db
        self.db = db
        self.job_id = context.job.id
        self.params = params
        self.model = provider.model
        self.corpus = corpora.get(db, params.corpus)
        self.taxonomy = taxonomies.get(db, params.taxonomy_id)
        self.prompts = frozen_prompts(db, params.prompts)
        self.commits = GroupCommit(context.workspace)
        spent = Spending(*topic_replies.spent(db, self.job_id))
        self.chat = JobChat(context, provider, self.commits, spent)
        self.done = context.job.done
        self.total = 0

    def pending(self) -> list[ToClassify]:
        return topic_replies.pending(
            self.db,
            self.corpus,
            self.taxonomy.key,
            self.params.taxonomy_id,
            self.job_id,
            self.model,
            again=self.params.again,
        )

    async def work(self, one: ToClassify) -> None:
        repeat = one.repeat
        for asked in range(one.asked + 1, ASKED_AT_MOST + 1):
            reply = await self._ask(one, repeat)
            is_last = reply.state != "unparsed" or asked == ASKED_AT_MOST
            await self.commits.write(partial(self._store, reply=reply, is_last=is_last))
            if is_last:
                return
            repeat += 1

    async def _ask(self, one: ToClassify, repeat: int) -> TopicReply:
        asked = _asked(self.db, self.corpus, self.taxonomy, self.prompts, one)
        try:
            reply = await self.chat.complete(asked.request, repeat)
        except ModelError as error:
            state = "refused" if error.effect is Effect.REFUSE_ITEM else "failed"
            return TopicReply(
                one.row, repeat, self.model, asked.prompt_hash, state, None, str(error)
            )
        read = read_topic(reply.text, self.taxonomy)
        return TopicReply(
            one.row,
            repeat,
            self.model,
            asked.prompt_hash,
            read.state.value,
            read.topic,
            read.problem,
            reply.key,
            reply.cached,
        )

    def _store(self, db: sqlite3.Connection, reply: TopicReply, is_last: bool) -> None:
        topic_replies.record(db, self.job_id, self.params.taxonomy_id, reply, is_last=is_last)
        if is_last:
            self.done += 1
            jobs.set_progress(db, self.job_id, self.done, self.total)


def _asked(
    db: sqlite3.Connection,
    corpus: Corpus,
    taxonomy: Taxonomy,
    prompts: dict[str, PromptText],
    one: ToClassify,
) -> requests.Asked:
    (document,) = source_documents(db, corpus, [one.document_id])
    return requests.classification_request(document, taxonomy, prompts[document.lang])

"""The job `classify`: a topic for every document of a corpus, from a model or by its words.

What is left to ask for is read from the rows, so the same code begins and resumes. A reply and the
topic it gives are committed together.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from engine.corpus.source_documents import source_documents
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.fan_out import side_by_side
from engine.jobs.model_choice import (
    ModelOperation,
    check_model,
    chosen_provider,
    frozen_prompts,
    load_prompts,
)
from engine.jobs.operation import Estimate, Progress, no_progress, put
from engine.jobs.request_count import RequestCount
from engine.models.budget import Spending
from engine.models.errors import Effect, ModelError
from engine.models.settings import Provider
from engine.prompts.templates import PromptedRequest, PromptText
from engine.taxonomy.offline_classification import classify_corpus
from engine.taxonomy.replies import read_topic
from engine.taxonomy.requests import CLASSIFICATION, classification_request
from engine.taxonomy.stored import find_taxonomy
from store.corpora import corpora, taxonomies, topic_replies
from store.corpora.corpora import Corpus
from store.corpora.topic_replies import ASKED_AT_MOST, ToClassify, TopicReply
from store.errors import InputError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import Taxonomy
from store.workspace import Workspace, open_workspace


class Classify(ModelOperation, frozen=True, tag="classify"):
    """By words where no model is named."""

    corpus: str
    taxonomy: str | int
    """A name; once it is queued, the number of the content that it stood for."""
    again: bool = False
    """Whether documents that have a topic get one anew."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown corpus, taxonomy or model, InputError when the taxonomy
        has no words to classify by, and what `check_model` raises."""
        corpora.get(workspace.db, self.corpus)
        taxonomy = self.find_taxonomy(workspace.db)
        provider = check_model(workspace, self.model, self.budget)
        if provider is None and not any(topic.terms for topic in taxonomy.topics):
            raise InputError(
                f"The topics of taxonomy {taxonomy.key!r} have no terms to classify by.",
                "Name a model, or give the topics terms.",
                "--model NAME; or ragdesk topics export, edit, import",
            )

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        """Every document asked about once."""
        db = workspace.db
        provider = chosen_provider(workspace, self.model)
        if provider is None:
            return Estimate()
        corpus = corpora.get(db, self.corpus)
        taxonomy = self.find_taxonomy(db)
        texts = load_prompts(workspace, CLASSIFICATION)
        count = RequestCount(workspace, provider)
        number = taxonomies.number(db, taxonomy) or 0
        for document in topic_replies.pending(
            db, corpus, taxonomy.key, number, 0, provider.model, again=self.again
        ):
            count.add(_request(db, corpus, taxonomy, texts, document).request, document.repeat)
        return count.estimate

    def enqueue(self, workspace: Workspace) -> Job:
        number = taxonomies.put(workspace.db, self.find_taxonomy(workspace.db))
        frozen = replace(self.frozen(workspace, CLASSIFICATION), taxonomy=number)
        who = "by words" if frozen.provider is None else f"by {frozen.provider.model}"
        return put(workspace.db, frozen, f"{self.corpus} {who}")

    async def run(self, context: JobContext) -> None:
        if self.provider is None:
            await asyncio.to_thread(self._by_words, context)
            return
        job = _ClassifyJob(context, self, self.provider)
        left = job.pending()
        job.total = job.done + len(left)
        await side_by_side(context, iter(left), job.chat.in_flight, job.work)
        if job.pending():
            context.raise_if_stopping()

    def failure(self, db: sqlite3.Connection, job_id: int) -> str:
        states = topic_replies.counts(db, job_id)
        if not states or states.get("parsed"):
            return ""
        return "No document has a topic from the model. Mend the cause, then classify again."

    def find_taxonomy(self, db: sqlite3.Connection) -> Taxonomy:
        if isinstance(self.taxonomy, int):
            return taxonomies.get(db, self.taxonomy)
        return find_taxonomy(db, self.taxonomy)

    def _by_words(self, context: JobContext) -> None:
        """In a thread, with a connection of its own, so that the worker's leases stay fresh."""
        with open_workspace(context.workspace.folder) as workspace:
            corpus = corpora.get(workspace.db, self.corpus)
            taxonomy = self.find_taxonomy(workspace.db)
            counts = classify_corpus(workspace, corpus, taxonomy, again=self.again)
            with workspace.write() as db:
                jobs.set_progress(db, context.job.id, counts.total(), counts.total())


class _ClassifyJob:
    """A classification by a model under way."""

    def __init__(self, context: JobContext, asked: Classify, provider: Provider) -> None:
        assert isinstance(asked.taxonomy, int), "a queued job knows the taxonomy by its number"
        db = context.workspace.db
        self.db = db
        self.job_id = context.job.id
        self.again = asked.again
        self.model = provider.model
        self.corpus = corpora.get(db, asked.corpus)
        self.taxonomy_id = asked.taxonomy
        self.taxonomy = taxonomies.get(db, asked.taxonomy)
        self.prompts = frozen_prompts(db, asked.prompts)
        self.commits = GroupCommit(context.workspace)
        spent = Spending(*topic_replies.spent(db, self.job_id))
        self.chat = JobChat(context, provider, asked.budget, self.commits, spent)
        self.done = context.job.done
        self.total = 0

    def pending(self) -> list[ToClassify]:
        return topic_replies.pending(
            self.db,
            self.corpus,
            self.taxonomy.key,
            self.taxonomy_id,
            self.job_id,
            self.model,
            again=self.again,
        )

    async def work(self, document: ToClassify) -> None:
        repeat = document.repeat
        for asked in range(document.asked + 1, ASKED_AT_MOST + 1):
            reply = await self._ask(document, repeat)
            is_last = reply.state != "unparsed" or asked == ASKED_AT_MOST
            await self.commits.write(partial(self._store, reply=reply, is_last=is_last))
            if is_last:
                return
            repeat += 1

    async def _ask(self, document: ToClassify, repeat: int) -> TopicReply:
        asked = _request(self.db, self.corpus, self.taxonomy, self.prompts, document)
        try:
            reply = await self.chat.complete(asked.request, repeat)
        except ModelError as error:
            state = "refused" if error.effect is Effect.REFUSE_ITEM else "failed"
            return TopicReply(
                document.row, repeat, self.model, asked.prompt_hash, state, None, str(error)
            )
        read = read_topic(reply.text, self.taxonomy)
        return TopicReply(
            document.row,
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
        topic_replies.record(db, self.job_id, self.taxonomy_id, reply, is_last=is_last)
        if is_last:
            self.done += 1
            jobs.set_progress(db, self.job_id, self.done, self.total)


def _request(
    db: sqlite3.Connection,
    corpus: Corpus,
    taxonomy: Taxonomy,
    prompts: Mapping[str, PromptText],
    document: ToClassify,
) -> PromptedRequest:
    (source,) = source_documents(db, corpus, [document.document_id])
    return classification_request(source, taxonomy, prompts[source.lang])

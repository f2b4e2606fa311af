"""The job `graph`: the entities of a corpus, and which of its chunks share one.

What is left to look at is read from the rows, so the same code begins and resumes. A chunk's names
are committed as soon as they are known; entities and where they stand follow at the end.
"""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.jobs.model_choice import ModelOperation, check_model, chosen_provider, load_prompts
from engine.jobs.operation import Estimate, Progress, no_progress, put
from store.corpora import corpora, graphs
from store.corpora.corpora import Corpus
from store.corpora.graphs import OFFLINE, ChunkNames, Graph
from store.errors import Conflict
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import Span
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.context import JobContext
    from engine.models.settings import Provider

_AT_ONCE = 16
"""Chunks that a child process names by rule before they are stored."""


class BuildGraph(ModelOperation, frozen=True, tag="graph"):
    """By rule where no model is named."""

    corpus: str
    graph: int | None = None
    """Number of the stored graph, once it is queued."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown corpus or model, InputError for an empty corpus, and what
        `check_model` raises."""
        corpus = corpora.get(workspace.db, self.corpus)
        check_model(workspace, self.model, self.budget)
        if corpora.is_empty(workspace.db, corpus):
            raise corpora.empty_corpus(corpus)

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        """Every chunk asked about once."""
        from engine.corpus.chunk_texts import chunk_documents
        from engine.graph.replies import PROMPT, naming_request
        from engine.jobs.request_count import RequestCount

        provider = chosen_provider(workspace, self.model)
        if provider is None:
            return Estimate()
        db = workspace.db
        corpus = corpora.get(db, self.corpus)
        texts = load_prompts(workspace, PROMPT)
        count = RequestCount(workspace, provider)
        for chunk in chunk_documents(db, corpus, _chunks(db, corpus)):
            count.add(naming_request(chunk, texts).request, 0)
        return count.estimate

    def enqueue(self, workspace: Workspace) -> Job:
        from engine.graph.linking import THRESHOLD
        from engine.graph.replies import PROMPT

        db = workspace.db
        frozen = self.frozen(workspace, PROMPT)
        corpus = corpora.get(db, self.corpus)
        method = OFFLINE if frozen.provider is None else frozen.provider.model
        recipe = {"method": method, "prompts": frozen.prompts, "threshold": THRESHOLD}
        graph = graphs.begin(db, corpus, corpora.fingerprint(db, corpus), method, recipe)
        return put(db, replace(frozen, graph=graph.id), f"{self.corpus} by {method}")

    async def run(self, context: JobContext) -> None:
        from engine.graph.pool_tasks import link_names

        db = context.workspace.db
        assert self.graph is not None, "a queued job knows its graph by its number"
        graph = graphs.get(db, self.graph)
        corpus = corpora.get_by_id(db, graph.corpus_id)
        if corpora.fingerprint(db, corpus) != graph.fingerprint:
            raise Conflict(
                f"Corpus {corpus.name!r} has changed since the graph was begun.",
                "Begin anew.",
                f"ragdesk graph build {corpus.name}",
            )
        if graph.is_linked:
            return
        await self._name(context, corpus, graph)
        context.enter("linking the names")
        linked = await context.in_child(link_names, graph.id)
        with context.workspace.write() as db:
            graphs.put_entities(db, graph.id, linked)

    def reopen_failed(self, db: sqlite3.Connection) -> str:
        failed = graphs.reopen_failed(db, self.graph or 0)
        return f"{failed} chunks whose call had failed" if failed else ""

    def failure(self, db: sqlite3.Connection, job_id: int) -> str:
        states = graphs.state_counts(db, self.graph or 0)
        return "" if states.get("parsed") else "No chunk names an entity."

    async def _name(self, context: JobContext, corpus: Corpus, graph: Graph) -> None:
        """Has every chunk named that is left."""
        from engine.graph.pool_tasks import name_by_rule
        from engine.jobs.fan_out import side_by_side

        db = context.workspace.db
        chunks = _chunks(db, corpus)
        known = graphs.looked_at(db, graph.id)
        left = [chunk for chunk in chunks if chunk not in known]
        if self.provider is not None:
            work = _ByModel(context, self, self.provider, corpus, graph, len(chunks))
            await side_by_side(context, iter(left), work.chat.in_flight, work.name)
            context.raise_if_stopping()
            return
        for first in range(0, len(left), _AT_ONCE):
            context.raise_if_stopping()
            names = await context.in_child(name_by_rule, corpus.id, left[first : first + _AT_ONCE])
            with context.workspace.write() as db:
                graphs.put_names(db, graph.id, names)
                done = len(chunks) - len(left) + first + len(names)
                jobs.set_progress(db, context.job.id, done, len(chunks))


def _chunks(db: sqlite3.Connection, corpus: Corpus) -> list[Span]:
    return [Span(row.document_id, row.start, row.end) for row in corpora.index_rows(db, corpus)]


class _ByModel:
    """Naming by a model under way."""

    def __init__(
        self,
        context: JobContext,
        asked: BuildGraph,
        provider: Provider,
        corpus: Corpus,
        graph: Graph,
        total: int,
    ) -> None:
        from engine.jobs.chat import JobChat
        from engine.jobs.commits import GroupCommit
        from engine.jobs.model_choice import frozen_prompts
        from engine.models.budget import Spending

        db = context.workspace.db
        self._db = db
        self._job_id = context.job.id
        self._corpus = corpus
        self._graph = graph
        self._prompts = frozen_prompts(db, asked.prompts)
        self._commits = GroupCommit(context.workspace)
        spent = Spending(*graphs.spent(db, graph.id))
        self.chat = JobChat(context, provider, asked.budget, self._commits, spent)
        self._total = total
        self._done = sum(graphs.state_counts(db, graph.id).values())

    async def name(self, chunk: Span) -> None:
        """Asks about a chunk, once more where the reply cannot be read."""
        names = await self._ask(chunk, 0)
        if names.state == "unparsed":
            names = await self._ask(chunk, 1)
        await self._commits.write(partial(self._store, names=names))

    def _store(self, db: sqlite3.Connection, names: ChunkNames) -> None:
        graphs.put_names(db, self._graph.id, [names])
        self._done += 1
        jobs.set_progress(db, self._job_id, self._done, self._total)

    async def _ask(self, chunk: Span, repeat: int) -> ChunkNames:
        from engine.corpus.chunk_texts import chunk_documents
        from engine.graph.replies import naming_request, read_names
        from engine.models.errors import Effect, ModelError

        (text,) = chunk_documents(self._db, self._corpus, [chunk])
        try:
            reply = await self.chat.complete(naming_request(text, self._prompts).request, repeat)
        except ModelError as error:
            state = "refused" if error.effect is Effect.REFUSE_ITEM else "failed"
            return ChunkNames(chunk, state, reason=str(error))
        read = read_names(reply.text, text)
        return ChunkNames(
            chunk, read.state.value, read.names, read.problem, reply.key, reply.cached
        )

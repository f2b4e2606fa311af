"""The job `difficulty`: how hard every item of a dataset is, by one embedding.

What does the work is imported on use, because commands and screens build operations.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import replace

from engine.jobs.operation import Estimate, Operation, Progress, no_progress, put
from store.corpora import corpora
from store.datasets import datasets, difficulties
from store.datasets.datasets import Dataset
from store.errors import InputError, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.systems import Retrieval
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.context import JobContext

EMBEDDING = "lsa"
"""What similarities come from where nobody names an embedding."""
Candidates = Literal["corpus", "entities"]
_AT_ONCE = 32
"""Items that a child process measures before they are stored."""


class MeasureDifficulty(Operation, frozen=True, tag="difficulty"):
    dataset: str
    embedding: str = EMBEDDING
    """`lsa`, `bm25`, or the name of an embedding of the settings."""
    candidates: Candidates = "corpus"
    """Chunks that RD looks at beside the golden references: all, or those that name an entity of
    question or answer, by the entity graph of the corpus."""
    retrieval: Retrieval | None = None
    """What the name stands for, frozen when the job is queued."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown dataset, UsageError for an embedding that there is not or
        for a fusion of several, and InputError for a dataset without items, for a corpus without an
        entity graph where one is needed, and for what the embedding lacks."""
        dataset = datasets.get(workspace.db, self.dataset)
        find_embedding(workspace, self.embedding)
        self._graph(workspace.db, dataset)
        if not datasets.state_counts(workspace.db, dataset):
            raise InputError(f"Dataset {dataset.name!r} has no items.", "Generate or import some.")

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        return Estimate()

    def enqueue(self, workspace: Workspace) -> Job:
        frozen = replace(self, retrieval=find_embedding(workspace, self.embedding))
        return put(workspace.db, frozen, f"{self.dataset} by {self.embedding}")

    async def run(self, context: JobContext) -> None:
        """Measures what has no difficulty by the embedding yet, a few items a commit."""
        from engine.difficulty.measuring import measure
        from engine.retrieve.in_child import prepare_index

        db = context.workspace.db
        assert self.retrieval is not None, "a queued job knows its embedding"
        dataset = datasets.get(db, self.dataset)
        fingerprint = corpora.fingerprint(db, corpora.get_by_id(db, dataset.corpus_id))
        place = (dataset.corpus_id, self.retrieval, fingerprint)
        if notice := await context.in_child(prepare_index, *place):
            context.note(jobs.WARNING, notice)
        graph = self._graph(db, dataset)
        recipe = {
            "retrieval": msgspec.to_builtins(self.retrieval),
            "corpus": fingerprint,
            "graph": graph,
        }
        with context.workspace.write() as db:
            number = difficulties.put_measure(db, dataset, self.embedding, recipe)
        left = difficulties.unmeasured(db, dataset, number)
        for first in range(0, len(left), _AT_ONCE):
            context.raise_if_stopping()
            batch = left[first : first + _AT_ONCE]
            rows = await context.in_child(measure, *place, batch, graph)
            with context.workspace.write() as db:
                difficulties.put(db, number, rows)
                jobs.set_progress(db, context.job.id, first + len(batch), len(left))

    def _graph(self, db: sqlite3.Connection, dataset: Dataset) -> int | None:
        """The number of the entity graph that candidates come from; null where they are all."""
        from engine.graph.entity_graph import current_graph

        if self.candidates == "corpus":
            return None
        return current_graph(db, corpora.get_by_id(db, dataset.corpus_id)).graph.id


def find_embedding(workspace: Workspace, name: str) -> Retrieval:
    """The retrieval whose scores are the similarities. Raises UsageError for an unknown name and
    for a fusion, whose scores are no similarities."""
    from engine.retrieve.names import RETRIEVERS
    from engine.retrieve.settings import find_retrieval, neural_settings

    settings = neural_settings(workspace.folder)
    retrieval = find_retrieval(settings, name)
    if name not in (*RETRIEVERS, *settings.embeddings):
        raise UsageError(
            f"{name!r} is a fusion: its scores are no similarities.",
            "Name one embedding, `lsa` or `bm25`.",
        )
    return retrieval

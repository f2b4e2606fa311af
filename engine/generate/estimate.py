"""The estimate of a generation, found by playing its plan through; no model is asked."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import asdict

from engine.generate.asked import GenerationEstimate, ItemsAsked
from engine.generate.partners import needs_partners, set_beside, way_of, ways_of
from engine.generate.pool_tasks import PARTNERS, partners_of
from engine.generate.quota import Attempt, QuotaPlan
from engine.generate.setup import (
    Scope,
    documents_of_topics,
    find_scope,
    items_a_call,
    make_plan,
)
from engine.generate.writers import MOST_REPEATS, model_request, repeat_of
from engine.jobs.operation import Estimate, Progress
from engine.jobs.request_count import RequestCount
from engine.retrieve.index.base import Retriever
from engine.retrieve.pipeline import open_retriever
from store.datasets import generations
from store.workspace import Workspace


def estimate_generation(
    workspace: Workspace, asked: ItemsAsked, progress: Progress
) -> GenerationEstimate:
    """See `Generate.estimate`. Raises what `find_scope` raises."""
    scope = find_scope(workspace, asked)
    filled = {} if scope.dataset is None else generations.filled(workspace.db, scope.dataset.id)
    documents = documents_of_topics(workspace.db, scope)
    plan = make_plan(scope, documents, filled=filled)
    before = plan.done
    open_cells = [cell for cell in scope.targets if plan.room(cell)]
    play = _Play(workspace, scope, plan)
    for _ in play.attempts():
        progress(plan.done - before, plan.total - before)
    repeats = MOST_REPEATS if scope.provider is not None else 1
    ways = sum(
        len(documents.get(topic, ())) * (len(ways_of(scope.task(task))) + 1)
        for topic, task in open_cells
    )
    taken = Estimate(play.drafts) if play.count is None else play.count.estimate
    return GenerationEstimate(
        **asdict(taken),
        model=scope.settings.model,
        cells=len(scope.targets),
        open_cells=len(open_cells),
        unreachable=sum(1 for cell in open_cells if cell not in play.tried),
        missing=plan.total - before,
        calls_at_most=ways * repeats,
        absent_prompts=scope.absent_prompts,
    )


class _Play:
    """Goes through a plan as if every attempt gave what it is asked for."""

    def __init__(self, workspace: Workspace, scope: Scope, plan: QuotaPlan) -> None:
        self._workspace = workspace
        self._scope = scope
        self._plan = plan
        self._retriever: Retriever | None = None
        self._partners: dict[str, tuple[str, ...]] = {}
        self.count = None if scope.provider is None else RequestCount(workspace, scope.provider)
        self.drafts = 0
        self.tried: set[tuple[str, str]] = set()

    def attempts(self) -> Iterator[Attempt]:
        """Each attempt, once it is counted."""
        while (attempt := self._plan.next()) is not None:
            documents = self._documents(attempt)
            if documents is None:
                self._plan.skip(attempt)
                continue
            task = self._scope.task(attempt.task)
            if self.count is not None:
                db = self._workspace.db
                request = model_request(self._scope, attempt.topic, task, documents, db)
                self.count.add(request, repeat_of(task, attempt.round, 0))
            self.drafts += 1
            self.tried.add(attempt.cell)
            self._plan.record(
                attempt, min(attempt.wanted, items_a_call(task, self._scope.settings))
            )
            yield attempt

    def _documents(self, attempt: Attempt) -> tuple[str, ...] | None:
        task = self._scope.task(attempt.task)
        if self._scope.provider is None:
            fits = not needs_partners(task) or self._partners_of(attempt.document_id)
            return (attempt.document_id,) if fits else None
        way = way_of(task, attempt.document_id, attempt.round)
        beside = self._partners_of(attempt.document_id) if way else ()
        return set_beside(attempt.document_id, beside, way)

    def _partners_of(self, document_id: str) -> tuple[str, ...]:
        if document_id not in self._partners:
            corpus = self._scope.corpus
            if self._retriever is None:
                self._retriever = open_retriever(self._workspace, corpus, PARTNERS)
            self._partners[document_id] = partners_of(
                self._workspace.db, corpus, self._retriever, document_id
            )
        return self._partners[document_id]

"""The estimate of a generation, found by playing its plan through; no model is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec.structs import asdict

from engine.corpus.source_documents import source_documents
from engine.generate.builders.base import Nothing
from engine.generate.builders.registry import staged_builder
from engine.generate.builders.stage_asking import MOST_REPEATS, StageCount
from engine.generate.filling.asked import GenerationEstimate, ItemsAsked
from engine.generate.filling.quota import Attempt, QuotaPlan
from engine.generate.filling.setup import (
    Scope,
    documents_of_topics,
    find_scope,
    items_a_call,
    make_plan,
)
from engine.generate.filling.writers import model_request, repeat_of, stage_material
from engine.generate.partners import needs_partners, set_beside, way_of, ways_of
from engine.generate.pool_tasks import PARTNERS, partners_of, related_reports
from engine.generate.related import is_reversed, sought_before
from engine.generate.rules.drafting import builder_of
from engine.jobs.operation import Estimate, Progress
from engine.jobs.request_count import RequestCount
from engine.retrieve.index.base import Retriever
from engine.retrieve.pipeline import open_retriever
from store.datasets import generations
from store.records import Task
from store.systems import Retrieval
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
        len(documents.get(topic, ())) * (len(ways_of(scope.task(task))) + 1) * _stages(scope, task)
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
        for_models=_for_models(scope),
    )


def _for_models(scope: Scope) -> tuple[str, ...]:
    """The tasks that are asked for by rule and that no rule writes."""
    if scope.provider is not None:
        return ()
    tasks = dict.fromkeys(task for _, task in scope.targets)
    return tuple(task for task in tasks if builder_of(scope.task(task)) is None)


def _stages(scope: Scope, task: str) -> int:
    """Replies that one attempt at a task takes."""
    builder = staged_builder(scope.task(task))
    return 1 if builder is None else len(builder.prompts)


class _Play:
    """Goes through a plan as if every attempt gave what it is asked for."""

    def __init__(self, workspace: Workspace, scope: Scope, plan: QuotaPlan) -> None:
        self._workspace = workspace
        self._scope = scope
        self._plan = plan
        self._retrievers: dict[Retrieval, Retriever] = {}
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
                self._count(self.count, attempt, task, documents)
            self.drafts += 1
            self.tried.add(attempt.cell)
            self._plan.record(
                attempt, min(attempt.wanted, items_a_call(task, self._scope.settings))
            )
            yield attempt

    def _count(
        self, count: RequestCount, attempt: Attempt, task: Task, documents: Sequence[str]
    ) -> None:
        """Counts the requests of an attempt; of stages that go on from replies which are not there
        yet, as far as they are known."""
        db = self._workspace.db
        builder = staged_builder(task)
        if builder is None:
            request = model_request(self._scope, attempt.topic, task, documents, db)
            count.add(request, repeat_of(task, attempt.round, 0))
            return
        material = stage_material(self._scope, attempt.topic, task, documents, attempt.round, db)
        prompts = self._scope.prompts_of(task.key, material.lang)
        ask = StageCount(count, material, prompts, repeat_of(task, attempt.round, 0))
        with suppress(Nothing):
            asyncio.run(builder.build(material, ask))

    def _documents(self, attempt: Attempt) -> tuple[str, ...] | None:
        task = self._scope.task(attempt.task)
        if is_reversed(task) and not self._has_reports(attempt.document_id, task):
            return None
        if self._scope.provider is None:
            fits = not needs_partners(task) or self._partners_of(attempt.document_id)
            return (attempt.document_id,) if fits else None
        way = way_of(task, attempt.document_id, attempt.round)
        beside = self._partners_of(attempt.document_id) if way else ()
        return set_beside(attempt.document_id, beside, way)

    def _partners_of(self, document_id: str) -> tuple[str, ...]:
        if document_id not in self._partners:
            self._partners[document_id] = partners_of(
                self._workspace.db, self._scope.corpus, self._opened(PARTNERS), document_id
            )
        return self._partners[document_id]

    def _has_reports(self, document_id: str, task: Task) -> bool:
        db, corpus = self._workspace.db, self._scope.corpus
        (document,) = source_documents(db, corpus, [document_id])
        sought = sought_before(document, task)
        if sought is None:
            return False
        chosen = self._opened(self._scope.settings.related_by)
        return bool(related_reports(db, corpus, chosen, self._opened(PARTNERS), sought).reports)

    def _opened(self, retrieval: Retrieval) -> Retriever:
        if retrieval not in self._retrievers:
            self._retrievers[retrieval] = open_retriever(
                self._workspace, self._scope.corpus, retrieval
            )
        return self._retrievers[retrieval]

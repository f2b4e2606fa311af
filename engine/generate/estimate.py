"""What a generation would take: calls, replies in the cache, tokens and cost; no model is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from engine.corpus.source_documents import partners_of
from engine.evaluate.estimate import RequestCount
from engine.generate.partners import needs_partners, set_beside, way_of, ways_of
from engine.generate.pool_tasks import PARTNERS
from engine.generate.quota import Attempt, QuotaPlan
from engine.generate.setup import (
    Scope,
    Wanted,
    documents_of_topics,
    find_scope,
    items_a_call,
    make_plan,
)
from engine.generate.writers import MOST_REPEATS, model_request, repeat_of
from engine.retrieve.index.base import Retriever
from engine.retrieve.pipeline import open_retriever
from store.datasets import generations
from store.workspace import Workspace


class GenerationEstimate(Struct, frozen=True):
    """What a generation would take if every call gave the items that it is asked for.

    Tokens and cost are those of the calls that the cache does not save. `cost` is null without
    prices.
    """

    model: str
    cells: int
    open_cells: int
    """Cells below their target."""
    unreachable: int
    """Of those, the ones that nothing can be tried for."""
    missing: int
    """Items that the targets still ask for."""
    calls: int
    """At least; of drafts by rule, the documents drafted from."""
    calls_at_most: int
    """When no document gives anything and every reply has to be asked for again."""
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    currency: str | None = None


def estimate_generation(
    workspace: Workspace,
    wanted: Wanted,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> GenerationEstimate:
    """Plays the generation through and builds its prompts; writes nothing but the search index.

    Raises what `find_scope` raises. `progress` is given items, done and missing.
    """
    scope = find_scope(workspace, wanted)
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
    count = play.count
    prices = scope.provider.prices if scope.provider is not None else None
    return GenerationEstimate(
        scope.settings.model,
        len(scope.targets),
        len(open_cells),
        sum(1 for cell in open_cells if cell not in play.tried),
        plan.total - before,
        play.calls,
        ways * repeats,
        count.cached if count else 0,
        count.tokens_in if count else 0,
        count.tokens_out if count else 0,
        count.cost if count and prices else None,
        prices.currency if prices else None,
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
        self.calls = 0
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
            self.calls += 1
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

"""Questions of an evolution by rule: a baseline that needs no model."""

from __future__ import annotations

import random
from collections.abc import Sequence

from engine.evolve.operations import Step, applicable, concatenation_by_rule
from engine.evolve.pool_tasks import draft_chunk
from engine.evolve.qra import Qra, Rejected, child_fault, entities_of, golden
from engine.evolve.scope import EvolveScope, ItemsByChunk
from engine.jobs.context import JobContext
from store.records import Span

_TRIED = 12
"""Chunks that are looked through for one that rules can write a question from."""
_PER_CHUNK = 10
"""Questions that one chunk begins families with, at most."""


_CONCATENATION = "query_concatenation"


class RuleAuthor:
    """Drafts by rule, or the items of a dataset, and concatenation."""

    def __init__(self, context: JobContext, scope: EvolveScope, items: ItemsByChunk | None) -> None:
        self.in_flight = context.pool.size * 2
        self._context = context
        self._scope = scope
        self._items = items
        self.most_families = len(scope.sources) * _PER_CHUNK
        self._drafts: dict[Span, list[Qra]] = {}

    async def initial(self, family: int, drawn: random.Random) -> tuple[str, Qra | Rejected]:
        """The next draft of the family's chunk, and the rarest entity that it names."""
        sources = self._scope.sources
        drafts = await self._of(sources[family % len(sources)])
        if family // len(sources) >= len(drafts):
            return "", Rejected("rules write nothing more from this chunk")
        qra = drafts[family // len(sources)]
        graph = self._scope.graph
        named = entities_of(qra, graph)
        rarest = max(named, key=lambda number: (graph.rarity(number), -number), default=None)
        return "" if rarest is None else graph.entities[rarest].name, qra

    async def partner(self, qra: Qra, drawn: random.Random) -> tuple[str, Qra | Rejected]:
        scope = self._scope
        chunks = scope.candidates(qra)
        for chunk in drawn.sample(chunks, min(_TRIED, len(chunks))):
            shared = scope.shared_with(qra, chunk)
            drafts = [
                one
                for one in await self._of(chunk)
                if one.lang == qra.lang and golden(one, scope.places)
            ]
            naming = [one for one in drafts if set(shared) & set(entities_of(one, scope.graph))]
            if drafts and shared:
                return scope.graph.entities[shared[0]].name, drawn.choice(naming or drafts)
        return "", Rejected("rules write nothing from the chunks that share an entity with it")

    def steps(self, qra: Qra, other: Qra) -> Sequence[Step]:
        """A concatenation where its condition holds; one of three parts would read as a list."""
        if _CONCATENATION in (qra.kind, other.kind):
            return ()
        steps = applicable(qra, other, self._scope.graph)
        return [step for step in steps if step.operation == _CONCATENATION]

    async def child(self, step: Step) -> Qra | Rejected:
        child = concatenation_by_rule(step)
        fault = child_fault(child, (step.first, step.second), self._scope.places)
        return Rejected(fault) if fault else child

    async def rewritten(self, qra: Qra) -> Qra | Rejected | None:
        """Rules rewrite nothing."""
        return None

    async def measure(self, qra: Qra) -> tuple[float, float]:
        return await self._scope.measure(self._context, qra)

    async def _of(self, chunk: Span) -> Sequence[Qra]:
        if self._items is not None:
            return self._items.get(chunk, [])
        if chunk not in self._drafts:
            self._drafts[chunk] = await self._context.in_child(
                draft_chunk, self._scope.corpus.id, chunk, self._scope.seed
            )
        return self._drafts[chunk]

"""Which cell to fill next, from which documents, and why a cell cannot be filled.

Plain bookkeeping: the caller says what a cell was given, the plan says what to try next. The cell
furthest below its target comes first, so that a run stopped at any moment is evenly filled.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from engine.generate.records import SourceDocument

Cell = tuple[str, str]
"""Topic key and task key."""


class Lack(StrEnum):
    """Why a cell stays below its target."""

    NO_DOCUMENTS = "no_documents"
    """No document has the topic."""
    TOO_FEW_PARTNERS = "too_few_partners"
    """The task takes two or more documents and none of the topic's has a partner."""
    EXHAUSTED = "exhausted"
    """Every document was tried, and they gave no more."""


class Attempt(Struct, frozen=True):
    """One try: a cell, and the document to work from with its partners."""

    topic: str
    task: str
    document_id: str
    partners: tuple[str, ...] = ()
    wanted: int = 1
    """Items the cell still lacks."""

    @property
    def cell(self) -> Cell:
        return self.topic, self.task


class Shortfall(Struct, frozen=True):
    """A cell that stays below its target, with the figures that explain it."""

    topic: str
    task: str
    target: int
    filled: int
    reason: Lack
    documents: int
    """Documents of the topic."""
    tried: int
    """Of those, how many were tried for the task."""
    yielded: int
    """Of those, how many gave at least one item."""


class QuotaPlan:
    """The cells of a generation with their targets, what they hold, and what is left to try.

    `filled` counts items that a dataset already holds, so that a second run goes on where the
    first stopped. Documents of a cell come in a seeded order, those that gave fewest items to
    other cells first, so that one document does not make up a whole row.
    """

    def __init__(
        self,
        targets: Mapping[Cell, int],
        documents: Sequence[SourceDocument],
        partners: Mapping[str, Sequence[SourceDocument]],
        *,
        pairs_only: frozenset[str] = frozenset(),
        filled: Mapping[Cell, int] | None = None,
        seed: int = 0,
    ) -> None:
        self._targets = dict(targets)
        self._filled: defaultdict[Cell, int] = defaultdict(int, filled or {})
        self._partners = {
            name: tuple(partner.document_id for partner in found)
            for name, found in partners.items()
        }
        self._pairs_only = pairs_only
        self._of_topic: defaultdict[str, list[str]] = defaultdict(list)
        for document in documents:
            self._of_topic[document.topic].append(document.document_id)
        self._left = {cell: self._candidates(cell, seed) for cell in self._targets}
        self._tried: defaultdict[Cell, set[str]] = defaultdict(set)
        self._yielded: defaultdict[Cell, set[str]] = defaultdict(set)
        self._given: defaultdict[str, int] = defaultdict(int)

    def next(self) -> Attempt | None:
        """The next try, or None when every cell is full or has nothing left to try.

        A document handed out counts as tried, whether or not `record` is called for it. Ties go
        to the cell listed first.
        """
        open_cells = [cell for cell in self._targets if self._lacks(cell) > 0 and self._left[cell]]
        if not open_cells:
            return None
        cell = min(open_cells, key=self._share)
        document_id = min(self._left[cell], key=lambda name: self._given[name])
        self._left[cell].remove(document_id)
        self._tried[cell].add(document_id)
        beside = self._partners.get(document_id, ())
        return Attempt(cell[0], cell[1], document_id, beside, self._lacks(cell))

    def record(self, attempt: Attempt, items: int) -> None:
        """Books the items that a try gave; 0 when it gave none."""
        if items < 0:
            raise ValueError("items cannot be negative")
        self._filled[attempt.cell] += items
        if items:
            self._yielded[attempt.cell].add(attempt.document_id)
            self._given[attempt.document_id] += items

    def filled(self, cell: Cell) -> int:
        """Items that a cell holds now."""
        return self._filled[cell]

    def is_full(self) -> bool:
        """Whether every cell has reached its target."""
        return all(self._lacks(cell) <= 0 for cell in self._targets)

    def shortfalls(self) -> tuple[Shortfall, ...]:
        """The cells that cannot reach their targets any more, in the order of the targets."""
        return tuple(
            Shortfall(
                topic=cell[0],
                task=cell[1],
                target=target,
                filled=self._filled[cell],
                reason=self._reason(cell),
                documents=len(self._of_topic.get(cell[0], ())),
                tried=len(self._tried[cell]),
                yielded=len(self._yielded[cell]),
            )
            for cell, target in self._targets.items()
            if self._lacks(cell) > 0 and not self._left[cell]
        )

    def _candidates(self, cell: Cell, seed: int) -> list[str]:
        topic, task = cell
        found = [
            name
            for name in self._of_topic.get(topic, ())
            if task not in self._pairs_only or self._partners.get(name)
        ]
        random.Random(f"{seed}:{topic}:{task}").shuffle(found)
        return found

    def _lacks(self, cell: Cell) -> int:
        return self._targets[cell] - self._filled[cell]

    def _share(self, cell: Cell) -> float:
        return self._filled[cell] / self._targets[cell]

    def _reason(self, cell: Cell) -> Lack:
        if not self._of_topic.get(cell[0]):
            return Lack.NO_DOCUMENTS
        return Lack.EXHAUSTED if self._tried[cell] else Lack.TOO_FEW_PARTNERS


def even_targets(topics: Sequence[str], tasks: Sequence[str], per_cell: int) -> dict[Cell, int]:
    """The same target for every cell, topic by topic."""
    if per_cell < 1:
        raise ValueError("per_cell must be 1 or more")
    return {(topic, task): per_cell for topic in topics for task in tasks}

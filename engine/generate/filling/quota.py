"""The choice of the cell to fill next and of its document, and the reasons why a cell lacks items.

Plain bookkeeping: the caller says what a cell was given, the plan says what to try next. The cell
furthest below its target comes first, so that a run stopped at any moment is evenly filled; a try
that gave nothing counts there as a quarter of an item, so that a barren cell does not keep the
others waiting.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from heapq import heapify, heappop, heappush

from msgspec import Struct

FRUITLESS = 0.25
"""What a try that gave nothing counts for where the next cell is chosen."""

Cell = tuple[str, str]
"""Topic key and task key."""


class Lack(StrEnum):
    """The reason why a cell stays below its target."""

    NO_WRITER = "no_writer"
    """No rule writes items of the task; a model could."""
    NO_DOCUMENTS = "no_documents"
    """No document has the topic."""
    TOO_FEW_PARTNERS = "too_few_partners"
    """The task takes two or more documents and none of the topic's has a partner."""
    EXHAUSTED = "exhausted"
    """Every document was tried in every way, and they gave no more."""


class Attempt(Struct, frozen=True):
    """One try: a cell, and the document to work from."""

    topic: str
    task: str
    document_id: str
    round: int = 0
    """Which of the ways of using the document it is: alone, with its first partner, ..."""
    wanted: int = 1
    """Items that the cell still lacks, those apart that other tries under way may give."""

    @property
    def cell(self) -> Cell:
        return self.topic, self.task


class QuotaPlan:
    """The cells of a generation with their targets, what they hold, and what is left to try.

    `documents` are the ids of each topic, `rounds` the ways of using a document for each task.
    `filled` counts items that a dataset already holds, so that a second generation goes on where
    the first stopped. Documents of a cell come in a seeded order, each in its first way before any
    in its second, and among those the ones that gave fewest items to any cell, so that one
    document does not make up a whole row. A document that gave a cell items gets one more turn
    for it after all the others, in round `rounds[task]`.

    Several tries may be under way. Each holds back `expected` items, so that a cell is not given
    more tries than it needs; `record` or `skip` ends it.
    """

    def __init__(
        self,
        targets: Mapping[Cell, int],
        documents: Mapping[str, Sequence[str]],
        rounds: Mapping[str, int],
        *,
        expected: Mapping[str, int] | None = None,
        filled: Mapping[Cell, int] | None = None,
        given: Mapping[tuple[str, str, str], int] | None = None,
        tried: Iterable[tuple[str, str, str, int]] = (),
        seed: int = 0,
    ) -> None:
        """`expected` is by task, 1 where it says nothing; `given` the items that came before by
        topic, task and document; `tried` lists what `next` is not to give again, with its round."""
        self._targets = dict(targets)
        self._documents = documents
        self._rounds = rounds
        self._expected = expected or {}
        self._filled: defaultdict[Cell, int] = defaultdict(int, filled or {})
        self._under_way: defaultdict[Cell, int] = defaultdict(int)
        self._given: defaultdict[str, int] = defaultdict(int)
        self._gave: dict[Cell, set[str]] = defaultdict(set)
        for (topic, task, document_id), items in (given or {}).items():
            self._given[document_id] += items
            self._gave[topic, task].add(document_id)
        self._fruitless: defaultdict[Cell, int] = defaultdict(int)
        done = defaultdict[Cell, set[tuple[str, int]]](set)
        for topic, task, document_id, number in tried:
            done[topic, task].add((document_id, number))
        self._tried: defaultdict[Cell, bool] = defaultdict(bool, dict.fromkeys(done, True))
        self._left = {cell: self._candidates(cell, done[cell], seed) for cell in self._targets}

    def next(self) -> Attempt | None:
        """The next try, or None when no cell can be given one now.

        That is for good when nothing is under way. Ties go to the cell listed first.
        """
        open_cells = [cell for cell in self._targets if self._lacks(cell) > 0 and self._left[cell]]
        if not open_cells:
            return None
        cell = min(open_cells, key=self._share)
        number, document_id = self._take(cell)
        attempt = Attempt(cell[0], cell[1], document_id, number, self._lacks(cell))
        self._under_way[cell] += self._expected.get(cell[1], 1)
        return attempt

    def resume(self, attempt: Attempt) -> None:
        """Says that a try begun earlier is under way again."""
        self._under_way[attempt.cell] += self._expected.get(attempt.task, 1)

    def record(self, attempt: Attempt, items: int) -> None:
        """Ends a try and books the items that it gave; 0 when it gave none."""
        if items < 0:
            raise ValueError("items cannot be negative")
        self.skip(attempt)
        self._tried[attempt.cell] = True
        self.credit(attempt.cell, items)
        self._given[attempt.document_id] += items
        self._fruitless[attempt.cell] += not items
        if items and attempt.document_id not in self._gave[attempt.cell]:
            self._gave[attempt.cell].add(attempt.document_id)
            once_more = self._rounds.get(attempt.task, 1)
            given = self._given[attempt.document_id]
            heappush(self._left[attempt.cell], (once_more, given, 0, attempt.document_id))

    def skip(self, attempt: Attempt) -> None:
        """Ends a try that could not be made: its document has no such partner."""
        self._under_way[attempt.cell] -= self._expected.get(attempt.task, 1)

    def credit(self, cell: Cell, items: int) -> None:
        """Counts items that came from elsewhere."""
        self._filled[cell] += items

    def filled(self, cell: Cell) -> int:
        """Items that a cell holds now."""
        return self._filled[cell]

    def room(self, cell: Cell) -> int:
        """Items that a cell can still take; 0 when it is full."""
        return max(0, self._targets[cell] - self._filled[cell])

    @property
    def total(self) -> int:
        """Items that all targets together ask for."""
        return sum(self._targets.values())

    @property
    def done(self) -> int:
        """Items that count towards the targets now."""
        return sum(min(self._filled[cell], target) for cell, target in self._targets.items())

    def lacks(self) -> dict[Cell, Lack]:
        """The cells that cannot reach their targets any more, with the reason."""
        return {
            cell: self._reason(cell)
            for cell in self._targets
            if self._lacks(cell) > 0 and not self._left[cell]
        }

    def _candidates(
        self, cell: Cell, done: set[tuple[str, int]], seed: int
    ) -> list[tuple[int, int, int, str]]:
        """A heap of (round, items given when it was put in, place in the order, document)."""
        topic, task = cell
        order = list(self._documents.get(topic, ()))
        random.Random(f"{seed}:{topic}:{task}").shuffle(order)
        rounds = self._rounds.get(task, 1)
        candidates = [
            (number, 0, place, document_id)
            for place, document_id in enumerate(order)
            for number in range(rounds + (document_id in self._gave[cell]))
            if (document_id, number) not in done
        ]
        heapify(candidates)
        return candidates

    def _take(self, cell: Cell) -> tuple[int, str]:
        left = self._left[cell]
        while True:
            number, given, place, document_id = heappop(left)
            if (now := self._given[document_id]) == given:
                return number, document_id
            # it gave items since it was put in, and others may be due before it by now
            heappush(left, (number, now, place, document_id))

    def _lacks(self, cell: Cell) -> int:
        return self._targets[cell] - self._filled[cell] - self._under_way[cell]

    def _share(self, cell: Cell) -> float:
        tries = self._under_way[cell] + FRUITLESS * self._fruitless[cell]
        return (self._filled[cell] + tries) / self._targets[cell]

    def _reason(self, cell: Cell) -> Lack:
        if not self._documents.get(cell[0]):
            return Lack.NO_DOCUMENTS
        if not self._rounds.get(cell[1], 1):
            return Lack.NO_WRITER
        return Lack.EXHAUSTED if self._tried[cell] else Lack.TOO_FEW_PARTNERS


def even_targets(topics: Sequence[str], tasks: Sequence[str], per_cell: int) -> dict[Cell, int]:
    """The same target for every cell, topic by topic."""
    if per_cell < 1:
        raise ValueError("per_cell must be 1 or more")
    return {(topic, task): per_cell for topic in topics for task in tasks}

"""The rows and columns of a list, and the source that the rows are fetched from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from engine.text.wrapping import cell_width

GAP = 2
"""Cells between two columns."""


class Cell(NamedTuple):
    text: str
    role: str = ""


class Row(NamedTuple):
    key: str | int
    """Names the row for as long as it exists; the cursor follows it through a reload."""
    cells: tuple[str | Cell, ...]
    role: str = ""


class Column(NamedTuple):
    label: str = ""
    width: int = 0
    """In cells; 0 shares what the fixed columns leave."""
    align: str = "left"
    minimum: int = 12
    """What a sharing column needs; below it, columns are dropped."""
    drop: int = 0
    """Columns with the highest number go first when it is narrow; 0 never goes."""


class RowSource(Protocol):
    """A source of rows. Both methods should take at most a few milliseconds."""

    def count(self) -> int: ...

    def rows(self, start: int, stop: int) -> Sequence[Row]:
        """Rows `start` to `stop`, exclusive; fewer when the list has become shorter."""
        ...


@runtime_checkable
class KeyedSource(Protocol):
    """A source that can say where a row has moved to."""

    def index_of(self, key: str | int) -> int | None: ...


class ListSource:
    """Rows that are in memory."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self._rows = rows

    def count(self) -> int:
        return len(self._rows)

    def rows(self, start: int, stop: int) -> Sequence[Row]:
        return self._rows[start:stop]

    def index_of(self, key: str | int) -> int | None:
        return next((index for index, row in enumerate(self._rows) if row.key == key), None)


def fit_columns(columns: Sequence[Column], width: int) -> list[tuple[int, int]]:
    """(index, cells) of the columns that fit into `width`, with `GAP` between them.

    Droppable columns go while the sharing ones have less than their minimum.
    """
    kept = list(range(len(columns)))
    while True:
        sharing = [index for index in kept if not columns[index].width]
        fixed = sum(columns[index].width for index in kept) + GAP * (len(kept) - 1)
        needed = sum(columns[index].minimum for index in sharing)
        droppable = [index for index in kept if columns[index].drop]
        if fixed + needed <= width or not droppable:
            break
        kept.remove(max(droppable, key=lambda index: (columns[index].drop, index)))
    room = max(width - fixed, 0)
    shares = {
        index: room // len(sharing) + (1 if place < room % len(sharing) else 0)
        for place, index in enumerate(sharing)
    }
    return [(index, columns[index].width or shares[index]) for index in kept]


def widest(texts: Sequence[str]) -> int:
    """Cells of the widest text; 0 for none: for the width of a column."""
    return max(map(cell_width, texts), default=0)

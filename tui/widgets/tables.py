"""Tables in a text as aligned columns, of which the first and the headings stay in sight."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.text.tables.finding import tables
from engine.text.tables.records import Cell, Row, Table
from engine.text.tables.values import is_value
from engine.text.wrapping import Line, cell_width, pad, wrap
from tui.widgets.line import Piece
from tui.widgets.marks import Mark, marked, stretches
from tui.widgets.text_edit import column_of, offset_at

GAP = 2
_LEAST, _LEAST_FIRST = 16, 24
"""Cells that a text keeps, and one in the first column, before a table is wider than its place."""


class Grid:
    """A table laid out for a width; `lines` are its lines from top to bottom."""

    def __init__(self, table: Table, width: int) -> None:
        self.table = table
        columns = list(zip(*([cell.text for cell in row.cells] for row in table.rows), strict=True))
        heads = [column[: table.headings] for column in columns]
        bodies = [column[table.headings :] for column in columns]
        self.is_right = [_is_right(body) for body in bodies]
        self.widths = _widths(heads, bodies, self.is_right, width)
        self.width = width
        self.lines: list[GridLine] = []
        for number, row in enumerate(table.rows):
            self.lines += self._row(row, is_heading=number < table.headings)
        self.headings = sum(line.is_heading for line in self.lines)

    def _row(self, row: Row, *, is_heading: bool) -> list[GridLine]:
        parts = [wrap(cell.text, width) for cell, width in zip(row.cells, self.widths, strict=True)]
        return [
            GridLine(
                self,
                row,
                tuple(part[at] if at < len(part) else None for part in parts),
                is_heading,
            )
            for at in range(max(map(len, parts)))
        ]

    def shown_near(self, offset: int, *, is_back: bool) -> int:
        """The next offset, or the one before, whose character is shown; what parts cells is not.
        Past the last one it is the end of the table, before the first the character before it."""
        cells = [cell for row in self.table.rows for cell in row.cells if cell.text]
        if is_back:
            before = [cell for cell in cells if cell.offsets[0] <= offset]
            if not before:
                return max(self.table.start - 1, 0)
            return before[-1].offsets[bisect_right(before[-1].offsets, offset) - 1]
        cell = next((cell for cell in cells if cell.offsets[-1] >= offset), None)
        return cell.offsets[cell.place(offset)] if cell is not None else self.table.end

    @property
    def is_wide(self) -> bool:
        """Whether not all columns are in sight at once."""
        return sum(self.widths) + GAP * (len(self.widths) - 1) > self.width

    def in_sight(self, first: int) -> list[tuple[int, int]]:
        """The columns that are shown, and the cell that each begins at, when `first` is the first
        after the one that stays."""
        if not self.is_wide:
            first = 1
        shown = [(0, 0)]
        at = self.widths[0] + GAP
        for column in range(max(min(first, self.last_first), 1), len(self.widths)):
            if at + self.widths[column] > self.width and len(shown) > 1:
                break
            shown.append((column, at))
            at += self.widths[column] + GAP
        return shown

    @property
    def last_first(self) -> int:
        """The first column to scroll to from which on all are in sight."""
        room = self.width - self.widths[0]
        column = len(self.widths)
        while column > 1 and (room := room - GAP - self.widths[column - 1]) >= 0:
            column -= 1
        return max(min(column, len(self.widths) - 1), 1)


class GridLine(NamedTuple):
    """One line of a row of a table."""

    grid: Grid
    row: Row
    parts: tuple[Line | None, ...]
    """For each column what stands on this line, as offsets into what its cell says."""
    is_heading: bool

    def holds(self, offset: int) -> bool:
        """Whether the character at an offset of the text stands on this line."""
        return self.column_at(offset) is not None

    def column_at(self, offset: int) -> int | None:
        """The column in which the character at an offset of the text stands on this line."""
        for column, (cell, part) in enumerate(zip(self.row.cells, self.parts, strict=True)):
            if cell.start <= offset < cell.end and part is not None:
                return column if part[0] <= cell.place(offset) < part[1] else None
        return None

    def pieces(
        self,
        first: int,
        marks: Sequence[Mark] = (),
        current: Mark | None = None,
        *,
        role: str = "",
        cursor: int = -1,
    ) -> list[Piece]:
        """The line from column `first` on beside the one that stays; `cursor` is an offset of the
        text, -1 where the cursor is elsewhere."""
        pieces: list[Piece] = []
        role = f"header {role}".strip() if self.is_heading else role
        here, behind = 0, self.row.start
        for column, at in self.grid.in_sight(first):
            cell, part = self.row.cells[column], self.parts[column]
            start = self._left(column, at)
            # what is marked from cell to cell is marked between them, too
            gap = stretches(behind, cell.start, marks, current) if behind < cell.start else []
            between = gap[0].roles if len(gap) == 1 else ""
            pieces.append((" " * (start - here), f"{role} {between}".strip()))
            if part is not None:
                pieces += _cell_pieces(cell, part, marks, current, role, cursor)
            here, behind = start + cell_width(self._text(column)), cell.end
        return pieces

    def whole(self) -> list[Piece]:
        """All columns, in sight or not."""
        texts = [
            pad(self._text(at), width, "right" if self.grid.is_right[at] else "left")
            for at, width in enumerate(self.grid.widths)
        ]
        return [((" " * GAP).join(texts), "")]

    def x_of(self, offset: int, first: int) -> int:
        """The cell of the line at which the character at an offset stands, or what comes next."""
        x = 0
        for column, at in self.grid.in_sight(first):
            cell, part = self.row.cells[column], self.parts[column]
            if part is None or offset < cell.start:
                continue
            x = self._left(column, at) + column_of(
                cell.text, part, min(max(cell.place(offset), part[0]), part[1])
            )
            if offset < cell.end:
                break
        return x

    def offset_at(self, x: int, first: int) -> int | None:
        """The offset in the text of the character at a cell of the line, or of one near it; None
        where no text of the line is in sight."""
        near: int | None = None
        for column, at in self.grid.in_sight(first):
            cell, part = self.row.cells[column], self.parts[column]
            if part is None or part[0] == part[1] or (at > x and near is not None):
                continue
            inside = offset_at(cell.text, part, max(x - self._left(column, at), 0))
            near = cell.offsets[min(inside, part[1] - 1)]
        return near

    def _left(self, column: int, at: int) -> int:
        if not self.grid.is_right[column]:
            return at
        return at + self.grid.widths[column] - cell_width(self._text(column))

    def _text(self, column: int) -> str:
        part = self.parts[column]
        return self.row.cells[column].text[slice(*part)] if part else ""


def _cell_pieces(
    cell: Cell, part: Line, marks: Sequence[Mark], current: Mark | None, role: str, cursor: int
) -> list[Piece]:
    inside = {
        mark: mark._replace(start=cell.place(mark.start), end=cell.place(mark.end))
        for mark in marks
        if mark.start < cell.end and mark.end > cell.start
    }
    chosen = inside.get(current) if current is not None else None
    here = cell.place(cursor) if cell.start <= cursor < cell.end else -1
    return marked(cell.text, *part, list(inside.values()), chosen, role=role, cursor=here)


class Laid(NamedTuple):
    """A text laid out for a width."""

    lines: list[Line]
    """Offsets of each line; of a line of a table those of its row."""
    grid: Mapping[int, GridLine]
    """By the numbers of the lines that belong to tables."""


def laid(text: str, width: int) -> Laid:
    """The lines of a text: prose is broken at `width` cells, tables are aligned."""
    lines: list[Line] = []
    grid: dict[int, GridLine] = {}
    begin = 0
    for table in tables(text):
        lines += _prose(text, begin, table.start, width)
        for line in Grid(table, width).lines:
            grid[len(lines)] = line
            lines.append((line.row.start, line.row.end))
        begin = table.end
        if text.startswith("\n", begin):
            begin += 1
    if not begin:
        return Laid(wrap(text, width) if text else [], {})
    return Laid([*lines, *_prose(text, begin, len(text), width)], grid)


def _prose(text: str, start: int, end: int, width: int) -> list[Line]:
    if start >= end:
        return []
    return [(start + left, start + right) for left, right in wrap(text[start:end], width)]


def _is_right(body: Sequence[str]) -> bool:
    """Whether a column is one of figures: half of what stands in it, or more."""
    said = [text for text in body if text]
    return bool(said) and 2 * sum(map(is_value, said)) >= len(said)


def _widths(
    heads: Sequence[Sequence[str]],
    bodies: Sequence[Sequence[str]],
    is_right: Sequence[bool],
    width: int,
) -> list[int]:
    """The width of each column: as wide as it is while that fits, else headings and texts are
    broken into lines. Figures are never broken."""
    natural, least = [], []
    for at, (head, body, is_figures) in enumerate(zip(heads, bodies, is_right, strict=True)):
        widest = max(map(cell_width, (*head, *body)), default=1)
        floor = _LEAST if at else min(_LEAST_FIRST, max(width * 2 // 5, 8))
        if is_figures:
            floor = max((cell_width(text) for text in body if is_value(text)), default=1)
            words = [word for text in head for word in text.split()]
            floor = max(floor, min(max(map(cell_width, words), default=1), _LEAST))
        natural.append(widest)
        least.append(min(widest, floor))
    room = width - GAP * (len(natural) - 1)
    # headings above figures are broken first, then texts
    for gives_way in (True, False):
        yielding = [at for at, is_figures in enumerate(is_right) if is_figures is gives_way]
        while sum(natural) > room:
            over = [at for at in yielding if natural[at] > least[at]]
            if not over:
                break
            natural[max(over, key=natural.__getitem__)] -= 1
    most = max(width - least[0] - GAP, 1) if len(natural) > 1 else width
    return [min(cells, most) for cells in natural]

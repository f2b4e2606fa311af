"""The cells that the terminal shows, and the least output that changes them into others."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import compress, pairwise
from operator import ne

from tui.painting import pen
from tui.painting.cells import UNKNOWN, CellTable, NotUnderstoodError

_MOVE = re.compile(r"\x1b\[(\d+);(\d+)H")
SCROLL_FROM = 3
"""Rows that must have changed before it is asked whether they have only moved."""
SCROLL_COST = 24
"""Bytes of a scroll."""
STRETCH_COST = 6
"""Bytes of a move to the next cells that differ in a row, about."""
SAME_ROWS = 4
"""Old rows that a new one is compared with; blank rows equal each other everywhere."""
NEAR = 4
"""Bytes of a short move: text of this length is as well written again."""

Row = list[int]


class Picture:
    """Follows what is drawn; `draw` gives what has to be written."""

    def __init__(self) -> None:
        self._cells = CellTable()
        self._rows: list[Row] = []
        self._size = (0, 0)
        self._cursor: pen.Place | None = None

    @property
    def rows(self) -> Sequence[Sequence[tuple[str, str]]]:
        """Text and style of every cell; for the second cell of a wide character an empty text."""
        texts, styles = self._cells.texts, self._cells.styles
        return [
            [(texts[number] if number > 0 else "", styles[abs(number)]) for number in row]
            for row in self._rows
        ]

    def forget(self) -> None:
        """Marks the whole terminal as unknown."""
        self._size = (0, 0)

    def draw(self, data: str, size: tuple[int, int]) -> str:
        """What to write for `data`, which Textual would write, on a terminal of `size`.

        `data` is a series of places, each with a stretch of text. Anything else comes back as it
        is, and nothing is known afterwards.
        """
        if size != self._size or self._cells.is_full:
            self._begin(size)
        try:
            touched, cursor = self._read(data)
        except NotUnderstoodError:
            self.forget()
            return data
        changed = {y: row for y, row in touched.items() if row != self._rows[y]}
        said, at = self._written(self._rows, changed, self._cursor)
        if len(changed) >= SCROLL_FROM and (moved := self._moved(changed)) is not None:
            # where colours change from cell to cell only the bytes themselves tell what is less
            scroll, rows, left = moved
            rest, after = self._written(rows, left, None)
            if len(scroll) + len(rest.encode()) < len(said.encode()):
                said, at = scroll + rest, after
        for y, row in changed.items():
            self._rows[y] = row
        self._cursor = at
        if cursor is not None:
            said += pen.move(at, cursor)
            self._cursor = cursor
        return said

    def _begin(self, size: tuple[int, int]) -> None:
        width, height = self._size = size
        if self._cells.is_full:
            self._cells = CellTable()
        self._rows = [[UNKNOWN] * width for _ in range(height)]
        self._cursor = None

    # Reading what Textual draws

    def _read(self, data: str) -> tuple[dict[int, Row], pen.Place | None]:
        """The rows that are drawn upon, as they become, and where the cursor is put at last."""
        before, *parts = _MOVE.split(data)
        if before or not parts:
            raise NotUnderstoodError("no place to begin at")
        width, height = self._size
        touched: dict[int, Row] = {}
        cursor: pen.Place | None = None
        read = self._cells.read
        for line, column, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            x, y = int(column) - 1, int(line) - 1
            # the next stretch has a place of its own, whatever the end of a line does
            stretch = text.removesuffix("\n")
            cursor = (x, y) if not stretch else None
            if not stretch:
                continue
            cells = read(stretch)
            if not 0 <= y < height or not 0 <= x <= width - len(cells):
                raise NotUnderstoodError("drawn outside of the screen")
            if y not in touched:
                touched[y] = self._rows[y].copy()
            self._put(touched[y], x, cells)
        return touched, cursor

    def _put(self, row: Row, x: int, cells: Sequence[int]) -> None:
        """Half of a wide character cannot stay: it becomes a space."""
        end = x + len(cells)
        if row[x] < 0:
            row[x - 1] = self._cells.blank(row[x])
        if end < len(row) and row[end] < 0:
            row[end] = self._cells.blank(row[end])
        row[x:end] = cells

    # Rows that have moved

    def _moved(self, changed: dict[int, Row]) -> tuple[str, list[Row], dict[int, Row]] | None:
        """A scroll after which less is left to write, the rows as it leaves them, and what is
        left; None when no scroll seems to help."""
        by = self._shift(changed)
        if not by:
            return None
        lines = self._moved_lines(changed, by)
        if lines is None:
            return None
        first, last = lines
        top, bottom = (first, last + by) if by > 0 else (first + by, last)
        rows, height = self._rows.copy(), self._size[1]
        wanted = {y: changed.get(y, rows[y]) for y in range(top, bottom + 1)}
        if any(UNKNOWN in row for row in wanted.values()):
            return None
        blank = [self._cells.number(" ", pen.PLAIN)] * self._size[0]
        free = [blank] * abs(by)
        rows[top : bottom + 1] = (
            [*rows[top + by : bottom + 1], *free]
            if by > 0
            else [*free, *rows[top : bottom + 1 + by]]
        )
        left = {y: row for y, row in {**changed, **wanted}.items() if row != rows[y]}
        return pen.scroll(top, bottom, by, height - 1), rows, left

    def _shift(self, changed: dict[int, Row]) -> int:
        """By how many lines most of the rows have moved up; 0 if none has."""
        old: dict[tuple[int, ...], list[int]] = {}
        for y, row in enumerate(self._rows):
            old.setdefault(tuple(row), []).append(y)
        votes: Counter[int] = Counter()
        for y, row in changed.items():
            found = old.get(tuple(row), ())
            if len(found) <= SAME_ROWS:
                votes.update(was - y for was in found)
        return votes.most_common(1)[0][0] if votes else 0

    def _moved_lines(self, changed: dict[int, Row], by: int) -> tuple[int, int] | None:
        """First and last row that a scroll by so many lines brings to its place; None when to
        write what has changed is cheaper."""
        rows, height = self._rows, self._size[1]
        blank = [self._cells.number(" ", pen.PLAIN)] * self._size[0]
        wanted = [changed.get(y, row) for y, row in enumerate(rows)]
        costs = [_cost(row, rows[y]) for y, row in enumerate(wanted)]
        # what it costs more to write the rows that come free, from blank
        losses = [_cost(row, blank) - costs[y] for y, row in enumerate(wanted)]
        best: float = SCROLL_COST
        lines = None
        net, start = -math.inf, 0
        for y in range(max(0, -by), min(height, height - by)):
            gain = costs[y] - _cost(wanted[y], rows[y + by])
            alone = gain - (sum(losses[y + by : y]) if by < 0 else 0)
            if alone >= net + gain:
                net, start = alone, y
            else:
                net += gain
            found = net - (sum(losses[y + 1 : y + by + 1]) if by > 0 else 0)
            if found > best:
                best, lines = found, (start, y)
        return lines

    # Writing what has changed

    def _written(
        self, rows: Sequence[Row], changed: dict[int, Row], cursor: pen.Place | None
    ) -> tuple[str, pen.Place | None]:
        """What turns the rows into those that have changed, and where the cursor is then, if that
        is known."""
        out: list[str] = []
        style = pen.PLAIN
        for y in sorted(changed):
            style, cursor = self._write(y, rows[y], changed[y], style, cursor, out)
        if style != pen.PLAIN:
            out.append(pen.RESET)
        return "".join(out), cursor

    def _write(
        self, y: int, old: Row, row: Row, style: str, here: pen.Place | None, out: list[str]
    ) -> tuple[str, pen.Place | None]:
        """Append what turns row `y` from `old` into `row`; the style that is on afterwards, and
        where the cursor is."""
        texts, styles, widths = self._cells.texts, self._cells.styles, self._cells.widths
        unsure, width = self._cells.unsure, len(row)
        # the column that the cursor is in, if it is in this row
        at = here[0] if here is not None and here[1] == y else -1
        append = out.append
        for x in self._columns(old, row):
            number = row[x]
            if number <= 0:
                continue
            if at != x:
                between = self._between(row[at:x], style) if 0 <= at < x <= at + NEAR else ""
                append(between or pen.move((at, y) if at >= 0 else here, (x, y)))
            here = None
            if styles[number] != style:
                append(pen.change_style(style, styles[number]))
                style = styles[number]
            if number in unsure:
                # it may be drawn narrower or wider than here: clear its cells, then go on where
                # the next one belongs, wherever the terminal has put the cursor
                append(" " * widths[number] + pen.move(None, (x, y)))
                at = -1
            else:
                at = x + widths[number]
                if at == width:
                    # in the last column terminals differ in where the cursor is then
                    at = -1
            append(texts[number])
        return style, (at, y) if at >= 0 else None

    def _columns(self, old: Row, row: Row) -> Sequence[int]:
        """The columns to write: those that differ; from the first that is unsure on, all."""
        columns = list(compress(range(len(row)), map(ne, old, row)))
        unsure = self._cells.unsure
        if unsure and columns and not (unsure.isdisjoint(old) and unsure.isdisjoint(row)):
            first = next(x for x in range(len(row)) if old[x] in unsure or row[x] in unsure)
            start = min(first, columns[0])
            if row[start] < 0:
                start -= 1
            return range(start, len(row))
        return columns

    def _between(self, cells: Row, style: str) -> str:
        """What stands in a few cells, if writing it again in the style at hand beats a move."""
        styles, texts = self._cells.styles, self._cells.texts
        if UNKNOWN in cells or any(styles[abs(number)] != style for number in cells):
            return ""
        text = "".join(texts[number] for number in cells if number > 0)
        return text if len(text.encode()) <= NEAR else ""


def _cost(row: Row, other: Row) -> int:
    """Bytes that turn `other` into `row`, about: its cells that differ, and the moves to them."""
    if row == other:
        return 0
    differs: list[bool] = list(map(ne, row, other))
    stretches = differs[0] + sum(now > before for before, now in pairwise(differs))
    return sum(differs) + STRETCH_COST * stretches

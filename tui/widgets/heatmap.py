"""A matrix with a cursor; each cell shows its number, its n and a shade."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from engine.text.wrapping import pad
from tui.language import tr
from tui.shell.clipboard import Copyable, copyable, table, tsv
from tui.shell.keys import widget_bindings
from tui.shell.theme import SIGNS
from tui.widgets.line import LOADING, ContentLines, Piece
from tui.widgets.matrix import (
    ALL,
    GAP,
    ROOMS,
    FormatValue,
    Geometry,
    Heading,
    HeatCell,
    Matrix,
    aligned_cell,
    header_lines,
    margin_text,
    measure,
    short_value,
    window_start,
)

INDENT = 2


class HeatMap(ContentLines, can_focus=True):
    """A heat map with row labels, header and margins that stay while the rest scrolls.

    Numbers are always printed, a small cell is in parentheses and the cursor's in brackets, so
    all of it can be read without colour.
    """

    DEFAULT_CSS = "HeatMap { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [*widget_bindings("heatmap")]

    @dataclass
    class Highlighted(Message):
        """The cursor is on another cell; a key is None on the margin."""

        heatmap: HeatMap
        row: str | None
        column: str | None
        cell: HeatCell

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, HeatMap.Highlighted) and message.heatmap is self.heatmap

    @dataclass
    class Chosen(Message):
        """Enter, or a click on the cursor's cell; a key is None on the margin."""

        heatmap: HeatMap
        row: str | None
        column: str | None
        cell: HeatCell

    def __init__(
        self,
        matrix: Matrix | None = None,
        *,
        format_value: FormatValue = short_value,
        empty: str = "",
        loading: str = LOADING,
        id: str | None = None,
    ) -> None:
        """`empty` is shown where there is no row, and says how to get some; `loading` until a
        matrix is shown."""
        super().__init__(empty=empty, loading=loading, id=id)
        self._matrix = matrix or Matrix()
        self.is_loading = matrix is None
        self._format = format_value
        self._row = self._column = 0
        self._first_row = self._first_column = 0
        self.visit = 0
        """Rises each time that the cursor goes to another cell, or its cell is chosen."""
        self._geometry_for: tuple[int, int] = (-1, -1)
        self._geometry = Geometry(0, 1, 0, ROOMS[0], 0, 0, 0, (3, 1))

    # State

    @property
    def matrix(self) -> Matrix:
        return self._matrix

    @property
    def cursor(self) -> tuple[str | None, str | None]:
        """Keys of the row and the column under the cursor; None on the margin."""
        return self._key(self._matrix.rows, self._row), self._key(
            self._matrix.columns, self._column
        )

    @property
    def cell(self) -> HeatCell:
        """The cell under the cursor."""
        return self._matrix.at(self._row, self._column) if self._matrix.rows else HeatCell()

    @property
    def idle_keys(self) -> tuple[str, ...]:
        """The ids of the actions that would do nothing now."""
        return () if self._matrix.rows and not self.is_loading else ("widget.open",)

    def show(
        self, matrix: Matrix, format_value: FormatValue | None = None, *, empty: str | None = None
    ) -> None:
        """Show a matrix; the cursor stays on its row and column where they still exist.

        `empty` is from now on shown while there is no row.
        """
        self.is_loading = False
        self.empty = self.empty if empty is None else empty
        row_key, column_key = self.cursor
        was_empty = not self._matrix.rows
        self._matrix = matrix
        self._format = format_value or self._format
        row = 0 if was_empty else self._index(matrix.rows, row_key, self._row)
        column = 0 if was_empty else self._index(matrix.columns, column_key, self._column)
        self._row = min(row, self._last(matrix.rows, bool(matrix.column_totals)))
        self._column = min(column, self._last(matrix.columns, bool(matrix.row_totals)))
        self._geometry_for = (-1, -1)
        self._bring_into_view()
        self.refresh(layout=self.styles.is_auto_height)
        self.post_message(self.Highlighted(self, *self.cursor, self.cell))

    def show_loading(self, text: str = LOADING) -> None:
        """Shows that another matrix is on its way; the cursor will keep its row and column."""
        self.is_loading, self.loading_text = True, text
        self.refresh()

    def move_to(self, row: int, column: int) -> None:
        """Put the cursor on a cell; one past the last row or column is the margin."""
        row = min(max(row, 0), self._last(self._matrix.rows, bool(self._matrix.column_totals)))
        column = min(
            max(column, 0), self._last(self._matrix.columns, bool(self._matrix.row_totals))
        )
        if (row, column) == (self._row, self._column):
            return
        old = self._row
        self._row, self._column = row, column
        self.visit += 1
        if self._bring_into_view():
            self.refresh()
        else:
            for line in (self._line_of(old), self._line_of(row), self._detail_line):
                self.repaint_lines(line)
        self.post_message(self.Highlighted(self, *self.cursor, self.cell))

    # Keys and mouse

    def action_move(self, where: str) -> None:
        page = max(self._geometry.rows - 1, 1)
        rows, columns = {
            "down": (1, 0),
            "up": (-1, 0),
            "right": (0, 1),
            "left": (0, -1),
            "page_down": (page, 0),
            "page_up": (-page, 0),
            "first": (0, -len(self._matrix.columns) - 1),
            "last": (0, len(self._matrix.columns) + 1),
        }[where]
        self.move_to(self._row + rows, self._column + columns)

    def action_choose(self) -> None:
        if self._matrix.rows and not self.is_loading:
            self.visit += 1
            self.post_message(self.Chosen(self, *self.cursor, self.cell))

    def on_click(self, event: events.Click) -> None:
        geometry = self._measure()
        row = next((row for row in self._rows_in_view() if self._line_of(row) == event.y), None)
        step = geometry.column + GAP
        column = self._first_column + (event.x - geometry.label - GAP) // step
        if geometry.margin and event.x >= geometry.label + GAP + geometry.columns * step:
            column = len(self._matrix.columns)
        if row is None or column < 0:
            return
        if (row, column) == (self._row, self._column):
            self.action_choose()
        self.move_to(row, column)

    def copies(self) -> Iterator[Copyable]:
        """The value under the cursor, what is said of it, and the whole matrix."""
        if not self._matrix.rows or self.is_loading:
            return
        if self.cell.value is not None:
            yield copyable("value", f"{self.cell.value:.6g}")
        yield copyable("cell", self._detail())
        yield table("table", len(self._matrix.rows), lambda: tsv(self._table()))

    def _table(self) -> Iterator[list[str]]:
        """The values of the matrix with its headings and margins."""
        matrix = self._matrix
        rows = [*matrix.rows, *([ALL] if matrix.column_totals else [])]
        columns = [*matrix.columns, *([ALL] if matrix.row_totals else [])]
        yield ["", *(column.label for column in columns)]
        for number, row in enumerate(rows):
            values = (matrix.at(number, column).value for column in range(len(columns)))
            yield [row.label, *("" if value is None else f"{value:.6g}" for value in values)]

    # Geometry

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Where the height is `auto`: the lines of all rows with header, margin and the detail of
        the cursor's cell."""
        rows = len(self._matrix.rows)
        if self.is_loading or not rows:
            return container.height
        header = measure(self._matrix, width, container.height, self._format).header
        return header + rows + bool(self._matrix.column_totals) + 1

    def _measure(self) -> Geometry:
        if self._geometry_for != (self.size.width, self.size.height):
            self._geometry_for = (self.size.width, self.size.height)
            self._geometry = measure(self._matrix, self.size.width, self.size.height, self._format)
        return self._geometry

    def _bring_into_view(self) -> bool:
        """Scroll as little as needed; whether anything moved."""
        geometry = self._measure()
        before = (self._first_row, self._first_column)
        self._first_row = window_start(self._first_row, self._row, geometry.rows, self._matrix.rows)
        self._first_column = window_start(
            self._first_column, self._column, geometry.columns, self._matrix.columns
        )
        return before != (self._first_row, self._first_column)

    def on_mount(self) -> None:
        if self._matrix.rows:
            self.post_message(self.Highlighted(self, *self.cursor, self.cell))

    def on_resize(self) -> None:
        self._bring_into_view()
        self.refresh()

    def on_focus(self) -> None:
        self.repaint_lines(self._line_of(self._row))

    def on_blur(self) -> None:
        self.repaint_lines(self._line_of(self._row))

    def _rows_in_view(self) -> range | list[int]:
        geometry = self._measure()
        count = len(self._matrix.rows)
        body = range(self._first_row, min(self._first_row + geometry.rows, count))
        return [*body, count] if self._matrix.column_totals else body

    def _columns_in_view(self) -> range:
        last = min(self._first_column + self._measure().columns, len(self._matrix.columns))
        return range(self._first_column, last)

    def _line_of(self, row: int) -> int:
        geometry = self._measure()
        if row == len(self._matrix.rows):
            return geometry.header + min(geometry.rows, len(self._matrix.rows))
        return geometry.header + row - self._first_row

    @property
    def _detail_line(self) -> int:
        """Below the last row."""
        return self._line_of([*self._rows_in_view()][-1]) + 1

    @staticmethod
    def _key(headings: Sequence[Heading], index: int) -> str | None:
        return headings[index].key if index < len(headings) else None

    @staticmethod
    def _index(headings: Sequence[Heading], key: str | None, otherwise: int) -> int:
        if key is None:
            return len(headings)
        keys = [heading.key for heading in headings]
        return keys.index(key) if key in keys else min(otherwise, max(len(keys) - 1, 0))

    @staticmethod
    def _last(headings: Sequence[Heading], has_margin: bool) -> int:
        return max(len(headings) - (0 if has_margin else 1), 0)

    # Drawing

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        geometry = self._measure()
        if self.is_loading or not self._matrix.rows:
            return self.placeholder_strip(y)
        if y < geometry.header:
            return self.strip_of(self._header_pieces(y), width)
        if y == self._detail_line:
            return self.strip_of([(self._detail(), "muted")], width)
        for row in self._rows_in_view():
            if self._line_of(row) == y:
                return self.strip_of(self._row_pieces(row), width)
        return Strip.blank(width, self.rich_style)

    def _header_pieces(self, y: int) -> list[Piece]:
        geometry = self._geometry
        more = self._more() if y == geometry.header - 1 else ""
        pieces: list[Piece] = [(pad(more, geometry.label), "muted")]

        def add(heading: Heading, width: int) -> None:
            lines = header_lines(heading, width)
            line = y - geometry.header + len(lines)
            text = lines[line] if line >= 0 else ""
            pieces.append((" " * GAP + pad(text, width), "header"))

        for column in self._columns_in_view():
            add(self._matrix.columns[column], geometry.column)
        if geometry.margin:
            add(ALL, geometry.margin)
        return pieces

    def _more(self) -> str:
        """How many columns are out of view, on the left and on the right."""
        in_view = self._columns_in_view()
        left, right = in_view.start, len(self._matrix.columns) - in_view.stop
        if left and right:
            return f"{SIGNS.more_left} {left}  {right} {SIGNS.more_right}"
        if left:
            return tr("{more_left} {left} more", more_left=SIGNS.more_left, left=left)
        return (
            tr("{right} more {more_right}", right=right, more_right=SIGNS.more_right)
            if right
            else ""
        )

    def _row_pieces(self, row: int) -> list[Piece]:
        geometry = self._geometry
        is_margin = row == len(self._matrix.rows)
        heading = ALL if is_margin else self._matrix.rows[row]
        roles = "strong" if row == self._row else ("header" if is_margin else "")
        pieces: list[Piece] = [(pad(heading.label, geometry.label), roles)]
        for column in self._columns_in_view():
            pieces += self._cell_pieces(row, column, geometry.column, is_margin)
        if geometry.margin:
            pieces += self._cell_pieces(row, len(self._matrix.columns), geometry.margin, True)
        return pieces

    def _cell_pieces(self, row: int, column: int, width: int, is_margin: bool) -> list[Piece]:
        cell = self._matrix.at(row, column)
        if is_margin:
            is_last_column = column == len(self._matrix.columns)
            # in line with the values above; the last column has its own width
            value_width = 0 if is_last_column else self._geometry.sizes[0]
            room = self._geometry.rooms[is_last_column]
            text = margin_text(cell, self._format, room, value_width)
        else:
            text = aligned_cell(cell, self._geometry.sizes, self._format)
        text = pad(text, width - 1)
        if (row, column) == (self._row, self._column):
            return [(f"[{text}]", "cell-cursor" if self.has_focus else "strong")]
        if cell.value is None:
            role = "muted"
        elif cell.shade is None:
            role = "muted" if cell.is_small else ""
        else:
            kind = "sign" if self._matrix.is_signed else "heat"
            role = f"{'pale-' if cell.is_small else ''}{kind}:{cell.shade:.2f}"
        return [(" " * GAP, ""), (f"{text} ", role)]

    def _detail(self) -> str:
        """The cell under the cursor in full."""
        cell = self.cell
        names = [
            headings[index].label.strip() if index < len(headings) else ALL.label
            for headings, index in (
                (self._matrix.rows, self._row),
                (self._matrix.columns, self._column),
            )
        ]
        parts = [f"{names[0]} / {names[1]}", margin_text(cell, self._format).strip()]
        if self._matrix.shows_n:
            parts.append(f"n {cell.n:,}")
        return "   ".join([*parts, *filter(None, [cell.note])])

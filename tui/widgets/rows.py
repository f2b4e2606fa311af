"""A list of any length, of which only the rows in view are fetched and drawn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip

from engine.text.wrapping import cell_width, pad
from tui.language import tr
from tui.shell.clipboard import Copyable, copyable, table, tsv
from tui.shell.keys import widget_bindings
from tui.shell.theme import SIGNS
from tui.widgets.line import LOADING, WHEEL, ContentLines, Piece, destination
from tui.widgets.row_source import (
    GAP,
    Cell,
    Column,
    KeyedSource,
    ListSource,
    Row,
    RowSource,
    fit_columns,
)

BLOCK = 128
"""Rows fetched at a time."""
BLOCKS_KEPT = 16
STRIPS_KEPT = 512


class Rows(ContentLines, can_focus=True):
    """A virtual list with a cursor. A key costs the same in a hundred rows and in a million.

    The row under the cursor has a sign in the first column, so it can be told without colour.
    """

    DEFAULT_CSS = "Rows { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [*widget_bindings("rows")]

    @dataclass
    class Highlighted(Message):
        """The cursor is on another row, or its row has changed; `row` is None in an empty list."""

        rows: Rows
        index: int
        count: int
        row: Row | None

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Rows.Highlighted) and message.rows is self.rows

    @dataclass
    class Chosen(Message):
        """Enter, or a click on the cursor's row."""

        rows: Rows
        index: int
        row: Row

    @dataclass
    class Beyond(Message):
        """A key went on from the last row, or back from the first: for a form, to its next
        field."""

        rows: Rows
        is_down: bool

    def __init__(
        self,
        source: RowSource,
        columns: Sequence[Column] = (Column(),),
        *,
        empty: str = "",
        loading: str = LOADING,
        id: str | None = None,
    ) -> None:
        """`empty` is shown in an empty list and says how to fill it; `loading` until a source is
        given later on, where this one has no rows."""
        super().__init__(empty=empty, loading=loading, id=id)
        self._source = source
        self._columns = tuple(columns)
        self._count = 0
        self._cursor = 0
        self._top = 0
        self._direction = 1
        self._blocks: OrderedDict[int, Sequence[Row]] = OrderedDict()
        self._strips: OrderedDict[tuple[int, bool], Strip] = OrderedDict()
        self._widths: list[tuple[int, int]] = []
        self._drawn_for: tuple[int, tuple[Column, ...]] = (0, ())
        self._last_posted: tuple[int, int, Row | None] | None = None

    # State

    @property
    def cursor(self) -> int:
        """Index of the row that the cursor is on."""
        return self._cursor

    @property
    def count(self) -> int:
        return self._count

    @property
    def top(self) -> int:
        """Index of the first row in view."""
        return self._top

    @property
    def current(self) -> Row | None:
        """The row under the cursor; None in an empty list."""
        return self._row(self._cursor)

    @property
    def idle_keys(self) -> tuple[str, ...]:
        """The ids of the actions that would do nothing now."""
        return () if self._count else ("widget.open",)

    def set_source(
        self,
        source: RowSource,
        columns: Sequence[Column] | None = None,
        *,
        empty: str | None = None,
    ) -> None:
        """Show another list from its first row; `empty` is from now on shown where it has none."""
        self.is_loading = False
        self._source = source
        self.empty = self.empty if empty is None else empty
        if columns is not None:
            self._columns = tuple(columns)
        self._cursor = self._top = 0
        self._count = source.count()
        self._blocks.clear()
        self._strips.clear()
        self.refresh()
        self._post_highlighted()

    def show_loading(self, text: str = LOADING) -> None:
        """Shows that another list is on its way."""
        self.set_source(ListSource())
        self.is_loading, self.loading_text = True, text

    def replace_source(self, source: RowSource, columns: Sequence[Column] | None = None) -> None:
        """Show what the list has become and repaint the lines that differ; the cursor keeps its
        row."""
        held = self.current
        before = [self._row(index) for index in self._visible()]
        self._source = source
        if self.is_loading:
            self.is_loading = False
            self.refresh()
        if columns is not None and tuple(columns) != self._columns:
            self._columns = tuple(columns)
            self.refresh()
        self._reload(held, before)

    def _reload(self, held: Row | None, before: list[Row | None]) -> None:
        old_top, old_cursor, old_count = self._top, self._cursor, self._count
        self._blocks.clear()
        self._count = self._source.count()
        if held is not None and isinstance(self._source, KeyedSource):
            index = self._source.index_of(held.key)
            if index is not None:
                self._top = max(self._top + index - self._cursor, 0)
                self._cursor = index
        self._clamp()
        after = [self._row(index) for index in self._visible()]
        self._strips.clear()
        if (self._top, len(after), not self._count) != (old_top, len(before), not before):
            self.refresh()
        else:
            if self._count != old_count:
                # it says how many there are
                self.repaint_lines(0, self._header_height)
            for line, (old, new) in enumerate(zip(before, after, strict=True)):
                cursor_moved = old_cursor != self._cursor and self._top + line in (
                    old_cursor,
                    self._cursor,
                )
                if old != new or cursor_moved:
                    self.repaint_lines(self._header_height + line)
        self._post_highlighted()

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, and bring it into view."""
        target = min(max(index, 0), max(self._count - 1, 0))
        if target == self._cursor:
            return
        self._direction = 1 if target > self._cursor else -1
        old, self._cursor = self._cursor, target
        if self._scroll_to_cursor():
            self.repaint_lines(0, self._header_height + self._page)
        else:
            for row in (old, target):
                self.repaint_lines(self._header_height + row - self._top)
        self._post_highlighted()
        self.call_later(self._prefetch)

    def move_to_key(self, key: str | int) -> bool:
        """Puts the cursor on the row of that key; False where there is none."""
        index = self._source.index_of(key) if isinstance(self._source, KeyedSource) else None
        if index is not None:
            self.move_to(index)
        return index is not None

    # Keys and mouse

    def action_move(self, where: str) -> None:
        target = destination(where, self._cursor, self._page, self._count - 1)
        if where in ("down", "up") and not 0 <= target < self._count:
            self.post_message(self.Beyond(self, where == "down"))
        self.move_to(target)

    def action_choose(self) -> None:
        if (row := self.current) is not None:
            self.post_message(self.Chosen(self, self._cursor, row))

    def on_click(self, event: events.Click) -> None:
        index = self._top + event.y - self._header_height
        if event.y < self._header_height or index >= self._count:
            return
        if index == self._cursor:
            self.action_choose()
        self.move_to(index)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move_to(self._cursor + WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move_to(self._cursor - WHEEL)

    def copies(self) -> Iterator[Copyable]:
        """The row under the cursor, and the list."""
        if (row := self.current) is not None:
            yield copyable("row", "\t".join(_texts(row)))
        if self._count > 1:
            yield table("table", self._count, lambda: tsv(self._lines()))

    def _lines(self) -> Iterator[list[str]]:
        if self._header_height:
            yield [tr(column.label) for column in self._columns]
        for start in range(0, self._count, BLOCK):
            yield from map(_texts, self._source.rows(start, min(start + BLOCK, self._count)))

    # Life

    def on_mount(self) -> None:
        self._count = self._source.count()
        self._clamp()
        self._post_highlighted()

    def on_resize(self) -> None:
        self._clamp()
        self.refresh()

    def on_focus(self) -> None:
        self._repaint_cursor()

    def on_blur(self) -> None:
        self._repaint_cursor()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    # Rows

    @property
    def _header_height(self) -> int:
        return 1 if self._count and any(column.label for column in self._columns) else 0

    @property
    def _page(self) -> int:
        return max(self.size.height - self._header_height, 0)

    def _visible(self) -> range:
        return range(self._top, min(self._top + self._page, self._count))

    def _row(self, index: int) -> Row | None:
        if not 0 <= index < self._count:
            return None
        block = self._block(index // BLOCK)
        offset = index % BLOCK
        return block[offset] if offset < len(block) else None

    def _block(self, number: int) -> Sequence[Row]:
        block = self._blocks.get(number)
        if block is None:
            start = number * BLOCK
            block = self._source.rows(start, min(start + BLOCK, self._count))
            self._blocks[number] = block
            if len(self._blocks) > BLOCKS_KEPT:
                self._blocks.popitem(last=False)
        else:
            self._blocks.move_to_end(number)
        return block

    def _prefetch(self) -> None:
        """Have the next page ready in the direction of movement."""
        ahead = self._cursor + self._direction * 2 * max(self._page, 1)
        if 0 <= ahead < self._count:
            self._block(ahead // BLOCK)

    def _scroll_to_cursor(self) -> bool:
        old = self._top
        self._top = min(max(self._top, self._cursor - self._page + 1), self._cursor)
        self._top = max(self._top, 0)
        return self._top != old

    def _clamp(self) -> None:
        self._cursor = min(self._cursor, max(self._count - 1, 0))
        self._top = min(self._top, max(self._count - self._page, 0))
        self._scroll_to_cursor()

    def _repaint_cursor(self) -> None:
        self._strips.pop((self._cursor, True), None)
        self.repaint_lines(self._header_height + self._cursor - self._top)

    def _post_highlighted(self) -> None:
        state = (self._cursor, self._count, self.current)
        if state != self._last_posted:
            self._last_posted = state
            self.post_message(self.Highlighted(self, *state))

    # Drawing

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if (width, self._columns) != self._drawn_for:
            self._drawn_for = (width, self._columns)
            self._widths = fit_columns(self._columns, width - GAP)
            self._strips.clear()
        if y < self._header_height:
            return self._header(width)
        index = self._top + y - self._header_height
        if not self._count:
            return self.placeholder_strip(y)
        row = self._row(index)
        if row is None:
            return Strip.blank(width, self.rich_style)
        has_cursor = index == self._cursor
        strip = self._strips.get((index, has_cursor))
        if strip is None:
            strip = self._draw(row, has_cursor)
            self._strips[index, has_cursor] = strip
            if len(self._strips) > STRIPS_KEPT:
                self._strips.popitem(last=False)
        return strip

    def _header(self, width: int) -> Strip:
        """The columns' labels; at their end which rows are in view, where that leaves them whole
        and not all are."""
        labels = tuple(Cell(tr(column.label), "header") for column in self._columns)
        strip = self.strip_of([(" " * GAP, ""), *self._pieces(labels)], width)
        in_view = self._visible()
        where = f"  {in_view.start + 1:,}-{in_view.stop:,}/{self._count:,}"
        room = width - cell_width(where)
        if len(in_view) == self._count or cell_width(strip.text.rstrip()) > room:
            return strip
        return Strip.join([strip.crop(0, room), self.strip_of([(where, "muted")], len(where))])

    def _draw(self, row: Row, has_cursor: bool) -> Strip:
        cursor = SIGNS.cursor if self.has_focus else SIGNS.cursor_idle
        sign = f"{cursor} " if has_cursor else " " * GAP
        ground = ("cursor" if self.has_focus else "cursor-idle") if has_cursor else ""
        ground = f"{ground} {row.role}".strip()
        return self.strip_of([(sign, ""), *self._pieces(row.cells)], self.size.width, ground)

    def _pieces(self, cells: Sequence[str | Cell]) -> list[Piece]:
        pieces: list[Piece] = []
        for column, width in self._widths:
            cell = cells[column] if column < len(cells) else ""
            text, role = cell if isinstance(cell, Cell) else (cell, "")
            if pieces:
                pieces.append((" " * GAP, ""))
            pieces.append((pad(text, width, self._columns[column].align), role))
        return pieces


def _texts(row: Row) -> list[str]:
    return [cell if isinstance(cell, str) else cell.text for cell in row.cells]

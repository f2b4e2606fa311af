"""A widget that shows a text with marks: evidence, answers, matches, search results."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input

from engine.text.wrapping import Line
from tui.language import tr
from tui.shell.clipboard import Copyable, copyable
from tui.shell.keys import widget_bindings
from tui.shell.theme import SIGNS
from tui.widgets.line import MARGIN, Piece
from tui.widgets.marks import SIGNS_OF_KINDS, Mark, MarkIndex, marked, occurrences, strongest
from tui.widgets.scrolling import ScrollingLines
from tui.widgets.search import Among
from tui.widgets.tables import GridLine, laid


class PassageText(ScrollingLines):
    """The title line and the lines of the text; `Passage` adds the search field below."""

    DEFAULT_CSS = "PassageText { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [*widget_bindings("passage")]

    @dataclass
    class FindRequested(Message):
        """The key for finding was pressed."""

        text: PassageText

    def __init__(self, *, empty: str = "", loading: str = "", id: str | None = None) -> None:
        super().__init__(empty=empty, loading=loading, id=id)
        self.title = self._source = ""
        self._text = ""
        self._marks: list[Mark] = []
        self._found: list[Mark] = []
        self._ordered: list[Mark] = []
        self._index = MarkIndex(())
        self._current: Mark | None = None
        self._lines: list[Line] = []
        self._starts: list[int] = []
        self._wrapped_for = -1
        self._wanted = ""
        self._among: Among | None = None
        self._elsewhere: dict[int, int] = {}
        """How often the other texts that a search goes on in have what is wanted."""
        self._is_unseen = False

    # State

    @property
    def text(self) -> str:
        return self._text

    @property
    def current(self) -> Mark | None:
        """The mark that the next and previous keys last went to."""
        return self._current

    @property
    def has_found(self) -> bool:
        """Whether what is searched for is in this text."""
        return bool(self._found)

    @property
    def idle_keys(self) -> tuple[str, ...]:
        """The ids of the actions that would do nothing now."""
        return (
            ()
            if self._ordered or self._elsewhere
            else ("passage.next_mark", "passage.previous_mark")
        )

    @property
    def top_offset(self) -> int:
        """Offset of the first character in view."""
        self._lay_out()
        return self._starts[self._top] if self._starts else 0

    def show(
        self,
        text: str,
        marks: Iterable[Mark] = (),
        *,
        title: str = "",
        source: str = "",
        among: Among | None = None,
    ) -> None:
        """Show a text from its first mark, or from its start. `source` is what it is known by
        beside its title; a search goes on over those that it is `among`."""
        self.is_loading = False
        self._text, self.title, self._source, self._among = text, title, source, among
        self._wanted, self._found, self._elsewhere = "", [], {}
        self._top, self._first_column = 0, 1
        self._wrapped_for = -1
        self._set_marks(list(marks))
        if self._ordered:
            self.go_to(self._ordered[0])
        self.refresh()

    def set_marks(self, marks: Iterable[Mark]) -> None:
        """Other marks in the same text; the view stays."""
        self._set_marks(list(marks))
        self.refresh()

    def find(self, wanted: str) -> int:
        """Mark every occurrence of `wanted` and go to the first from here on; how many. They are
        counted in the texts that this one is among, too."""
        here = self.top_offset
        self._wanted = wanted
        self._elsewhere = self._among.counts(wanted) if self._among and wanted else {}
        self._found = [Mark(start, end, "find") for start, end in occurrences(self._text, wanted)]
        self._set_marks(self._marks)
        ahead = next((mark for mark in self._found if mark.start >= here), None)
        if ahead or self._found:
            self.go_to(ahead or self._found[0])
        self.refresh()
        return len(self._found)

    def go_to(self, mark: Mark) -> None:
        """Make a mark the current one and bring it into view, a third from the top."""
        self._current = mark
        if self.size.height:
            self._lay_out()
            line = self._line_of(mark.start)
            if not self._top + self._held() <= line < self._top + self._page:
                self._scroll(line - self._page // 3)
            self._bring_column(mark.start)
        else:
            self._is_unseen = True
        self.refresh()

    def _set_marks(self, marks: list[Mark]) -> None:
        self._marks = marks
        self._ordered = sorted(self._found or marks)
        self._index = MarkIndex((*marks, *self._found))
        if self._current not in self._ordered:
            self._current = None

    # Keys and mouse

    def action_next_mark(self) -> None:
        self._step(1)

    def action_previous_mark(self) -> None:
        self._step(-1)

    def action_find(self) -> None:
        self.post_message(self.FindRequested(self))

    def _step(self, by: int) -> None:
        """To the next mark in reading order, and round again at the end; of what is found, on into
        the next text that has it."""
        last = len(self._ordered) - 1
        if self._current in self._ordered:
            index = self._ordered.index(self._current) + by
        else:
            index = 0 if by > 0 else last
        if self._elsewhere and not 0 <= index <= last:
            self._search_on(by)
        elif self._ordered:
            self.go_to(self._ordered[index % len(self._ordered)])

    def _search_on(self, by: int) -> None:
        """Shows the next text that has what is wanted, at its first place, or its last."""
        wanted, among = self._wanted, self._among
        assert among is not None
        at = among.next(self._elsewhere, by)
        if at is not None:
            among.open(at)
            self.find(wanted)
            self.go_to(self._found[0 if by > 0 else -1])

    def copies(self) -> Iterator[Copyable]:
        """The mark that the cursor is on, and the whole text."""
        if (mark := self._current) is not None:
            yield copyable(mark.label or mark.kind, self._text[mark.start : mark.end])
        if self._text:
            yield copyable("passage", self._text)

    # Life

    def on_resize(self) -> None:
        self._lay_out()
        self._scroll(self._top)
        if self._is_unseen and self._current:
            self._is_unseen = False
            self.go_to(self._current)
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """The first Esc leaves the search, the next one the passage."""
        if event.key == "escape" and self._wanted:
            event.stop()
            event.prevent_default()
            self.find("")

    # Drawing

    def _lay_out(self) -> None:
        """Break the text for the width at hand; the first character in view stays in view."""
        width = max(self.size.width - MARGIN - 1, 1)
        if width == self._wrapped_for:
            return
        offset = self._starts[self._top] if self._top < len(self._starts) else 0
        self._lines, self._grid = laid(self._text, width)
        self._starts = [start for start, _ in self._lines]
        self._top = self._line_of(offset) if self._wrapped_for > 0 else self._top
        self._wrapped_for = width
        self._tell_width()

    def _line_of(self, offset: int) -> int:
        """The line with the character at an offset; of a row with several lines the first, where
        the character is none that is shown."""
        last = max(bisect_right(self._starts, offset) - 1, 0)
        if last not in self._grid:
            return last
        first = bisect_left(self._starts, self._starts[last])
        return next((at for at in range(first, last + 1) if self._grid[at].holds(offset)), first)

    def _bring_column(self, offset: int) -> None:
        """Scrolls a wide table sideways until the column with an offset is in view."""
        line = self._grid.get(self._line_of(offset))
        column = line.column_at(offset) if line is not None else None
        if line is not None and column:
            shown = [at for at, _ in line.grid.in_sight(self._first_column)]
            if column not in shown:
                self._first_column = column if column < shown[1] else self._first_with(line, column)
                self.refresh()

    def _first_with(self, line: GridLine, column: int) -> int:
        """The least that a wide table is scrolled for a column further right to be in view."""
        return next(
            first
            for first in range(1, column + 1)
            if column in (at for at, _ in line.grid.in_sight(first))
        )

    def render_line(self, y: int) -> Strip:
        self._lay_out()
        width = self.size.width
        if y == 0:
            return self._title_line(width)
        index = self._index_at(y)
        if not self._text:
            return self.placeholder_strip(y - 1)
        if index >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        marks = self._index.touching(*self._lines[index])
        pieces = self._line_pieces(index, marks, self._current)
        return self.strip_of([(self._sign(marks), "key"), *pieces], width)

    def _line_pieces(
        self, index: int, marks: Sequence[Mark], current: Mark | None, cursor: int = -1
    ) -> list[Piece]:
        """A line with its marks; `cursor` is the offset of the character with the cursor."""
        line = self._grid.get(index)
        if line is not None:
            return line.pieces(self._first_column, marks, current, cursor=cursor)
        return marked(self._text, *self._lines[index], marks, current, cursor=cursor)

    def _sign(self, marks: Sequence[Mark]) -> str:
        if self._current in marks:
            return f"{SIGNS.cursor} "
        return f"{SIGNS_OF_KINDS.get(strongest(mark.kind for mark in marks), ' ')} "

    def _title_line(self, width: int) -> Strip:
        label = self._current.label if self._current else ""
        title = f"{tr(self.title)}  {label}" if label else self.title
        return self._title_strip(title, self._position(), width, self._source)

    def _position(self) -> str:
        """Which mark of how many, and which lines of how many."""
        parts = []
        elsewhere = self._among.said(self._elsewhere) if self._among else ""
        if self._wanted and not self._found:
            nowhere = tr("none found")
            parts.append(tr("0 here, {there}", there=elsewhere) if elsewhere else nowhere)
        elif self._ordered:
            count = len(self._ordered)
            at = self._ordered.index(self._current) + 1 if self._current in self._ordered else 0
            place = f"{at}/{count}" if at else f"{count}"
            found = tr("{place} found", place=place)
            parts.append(found if self._found else tr("{place} marks", place=place))
            if elsewhere:
                parts[-1] += f", {elsewhere}"
        return "  ".join(filter(None, [*parts, super()._position()]))


class Passage(Vertical):
    """A passage with its search field.

    Lines with a mark have a sign in the margin (`#` evidence, `=` answer, `+` match, `/` found,
    and the cursor's sign for the current one), so marks can be told without colour.
    """

    DEFAULT_CSS = """
    Passage { height: 1fr; }
    Passage > Input { height: 1; border: none; padding: 0 1; display: none; }
    Passage > Input:focus { border: none; }
    Passage.-finding > Input { display: block; }
    """

    def __init__(
        self,
        *,
        empty: str = "",
        loading: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`empty` is shown in place of an empty text, `loading` until any text is shown."""
        super().__init__(id=id, classes=classes)
        self.body = PassageText(empty=empty, loading=loading)
        self._input = Input(placeholder=tr("find; Enter next, Esc done"), compact=True)

    def compose(self) -> ComposeResult:
        yield self.body
        yield self._input

    def show(
        self,
        text: str,
        marks: Iterable[Mark] = (),
        *,
        title: str = "",
        source: str = "",
        among: Among | None = None,
    ) -> None:
        """Show a text from its first mark, or from its start; see `PassageText.show`."""
        self.body.show(text, marks, title=title, source=source, among=among)

    def show_loading(self, text: str, *, title: str = "") -> None:
        """Shows that another text is on its way."""
        self.show("", title=title)
        self.body.is_loading, self.body.loading_text = True, text

    def set_marks(self, marks: Iterable[Mark]) -> None:
        """Other marks in the same text; the view stays."""
        self.body.set_marks(marks)

    def go_to(self, mark: Mark) -> None:
        """Make a mark the current one and bring it into view."""
        self.body.go_to(mark)

    def focus(self, scroll_visible: bool = True) -> Passage:
        self.body.focus(scroll_visible)
        return self

    def on_passage_text_find_requested(self, message: PassageText.FindRequested) -> None:
        message.stop()
        self.add_class("-finding")
        self._input.value = ""
        self._input.focus()

    def on_input_changed(self, message: Input.Changed) -> None:
        message.stop()
        self.body.find(message.value)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Done; where nothing is found here, on to the text that has it."""
        message.stop()
        self._close_field()
        if not self.body.has_found:
            self.body.action_next_mark()

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape" and self.has_class("-finding"):
            event.stop()
            self.body.find("")
            self._close_field()

    def _close_field(self) -> None:
        self.remove_class("-finding")
        self.body.focus()

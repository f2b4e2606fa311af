"""A document with a cursor, to mark a passage in with the keyboard."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.strip import Strip

from engine.text.sentences import sentences
from engine.text.wrapping import cell_width, pad, truncate
from tui.language import tr
from tui.shell.keys import widget_bindings
from tui.shell.theme import SIGNS
from tui.widgets.line import MARGIN, Piece, destination
from tui.widgets.marks import SIGNS_OF_KINDS, Mark, MarkKind, strongest
from tui.widgets.passage import PassageText
from tui.widgets.text_edit import after, before, column_of, offset_at, words

Span = tuple[int, int]
MARKED: MarkKind = "evidence"
"""How the marked passage is shown: with `#` in the margin."""


class SpanText(PassageText):
    """The marked passage reaches from the mark to the cursor, with the characters at both.

    `changed` is called when it has become another.
    """

    DEFAULT_CSS = "SpanText { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [*widget_bindings("passage")]

    def __init__(self) -> None:
        super().__init__()
        self.changed: Callable[[], None] = _nothing
        self.cursor = 0
        self.pinned: int | None = None
        self._given: Span | None = None
        """The passage that it was opened with, or that was made whole sentences."""
        self._goal: int | None = None
        self._others: tuple[Mark, ...] = ()
        self._sentences: list[Span] | None = None
        self._words: list[Span] | None = None

    # State

    @property
    def span(self) -> Span | None:
        """The marked passage without white space around it; None when none is marked."""
        if self.pinned is None or not self.text:
            return None
        start, end = sorted((self.pinned, self.cursor))
        end = after(self.text, end)
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return (start, end) if start < end else None

    def open(
        self, text: str, others: Iterable[Mark] = (), span: Span | None = None, *, title: str = ""
    ) -> None:
        """Show a document, with a passage of it marked or with none; `others` are shown beside."""
        self._sentences = self._words = None
        self._others = tuple(others)
        self.pinned, self.cursor, self._given = None, 0, None
        self.show(text, self._others, title=title)
        if span is not None:
            self.mark_span(*span)
        elif self._others:
            self.go_to(min(self._others))
        self._after_move()
        self._given = self.span

    def use_words(self, words: Sequence[Span]) -> None:
        """Move by these words from now on; before, a run of Chinese characters is one word."""
        self._words = list(words)

    def mark_span(self, start: int, end: int) -> None:
        """Mark a passage; the cursor is on its last character."""
        self.pinned, self.cursor = start, before(self.text, end)
        self._after_move()

    def begin_mark(self) -> None:
        """Begin a passage at the cursor, whatever is marked."""
        self.pinned = self.cursor
        self._after_move()

    def drop_mark(self) -> None:
        """Mark nothing."""
        self.pinned = None
        self._after_move()

    def swap_ends(self) -> None:
        """To the other end of the passage, to move that one."""
        if self.pinned is not None:
            self.pinned, self.cursor = self.cursor, self.pinned
            self._after_move()

    def mark_sentences(self) -> None:
        """Make the passage whole sentences; with none marked, mark the one with the cursor."""
        start, end = self.span or (self.cursor, self.cursor + 1)
        touched = [one for one in self._all_sentences() if one[0] < end and one[1] > start]
        if not touched:
            touched = [one for one in self._all_sentences() if one[1] > start][:1]
        if touched:
            self.mark_span(touched[0][0], touched[-1][1])
            self._given = self.span

    def go_to(self, mark: Mark) -> None:
        """Moves the cursor to a mark or to what was found. The passage that the document was opened
        with, or of whole sentences, makes way, so that another one can begin there; one that was
        begun by hand grows."""
        super().go_to(mark)
        if mark.end > len(self.text):
            return
        if self._given is not None and self.span == self._given:
            self.pinned = None
        self.cursor = mark.start if self.pinned is None else before(self.text, mark.end)
        self._after_move()

    # Moving

    def action_move(self, where: str) -> None:
        text, here = self.text, self.cursor
        if not text:
            return
        goal = self._goal
        match where:
            case "left":
                target = self._shown(before(text, here), is_back=True)
            case "right":
                target = self._shown(after(text, here))
            case "word_left" | "word_right":
                target = self._by(self._all_words(), here, is_right=where == "word_right")
            case "sentence_left" | "sentence_right":
                target = self._by(self._all_sentences(), here, is_right=where == "sentence_right")
            case _:
                target = self._line(where)
                goal = self._goal
        self.cursor = min(target, before(text, len(text)))
        self._after_move()
        if where in ("down", "up", "page_down", "page_up"):
            self._goal = goal

    def _shown(self, offset: int, *, is_back: bool = False) -> int:
        """The offset itself, or a neighbour of it where that is a sign between cells of a table."""
        line = self._grid.get(self._line_of(offset))
        if line is None or line.holds(offset) or offset >= line.grid.table.end:
            return offset
        return line.grid.shown_near(offset, is_back=is_back)

    def _line(self, where: str) -> int:
        if where == "first":
            return 0
        if where == "last":
            return len(self.text)
        self._lay_out()
        here = self._line_of(self.cursor)
        if self._goal is None:
            in_table = self._grid.get(here)
            self._goal = (
                in_table.x_of(self.cursor, self._first_column)
                if in_table is not None
                else column_of(self.text, self._lines[here], self.cursor)
            )
        last = len(self._lines) - 1
        line = min(max(destination(where, here, self._page - self._held(), last), 0), last)
        offset = self._offset_on(line)
        while offset is None and 0 <= (line := line + (1 if line > here else -1)) <= last:
            offset = self._offset_on(line)
        return self.cursor if offset is None else offset

    def _offset_on(self, line: int) -> int | None:
        """The character of a line below or above the one that movement began at; None on a line of
        a table of which nothing is in sight."""
        goal = self._goal or 0
        in_table = self._grid.get(line)
        if in_table is not None:
            return in_table.offset_at(goal, self._first_column)
        start, end = self._lines[line]
        at = offset_at(self.text, (start, end), goal)
        return max(start, before(self.text, end)) if at >= end else at

    def _by(self, spans: Sequence[Span], here: int, *, is_right: bool) -> int:
        """From start to start of words or sentences; to the right, while a passage is being made,
        to the last character of one."""
        if is_right and self.pinned is not None:
            ends = [end for _, end in spans]
            at = bisect_right(ends, after(self.text, here))
            return before(self.text, ends[at]) if at < len(ends) else len(self.text)
        starts = [start for start, _ in spans]
        if is_right:
            at = bisect_right(starts, here)
            return starts[at] if at < len(starts) else here
        at = bisect_left(starts, here) - 1
        return starts[at] if at >= 0 else 0

    def _all_words(self) -> list[Span]:
        if self._words is None:
            self._words = words(self.text)
        return self._words

    def _all_sentences(self) -> list[Span]:
        if self._sentences is None:
            self._sentences = sentences(self.text)
        return self._sentences

    def on_click(self, event: events.Click) -> None:
        line = self._index_at(event.y)
        if event.y < 1 or line >= len(self._lines):
            return
        self._goal = max(event.x - MARGIN, 0)
        at = self._offset_on(line)
        if at is not None:
            self.cursor = min(at, before(self.text, len(self.text)))
            self._after_move()

    # Drawing

    def _after_move(self) -> None:
        self._goal = None
        span = self.span
        mine = (Mark(*span, MARKED, "marked"),) if span is not None else ()
        marks = [*self._others, *mine]
        self._set_marks(marks)
        self._bring_into_view()
        self._repaint()
        self.changed()

    def _bring_into_view(self) -> None:
        if not self.size.height:
            return
        self._lay_out()
        self._bring_column(self.cursor)
        line = self._line_of(self.cursor)
        top = self._top + self._held()
        if line < top:
            self._scroll(line - (self._held() if top - line < 2 else self._page // 3))
        elif line >= self._top + self._page:
            is_next = line - self._top - self._page < 1
            self._scroll(line - self._page + 1 if is_next else line - self._page // 3)

    def on_resize(self) -> None:
        super().on_resize()
        self._bring_into_view()

    def _repaint(self) -> None:
        """Repaint the lines that differ from what was drawn."""
        if not self.size.width:
            return
        self._lay_out()
        height = self.size.height
        drawn = [self._pieces(y) for y in range(height)]
        if len(drawn) != len(self._drawn):
            self.refresh()
        else:
            for y, (old, new) in enumerate(zip(self._drawn, drawn, strict=True)):
                if old != new:
                    self.repaint_lines(y)
        self._drawn = drawn

    _drawn: list[list[Piece]] = []  # noqa: RUF012

    def render_line(self, y: int) -> Strip:
        self._lay_out()
        return self.strip_of(self._pieces(y), self.size.width)

    def _pieces(self, y: int) -> list[Piece]:
        if y == 0:
            return self._title_pieces()
        index = self._index_at(y)
        if index >= len(self._lines):
            placeholder = " " * MARGIN + self.placeholder
            return [(placeholder, "muted")] if not self.text and y == 2 else []
        marks = self._index.touching(*self._lines[index])
        current = self._current if self._current in self._found else None
        here = self.cursor if self._line_of(self.cursor) == index else -1
        pieces = self._line_pieces(index, marks, current, here)
        if here >= 0 and all(role != "cell-cursor" for _, role in pieces):
            # behind the line, or on a sign between the cells of a table
            pieces.append((" ", "cell-cursor"))
        sign = SIGNS_OF_KINDS.get(strongest(mark.kind for mark in marks), " ")
        if here >= 0:
            sign = SIGNS.cursor
        return [(f"{sign} ", "key"), *pieces]

    def _title_pieces(self) -> list[Piece]:
        span = self.span
        right = (
            f"{span[0]}-{span[1]}" if span is not None else tr("at {cursor}", cursor=self.cursor)
        )
        position = self._position()
        right = f"{right}  {position}" if position else right
        width = self.size.width
        room = max(width - cell_width(right) - MARGIN - 3, 0)
        return [
            (f"{SIGNS.cursor} " if self.has_focus else " " * MARGIN, "key"),
            (pad(self.title, room) + "  ", "header"),
            (truncate(right, width), "muted"),
        ]


def _nothing() -> None:
    pass

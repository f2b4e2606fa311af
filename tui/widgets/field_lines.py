"""The lines of a form of texts, of which only those that differ are repainted."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from textual.geometry import Offset
from textual.strip import Strip

from engine.text.wrapping import Line, cell_width, pad, truncate, wrap
from tui.language import tr
from tui.shell.theme import SIGNS
from tui.widgets.line import LineWidget, Piece
from tui.widgets.text_edit import History, Place, Step, after, column_of, lines_to_edit

MARGIN = 2
GAP = 2
ROW_LINES = 3
"""Lines shown of what is not edited here."""


class Field(Struct, frozen=True):
    """One text of the form, or a row that Enter opens."""

    key: str
    label: str
    text: str = ""
    is_typed: bool = True
    """Whether it is edited here; else its value is chosen elsewhere."""
    note: str = ""
    """DrawnLine in place of an empty text."""
    value: object = None
    """What a row stands for, for whoever made the fields."""
    is_apart: bool = False
    """Whether a blank line is above it."""


class DrawnLine(Struct, frozen=True):
    """A line as it is laid out: a stretch of a field's text, or a message below it."""

    field: int
    line: Line = (0, 0)
    is_first: bool = False
    message: str = ""
    is_blank: bool = False


class FieldLines(LineWidget):
    """Draws the step that its history is at; `tui.widgets.editor` makes the steps."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.errors: dict[str, str] = {}
        """By field; said below it."""
        self._history = History(Step((), Place(0, 0)))
        self._top = 0
        self._lines: list[DrawnLine] = []
        self._drawn: list[list[Piece]] = []
        self._laid_for = -1

    @property
    def fields(self) -> tuple[Field, ...]:
        return self._history.now.fields

    @property
    def active(self) -> int:
        """Index of the field with the cursor."""
        return self._history.now.place.field

    @property
    def cursor(self) -> int:
        """Offset in the text of that field."""
        return self._history.now.place.offset

    @property
    def field(self) -> Field:
        return self.fields[self.active]

    def on_resize(self) -> None:
        self._after_change(everything=True)

    def on_focus(self) -> None:
        self._after_change(everything=True)

    def on_blur(self) -> None:
        self._after_change(everything=True)

    def _after_change(self, *, everything: bool = False) -> None:
        """Lay out again and repaint the lines that differ."""
        if not self.size.width:
            return
        self._lay_out()
        self._bring_into_view()
        height = self.size.height
        drawn = [self._pieces(number) for number in range(self._top, self._top + height)]
        if everything or len(drawn) != len(self._drawn):
            self.refresh()
        else:
            for line, (old, new) in enumerate(zip(self._drawn, drawn, strict=True)):
                if old != new:
                    self.repaint_lines(line)
        self._drawn = drawn
        if self.has_focus:
            self.app.cursor_position = self.cursor_screen_offset

    # Layout

    @property
    def _indent(self) -> int:
        return MARGIN + self._label_width + GAP if self._label_width else MARGIN

    @property
    def _label_width(self) -> int:
        return max((cell_width(field.label) for field in self.fields), default=0)

    @property
    def _room(self) -> int:
        """Cells of a line of text; one more is kept for the cursor behind it."""
        return max(self.size.width - self._indent - 1, 2)

    def _lines_of(self, field: int) -> list[Line]:
        shown = self.fields[field]
        if shown.is_typed:
            return lines_to_edit(shown.text, self._room)
        return wrap(shown.text, self._room)[:ROW_LINES]

    def _lay_out(self) -> None:
        lines: list[DrawnLine] = []
        for number, field in enumerate(self.fields):
            if field.is_apart and number:
                lines.append(DrawnLine(number, is_blank=True))
            for part, line in enumerate(self._lines_of(number)):
                lines.append(DrawnLine(number, line, is_first=part == 0))
            if error := self.errors.get(field.key):
                for start, end in wrap(error, self._room - 2):
                    lines.append(DrawnLine(number, message=error[start:end], is_first=start == 0))
        self._lines = lines

    def _cursor_line(self) -> int:
        cursor_line = 0
        for index, shown in enumerate(self._lines):
            if shown.field != self.active or shown.message or shown.is_blank:
                continue
            if shown.is_first or shown.line[0] <= self.cursor:
                cursor_line = index
        return cursor_line

    def _bring_into_view(self) -> None:
        line, height = self._cursor_line(), max(self.size.height, 1)
        last = line
        # what is wrong with the field is seen together with it
        while last + 1 < len(self._lines) and self._lines[last + 1].field == self.active:
            last += 1
        if line < self._top or min(last, line + 2) >= self._top + height:
            self._top = line - height // 3
        self._top = min(max(self._top, 0), max(len(self._lines) - height, 0))

    @property
    def cursor_screen_offset(self) -> Offset:
        """Where the next character goes, on the screen; an input method opens its window there."""
        region = self.content_region
        line = self._cursor_line()
        column = self._cursor_column(self._lines[line]) if self._lines else 0
        return Offset(region.x + self._indent + column, region.y + line - self._top)

    def _cursor_column(self, shown: DrawnLine) -> int:
        if not self.field.is_typed:
            return 0
        return min(column_of(self.field.text, shown.line, self.cursor), self._room)

    # Drawing

    def render_line(self, y: int) -> Strip:
        if self._laid_for != self.size.width:
            self._laid_for = self.size.width
            self._lay_out()
            self._bring_into_view()
        return self.strip_of(self._pieces(self._top + y), self.size.width)

    def _beyond(self, index: int) -> str:
        """Counts the lines above the first line in view, or below the last."""
        last = self._top + self.size.height - 1
        count = index if index == self._top else len(self._lines) - 1 - index
        return tr("  {count} more", count=count) if index in (self._top, last) and count > 0 else ""

    def _pieces(self, index: int) -> list[Piece]:
        """A line as it is drawn; what it says of lines out of view stands at its end."""
        pieces = self._line_pieces(index)
        beyond = self._beyond(index)
        if not beyond:
            return pieces
        room = self.size.width - cell_width(beyond)
        taken = sum(cell_width(text) for text, _ in pieces)
        if taken > room:
            return pieces
        return [*pieces, (" " * (room - taken), ""), (beyond, "muted")]

    def _line_pieces(self, index: int) -> list[Piece]:
        if index >= len(self._lines):
            return []
        shown = self._lines[index]
        if shown.is_blank:
            return []
        field = self.fields[shown.field]
        is_active = shown.field == self.active
        if shown.message:
            sign = f"{SIGNS.bad} " if shown.is_first else "  "
            return [(" " * self._indent, ""), (sign + shown.message, "bad")]
        sign = f"{SIGNS.cursor} " if is_active and shown.is_first else " " * MARGIN
        room = self._indent - MARGIN
        label = pad(field.label if shown.is_first else "", room)
        start: list[Piece] = [(sign, "key"), (label, "strong" if is_active else "muted")]
        return [*start, *self._text_pieces(field, shown, is_active, index)]

    def _text_pieces(
        self, field: Field, shown: DrawnLine, is_active: bool, index: int
    ) -> list[Piece]:
        start, end = shown.line
        text = field.text[start:end]
        if not field.is_typed:
            role = ("cursor" if self.has_focus else "cursor-idle") if is_active else ""
            if not field.text:
                return [(truncate(field.note, self._room), f"{role} muted".strip())]
            is_cut = shown.is_first is False and end < len(field.text)
            return [(truncate(text + (" " * 2 if is_cut else ""), self._room), role)]
        here = is_active and self.has_focus and index == self._cursor_line()
        if not here:
            note = truncate(field.note, self._room) if not field.text else ""
            return [(text, ""), (note, "muted")]
        at = min(max(self.cursor, start), end)
        under = field.text[at : after(field.text, at)] if at < end else " "
        rest = field.text[at + len(under) : end] if at < end else ""
        if column_of(field.text, shown.line, at) >= self._room:
            text = truncate(field.text[start:at], self._room)
            return [(text, ""), (" ", "cell-cursor")]
        note = truncate(field.note, self._room - 1) if not field.text else ""
        return [(field.text[start:at], ""), (under, "cell-cursor"), (rest, ""), (note, "muted")]


def placed(fields: Sequence[Field], active: int, cursor: int | None) -> Place:
    """Returns an existing place; by default the end of the field's text."""
    if not fields:
        return Place(0, 0)
    active = min(max(active, 0), len(fields) - 1)
    field = fields[active]
    if not field.is_typed:
        return Place(active, 0)
    length = len(field.text)
    return Place(active, length if cursor is None else min(max(cursor, 0), length))

"""Texts to edit, one below the other, with one cursor: a form of any length in one widget.

Made for input methods over SSH: what is composed or pasted arrives whole, printable keys are always
text, the terminal's own cursor stands where the next character goes, and only the lines that differ
are repainted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from textual import events
from textual.geometry import Offset
from textual.strip import Strip

from tui.theme import SIGNS
from tui.widgets.editing import History, Place, Step
from tui.widgets.line import LineWidget, Piece
from tui.widgets.text_edit import (
    after,
    before,
    column_of,
    line_of,
    lines_to_edit,
    offset_at,
    typed,
    word_after,
    word_before,
)
from tui.wrap import Line, cell_width, pad, truncate, wrap

MARGIN = 2
GAP = 2


class Field(Struct, frozen=True):
    """One text of the form, or a row that Enter opens."""

    key: str
    label: str
    text: str = ""
    is_typed: bool = True
    """Whether it is edited here; else its value is chosen elsewhere."""
    note: str = ""
    """Shown in place of an empty text."""
    value: object = None
    """What a row stands for, for whoever made the fields."""
    is_apart: bool = False
    """Whether a blank line is above it."""


class Shown(Struct, frozen=True):
    """A line as it is laid out: a stretch of a field's text, or a message below it."""

    field: int
    line: Line = (0, 0)
    is_first: bool = False
    message: str = ""
    is_blank: bool = False


class Editor(LineWidget, can_focus=True):
    """`edited`, `opened` and `moved` are called while the key is handled, so type-ahead is safe."""

    takes_text = True
    """Keys are text while it has the focus; see `tui.actions.is_typing`."""
    DEFAULT_CSS = "Editor { height: 1fr; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.edited: Callable[[], None] = _nothing
        self.opened: Callable[[Field, str], None] = _ignore
        """With what was typed on the row, which may be empty."""
        self.moved: Callable[[], None] = _nothing
        self.commanded: Callable[[str], bool] = _refuse
        """With the name of any other key; whether it did something."""
        self.errors: dict[str, str] = {}
        """By field; an edit of the field takes its error away."""
        self._history = History(Step((), Place(0, 0)))
        self._goal: int | None = None
        self._top = 0
        self._lines: list[Shown] = []
        self._drawn: list[list[Piece]] = []
        self._laid_for = -1

    # State

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

    def show(self, fields: Sequence[Field], active: int = 0, cursor: int | None = None) -> None:
        """Other fields, with no history; the cursor is at the end of the active text by default."""
        place = _placed(fields, active, cursor)
        self._history = History(Step(tuple(fields), place))
        self.errors = {}
        self._after_change()

    def change(self, fields: Sequence[Field], active: int, cursor: int | None = None) -> None:
        """An edit of the form itself, such as another field; `undo` takes it back."""
        self._history.push(Step(tuple(fields), _placed(fields, active, cursor)))
        self._after_edit()

    def relabel(self, fields: Sequence[Field]) -> None:
        """The same texts, told otherwise; no edit."""
        self._history.now = self._history.now._replace(fields=tuple(fields))
        self._after_change()

    def go_to(self, active: int, cursor: int | None = None) -> None:
        """Put the cursor into a field."""
        self._move(_placed(self.fields, active, cursor))

    def show_errors(self, errors: dict[str, str]) -> None:
        """Say what is wrong, below the fields."""
        self.errors = dict(errors)
        self._after_change()

    def undo(self) -> bool:
        """Take back the last edit, wherever it was made; False when there is none."""
        return self._went(self._history.undo())

    def redo(self) -> bool:
        return self._went(self._history.redo())

    def _went(self, moved: bool) -> bool:
        if moved:
            self._after_edit()
        return moved

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        """Everything is done here and at once: a binding would be run only after the key has
        bubbled to the app, and what was typed after it would come before it."""
        if self.app.screen is not self.screen:
            # typed ahead of a screen that a key before this one has opened
            event.stop()
            event.prevent_default()
            self.app.post_message(events.Key(event.key, event.character))
        elif event.is_printable and event.character is not None:
            event.stop()
            event.prevent_default()
            self._type(event.character)
        elif self._act(event.key) or self.commanded(event.key):
            event.stop()
            event.prevent_default()

    def _act(self, key: str) -> bool:
        """What a key does in any text; False for a key that means nothing here."""
        if not self.fields or key not in _KEYS:
            return False
        act, by = _KEYS[key]
        act(self, by)
        return True

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._type(event.text, joins=False)

    def _type(self, text: str, *, joins: bool = True) -> None:
        text = typed(text)
        if not text or not self.fields:
            return
        if not self.field.is_typed:
            self.opened(self.field, text)
        else:
            self._replace(self.cursor, self.cursor, text, "type" if joins else "")

    def _replace(self, start: int, end: int, text: str, kind: str) -> None:
        """`kind` joins edits of one sort that go on from each other into one undo step."""
        old = self.field
        changed = _with_text(old, old.text[:start] + text + old.text[end:])
        fields = (*self.fields[: self.active], changed, *self.fields[self.active + 1 :])
        place = Place(self.active, start + len(text))
        self._history.push(Step(fields, place, kind, came_from=self.cursor))
        self.errors.pop(old.key, None)
        self._after_edit()

    def enter(self, _: int) -> None:
        if self.field.is_typed:
            self._replace(self.cursor, self.cursor, "\n", "")
        else:
            self.opened(self.field, "")

    def remove_character(self, by: int) -> None:
        text, at = self.field.text, self.cursor
        start, end = (before(text, at), at) if by < 0 else (at, after(text, at))
        if self.field.is_typed and start < end:
            self._replace(start, end, "", "delete")

    def remove_word(self, _: int) -> None:
        start = word_before(self.field.text, self.cursor)
        if self.field.is_typed and start < self.cursor:
            self._replace(start, self.cursor, "", "")

    def step(self, by: int) -> None:
        move = after if by > 0 else before
        self._within(move(self.field.text, self.cursor))

    def word(self, by: int) -> None:
        move = word_after if by > 0 else word_before
        self._within(move(self.field.text, self.cursor))

    def edge(self, by: int) -> None:
        lines = self._lines_of(self.active)
        number = line_of(lines, self.cursor)
        start, end = lines[number]
        if by > 0 and number + 1 < len(lines) and lines[number + 1][0] == end > start:
            # the offset behind the last character is the start of the next line
            end = before(self.field.text, end)
        self._within(end if by > 0 else start)

    def step_field(self, by: int) -> None:
        target = self.active + by
        if 0 <= target < len(self.fields):
            self.go_to(target)

    def step_line(self, by: int) -> None:
        """A line up or down, from field to field, in the column where one set out."""
        lines = self._lines_of(self.active)
        number = line_of(lines, self.cursor)
        if self._goal is None:
            self._goal = column_of(self.field.text, lines[number], self.cursor)
        goal, field, number = self._goal, self.active, number + by
        if not 0 <= number < len(lines):
            field += by
            if not 0 <= field < len(self.fields):
                return
            lines = self._lines_of(field)
            number = 0 if by > 0 else len(lines) - 1
        text = self.fields[field].text
        at = offset_at(text, lines[number], goal) if self.fields[field].is_typed else 0
        if number + 1 < len(lines) and at == lines[number + 1][0] > lines[number][0]:
            at = before(text, at)
        self._move(Place(field, at))
        self._goal = goal

    def _within(self, at: int) -> None:
        if self.field.is_typed:
            self._move(Place(self.active, at))

    def _move(self, place: Place) -> None:
        self._goal = None
        old = self.active
        self._history.move(place)
        self._after_change()
        if old != self.active:
            self.moved()

    def on_click(self, event: events.Click) -> None:
        index = self._top + event.y
        if index >= len(self._lines):
            return
        shown = self._lines[index]
        field = self.fields[shown.field]
        column = event.x - self._indent
        at = offset_at(field.text, shown.line, max(column, 0)) if field.is_typed else 0
        self._move(Place(shown.field, at))

    # Life

    def on_resize(self) -> None:
        self._after_change(everything=True)

    def on_focus(self) -> None:
        self._after_change(everything=True)

    def on_blur(self) -> None:
        self._after_change(everything=True)

    def _after_edit(self) -> None:
        self._goal = None
        self._after_change()
        self.edited()

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
        one = self.fields[field]
        if one.is_typed:
            return lines_to_edit(one.text, self._room)
        return wrap(one.text, self._room)[:ROW_LINES]

    def _lay_out(self) -> None:
        lines: list[Shown] = []
        for number, field in enumerate(self.fields):
            if field.is_apart and number:
                lines.append(Shown(number, is_blank=True))
            for part, line in enumerate(self._lines_of(number)):
                lines.append(Shown(number, line, is_first=part == 0))
            if error := self.errors.get(field.key):
                for start, end in wrap(error, self._room - 2):
                    lines.append(Shown(number, message=error[start:end], is_first=start == 0))
        self._lines = lines

    def _cursor_line(self) -> int:
        found = 0
        for index, shown in enumerate(self._lines):
            if shown.field != self.active or shown.message or shown.is_blank:
                continue
            if shown.is_first or shown.line[0] <= self.cursor:
                found = index
        return found

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

    def _cursor_column(self, shown: Shown) -> int:
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

    def _pieces(self, index: int) -> list[Piece]:
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

    def _text_pieces(self, field: Field, shown: Shown, is_active: bool, index: int) -> list[Piece]:
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


_KEYS: dict[str, tuple[Callable[[Editor, int], None], int]] = {
    "tab": (Editor.step_field, 1),
    "shift+tab": (Editor.step_field, -1),
    "left": (Editor.step, -1),
    "right": (Editor.step, 1),
    "ctrl+left": (Editor.word, -1),
    "ctrl+right": (Editor.word, 1),
    "up": (Editor.step_line, -1),
    "down": (Editor.step_line, 1),
    "home": (Editor.edge, -1),
    "ctrl+a": (Editor.edge, -1),
    "end": (Editor.edge, 1),
    "ctrl+e": (Editor.edge, 1),
    "backspace": (Editor.remove_character, -1),
    "delete": (Editor.remove_character, 1),
    "ctrl+w": (Editor.remove_word, -1),
    "enter": (Editor.enter, 0),
}
ROW_LINES = 3
"""Lines shown of what is not edited here."""


def _with_text(field: Field, text: str) -> Field:
    return Field(
        field.key, field.label, text, field.is_typed, field.note, field.value, field.is_apart
    )


def _placed(fields: Sequence[Field], active: int, cursor: int | None) -> Place:
    if not fields:
        return Place(0, 0)
    active = min(max(active, 0), len(fields) - 1)
    field = fields[active]
    if not field.is_typed:
        return Place(active, 0)
    length = len(field.text)
    return Place(active, length if cursor is None else min(max(cursor, 0), length))


def _nothing() -> None:
    pass


def _refuse(key: str) -> bool:
    return False


def _ignore(field: Field, text: str) -> None:
    pass

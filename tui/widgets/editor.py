"""A widget to edit a form of any number of texts, with one cursor.

Made for input methods over SSH: what is composed or pasted arrives whole, printable keys are always
text, the terminal's own cursor stands where the next character goes, and only the lines that differ
are repainted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events

from tui.widgets.field_lines import Field, FieldLines, placed
from tui.widgets.text_edit import (
    History,
    Place,
    Step,
    after,
    before,
    column_of,
    line_of,
    offset_at,
    typed,
    word_after,
    word_before,
)


class Editor(FieldLines, can_focus=True):
    """`edited`, `opened` and `moved` are called while the key is handled, so type-ahead is safe."""

    takes_text = True
    """Keys are text while it has the focus; see `tui.shell.key_events.is_typing`."""
    DEFAULT_CSS = "Editor { height: 1fr; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.edited: Callable[[], None] = _nothing
        self.opened: Callable[[Field, str], None] = _ignore
        """With what was typed on the row, which may be empty."""
        self.moved: Callable[[], None] = _nothing
        self.commanded: Callable[[str], bool] = _refuse
        """With the name of any other key; whether it did something."""
        self._goal: int | None = None

    # State

    def show(self, fields: Sequence[Field], active: int = 0, cursor: int | None = None) -> None:
        """Shows other fields without history; the cursor goes to the end of the active text by
        default."""
        place = placed(fields, active, cursor)
        self._history = History(Step(tuple(fields), place))
        self.errors = {}
        self._after_change()

    def change(self, fields: Sequence[Field], active: int, cursor: int | None = None) -> None:
        """Changes the form itself, such as its fields, as a step that `undo` takes back."""
        self._history.push(Step(tuple(fields), placed(fields, active, cursor)))
        self._after_edit()

    def relabel(self, fields: Sequence[Field]) -> None:
        """Shows the same texts with other labels; this is not an edit."""
        self._history.now = self._history.now._replace(fields=tuple(fields))
        self._after_change()

    def go_to(self, active: int, cursor: int | None = None) -> None:
        """Put the cursor into a field."""
        self._move(placed(self.fields, active, cursor))

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
            again = events.Key(event.key, event.character)
            again.time = event.time  # it comes before what is typed after it
            self.app.post_message(again)
        elif event.is_printable and event.character is not None:
            event.stop()
            event.prevent_default()
            self._type(event.character)
        elif self._act(event.key) or self.commanded(event.key):
            event.stop()
            event.prevent_default()

    def _act(self, key: str) -> bool:
        """Applies a key that works in any text; returns False for any other key."""
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
        """A line up or down, from field to field, in the column where one set out. A row that is
        not typed has no lines to go through."""
        lines = self._lines_of(self.active)
        number = line_of(lines, self.cursor)
        if self._goal is None:
            self._goal = column_of(self.field.text, lines[number], self.cursor)
        goal, field, number = self._goal, self.active, number + by
        if not self.field.is_typed or not 0 <= number < len(lines):
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

    def _after_edit(self) -> None:
        self._goal = None
        self._after_change()
        self.edited()


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


def _with_text(field: Field, text: str) -> Field:
    return Field(
        field.key, field.label, text, field.is_typed, field.note, field.value, field.is_apart
    )


def _nothing() -> None:
    pass


def _refuse(key: str) -> bool:
    return False


def _ignore(field: Field, text: str) -> None:
    pass

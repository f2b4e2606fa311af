"""The form below the subject: checks, fields with their values, and one line of news."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip

from engine.labelling.forms import value_keys
from engine.text.wrapping import cell_width, truncate
from store.labels.forms import Field, Form
from tui.label.form.lines import (
    FormState,
    check_lines,
    checks,
    clicked_key,
    field_line,
    label_width,
    walked,
)
from tui.language import tr
from tui.shell.keys import widget_bindings
from tui.shell.terminal import key_name
from tui.shell.theme import SIGNS
from tui.widgets.line import LineWidget, Piece


class FormPanel(LineWidget, can_focus=True):
    """Draws a form; of a change only the lines that differ are painted again.

    It has the focus where a form has several fields: Up and Down go to a field, the page keys are
    passed on to the subject.
    """

    DEFAULT_CSS = "FormPanel { height: 3; background: $surface; padding: 0 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [*widget_bindings("form")]

    @dataclass
    class Moved(Message):
        """A key of movement was pressed that is not the form's: for the subject."""

        where: str

    def __init__(self, form: Form) -> None:
        super().__init__(id="form")
        self.form = form
        self._keys: dict[str, str] = {}
        self._checks = checks(form)
        self.fields: tuple[Field, ...] = walked(form)
        self._label = label_width(self.fields)
        self._shown = FormState(focus=self.fields[0].key if self.fields else "")
        self._message: Piece = ("", "")
        self._progress = ""
        self._undo = ""
        self._recent: tuple[str, ...] = ()
        self._lines: list[list[Piece]] = []
        self._laid_for = -1

    # What is shown

    def name_keys(self, keys: Mapping[str, str], undo: str) -> None:
        """The keys of the checks, by field, where they are not those of the form; and the key that
        undoes a label."""
        self._keys, self._undo = dict(keys), undo
        self._repaint_changes()

    @property
    def focus_field(self) -> Field | None:
        """The field that a value key is for."""
        return next((one for one in self.fields if one.key == self._shown.focus), None)

    @property
    def shown(self) -> FormState:
        return self._shown

    def show(self, shown: FormState) -> None:
        self._shown = shown
        self._repaint_changes()

    def say(self, text: str, role: str = "") -> None:
        """One line: a warning, what a key did. An empty text takes it away."""
        self._message = (text, role)
        self._repaint_changes()

    @property
    def message(self) -> str:
        return self._message[0]

    def show_recent(self, judgements: Sequence[str]) -> None:
        """What was said last, the latest first, at the left of the last line while it has no news;
        as many as there is room for beside the progress."""
        self._recent = tuple(judgements)
        self._repaint_changes()

    def show_progress(self, text: str) -> None:
        """How far one is, at the right of the last line."""
        self._progress = text
        self._repaint_changes()

    def move_to(self, field: str) -> None:
        if field != self._shown.focus:
            self.show(self._shown._replace(focus=field))

    def step(self, by: int) -> None:
        """To the next field that is asked, stopping at the ends."""
        asked = [one.key for one in self.fields if one.key not in self._shown.not_applicable]
        if self._shown.focus in asked:
            at = asked.index(self._shown.focus) + by
            self.move_to(asked[min(max(at, 0), len(asked) - 1)])

    def on_click(self, event: events.Click) -> None:
        """Presses the key of the value or of the check that stands there; a field's name takes the
        cursor to it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        first = len(self._lines) - 1 - len(self.fields)
        if offset.y < first:
            keys = [self._keys.get(one.key, one.shortcut) for one in self._checks]
            key = clicked_key(self._lines[offset.y], offset.x, keys)
        elif offset.y < first + len(self.fields):
            field = self.fields[offset.y - first]
            if field.key in self._shown.not_applicable:
                return
            self.move_to(field.key)
            key = clicked_key(self._lines[offset.y], offset.x, tuple(value_keys(field)))
        else:
            return
        if key:
            self.app.post_message(events.Key(key_name(key), key))

    def action_move(self, where: str) -> None:
        if where in ("down", "up"):
            self.step(1 if where == "down" else -1)
        else:
            self.post_message(self.Moved(where))

    # Drawing

    def on_resize(self, event: events.Resize) -> None:
        lines = self._lay(self.size.width)
        if self.styles.height is None or self.styles.height.value != len(lines):
            self.styles.height = len(lines)
        self._lines, self._laid_for = lines, self.size.width
        self.refresh()

    def _lay(self, width: int) -> list[list[Piece]]:
        lines = check_lines(self._checks, self._shown, self._keys, width - 2)
        lines = [[("  ", ""), *line] for line in lines]
        lines += [field_line(one, self._shown, self._label, width) for one in self.fields]
        return [*lines, self._last_line(width)]

    def _last_line(self, width: int) -> list[Piece]:
        # a message goes before the progress, which is seen again with the next key
        text, role = self._message
        right = self._progress
        if not text:
            text, role = self._recent_text(max(width - 4 - cell_width(right), 0)), "muted"
        text = truncate(text, max(width - 4, 0))
        if text and cell_width(text) + cell_width(right) + 4 > width:
            right = ""
        right = truncate(right, max(width - 4, 0))
        space = " " * max(width - 2 - cell_width(text) - cell_width(right), 0)
        return [("  ", ""), (text, role), (space, ""), (right, "muted")]

    def _recent_text(self, room: int) -> str:
        for count in range(len(self._recent), 0, -1):
            said = f" {SIGNS.separator} ".join(self._recent[:count])
            text = tr("last  {said}  {key} undoes", said=said, key=self._undo)
            if cell_width(text) <= room:
                return text
        return ""

    def _repaint_changes(self) -> None:
        if self.size.width != self._laid_for:
            return
        before, self._lines = self._lines, self._lay(self.size.width)
        for at, line in enumerate(self._lines):
            if before[at : at + 1] != [line]:
                self.repaint_lines(at)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if width != self._laid_for:
            self._lines, self._laid_for = self._lay(width), width
        return self.strip_of(self._lines[y] if y < len(self._lines) else [], width)

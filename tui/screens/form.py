"""Questions with fields: lists to choose from and lines to fill in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import ClassVar, NamedTuple, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input

from engine.text.wrapping import wrap
from tui.language import read, tr
from tui.screens.confirm import confirm
from tui.shell.theme import SIGNS
from tui.widgets.heading import FieldLine, SectionLine
from tui.widgets.line import TextLines
from tui.widgets.path_input import PathInput
from tui.widgets.pressed import PressLine
from tui.widgets.row_source import Cell, Column, ListSource, Row, widest
from tui.widgets.rows import Rows

Answer = TypeVar("Answer")

NOTE_LINES = 5
Values = dict[str, str]
"""What is chosen or written, by the key of the part."""


class FieldsScreen(ModalScreen[Answer]):
    """Up and Down go from field to field, past the ends of a list too; Esc leaves it; subclasses
    say what Enter does."""

    DEFAULT_CSS = """
    FieldsScreen { align: center middle; }
    FieldsScreen > Vertical {
        width: 92%; max-width: 104; height: auto; max-height: 96%; padding: 1 2;
        background: $panel;
    }
    FieldsScreen Input { width: 1fr; height: 1; border: none; padding: 0 1; background: $surface; }
    FieldsScreen Input:focus { border: none; background: $background; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "close", show=False)]

    def on_key(self, event: events.Key) -> None:
        # Space and the digits are text in a field, and a list moves its own cursor
        if event.key in ("down", "up") and isinstance(self.focused, Input | PressLine):
            event.stop()
            self.focus_next() if event.key == "down" else self.focus_previous()

    def on_rows_beyond(self, message: Rows.Beyond) -> None:
        """From a list on to the next field, or back to the one before."""
        message.stop()
        self.focus_next() if message.is_down else self.focus_previous()


class Pick(NamedTuple):
    """A list of which one line is chosen."""

    key: str
    label: str
    options: Sequence[tuple[str, str]]
    """Names, each with its description."""
    current: str = ""
    most_lines: int = 4
    many: bool = False
    """Whether Space ticks any number of lines; without a tick, the one under the cursor is meant.
    The value has a name a line."""
    taken: Collection[str] = ()
    """The lines that are ticked to begin with."""


class Line(NamedTuple):
    """A line to fill in."""

    key: str
    label: str
    value: str = ""
    hint: str = ""
    suggestions: Sequence[str] = ()
    is_path: bool = False
    follows: Callable[[Values], str] | None = None
    """What is proposed here for the other values; a person's own text is left alone."""


class Concern(NamedTuple):
    """A reason to ask once more before something is begun."""

    question: str
    consequence: str
    yes: str


def seed_trouble(values: Values) -> str:
    """Why the seed will not do; empty when it will."""
    is_right = values["seed"].lstrip("-").isdecimal()
    return "" if is_right else tr("The seed is a whole number, such as 0.")


def is_count(text: str) -> bool:
    """Whether a text is a whole number above 0."""
    return text.isdecimal() and int(text) > 0


def _accepts(values: Values) -> str:
    return ""


class Form(FieldsScreen[Values | None]):
    """Dismisses with its values from the last line, or with None on Esc.

    Enter goes from part to part; nothing is begun before the last line is pressed.
    """

    DEFAULT_CSS = """
    Form > Vertical { width: 94%; max-height: 98%; padding: 0 2; }
    Form.-tall > Vertical { padding: 1 2; }
    Form FieldLine > SectionLine { width: 20; }
    """

    def __init__(
        self,
        title: str,
        parts: Sequence[Pick | Line],
        start: str,
        *,
        note: str = "",
        trouble: Callable[[Values], str] = _accepts,
    ) -> None:
        """`trouble` says of some values why they will not do; empty when they will."""
        super().__init__()
        self._title = title
        self._check = trouble
        self.parts = {part.key: part for part in parts}
        self.lists = {part.key: _list(part) for part in parts if isinstance(part, Pick)}
        self.lines = {part.key: _input(part) for part in parts if isinstance(part, Line)}
        self.note = TextLines(NOTE_LINES)
        self._note = note
        self._ticked = {key: set(self._pick(key).taken) for key in self.lists}
        self._proposed = {part.key: part.value for part in parts if isinstance(part, Line)}
        self.start = PressLine(start, "Enter")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine(self._title, "Enter: next field   Esc: cancel")
            for part in self.parts.values():
                yield from self._compose_part(part)
            yield self.note
            yield self.start

    def _compose_part(self, part: Pick | Line) -> Iterator[Widget]:
        if isinstance(part, Pick):
            yield SectionLine(part.label, "Space: one of several" if part.many else "")
            yield self.lists[part.key]
            return
        with FieldLine():
            yield SectionLine(part.label)
            yield self.lines[part.key]

    def on_mount(self) -> None:
        for key, rows in self.lists.items():
            part = self._pick(key)
            rows.styles.height = min(len(part.options), part.most_lines)
            names = [name for name, _ in part.options]
            if part.current in names:
                self.call_after_refresh(rows.move_to, names.index(part.current))
        self.say(self._note)
        self._fields[0].focus()
        self.call_after_refresh(self.changed)

    @property
    def _fields(self) -> list[Widget]:
        return [self.lists.get(key) or self.lines[key] for key in self.parts]

    @property
    def values(self) -> Values:
        """What is chosen and written now."""
        values = {key: line.value.strip() for key, line in self.lines.items()}
        for key, rows in self.lists.items():
            values[key] = str(rows.current.key) if rows.current is not None else ""
            if ticked := self._ticked[key]:
                values[key] = "\n".join(
                    name for name, _ in self._pick(key).options if name in ticked
                )
        return values

    def _pick(self, key: str) -> Pick:
        part = self.parts[key]
        assert isinstance(part, Pick)
        return part

    def say(self, *sentences: str) -> None:
        """Show this above the last line."""
        width = max(self.note.size.width - 4, 60)
        lines = [
            text[start:end]
            for text in map(read, sentences)
            if text
            for start, end in wrap(text, width)
        ]
        self.note.show([[(line, "muted")] for line in lines[:NOTE_LINES]])

    def changed(self) -> None:
        """Something else is chosen or written."""
        self.start.say("")
        self._follow()

    def _follow(self) -> None:
        for key, line in self.lines.items():
            part = self.parts[key]
            if isinstance(part, Line) and part.follows and line.value == self._proposed[key]:
                self._proposed[key] = line.value = part.follows(self.values)

    def concerns(self, values: Values) -> Sequence[Concern]:
        """What is asked, one after the other, before these values are taken."""
        return ()

    # Moving

    def on_key(self, event: events.Key) -> None:
        key = next((key for key, rows in self.lists.items() if rows.has_focus), "")
        if event.key != "space" or not key or not self._pick(key).many:
            return
        event.stop()
        rows = self.lists[key]
        if rows.current is not None:
            self._ticked[key] ^= {str(rows.current.key)}
            rows.replace_source(_rows(self._pick(key), self._ticked[key]))
            self.changed()

    def _next(self, after: Widget) -> None:
        fields = [*self._fields, self.start]
        fields[fields.index(after) + 1].focus()

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        self.changed()

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self._next(message.rows)

    def on_input_changed(self, message: Input.Changed) -> None:
        self.changed()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self._next(message.input)

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        self.press()

    def press(self) -> None:
        """Takes the values, unless something is wrong with them."""
        values = self.values
        trouble = self._check(values)
        self.start.say(trouble)
        if not trouble:
            self._settle(values, list(self.concerns(values)))

    def _settle(self, values: Values, concerns: list[Concern]) -> None:
        if not concerns:
            self.dismiss(values)
            return
        confirm(self, *concerns[0], lambda: self._settle(values, concerns[1:]))


def _list(part: Pick) -> Rows:
    width = min(widest([name for name, _ in part.options]), 30)
    columns = (Column("", width), Column(minimum=16, drop=1))
    return Rows(_rows(part, part.taken), (Column("", 1), *columns) if part.many else columns)


def _rows(part: Pick, ticked: Collection[str]) -> ListSource:
    rows = []
    for name, about in part.options:
        tick = (Cell(SIGNS.good if name in ticked else "", "good"),) if part.many else ()
        rows.append(Row(name, (*tick, Cell(name, "strong"), Cell(read(about), "muted"))))
    return ListSource(rows)


def _input(part: Line) -> Input:
    if part.is_path:
        return PathInput(part.value, placeholder=tr(part.hint), compact=True)
    suggester = SuggestFromList(part.suggestions) if part.suggestions else None
    return Input(part.value, placeholder=tr(part.hint), suggester=suggester, compact=True)

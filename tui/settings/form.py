"""The form of one table of `ragdesk.toml`: a system, a judge or a provider."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Input

from engine.models.keys import looks_like_key
from engine.settings.fields import Field, Variant, text_of, with_examples, with_text
from engine.settings.file import Snapshot, Table, put_table, snapshot
from engine.text.wrapping import wrap
from store.errors import Conflict, RagdeskError
from tui.language import read, tr
from tui.screens.choose import Choose, named_rows
from tui.screens.form import FieldsScreen
from tui.screens.host import host_of
from tui.settings.kinds import Kind, Tested
from tui.widgets.heading import FieldLine, SectionLine
from tui.widgets.line import TextLines
from tui.widgets.pressed import PressLine
from tui.widgets.row_source import Cell, Column, Row, widest

ABOUT_LINES = 2
TROUBLE_LINES = 3
OTHER_LINES = 12
"""Lines of the form around its fields, on a tall screen."""
NAME = "name"
NOTHING = "/"
"""The key of the choice that empties a field."""


class TableForm(FieldsScreen[str | None]):
    """Dismisses with the name of the table once it is written, else with None.

    A field is checked when it is left, by what reads the file; Enter offers what a field can hold,
    unless something has just been typed there.
    """

    DEFAULT_CSS = """
    TableForm > Vertical { height: 98%; padding: 0 2; }
    TableForm.-tall > Vertical { padding: 1 2; }
    TableForm VerticalScroll { height: 1fr; scrollbar-size: 0 0; }
    TableForm.-tall VerticalScroll { margin: 1 0; }
    TableForm FieldLine > SectionLine { width: 24; }
    TableForm FieldLine > .about { width: 2fr; display: none; }
    TableForm.-wide > Vertical { max-width: 130; }
    TableForm.-wide FieldLine > .about { display: block; }
    """

    def __init__(
        self,
        kind: Kind,
        variant: Variant,
        seen: Snapshot,
        name: str = "",
        table: Table | None = None,
    ) -> None:
        """Edits the table called `name`; without a name it makes a new one, which begins as
        `table`. Raises InputError for a broken file."""
        super().__init__()
        self._kind = kind
        self._variant = variant
        self._seen = seen
        self._is_new = not name
        self._table: Table = {**(table or {}), **variant.fixed}
        self._described = kind.fields(seen.folder, variant)
        self.fields = {NAME: Input(name, placeholder=tr("how it is called"), compact=True)}
        self.fields[NAME].disabled = not self._is_new
        for field in self._described:
            shown = text_of(field, self._table)
            self.fields[field.key] = Input(shown, placeholder=_placeholder(field), compact=True)
        self._shown = {key: line.value for key, line in self.fields.items()}
        """The texts of fields as they were when they were chosen, entered or filled in."""
        self._said = ""
        self.about = TextLines(ABOUT_LINES)
        self.trouble = TextLines(TROUBLE_LINES)
        self.test = PressLine(tr("Try it"), tr("Enter: one small call; nothing is written"))
        self.save = PressLine(tr("Save"), tr("Enter: write it into ragdesk.toml"))

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.styles.max_height = len(self.fields) + OTHER_LINES
            title = (
                tr("New {noun}", noun=self._kind.noun)
                if self._is_new
                else f"{self._kind.noun} {self.called}"
            )
            yield SectionLine(
                tr(
                    "{title}: {about}",
                    title=title.capitalize() if self._is_new else title,
                    about=tr(self._variant.about),
                ),
                tr("Esc: cancel"),
            )
            with VerticalScroll(can_focus=False):
                with FieldLine():
                    yield SectionLine(NAME)
                    yield self.fields[NAME]
                for field in self._described:
                    with FieldLine():
                        yield SectionLine(field.key, is_name=True)
                        yield self.fields[field.key]
                        yield SectionLine("", field.about).add_class("about")
            yield self.about
            yield self.trouble
            if self._kind.can_test(self._variant):
                yield self.test
            yield self.save

    def on_mount(self) -> None:
        next(line for line in self.fields.values() if not line.disabled).focus()

    @property
    def called(self) -> str:
        return self.fields[NAME].value.strip()

    def _field_of(self, widget: object) -> Field | None:
        return next((one for one in self._described if self.fields[one.key] is widget), None)

    # Moving

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        field = self._field_of(event.widget)
        texts = [
            tr(
                "name: what lists, commands and other tables call this {noun}.",
                noun=self._kind.noun,
            )
        ]
        if not isinstance(event.widget, Input):
            texts = []
        elif field is not None:
            self._shown[field.key] = self.fields[field.key].value
            keys = tr("Enter: choose") if field.choices else tr("Enter: next")
            if field.takes_several:
                keys += (
                    tr("; several apart by >")
                    if field.written == "stages"
                    else tr("; several words")
                )
            about = tr("{key}: {about}.", key=field.key, about=tr(field.about))
            texts = [about, f"{_default_text(field)}{keys}"]
        self.about.show([[(text, "muted")] for text in texts])

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        if isinstance(event.widget, Input) and self.is_attached:
            self._say(self._wrong(self._field_of(event.widget)))

    def on_input_submitted(self, message: Input.Submitted) -> None:
        field = self._field_of(message.input)
        if field is not None and field.choices and message.value == self._shown[field.key]:
            self._choose(field, message.input)
        else:
            self.focus_next()

    def _choose(self, field: Field, line: Input) -> None:
        rows = named_rows((name, tr(about)) for name, about in field.choices)
        rows.append(Row(NOTHING, (Cell(tr("nothing"), "strong"), Cell(field.default, "muted"))))
        width = min(widest([name for name, _ in field.choices]), 34)
        columns = (Column("", width), Column(minimum=24, drop=1))

        def chosen(value: str | None) -> None:
            if value is None:
                return
            value = "" if value == NOTHING else value
            apart = " > " if field.written == "stages" else " "
            is_more = field.takes_several and value and line.value.strip()
            line.value = f"{line.value.strip()}{apart}{value}" if is_more else value
            self._shown[field.key] = line.value
            line.cursor_position = len(line.value)
            if not field.takes_several:
                self.focus_next()

        self.app.push_screen(
            Choose(
                tr("{key}: {about}", key=field.key, about=tr(field.about)),
                columns,
                rows,
                line.value or field.default,
            ),
            chosen,
        )

    # Checking

    def _written(self, without: Field | None = None) -> Table:
        """The table as the form has it; fields whose text is as before keep their value. Raises
        InputError for a text that cannot be read."""
        table = self._table
        for field in self._described:
            text = "" if field is without else self.fields[field.key].value
            if text != text_of(field, self._table):
                table = with_text(table, field, text)
        return table

    def _trouble(self, make: Callable[[], Table]) -> str:
        """Why the table that `make` gives would not be read; empty when it would."""
        try:
            self._kind.check(self._seen.folder, self.called or "new", make())
        except RagdeskError as error:
            return self._short(error)
        return ""

    def _wrong(self, left: Field | None) -> str:
        """What is wrong with the field that is left: what is not wrong without it. What was wrong
        with an earlier one is said until it is right."""
        if left is None:
            return self._name_trouble()
        trouble = self._trouble(lambda: with_examples(self._written(), self._described))
        without = self._trouble(lambda: with_examples(self._written(left), self._described))
        return trouble if trouble in (self._said, "") or trouble != without else ""

    def _name_trouble(self) -> str:
        taken = self._seen.tables(self._kind.key)
        if self._is_new and self.called in taken:
            return tr(
                "There is a {noun} {called!r} already. Choose another name.",
                noun=self._kind.noun,
                called=self.called,
            )
        return ""

    def _short(self, error: RagdeskError) -> str:
        """The error without the place that the form names already."""
        place = f"{self._seen.file}: {self._kind.key}.{self.called or 'new'}"
        text = str(error)
        return text.removeprefix(place).lstrip(".: ") if text.startswith(place) else text

    def _say(self, said: str, role: str = "bad") -> None:
        self._said = said
        text = read(said)
        lines = wrap(text, max(self.trouble.size.width - 4, 40))[:TROUBLE_LINES]
        self.trouble.show([[(text[start:end], role)] for start, end in lines])

    # Saving and trying

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        trouble = "" if self.called else tr("Give it a name.")
        trouble = trouble or self._name_trouble() or self._trouble(self._written)
        if trouble:
            self._refuse(trouble)
        elif message.line is self.test:
            self._try()
        else:
            self._write()

    def _refuse(self, text: str) -> None:
        """Says the reason, and clears a key that was typed: keys belong in the environment."""
        for line in self.fields.values():
            if looks_like_key(line.value):
                line.value = ""
        self._say(text)

    def _write(self) -> None:
        try:
            put_table(self._seen, self._kind.key, self.called, self._written())
        except Conflict:
            self._look_again()
        except RagdeskError as error:
            self._refuse(self._short(error))
        else:
            self.dismiss(self.called)

    def _look_again(self) -> None:
        """Says that somebody else has changed the file; goes on from what it holds now, where this
        table is as it was."""
        key, before = self._kind.key, self._seen.tables(self._kind.key).get(self.called)
        now = snapshot(self._seen.folder)
        try:
            is_same = now.tables(key).get(self.called) == before
        except RagdeskError as error:
            self._say(self._short(error))
            return
        said = tr(
            "Nothing was written: {name} has been changed since this was opened", name=now.file.name
        )
        if is_same:
            self._seen = now
            self._say(
                tr(
                    "{said}, elsewhere. Save again to change this {noun} in it.",
                    said=said,
                    noun=self._kind.noun,
                )
            )
        else:
            self._say(
                tr(
                    "{said}, {key}.{called} in it. Esc, and open that again.",
                    said=said,
                    key=key,
                    called=self.called,
                )
            )

    def _try(self) -> None:
        test = self._kind.test
        assert test is not None
        name, table = self.called, self._written()
        self._say(tr("Asking."), "muted")
        host_of(self).in_thread(
            "asking", lambda workspace: test(workspace.folder, name, table), self._told
        )

    def _told(self, result: Tested) -> None:
        if self.is_attached:
            self._say(" ".join(result.sentences), "good" if result.ok else "bad")


def _placeholder(field: Field) -> str:
    return field.default or (tr("needed") if field.is_needed else "")


def _default_text(field: Field) -> str:
    return tr("Default: {default}.  ", default=field.default) if field.default else ""

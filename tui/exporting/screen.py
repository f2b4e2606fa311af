"""The Export screen: the choices for an export and a preview of what it would write."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input

from engine.exporters.queries import PreviewQuery, WriteQuery
from store.datasets import splits
from store.formats import manifest
from store.formats.manifest import Preview, Verified
from tui.exporting.answers import answers, choice_columns, first_dataset
from tui.exporting.choices import FORMS, MANY, TYPED, YES_NO, Choices, choice_rows
from tui.exporting.keys import ACTIONS
from tui.exporting.messages import preview_lines, written_lines
from tui.language import tr
from tui.live.facts import Facts
from tui.screens.choose import Choose, ChooseMany
from tui.screens.confirm import confirm
from tui.screens.form import Form, Line, Values
from tui.screens.place import PlaceScreen
from tui.screens.write_file import EXPORTS
from tui.widgets.heading import SectionLine
from tui.widgets.path_input import PathInput
from tui.widgets.pressed import PressLine
from tui.widgets.row_source import Column, ListSource
from tui.widgets.rows import Rows
from tui.widgets.sheet import Sheet, paragraphs

_NOTHING = tr(
    "There is nothing to export yet. Items come from Build (F3) or an import, "
    "labels of answers from F7; F1 proposes the first step."
)


class ExportsScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "export"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_field", "next", show=False),
    ]
    DEFAULT_CSS = """
    ExportsScreen #exporting { height: 1fr; layout: vertical; }
    ExportsScreen #choices { height: auto; }
    ExportsScreen #choices Horizontal { height: 1; }
    ExportsScreen #choices SectionLine { width: 10; }
    ExportsScreen Input {
        width: 1fr; height: 1; border: none; padding: 0 1; margin-right: 1; background: $surface;
    }
    ExportsScreen Input:focus { border: none; background: $panel; text-style: bold; }
    ExportsScreen #preview { height: 1fr; margin-top: 1; }
    ExportsScreen.-tall #exporting { padding-top: 1; }
    ExportsScreen.-wide #exporting { layout: horizontal; }
    ExportsScreen.-wide #choices { width: 3fr; height: 1fr; }
    ExportsScreen.-wide #preview { width: 2fr; margin-left: 2; margin-top: 0; }
    ExportsScreen.-nothing #choices { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.chosen = Choices()
        self.list = Rows(
            ListSource(), (Column("", 11), Column(minimum=20), Column(minimum=20, drop=1))
        )
        self.path = PathInput(compact=True)
        self.path.cursor_blink = False
        self.write = PressLine(tr("Write it"), tr("Enter; asks before it replaces an export"))
        self.preview = Sheet(title=tr("what it will hold"), id="preview")
        self.previewed: Preview | None = None
        self.written: Verified | None = None
        self._proposed = ""
        """The folder that was proposed last; a person's own is left alone."""
        self._is_writing = False
        self._signature: object = None

    def compose_body(self) -> Iterator[Widget]:
        with Container(id="exporting"):
            with Vertical(id="choices"):
                yield self.list
                with Horizontal():
                    yield SectionLine("folder")
                    yield self.path
                yield self.write
            yield self.preview

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()

    def context(self) -> tuple[str, ...]:
        chosen = self.chosen
        if chosen.kind == "run":
            return (chosen.kind, ", ".join(chosen.runs) or tr("all runs"))
        of = chosen.dataset if chosen.is_of_items else chosen.sample
        return (chosen.kind, of or tr("all labels"))

    def command(self) -> Sequence[str]:
        return self.chosen.command(str(self.target))

    # What is shown

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        labelled = [kind for kind, form in FORMS.items() if facts.labels(form) is not None]
        nothing = not facts.datasets and not labelled
        self.set_class(nothing, "-nothing")
        if nothing:
            self.preview.show(paragraphs(_NOTHING), title=tr("Export"))
            self._signature = None
            return
        of_runs = tuple((work.key, work.status) for work in facts.work if work.run is not None)
        signature = (facts.labelled, facts.datasets, of_runs)
        if self._signature is None:
            kind = next(iter(labelled), "items")
            self._decide(Choices(kind=kind, dataset=first_dataset(facts)))
        elif signature != self._signature and self.written is None:
            # what was written stays to be read; counts follow as long as nothing has been
            self._look()
        self._signature = signature

    def _decide(self, chosen: Choices) -> None:
        self.chosen = chosen
        rows = choice_rows(chosen)
        self.list.replace_source(ListSource(rows))
        self.list.styles.height = len(rows)
        proposed = str(self.host.folder.resolve() / EXPORTS / chosen.folder_name)
        if self.path.value in ("", self._proposed):
            self.path.value = proposed
            self.path.cursor_position = len(proposed)
        self._proposed = proposed
        self._look()
        self.show_where()

    def _look(self) -> None:
        """Counts what would be written, without writing."""
        chosen = self.chosen
        self.previewed = self.written = None
        self._say()
        if chosen.is_of_items and not chosen.dataset:
            return
        self.host.ask(
            tr("counting what would be written"),
            PreviewQuery(chosen.export),
            lambda preview: self._show_preview(preview, chosen),
            group="preview",
        )

    def _show_preview(self, preview: Preview, asked: Choices) -> None:
        if asked != self.chosen or self.written is not None:
            return
        self.previewed = preview
        self.preview.show(preview_lines(preview), title=tr("what it will hold"))
        self._say()

    def _say(self) -> None:
        self.write.say(self._trouble())

    def _trouble(self) -> str:
        """Returns the reason why nothing can be written; empty when it can."""
        if self._is_writing:
            return tr("It is being written.")
        if not self.path.value.strip():
            return tr("Name a folder.")
        if self.target.is_file():
            return tr("{name} is a file; name a folder.", name=self.target.name)
        if self.chosen.is_of_items and not self.chosen.dataset:
            return tr("There is no dataset; only judge data can be exported.")
        if self.previewed is not None and self.previewed.problem:
            return self.previewed.problem
        return ""

    @property
    def target(self) -> Path:
        return Path(self.path.value.strip()).expanduser()

    # Deciding

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        name = str(message.row.key)
        if name in YES_NO:
            self._decide(self._with(name, not getattr(self.chosen, name)))
        elif name in MANY:
            self._choose_many(name)
        elif name in TYPED:
            self._type(name)
        else:
            self._choose(name)

    def _with(self, name: str, value: Any) -> Choices:
        return self.chosen._replace(**{name: value})

    def _choose(self, name: str) -> None:
        rows = answers(self.host, self.chosen, name)
        if not rows:
            self.host.advise("No {name} is available.", name=name)
            return

        def chosen(key: str) -> None:
            changes: dict[str, Any] = {name: key}
            if name == "kind":
                changes |= {"sample": "", "shapes": ()}
            if name == "dataset":
                changes |= {"topics": (), "tasks": (), "side": ""}
            self._decide(self.chosen._replace(**changes))

        columns = choice_columns(rows)
        self.host.question(Choose(name, columns, rows, str(getattr(self.chosen, name))), chosen)

    def _type(self, name: str) -> None:
        title, hint = TYPED[name]
        held = (self.host.read(splits.listing) or []) if name == "split" else []
        line = Line(name, title, getattr(self.chosen, name), hint, [one.name for one in held])

        def trouble(values: Values) -> str:
            try:
                shlex.split(values[name])
            except ValueError:
                return tr("Close what is quoted.")
            return ""

        self.host.question(
            Form(title, [line], tr("Take it"), trouble=trouble),
            lambda values: self._decide(self._with(name, values[name].strip())),
        )

    def _choose_many(self, name: str) -> None:
        rows = answers(self.host, self.chosen, name)
        if not rows:
            self.host.advise("No {name} are available.", name=name)
            return
        taken: Sequence[str] = getattr(self.chosen, name)
        if name == "shapes":
            taken = taken or self.chosen.usual_shapes

        def done(keys: tuple[str, ...]) -> None:
            is_usual = name == "shapes" and keys == self.chosen.usual_shapes
            is_all = len(keys) == len(rows) and name not in ("shapes", "states")
            wanted = () if is_usual or is_all else keys
            if wanted != getattr(self.chosen, name):
                self._decide(self._with(name, wanted))

        columns = choice_columns(rows)
        self.host.question(ChooseMany(name, columns, rows, taken), done)

    # Fields

    def on_input_changed(self, message: Input.Changed) -> None:
        self._say()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self.write.focus()

    def action_next_field(self) -> None:
        order: list[Widget] = [self.list, self.path, self.write, self.preview]
        focused = next((at for at, one in enumerate(order) if one.has_focus), -1)
        order[(focused + 1) % len(order)].focus()

    def on_key(self, event: events.Key) -> None:
        """Up and Down go from field to field; a list moves its own cursor."""
        if event.key in ("down", "up") and self.focused in (self.path, self.write):
            event.stop()
            self._go(1 if event.key == "down" else -1)

    def on_rows_beyond(self, message: Rows.Beyond) -> None:
        if message.is_down:
            self._go(1)

    def _go(self, by: int) -> None:
        """To the next field, stopping at the ends."""
        order: list[Widget] = [self.list, self.path, self.write]
        at = next(at for at, one in enumerate(order) if one.has_focus) + by
        order[min(max(at, 0), len(order) - 1)].focus()

    def step_back(self) -> bool:
        if self.list.has_focus:
            return False
        self.list.focus()
        return True

    # Writing

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        out = self.target
        if not out.is_dir() or not any(out.iterdir()):
            self._write(out, force=False)
        elif not (out / manifest.NAME).is_file():
            self.host.show_problem(
                "{out} holds files that ragdesk did not export. Name another folder.", out=out
            )
        else:
            confirm(
                self,
                tr("Replace the export {name}?", name=out.name),
                tr("The files in it will be lost."),
                tr("replace it"),
                lambda: self._write(out, force=True),
            )

    def _write(self, out: Path, *, force: bool) -> None:
        query = WriteQuery(self.chosen.export, str(out), force)
        self._is_writing = True
        self._say()

        def write(_: object) -> Verified | None:
            try:
                return self.host.calculator.ask(query)
            finally:
                self._is_writing = False

        self.host.in_thread(
            tr("writing {name}", name=out.name),
            write,
            lambda written: self._show_written(written, out),
        )

    def _show_written(self, written: Verified | None, out: Path) -> None:
        if written is not None:
            self.written = written
            title = (
                tr("written and checked") if not written.problems else tr("written, but damaged")
            )
            self.preview.show(written_lines(written, out), title=title)
            self.preview.focus()
        self._say()

    def show_where(self) -> None:
        super().show_where()
        if self.is_mounted:
            self._say()

    def action_recompute(self) -> None:
        self._look()

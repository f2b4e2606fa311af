"""The question that draws a sample, with a preview of what it would draw."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.suggester import SuggestFromList
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from engine.labelling.drawing import Drawn, Plan, SampleRequest, draw_sample
from engine.labelling.forms import load_form, shipped_forms
from engine.labelling.queries import DrawQuery
from engine.text.wrapping import wrap
from store.datasets import datasets
from store.errors import RagdeskError
from store.labels.forms import Form
from store.records import ItemState
from tui.screens.choose import ChooseMany
from tui.screens.form import FieldsScreen
from tui.screens.host import Host
from tui.screens.labels import cell_names
from tui.statistics.sample_messages import drawn_text, plan_texts
from tui.statistics.sample_request import NUMBERS, TEXTS, read_request, usual_states
from tui.widgets.heading import FieldLine, SectionLine
from tui.widgets.line import Piece, TextLines
from tui.widgets.pressed import PressLine
from tui.widgets.row_source import Cell, Column, Row

PLAN_LINES = 6
PAUSE = 0.3
"""Seconds without a key after which the plan is made anew."""


class NewSample(FieldsScreen[SampleRequest | None]):
    """Enter goes from field to field and draws from the last; what would come stands below."""

    DEFAULT_CSS = """
    NewSample > Vertical { max-width: 110; max-height: 100%; }
    NewSample SectionLine { width: 15; }
    NewSample .title { width: 1fr; margin-bottom: 1; }
    NewSample #sample-numbers {
        layout: grid; grid-size: 2; grid-gutter: 0 2; height: 3; margin-bottom: 1;
    }
    """

    def __init__(self, form: str, datasets: Sequence[str], runs: Sequence[str], host: Host) -> None:
        super().__init__()
        self._host, self._datasets, self._runs = host, datasets, runs
        self.fields = {field: Input(placeholder=hint, compact=True) for field, _, hint in TEXTS} | {
            field: Input(usual, compact=True) for field, _, usual in NUMBERS
        }
        self.fields["form"].value = form
        self.fields["form"].suggester = SuggestFromList(list(shipped_forms()))
        self.states = PressLine("", "Enter: choose")
        self._counts: dict[str, int] = {}
        """Items of the dataset by state."""
        self._states: tuple[str, ...] = ()
        self._has_chosen_states = False
        self.plan_lines = TextLines(PLAN_LINES)
        self.draw = PressLine("Draw", "Enter")
        self.plan: Plan | None = None
        self._rest: Timer | None = None
        self._asked: SampleRequest | None = None

    def compose(self) -> ComposeResult:
        with Vertical():
            line = SectionLine("New sample", "Enter: next field   Esc: cancel")
            line.add_class("title")
            yield line
            for field, label, _ in TEXTS:
                yield from self._line(field, label)
                if field == "of":
                    with FieldLine(id="line-states"):
                        yield SectionLine("States")
                        yield self.states
            with Container(id="sample-numbers"):
                for field, label, _ in NUMBERS:
                    yield from self._line(field, label)
            yield self.plan_lines
            yield self.draw

    def _line(self, field: str, label: str) -> Iterator[Widget]:
        with FieldLine(id=f"line-{field}"):
            yield SectionLine(label)
            yield self.fields[field]

    def on_mount(self) -> None:
        self._suit_form()
        self._suit_states()
        self.fields["name"].focus()

    # Fields

    def on_input_changed(self, message: Input.Changed) -> None:
        if message.input is self.fields["form"]:
            self._suit_form()
        elif message.input is self.fields["of"]:
            self._suit_states()
        self._changed()

    def _changed(self) -> None:
        self._asked = self.plan = None
        self.draw.say("")
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(PAUSE, self._make_plan)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self.focus_next()

    def _suit_form(self) -> None:
        """Shows the fields that suit the form: items have states, answers have scores."""
        form = self._form()
        if form is None:
            return
        is_items, is_answers = form.subject_kind == "revision", form.subject_kind == "prediction"
        self.query_one("#line-states").display = is_items
        self.query_one("#line-metric").display = is_answers
        self.query_one("#line-aids").display = not is_items
        source = self.fields["of"]
        known = self._datasets if is_items else self._runs
        source.suggester = SuggestFromList(list(known))
        source.placeholder = {
            "revision": "a dataset",
            "prediction": "runs, with commas between",
            "pair": "two runs, with a comma between",
        }[form.subject_kind]
        if source.value in ("", *self._datasets, *self._runs, ", ".join(self._runs[:2])):
            few = known[:2] if form.subject_kind == "pair" else known[:1]
            source.value = ", ".join(few)

    def _suit_states(self) -> None:
        """Reads in which states the dataset has items; those are drawn that wait for people,
        unless others were chosen."""
        name = self._text("of")
        if name in self._datasets:
            counts = self._host.read(lambda db: datasets.state_counts(db, datasets.get(db, name)))
            self._counts = counts or {}
        if not self._has_chosen_states:
            self._take_states(usual_states(self._counts))

    def _take_states(self, states: Sequence[str]) -> None:
        self._states = tuple(states)
        self.states.show(", ".join(f"{self._counts.get(one, 0):,} {one}" for one in states))

    def _choose_states(self) -> None:
        def chosen(states: tuple[str, ...] | None) -> None:
            if states is not None:
                self._has_chosen_states = True
                self._take_states(states or tuple(self._counts))
                self._changed()

        rows = [
            Row(state.value, (Cell(state.value, "strong"), f"{self._counts.get(state, 0):,}"))
            for state in ItemState
        ]
        columns = (Column("", 18), Column("items", 8, "right"))
        self.app.push_screen(ChooseMany("States of the items", columns, rows, self._states), chosen)

    def _form(self) -> Form | None:
        try:
            return load_form(self._text("form"))
        except RagdeskError:
            return None

    def _text(self, field: str) -> str:
        return self.fields[field].value.strip()

    def request(self) -> SampleRequest:
        """Returns the draw that the fields describe; RagdeskError if they cannot be read."""
        return read_request({field: self._text(field) for field in self.fields}, self._states)

    # What would come

    def _make_plan(self) -> None:
        if not self._text("name"):
            self._tell([("Name it to see what would be drawn.", "muted")])
            return
        try:
            request = self.request()
        except RagdeskError as error:
            self._refuse(str(error))
            return
        self._asked = request
        host = self._host

        def plan(workspace: object) -> Plan | RagdeskError:
            try:
                return host.calculator.ask(DrawQuery(request))
            except RagdeskError as error:
                return error

        host.in_thread(
            "planning the sample",
            plan,
            lambda result: self._show(request, result),
            group="plan",
            exclusive=True,
        )

    def _show(self, asked: SampleRequest, plan: Plan | RagdeskError) -> None:
        if asked != self._asked or not self.is_attached:
            return
        if isinstance(plan, RagdeskError):
            self._refuse(str(plan))
            return
        self.plan = plan
        self.draw.say("" if plan.added else "There is nothing more to draw.")
        names = cell_names(self._host.facts, os.environ)
        self._tell(plan_texts(plan, asked.per_cell, names))

    def _refuse(self, text: str) -> None:
        self.draw.say("see what is missing above")
        self._tell([(text, "bad")])

    def _tell(self, texts: Sequence[Piece]) -> None:
        width = max(self.plan_lines.size.width - 4, 40)
        lines: list[list[Piece]] = [
            [(text[start:end], role)] for text, role in texts for start, end in wrap(text, width)
        ]
        if len(lines) > PLAN_LINES:
            lines = [
                *lines[: PLAN_LINES - 1],
                [(f"and {len(lines) - PLAN_LINES + 1} more", "muted")],
            ]
        self.plan_lines.show(lines)

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        if message.line is self.states:
            self._choose_states()
            return
        if not self._text("name"):
            self._refuse("A sample needs a name.")
            return
        try:
            self.dismiss(self.request())
        except RagdeskError as error:
            self._refuse(str(error))


def open_new_sample(host: Host, form: str, done: Callable[[], None]) -> None:
    """Asks, draws in a thread and reports the result; then calls `done`."""
    names = [fact.dataset.name for fact in host.facts.datasets]
    runs = [fact.run.name for fact in host.facts.work if fact.run is not None]

    def decided(request: SampleRequest | None) -> None:
        if request is None:
            return

        def drawn(result: Drawn) -> None:
            host.show_problem(drawn_text(result), is_trouble=False)
            done()

        host.in_thread(
            f"drawing {request.name}",
            lambda workspace: draw_sample(workspace, request),
            drawn,
            group="sample",
        )

    host.push_screen(NewSample(form, names, runs, host), decided)

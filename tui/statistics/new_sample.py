"""The question that draws a sample, with a preview of what it would draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.suggester import SuggestFromList
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from engine.calibration.label_requests import NextRequest
from engine.calibration.queries import DrawNext, NextAnswer, NextQuery
from engine.labelling.drawing.drawing import Plan, SampleRequest, draw_sample
from engine.labelling.forms import usable_forms
from engine.labelling.queries import DrawQuery
from engine.text.wrapping import wrap
from store.datasets import datasets
from store.errors import RagdeskError
from store.labels.forms import Form
from store.records import ItemState
from tui.calculator.protocol import Query
from tui.language import tr
from tui.screens.choose import ChooseMany
from tui.screens.form import FieldsScreen
from tui.screens.host import Host
from tui.screens.labels import cell_names
from tui.statistics.sample_messages import drawn_text, next_drawn_text, next_texts, plan_texts
from tui.statistics.sample_request import (
    CELLS,
    CHOICES,
    NUMBERS,
    TEXTS,
    read_asked,
    read_next,
    read_request,
    shown,
    usual_states,
)
from tui.widgets.heading import FieldLine, SectionLine
from tui.widgets.line import Piece, TextLines
from tui.widgets.pressed import PressLine
from tui.widgets.row_source import Cell, Column, Row

PLAN_LINES = 6
PAUSE = 0.3
"""Seconds without a key after which the plan is made anew."""


class NewSample(FieldsScreen[SampleRequest | NextRequest | None]):
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
        self._forms = host.read(usable_forms) or {}
        self.fields["form"].suggester = SuggestFromList(self._forms)
        self.fields["choose"].suggester = SuggestFromList([CELLS, *CHOICES])
        self.states = PressLine("", tr("Enter: choose"))
        self._counts: dict[str, int] = {}
        """Items of the dataset by state."""
        self._states: tuple[str, ...] = ()
        self._has_chosen_states = False
        self._proposed = ""
        """What was put into the field of sources; a person's own text is left alone."""
        self.plan_lines = TextLines(PLAN_LINES)
        self.draw = PressLine(tr("Draw"), tr("Enter"))
        self.plan: Plan | NextAnswer | None = None
        self._rest: Timer | None = None
        self._asked: Query[Plan | NextAnswer] | None = None

    def compose(self) -> ComposeResult:
        with Vertical():
            line = SectionLine(tr("New sample"), tr("Enter: next field   Esc: cancel"))
            line.add_class("title")
            yield line
            for field, label, _ in TEXTS:
                yield from self._line(field, label)
                if field == "of":
                    with FieldLine(id="line-states"):
                        yield SectionLine(tr("States"))
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
        if message.input in (self.fields["form"], self.fields["choose"]):
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
        """Shows the fields that suit the form, and what is to be learned."""
        form = self._form()
        if form is None:
            return
        is_items, choose = form.subject_kind == "revision", self._text("choose")
        matter = shown(form, choose)
        for field in ("states", *self.fields):
            self.query_one(f"#line-{field}").display = field in matter
        if "number" in matter and not self._text("metric"):
            self.fields["metric"].value = "accuracy rules"
        takes_two = form.subject_kind == "pair" or ("choose" in matter and choose == "comparison")
        source = self.fields["of"]
        known = self._datasets if is_items else self._runs
        source.suggester = SuggestFromList(list(known))
        source.placeholder = {
            "revision": "a dataset",
            "prediction": tr("two runs, with a comma between")
            if takes_two
            else tr("runs, with commas between"),
            "pair": tr("two runs, with a comma between"),
        }[form.subject_kind]
        if source.value in ("", self._proposed):
            self._proposed = source.value = ", ".join(known[:2] if takes_two else known[:1])

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
            if self._counts.get(state)
        ]
        columns = (Column("", 18), Column("items", 8, "right"))
        self.app.push_screen(
            ChooseMany(tr("States of the items"), columns, rows, self._states), chosen
        )

    def _form(self) -> Form | None:
        return self._forms.get(self._text("form"))

    def _text(self, field: str) -> str:
        return self.fields[field].value.strip()

    @property
    def _texts(self) -> dict[str, str]:
        return {field: self._text(field) for field in self.fields}

    def request(self) -> SampleRequest | NextRequest:
        """Returns the draw that the fields describe; RagdeskError if they cannot be read."""
        texts = self._texts
        return read_next(self._forms, texts) or read_request(self._forms, texts, self._states)

    def _query(self) -> Query[Plan | NextAnswer]:
        request = self.request()
        if isinstance(request, SampleRequest):
            return DrawQuery(request)
        return NextQuery(request, read_asked(self._texts), self._host.rater)

    # What would come

    def _make_plan(self) -> None:
        if not self._text("name"):
            self._tell([(tr("Name it to see what would be drawn."), "muted")])
            return
        try:
            query = self._query()
        except RagdeskError as error:
            self._refuse(str(error))
            return
        self._asked = query
        host = self._host

        def plan(workspace: object) -> Plan | NextAnswer | RagdeskError:
            try:
                return host.calculator.ask(query)
            except RagdeskError as error:
                return error

        host.in_thread(
            tr("planning the sample"), plan, lambda result: self._show(query, result), group="plan"
        )

    def _show(
        self, asked: Query[Plan | NextAnswer], plan: Plan | NextAnswer | RagdeskError
    ) -> None:
        if asked != self._asked or not self.is_attached:
            return
        if isinstance(plan, RagdeskError):
            self._refuse(str(plan))
            return
        self.plan = plan
        if isinstance(asked, DrawQuery) and isinstance(plan, Plan):
            self.draw.say("" if plan.added else tr("There is nothing more to draw."))
            names = cell_names(self._host.facts)
            self._tell(plan_texts(plan, asked.sample.per_cell, names))
        elif isinstance(asked, NextQuery) and isinstance(plan, NextAnswer):
            self._tell(next_texts(plan, asked.request.choose))

    def _refuse(self, text: str) -> None:
        self.draw.say(tr("see what is missing above"))
        self._tell([(text, "bad")])

    def _tell(self, texts: Sequence[Piece]) -> None:
        width = max(self.plan_lines.size.width - 4, 40)
        lines: list[list[Piece]] = [
            [(text[start:end], role)] for text, role in texts for start, end in wrap(text, width)
        ]
        if len(lines) > PLAN_LINES:
            lines = [
                *lines[: PLAN_LINES - 1],
                [(tr("and {number} more", number=len(lines) - PLAN_LINES + 1), "muted")],
            ]
        self.plan_lines.show(lines)

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        if message.line is self.states:
            self._choose_states()
            return
        if not self._text("name"):
            self._refuse(tr("A sample needs a name."))
            return
        try:
            self.dismiss(self.request())
        except RagdeskError as error:
            self._refuse(str(error))


def open_new_sample(host: Host, form: str, done: Callable[[], None]) -> None:
    """Asks, draws in a thread and reports the result; then calls `done`."""
    names = [fact.dataset.name for fact in host.facts.datasets]
    runs = [fact.run.name for fact in host.facts.work if fact.run is not None]

    def decided(request: SampleRequest | NextRequest | None) -> None:
        if request is None:
            return

        def say(text: str) -> None:
            host.advise(text)
            done()

        what = tr("drawing {name}", name=request.name)
        if isinstance(request, NextRequest):
            host.ask(what, DrawNext(request), lambda drawn: say(next_drawn_text(drawn)))
            return
        host.in_thread(
            what,
            lambda workspace: draw_sample(workspace, request),
            lambda drawn: say(drawn_text(drawn)),
        )

    host.push_screen(NewSample(form, names, runs, host), decided)

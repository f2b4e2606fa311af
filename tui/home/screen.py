"""The Home screen: the next steps, the coverage of a dataset, and the work going on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from textual.containers import Container, Vertical
from textual.widget import Widget

from engine.labelling.forms import find_form
from store.labels.consensus import to_rule
from tui.home.coverage_map import coverage_matrix, empty_parts
from tui.home.keys import ACTIONS
from tui.home.next_steps import BEGINNINGS, Step, next_steps
from tui.language import tr
from tui.live.facts import DatasetFact, Facts, WorkFact
from tui.screens.destinations import (
    Asking,
    AtAgreement,
    AtDataset,
    AtPlace,
    AtRuling,
    AtRun,
    AtSample,
    AtTopics,
    AtWork,
    Destination,
    NewRun,
)
from tui.screens.job_requests import idle_keys, pause_or_resume
from tui.screens.place import PlaceScreen
from tui.screens.release import ask_release
from tui.widgets.bars import ProgressLines, job_progress
from tui.widgets.heading import SectionLine
from tui.widgets.heatmap import HeatMap
from tui.widgets.line import LOADING
from tui.widgets.row_source import GAP, Cell, Column, ListSource, Row, widest
from tui.widgets.rows import Rows
from tui.widgets.sheet import Sheet, paragraphs

DATASETS_SHOWN, JOBS_SHOWN = 3, 4
LEAST_STEP = 24
HINT = 28
"""Most cells for what Enter does on a step."""

DESTINATIONS: dict[str, Callable[[str], Destination]] = {
    "runs": AtWork,
    "inspect": lambda _: AtPlace("inspect"),
    "label": lambda sample: AtSample(sample) if sample else AtPlace("label"),
    "differences": lambda form: AtAgreement(form, conflicts=True),
    "agreement": AtAgreement,
    "export": lambda _: AtPlace("export"),
    "build": AtDataset,
    "corpus": lambda corpus: AtDataset(corpus=corpus),
    "launch": NewRun,
    "topics": AtTopics,
    "ask": Asking,
}
"""Where a step leads that needs no more than the name after its verb."""


class HomeScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "home"
    DEFAULT_CSS = """
    HomeScreen #steps { max-height: 4; }
    HomeScreen.-tall #steps { max-height: 8; }
    HomeScreen.-begin #first { height: 8; }
    HomeScreen.-begin #below { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.steps = Rows(
            ListSource(),
            (Column(minimum=24), Column("", HINT, drop=1)),
            empty="Nothing waits. + starts another run.",
            id="steps",
        )
        self.datasets = Rows(
            ListSource(),
            (
                Column("dataset", minimum=12),
                Column("items", 7, "right"),
                Column("cells", 9, "right"),
                Column("runs", 4, "right"),
                Column("evaluated", minimum=16, drop=1),
            ),
            id="datasets",
        )
        self.coverage = HeatMap(format_value=lambda count: f"{count:,.0f}", id="coverage")
        self.coverage_title = SectionLine("Coverage")
        self.jobs = ProgressLines(id="jobs")
        self.first = Sheet(id="first", loading=LOADING)
        self._steps: dict[str, Step] = {}

    def first_keys(self) -> Sequence[str]:
        places = (one.key for one in self.host.registry.numbered if one.key != self.PLACE)
        return ("widget.open", "home.new", *(f"go.{key}" for key in places))

    def idle_keys(self) -> Collection[str]:
        return {"go.home", *idle_keys("home", self._job_fact())}

    def command(self) -> Sequence[str]:
        return ("datasets",) if self.focused is self.datasets else ("jobs", "list")

    def compose_body(self) -> Iterator[Widget]:
        yield self.first
        with Vertical(id="desk"):
            yield SectionLine(
                "What next", tr("for {rater}", rater=self.host.rater) if self.host.rater else ""
            )
            yield self.steps
            with Container(id="below"):
                with Vertical(id="gold"):
                    yield SectionLine("Datasets")
                    yield self.datasets
                    yield self.coverage_title
                    yield self.coverage
                with Vertical(id="work"):
                    yield SectionLine("Work", "F5 has all of it")
                    yield self.jobs

    def on_mount(self) -> None:
        self.first.display = True
        self.query_one("#desk").display = False
        super().on_mount()

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        self.set_class(facts.is_empty, "-begin")
        self.first.display = facts.is_empty
        self.query_one("#desk").display = True
        if self.focused is None or self.focused is self.first:
            self.steps.focus()
        self._show_steps(facts)
        if facts.is_empty:
            self.first.show(paragraphs(INTRODUCTION), title=_first_title(facts), from_top=False)
            return
        if before is None or before.datasets != facts.datasets or before.work != facts.work:
            self._show_datasets(facts)
        recent = [fact for fact in facts.work if fact.job is not None]
        recent.sort(key=lambda fact: not fact.is_active)
        self.jobs.show([job_progress(fact) for fact in recent[:JOBS_SHOWN]])
        self.query_one("#work").display = bool(recent)

    def on_resize(self) -> None:
        if self.host.facts.is_known:
            self._show_steps(self.host.facts)

    def _show_steps(self, facts: Facts) -> None:
        steps = BEGINNINGS if facts.is_empty else next_steps(facts)
        rows = [
            Row(step.key or step.what, (Cell(step.what, step.role), Cell(step.hint, "muted")))
            for step in steps
        ]
        self._steps = {str(row.key): step for row, step in zip(rows, steps, strict=True)}
        # what Enter does stands beside what it is about, on a wide screen too
        hint = min(widest([step.hint for step in steps]), HINT)
        room = max(self.size.width - hint - 3 * GAP, LEAST_STEP)
        width = min(widest([step.what for step in steps]), room)
        self.steps.replace_source(ListSource(rows), (Column("", width), Column(minimum=hint)))
        self.steps.styles.height = len(rows) or 2

    def _show_datasets(self, facts: Facts) -> None:
        rows = [_dataset_row(fact, facts) for fact in facts.datasets]
        self.datasets.replace_source(ListSource(rows))
        self.datasets.styles.height = min(len(rows), DATASETS_SHOWN) + 1
        self.query_one("#gold").display = bool(rows)
        self._show_coverage()

    def _show_coverage(self) -> None:
        current = self.datasets.current
        fact = self._dataset(str(current.key)) if current is not None else None
        if fact is None:
            return
        label = fact.latest.label if fact.latest else fact.dataset.name
        held = tr("items a cell") if fact.latest else tr("items a cell, none released")
        note = "   ".join(filter(None, (held, empty_parts(fact))))
        self.coverage_title.show(tr("Coverage of {label}", label=label), note)
        self.coverage.show(coverage_matrix(fact))

    def _dataset(self, name: str) -> DatasetFact | None:
        named = (fact for fact in self.host.facts.datasets if fact.dataset.name == name)
        return next(named, None)

    # What is chosen

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        if message.rows is self.datasets:
            self._show_coverage()

    async def on_rows_chosen(self, message: Rows.Chosen) -> None:
        if message.rows is self.datasets:
            fact = self._dataset(str(message.row.key))
            if fact is not None and fact.latest is not None:
                await self.host.open(NewRun(fact.latest.label))
            return
        await self._do(self._steps[str(message.row.key)])

    def _job_fact(self) -> WorkFact | None:
        """The work that the line under the cursor is about."""
        row = self.steps.current
        verb, _, key = str(row.key).partition(" ") if row is not None else ("", "", "")
        return self.host.facts.find(key) if verb in ("runs", "results") else None

    def action_pause(self) -> None:
        """Pauses or resumes the job that the line is about."""
        fact = self._job_fact()
        if fact is None:
            self.host.advise("This line is about no job; F5 Runs has all of them.")
        else:
            pause_or_resume(self.host, fact)

    async def _do(self, step: Step) -> None:
        verb, _, what = step.key.partition(" ")
        fact = self.host.facts.find(what)
        if verb == "results" and fact is not None and fact.run is not None:
            await self.host.open(AtRun(fact.run.id))
        elif verb in DESTINATIONS:
            await self.host.open(DESTINATIONS[verb](what))
        elif verb == "release":
            ask_release(self.host, what, lambda _: None)
        elif verb == "conflicts":
            await self._rule(what)

    async def _rule(self, form_key: str) -> None:
        """Go to the first conflict that the rater may rule on."""
        rater = self.host.rater
        conflicts = self.host.read(lambda db: to_rule(db, find_form(db, form_key), rater)) or []
        first = (conflicts[0].subject, conflicts[0].field) if conflicts else None
        await self.host.open(AtRuling(form_key, first))


def _dataset_row(fact: DatasetFact, facts: Facts) -> Row:
    latest = fact.latest
    labels = {release.label for release in fact.releases}
    done = [work for work in facts.work if work.release in labels and work.run is not None]
    systems = dict.fromkeys(work.run.system.name for work in done if work.run is not None)
    return Row(
        fact.dataset.name,
        (
            Cell(
                latest.label if latest else tr("{name} (no release)", name=fact.dataset.name),
                "strong",
            ),
            f"{sum(cell.items for cell in fact.cells):,}",
            f"{fact.filled_cells}/{fact.all_cells}",
            str(len(done)),
            Cell(", ".join(systems) or tr("not yet"), "" if systems else "muted"),
        ),
    )


def _first_title(facts: Facts) -> str:
    if facts.is_open:
        return tr("{folder} is an empty workspace", folder=facts.folder)
    here = "" if facts.folder.is_absolute() else "./"
    return tr("No workspace in {folder} yet", folder=f"{here}{facts.folder}")


INTRODUCTION = tr(
    "ragdesk evaluates systems that answer questions from documents, over a "
    "matrix of topics and tasks: documents become a corpus (F2), a corpus a "
    "dataset of questions and answers (F3), and systems are evaluated over its "
    "releases (F5)."
)

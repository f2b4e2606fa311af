"""The experiments of the workspace: arms by metrics, what they cost, and which to take."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, zip_longest
from typing import Any

from textual.app import App
from textual.widget import Widget

from engine.experiments.outcome import ArmOutcome, ExperimentOutcome, ExperimentQuery
from engine.experiments.recipes import Recipe, read_recipe
from engine.experiments.scores import By
from engine.experiments.sentences import legend, mark, recommendation
from engine.text.wrapping import cell_width
from store.datasets import datasets
from store.runs import experiments
from tui.language import later, read, tr
from tui.live.facts import Facts, WorkFact
from tui.live.labels import state_role, state_text
from tui.runs.keys import ACTIONS
from tui.screens.destinations import AtPlace, AtRun
from tui.screens.host import Host
from tui.screens.job_requests import cancel, idle_keys, pause_or_resume
from tui.screens.place import PlaceScreen
from tui.widgets.line import Piece
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows
from tui.widgets.sheet import Sheet, wrapped

BESIDE = 110
"""Cells from which the paper's advice stands beside the recommendations."""
GAP = 2
PARTS = (later("task {name}"), later("topic {name}"))
"""What parts of the items are called in a recommendation."""

_LIST = (
    Column("experiment", minimum=20),
    Column("dataset", 20, drop=1),
    Column("design", 13),
    Column("arms begun", 10, "right"),
    Column("state", 19),
)


class ExperimentsScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "experiments"
    DEFAULT_CSS = """
    ExperimentsScreen #experiments { height: 20%; }
    ExperimentsScreen #arms { height: 1fr; max-height: 40%; margin-top: 1; }
    ExperimentsScreen #recommendations { height: 1fr; margin-top: 1; background: $surface; }
    """

    def __init__(self, name: str = "") -> None:
        """The cursor is on the experiment called `name`, as soon as it is listed."""
        super().__init__()
        self._awaited = name
        self.shown: ExperimentOutcome | None = None
        self._asked = ""
        self._by: By = "task"
        self.list = Rows(
            ListSource(),
            _LIST,
            empty="No experiment yet. + makes one: variants of a system, compared.",
            id="experiments",
        )
        self.arms = Rows(ListSource(), loading="Comparing the arms.", id="arms")
        self.words = Sheet(title="Recommendations", id="recommendations")

    def compose_body(self) -> Iterator[Widget]:
        yield self.list
        yield self.arms
        yield self.words

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        listed = self.host.read(
            lambda db: [
                Row(
                    one.name,
                    (
                        Cell(one.name, "strong"),
                        datasets.release_by_id(db, one.release_id).label,
                        tr(str(one.design.get("how", "grid"))),
                        f"{sum(arm.run_id is not None for arm in one.arms)}/{len(one.arms)}",
                        _state(work_of(facts, one.name)),
                    ),
                )
                for one in experiments.listing(db)
            ]
        )
        self.list.replace_source(ListSource(listed or []))
        if self.list.move_to_key(self._awaited):
            self._awaited = ""
        if before is None:
            self.list.focus()
        elif self._asked:
            self._ask(self._asked)

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        if message.rows is self.list and message.row is not None:
            name = str(message.row.key)
            if name != self._asked:
                self.arms.show_loading(tr("Comparing the arms."))
                self._ask(name)

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        if message.rows is self.list:
            self.arms.focus()
        elif int(message.row.key) > 0:
            self.run_worker(self.host.open(AtRun(int(message.row.key), back="runs")))

    def show_experiment(self, name: str) -> None:
        """Moves the cursor to this experiment, as soon as it is listed."""
        self._awaited = name
        if self.host.facts.is_known:
            self.show_facts(self.host.facts, self.host.facts)

    def idle_keys(self) -> Collection[str]:
        idle = idle_keys(self.PLACE, work_of(self.host.facts, self.name_here))
        return idle - {"experiments.pause"} if self._can_start else idle

    def command(self) -> Sequence[str]:
        return ("experiment", "show", self.name_here) if self.name_here else ()

    @property
    def name_here(self) -> str:
        row = self.list.current
        return str(row.key) if row is not None else ""

    @property
    def _can_start(self) -> bool:
        """Whether the experiment here was never started, or is done with metrics of judges, who
        may have answers left to score."""
        fact, shown = work_of(self.host.facts, self.name_here), self.shown
        if fact is None:
            return bool(self.name_here)
        if shown is None or shown.name != self.name_here or fact.failed or fact.status != "done":
            return False
        return any("/" in metric for metric in shown.design.metrics)

    # Actions

    def action_new(self) -> None:
        from tui.runs.new_experiment import new_experiment

        new_experiment(self.host, self.show_experiment)

    def action_pause(self) -> None:
        from tui.runs.new_experiment import start_experiment

        fact = work_of(self.host.facts, self.name_here)
        if self._can_start:
            start_experiment(self.host, self.name_here, judged=fact is not None)
        elif fact is not None:
            pause_or_resume(self.host, fact)

    def action_cancel(self) -> None:
        if (fact := work_of(self.host.facts, self.name_here)) is not None:
            cancel(self.host, fact)

    def action_axes(self) -> None:
        self._by = "topic" if self._by == "task" else "task"
        if self._asked:
            self._ask(self._asked)

    def _ask(self, name: str) -> None:
        self._asked = name
        query = ExperimentQuery(name, self._by)
        self.host.ask("comparing the arms", query, self._show, group="experiment")

    def _show(self, result: ExperimentOutcome) -> None:
        if result.name != self._asked:
            return
        self.shown = result
        columns = arm_columns(result)
        rows = [arm_row(number, arm, result) for number, arm in enumerate(result.arms)]
        self.arms.replace_source(ListSource(rows), columns)
        # what they leave is for the recommendations
        self.arms.styles.height = len(rows) + 1
        paper = read_recipe(result.design.recipe) if result.design.recipe else None
        self.words.show(lambda width: _words(result, paper, width))
        self.show_where()


def work_of(facts: Facts, name: str) -> WorkFact | None:
    """The newest job of an experiment; None where it was never started."""
    jobs = (
        fact
        for fact in facts.work
        if fact.job is not None and fact.job.kind == "experiment" and fact.run is None
    )
    return next((one for one in jobs if one.job and one.job.params.get("experiment") == name), None)


def _state(fact: WorkFact | None) -> Cell:
    if fact is None:
        return Cell(tr("not started"), "muted")
    return Cell(state_text(fact), state_role(fact))


def _words(result: ExperimentOutcome, paper: Recipe | None, width: int) -> list[list[Piece]]:
    """What is recommended, with the paper's own beside it or below, and what the marks mean."""
    if paper is None:
        return _recommended(result, width)
    if width < BESIDE:
        return [*_recommended(result, width), [], *_paper_lines(paper, width)]
    half = width // 2 - GAP
    ours, theirs = _recommended(result, half), _paper_lines(paper, half)
    return [
        _joined(left or [], right or [], half + GAP) for left, right in zip_longest(ours, theirs)
    ]


def _recommended(result: ExperimentOutcome, width: int) -> list[list[Piece]]:
    said = [wrapped(read(recommendation(one)), width) for one in result.recommendations]
    return [*chain.from_iterable(said), *wrapped(read(legend(result)), width, "muted")]


def _paper_lines(recipe: Recipe, width: int) -> list[list[Piece]]:
    """The paper's figures and its advice."""
    paper = recipe.paper
    lines = wrapped(f"{recipe.title}: {paper.unit}", width, "header")
    for row in paper.rows:
        figures = zip(paper.headings, row.figures, strict=True)
        said = ", ".join(f"{heading} {figure}" for heading, figure in figures)
        lines += wrapped(f"{row.name}: {said}", width)
    for advice in (*paper.advice, recipe.note):
        lines += wrapped(advice, width, "muted") if advice else []
    return lines


def _joined(left: list[Piece], right: list[Piece], start: int) -> list[Piece]:
    """One line of two, the second from the cell `start` on."""
    taken = sum(cell_width(text) for text, _ in left)
    return [*left, (" " * (start - taken), ""), *right]


def arm_columns(result: ExperimentOutcome) -> tuple[Column, ...]:
    """The first metric, which chooses, has its interval; the later ones give way."""
    first, *rest = result.design.metrics
    return (
        Column("arm", minimum=20),
        Column(_heading(first), 6, "right"),
        Column("95 %", 12),
        *(Column(_heading(name), 6, "right", drop=2) for name in rest),
        Column("ms", 7, "right", drop=1),
        Column("tokens", 7, "right", drop=3),
        Column("cost", 7, "right", drop=3),
        Column("front", 5),
    )


def arm_row(number: int, arm: ArmOutcome, result: ExperimentOutcome) -> Row:
    """An arm; its key is its run, or a number below 0 where it has none yet."""
    marked = [
        "-" if value is None else f"{_short(value.mean)}{mark(value, arm.name == best)}"
        for value, best in zip(arm.values, result.chosen, strict=True)
    ]
    first = arm.values[0]
    interval = ""
    if first is not None and first.low is not None and first.high is not None:
        interval = tr("{low} to {high}", low=_short(first.low), high=_short(first.high))
    cost = arm.cost
    return Row(
        arm.run_id or -1 - number,
        (
            Cell(arm.name, "strong"),
            Cell(marked[0], "strong"),
            Cell(interval, "muted"),
            *marked[1:],
            Cell(_number(cost.latency_ms if cost else None, ",.1f"), "muted"),
            Cell(_number(cost.tokens if cost else None, ",.0f"), "muted"),
            Cell(_number(cost.cost if cost else None, ".4f"), "muted"),
            "x" if arm.on_front else "",
        ),
    )


def _heading(metric: str) -> str:
    return metric.rpartition(":")[2].rpartition("/")[2][:6]


def _short(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def ask_experiments(screen: PlaceScreen) -> None:
    """Opens the experiments, from wherever one is."""
    screen.app.run_worker(_open(screen.app, screen.host, ""))


def ask_new_experiment(screen: PlaceScreen) -> None:
    """Asks for a new experiment over any screen, and shows it once it is begun."""
    from tui.runs.new_experiment import new_experiment

    app, host = screen.app, screen.host
    new_experiment(host, lambda name: app.run_worker(_open(app, host, name)))


async def _open(app: App[Any], host: Host, name: str) -> None:
    await host.open(AtPlace("runs"))
    if isinstance(app.screen, ExperimentsScreen):
        app.screen.show_experiment(name)
    else:
        app.push_screen(ExperimentsScreen(name))

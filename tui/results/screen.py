"""The Results screen: a run as a heat map, for any metric and any two axes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence

from textual.widget import Widget

from engine.report.labels import metric_label
from engine.results.blame import AXIS as BLAME
from engine.results.matrix import RunMatrix
from engine.results.metric_order import first_metric
from store.messages import plural
from store.runs import results
from store.runs.results import MetricKey
from tui.language import language, read, tr
from tui.live.facts import Facts, WorkFact
from tui.results.heat_map import caption, heat_matrix, value_format
from tui.results.items import COLUMNS, ItemsScreen, PredictionSource, open_item, read_turns
from tui.results.keys import ACTIONS
from tui.results.map_and_turns import MapAndTurns
from tui.results.selection import (
    RUN_COLUMNS,
    Selection,
    ShownMatrix,
    ask_axes,
    ask_metric,
    compute,
    first_to_show,
    matrix_words,
    run_row,
    runs_beside,
    selection_of,
)
from tui.screens.choose import Choose
from tui.screens.destinations import AtPlace, AtRun, Destination, NewRun
from tui.screens.place import PlaceScreen
from tui.widgets.heatmap import HeatMap
from tui.widgets.line import TextLines
from tui.widgets.matrix import Matrix
from tui.widgets.rows import Rows

FRESH_SECONDS = 1.5
"""The matrix of a run that is being worked on is computed again at most this often."""

NO_RUN = tr("No results yet. F5 Runs, then + starts a run.")
NOT_SCORED = tr("Cells appear here as answers are scored. F5 Runs shows how far it is.")


class ResultsScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "results"

    def __init__(self) -> None:
        super().__init__()
        self.caption = TextLines(2, id="caption")
        self.map = HeatMap(id="map")
        self.turns = MapAndTurns(self.map, COLUMNS)
        self._listed: tuple[Selection, Sequence[int]] | None = None
        self.shown: ShownMatrix | None = None
        self.view: RunMatrix | None = None
        """What is painted; it may be of another metric than `shown` for a moment."""
        self.axes: tuple[str, ...] = ()
        """What the rows and the columns of this run can be by."""
        self._run_id: int | None = None
        self._is_awaited = False
        """Whether the run that was chosen is not among the known ones yet."""
        self._finished = -1
        self._asked_at = 0.0
        self._back = ""
        """The place that the run was chosen in, as long as Esc leads back there."""

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.turns

    def on_mount(self) -> None:
        super().on_mount()
        self.host.calculator.prepare()
        self.map.focus()

    def context(self) -> tuple[str, ...]:
        if self.view is None:
            return super().context()
        return (self.view.run.name, metric_label(self.view.metric, language()))

    @property
    def run_name(self) -> str:
        fact = self._fact()
        return fact.title if fact is not None else ""

    def idle_keys(self) -> Collection[str]:
        fact = self._fact()
        if self.view is None or fact is None:
            actions = self.host.registry.scoped(self.PLACE)
            return {one.id for one in actions} - {"results.run"}
        alone = len(runs_beside(self.host.facts, fact)) < 2
        return ("results.compare",) if alone else ()

    def command(self) -> Sequence[str]:
        if (view := self.view) is None:
            return ()
        rows, cols = view.matrix.rows.name, view.matrix.cols.name
        return matrix_words(view.run.name, view.metric, rows, cols)

    # What is shown

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        if self._fact() is not None:
            self._keep_fresh()
        elif not self._is_awaited:
            first = first_to_show(facts)
            if first is not None and first.run is not None:
                self.show_run(first.run.id)
            else:
                self._forget()

    def arrive(self, destination: Destination) -> bool:
        if isinstance(destination, AtRun):
            self._back = destination.back
            self.show_run(destination.run_id)
        return True

    def show_run(self, run_id: int) -> None:
        """Shows a run, by the metric and axes that were shown before if it has them; as soon as it
        is known, if it is not yet."""
        if run_id != self._run_id:
            self._run_id, self.view = run_id, None
            fact = self._fact()
            name = fact.title if fact is not None else tr("the run")
            self.caption.show([[(name, "strong")], []])
            self.map.show_loading(tr("Computing the matrix of {name}.", name=name))
        self._is_awaited = self._fact() is None
        self._finished = -1
        self.show_where()
        self._keep_fresh()

    def _keep_fresh(self) -> None:
        """Asks for the matrix again when more has been scored, but not too often."""
        fact = self._fact()
        if fact is None or fact.progress.finished == self._finished:
            return
        self._is_awaited = False
        rest = FRESH_SECONDS - (time.monotonic() - self._asked_at)
        if self._finished >= 0 and fact.is_active and rest > 0:
            self.set_timer(rest, self._keep_fresh)
            return
        self._ask()

    def _fact(self) -> WorkFact | None:
        return self.host.facts.find(f"run {self._run_id}")

    def _ask(self, **changes: str | MetricKey) -> None:
        """Has the matrix computed with these changes to the view."""
        fact, run_id = self._fact(), self._run_id
        if fact is None or fact.run is None or run_id is None:
            return
        metrics = self.host.read(lambda db: results.metrics(db, run_id))
        if not metrics:
            self._show_nothing(fact)
            return
        before = self.shown
        metric = before.metric if before is not None and before.metric in metrics else None
        shown = ShownMatrix(run_id, metric or first_metric(metrics) or metrics[0])
        if before is not None:
            shown = shown._replace(rows=before.rows, cols=before.cols)
        shown = shown._replace(**changes)  # type: ignore[arg-type]
        self.shown, self._finished = shown, fact.progress.finished
        self._asked_at = time.monotonic()
        axes = self.axes if before is not None and before.run_id == run_id else ()
        self.host.in_thread(
            tr("computing the matrix"),
            lambda _: compute(self.host.calculator, shown, axes),
            lambda computed: self._show(*computed, shown),
            group="matrix",
        )

    def _show(self, view: RunMatrix, axes: tuple[str, ...], asked: ShownMatrix) -> None:
        if asked != self.shown:
            return
        self.view, self.axes = view, axes
        self.shown = asked._replace(rows=view.matrix.rows.name, cols=view.matrix.cols.name)
        self.caption.show(caption(view))
        self.map.show(heat_matrix(view.matrix), value_format(view.matrix))
        self.show_where()

    def _forget(self) -> None:
        """Clears the screen when its run has gone."""
        self._run_id = self.shown = self.view = None
        self.caption.show([])
        self.map.show(Matrix(), empty=NO_RUN)
        self.show_where()

    def _show_nothing(self, fact: WorkFact) -> None:
        self.view = None
        self._finished = fact.progress.finished
        state = tr(
            "{title} is {status}: nothing is scored yet.", title=fact.title, status=fact.status
        )
        self.caption.show([[(state, "warn")], []])
        self.map.show(Matrix(), empty=NOT_SCORED)
        self.show_where()

    # Actions

    async def action_pick_run(self) -> None:
        rows = [run_row(fact) for fact in self.host.facts.work if fact.run is not None]
        if not rows:
            await self.host.open(NewRun())
            return

        def chosen(key: str | None) -> None:
            fact = self.host.facts.find(key) if key else None
            if fact is not None and fact.run is not None:
                self.show_run(fact.run.id)

        self.app.push_screen(
            Choose(tr("Run"), RUN_COLUMNS, rows, tr("run {run_id}", run_id=self._run_id)), chosen
        )

    def action_metric(self) -> None:
        run_id, shown = self._run_id, self.shown
        if run_id is None or shown is None:
            return
        metrics = self.host.read(lambda db: results.metrics(db, run_id)) or []
        ask_metric(self.host, metrics, shown.metric, lambda metric: self._ask(metric=metric))

    def action_axes(self) -> None:
        shown = self.shown
        if shown is None:
            return
        ask_axes(self.host, self.axes, (shown.rows, shown.cols), self._ask_axes)

    def _ask_axes(self, rows: str, cols: str) -> None:
        self._ask(rows=rows, cols=cols)

    def action_transpose(self) -> None:
        if self.shown is not None:
            self._ask(rows=self.shown.cols, cols=self.shown.rows)

    def action_compare(self) -> None:
        fact, shown = self._fact(), self.shown
        if fact is None or shown is None:
            return
        others = runs_beside(self.host.facts, fact)[1:]
        if not others:
            self.host.advise("There is no other run of this dataset. F5 Runs, then + starts one.")
            return

        def chosen(key: str | None) -> None:
            other = self.host.facts.find(key) if key else None
            if other is not None and other.run is not None:
                self._compare_with(other.run.id, shown)

        rows = [run_row(other) for other in others]
        self.app.push_screen(Choose(tr("Compare with"), RUN_COLUMNS, rows), chosen)

    def _compare_with(self, other: int, shown: ShownMatrix) -> None:
        from tui.results.compare import CompareScreen

        # what is to blame differs from run to run
        axes = [axis for axis in self.axes if axis != BLAME]
        self.app.push_screen(CompareScreen(shown.beside(other), axes))

    def action_bars(self) -> None:
        fact, shown = self._fact(), self.shown
        if fact is None or shown is None:
            return
        from tui.results.bars import BarsScreen

        self.app.push_screen(BarsScreen(runs_beside(self.host.facts, fact), shown.metric))

    def action_leaderboard(self) -> None:
        fact, shown = self._fact(), self.shown
        if fact is None or shown is None:
            return
        from tui.results.leaderboard import LeaderboardScreen

        runs = runs_beside(self.host.facts, fact)
        self.host.question(LeaderboardScreen(runs, shown.metric), self.show_run)

    def action_export(self) -> None:
        if self.view is None:
            return
        from tui.results.export import open_export

        open_export(self.host, self.view)

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        """Opens the items of a cell."""
        if self.view is None:
            return
        if not message.cell.is_there:
            self.host.advise("There is no item in this cell.")
            return
        self.app.push_screen(ItemsScreen(selection_of(self.view, message.row, message.column)))

    # The answers under the map

    def on_heat_map_highlighted(self, message: HeatMap.Highlighted) -> None:
        self.turns.follow(self._read_turns)

    def _read_turns(self) -> None:
        if self.view is None:
            return
        chosen = selection_of(self.view, *self.map.cursor)

        def show(ids: Sequence[int]) -> None:
            self._listed = (chosen, ids)
            turns = PredictionSource(self.host, chosen.metric, ids)
            self.turns.show(chosen.where, read(plural(len(ids), "answer")), turns)

        self.host.in_thread(
            tr("reading the items"),
            lambda workspace: read_turns(workspace, chosen),
            show,
            group="turns",
        )

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        if self._listed is not None:
            open_item(message.rows, *self._listed, message.index)

    def step_back(self) -> bool:
        if self.turns.list.has_focus:
            self.map.focus()
        elif self._back:
            self.run_worker(self.host.open(AtPlace(self._back)))
            self._back = ""
        else:
            return False
        return True

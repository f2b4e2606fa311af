"""The comparison of two runs as a heat map with tests of the differences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from msgspec import structs
from textual import events
from textual.widget import Widget

from engine.report.comparison_sentences import (
    left_out_sentence,
    power_sentence,
    verdict_sentence,
)
from engine.report.corrected import corrected_sentence
from engine.report.labels import metric_label
from engine.report.matrix.colours import difference_scale
from engine.results.comparison import PairedScore, RunComparison
from engine.results.metric_query import MetricQuery
from engine.results.queries import ComparisonQuery, PairsQuery
from engine.statistics.inference import MIN_GROUPS, Difference, PoweredDifference, Settings, Verdict
from store.messages import plural
from store.runs import results
from store.runs.results import MetricKey
from tui.language import language, tr
from tui.results.differences import (
    COLUMNS,
    DifferencesScreen,
    PairSource,
    cell_labels,
    open_pair,
)
from tui.results.export import open_export
from tui.results.keys import ACTIONS
from tui.results.map_and_turns import MapAndTurns
from tui.results.selection import ask_axes, ask_metric, compare_words
from tui.screens.place import PlaceScreen
from tui.widgets import matrix as heat
from tui.widgets.heatmap import HeatMap
from tui.widgets.line import TextLines
from tui.widgets.matrix import FormatValue, Heading, HeatCell, short_value, signed_value
from tui.widgets.rows import Rows

MARGIN = 4
NOTHING = tr("No question has a value in both runs. m shows another metric.")
Order = Literal["", "A", "B"]
NEXT_ORDER: dict[Order, Order] = {"": "A", "A": "B", "B": ""}

MARKS = {
    Verdict.A_BETTER: "A",
    Verdict.B_BETTER: "B",
    Verdict.A_HIGHER: "A",
    Verdict.B_HIGHER: "B",
    Verdict.TOO_FEW: "?",
}
LEGEND = tr(
    "A minus B with n   A, B: the better one, after Holm's adjustment over the "
    "cells   ?: too few to tell"
)


class CompareScreen(PlaceScreen, actions=ACTIONS):
    """Asks for the comparison when it is opened, and again for another metric or other axes."""

    PLACE = "compare"

    def __init__(self, query: ComparisonQuery, axes: Sequence[str] = ()) -> None:
        """`axes` are those that the rows and the columns can be by."""
        super().__init__()
        self.asked = query
        self.axes = axes
        self.order: tuple[Order, str | None] = ("", None)
        """For which run the best rows come first, by which column; empty for the usual order."""
        self.verdict = TextLines(1, id="caption")
        self.map = HeatMap(loading=tr("Comparing."), id="map")
        self.turns = MapAndTurns(self.map, COLUMNS)
        self._listed: tuple[PairsQuery, Sequence[PairedScore]] | None = None
        self.view: RunComparison | None = None

    def compose_body(self) -> Iterator[Widget]:
        yield self.verdict
        yield self.turns

    def context(self) -> tuple[str, ...]:
        if self.view is None:
            return super().context()
        runs = f"{self.view.a.name} (A) - {self.view.b.name} (B)"
        best, _ = self.order
        return (
            tr("best for {best} first", best=best) if best else "",
            runs,
            metric_label(self.view.metric, language()),
        )

    def idle_keys(self) -> Collection[str]:
        actions = self.host.registry.scoped(self.PLACE)
        return {one.id for one in actions} if self.view is None else ()

    def command(self) -> Sequence[str]:
        return compare_words(self.view) if self.view is not None else ()

    def on_mount(self) -> None:
        super().on_mount()
        self.map.focus()
        self._ask(self.asked)

    def _ask(self, query: ComparisonQuery) -> None:
        self.asked = query
        self.host.ask(tr("comparing the runs"), query, self._show, group="comparison")

    def _show(self, view: RunComparison) -> None:
        self.view = view
        self._lay_verdict()
        self._show_map(view)

    def _show_map(self, view: RunComparison) -> None:
        matrix = in_order(difference_matrix(view), *self.order)
        self.map.show(matrix, difference_format(view), empty=NOTHING)
        self.show_where()

    def on_resize(self, event: events.Resize) -> None:
        self._lay_verdict()

    def _lay_verdict(self) -> None:
        if self.view is None:
            return
        texts = zip(verdict_texts(self.view), ("strong", "", "", "muted"), strict=True)
        self.verdict.lay(tuple(one for one in texts if one[0]), self.app.size.width - MARGIN)

    # Actions

    def action_metric(self) -> None:
        if self.view is None:
            return
        a, b = self.view.a.id, self.view.b.id
        of_a = self.host.read(lambda db: results.metrics(db, a)) or []
        of_b = self.host.read(lambda db: results.metrics(db, b)) or []
        both = [metric for metric in of_a if metric in of_b]
        ask_metric(self.host, both, self.view.metric, self._show_metric)

    def _show_metric(self, metric: MetricKey) -> None:
        of = self.asked.of
        self._ask(
            structs.replace(
                self.asked, of=MetricQuery.of(metric, of.rows, of.cols, lang=language())
            )
        )

    def action_axes(self) -> None:
        of = self.asked.of
        ask_axes(self.host, self.axes, (of.rows, of.cols), self._show_axes)

    def action_transpose(self) -> None:
        self._show_axes(self.asked.of.cols, self.asked.of.rows)

    def _show_axes(self, rows: str, cols: str) -> None:
        self.order = ("", None)
        of = structs.replace(self.asked.of, rows=rows, cols=cols)
        self._ask(structs.replace(self.asked, of=of))

    def action_switch(self) -> None:
        """Sorts the rows by the column of the cursor, in the next way."""
        if self.view is None:
            return
        column = self.map.cursor[1]
        best, by = self.order
        self.order = (NEXT_ORDER[best], column) if by in (None, column) else ("A", column)
        self._show_map(self.view)

    def action_export(self) -> None:
        if self.view is not None:
            open_export(self.host, self.view)

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        if self.view is None:
            return
        if not message.cell.n:
            self.host.advise("No item of this cell is compared.")
            return
        query = PairsQuery(self.asked, message.row, message.column)
        self.app.push_screen(DifferencesScreen(self.view, query))

    def on_heat_map_highlighted(self, message: HeatMap.Highlighted) -> None:
        self.turns.follow(self._read_turns)

    def _read_turns(self) -> None:
        query = PairsQuery(self.asked, *self.map.cursor)

        def show(pairs: Sequence[PairedScore]) -> None:
            if self.view is not None:
                self._listed = (query, pairs)
                where = " x ".join(cell_labels(self.view, query.row, query.col)) or tr("all cells")
                what = tr(
                    "{questions}, the largest difference first",
                    questions=plural(len(pairs), "question"),
                )
                self.turns.show(where, what, PairSource(self.host, self.view, pairs))

        if self.view is not None:
            self.host.ask(tr("reading the items"), query, show, group="turns")

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        if self.view is not None and self._listed is not None:
            open_pair(message.rows, self.view, *self._listed, message.index)

    def step_back(self) -> bool:
        return self.turns.step_back()


def in_order(matrix: heat.Matrix, best: Order, column: str | None) -> heat.Matrix:
    """The matrix with the rows first in which that run is best by a column; rows without a value
    come last. As it is where no run or no column is named."""
    keys = [heading.key for heading in matrix.columns]
    if not best or column not in keys:
        return matrix
    at, sign = keys.index(column), -1 if best == "A" else 1

    def place(row: int) -> tuple[bool, float]:
        shade = matrix.cells[row][at].shade  # positive where A is better
        return shade is None, 0.0 if shade is None else sign * shade

    rows = sorted(range(len(matrix.rows)), key=place)
    return matrix._replace(
        rows=tuple(matrix.rows[row] for row in rows),
        cells=tuple(matrix.cells[row] for row in rows),
    )


def difference_format(view: RunComparison) -> FormatValue:
    """Signed, with two decimals; one for a metric without an upper end."""
    if all(abs(value) <= 1 for value in _differences(view)):
        return signed_value
    return lambda value: f"{value:+,.1f}"


def difference_matrix(view: RunComparison) -> heat.Matrix:
    """The differences with their shades: positive where A is better. Empty rows are left out."""
    scale = difference_scale(_differences(view), view.comparison.higher_is_better)
    cells = view.comparison.cells

    def body(row: str, col: str) -> HeatCell:
        difference = cells.get((row, col))
        if difference is None:
            return HeatCell()
        corrected = view.corrected.cells.get((row, col)) if view.corrected else None
        return _cell(difference, scale, corrected)

    whole = heat.Matrix(
        tuple(map(Heading, view.rows.keys, view.rows.labels)),
        tuple(map(Heading, view.cols.keys, view.cols.labels)),
        tuple(tuple(body(row, col) for col in view.cols.keys) for row in view.rows.keys),
        is_signed=True,
    )
    return heat.without_empty(whole)


def verdict_texts(view: RunComparison) -> tuple[str, str, str, str]:
    """Who is better over all, what people's labels leave of that (empty without any), what is left
    out of the comparison, and what the signs mean."""
    comparison = view.comparison
    sentence = verdict_sentence(
        comparison,
        comparison.overall,
        a=f"{view.a.name} (A)",
        b=f"{view.b.name} (B)",
        metric=metric_label(view.metric, language()),
        lang=language(),
    )
    left_out = left_out_sentence(comparison.left_out, a=view.a.name, b=view.b.name, lang=language())
    outside = " ".join(filter(None, (power_sentence(comparison, language()), left_out)))
    return sentence, corrected_sentence(structs.replace(view, lang=language())), outside, LEGEND


def _differences(view: RunComparison) -> list[float]:
    differences = (one.difference for one in view.comparison.cells.values())
    return [value for value in differences if value is not None]


def _cell(one: Difference, scale: float, corrected: PoweredDifference | None) -> HeatCell:
    is_small = one.verdict is Verdict.TOO_FEW
    shade = None if one.difference is None else one.difference / scale
    return HeatCell(
        one.difference,
        one.items,
        shade,
        is_small,
        note="   ".join([*_note(one), *_corrected_note(corrected)]),
        mark=MARKS.get(one.verdict, ""),
    )


def _note(one: Difference) -> list[str]:
    parts = []
    if one.mean_a is not None and one.mean_b is not None:
        parts.append(f"{_mean(one.mean_a)} - {_mean(one.mean_b)}")
    if one.low is not None and one.high is not None:
        parts.append(
            tr(
                "95 % {low} to {high}",
                low=signed_value(one.low),
                high=signed_value(one.high),
            )
        )
    if one.p_holm is not None:
        parts.append(tr("p {p_holm:.3f} after Holm", p_holm=one.p_holm))
    if one.verdict is Verdict.TOO_FEW:
        parts.append(
            tr("{groups} of {min_groups} groups needed", groups=one.groups, min_groups=MIN_GROUPS)
        )
    elif one.p_holm is not None and not one.can_tell(Settings().level):
        parts.append(
            tr("cannot be told: {groups} differ", groups=plural(one.groups_differing, "group"))
        )
    return [
        *parts,
        tr(
            "{wins} won, {ties} tied, {losses} lost",
            wins=one.wins,
            ties=one.ties,
            losses=one.losses,
        ),
    ]


def _corrected_note(one: PoweredDifference | None) -> list[str]:
    if one is None or one.difference is None or one.new.low is None or one.new.high is None:
        return []
    ends = tr(
        "{low} to {high}",
        low=signed_value(one.new.low),
        high=signed_value(one.new.high),
    )
    return [
        tr("corrected {difference}, {ends}", difference=signed_value(one.difference), ends=ends)
    ]


def _mean(value: float) -> str:
    return short_value(value) if abs(value) <= 1 else f"{value:,.1f}"

"""What is chosen on Results: the run and its matrix, and the predictions of a cell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from typing import NamedTuple

from engine.results.comparison import RunComparison
from engine.results.matrix import RunMatrix
from engine.results.metric_query import MetricQuery
from engine.results.queries import AxesQuery, ComparisonQuery, MatrixQuery
from store.runs.results import MetricKey
from tui.calculator.calculator import Calculator
from tui.language import language, tr
from tui.live.facts import Facts, WorkFact
from tui.live.labels import state_text, system_text
from tui.results.metric_labels import metric_columns, metric_id, metric_rows
from tui.screens.choose import Choose
from tui.screens.host import Host
from tui.widgets.row_source import Cell, Column, Row

RUN_COLUMNS = (
    Column("run", minimum=20),
    Column("system", 22, drop=1),
    Column("dataset", 14, drop=2),
    Column("state", 17),
    Column("done", 15, "right"),
)


class Selection(NamedTuple):
    """A set of predictions to list, and the metric to list them by."""

    run_id: int
    run_name: str
    metric: MetricKey
    rows: str
    cols: str
    row: str | None
    """None for every row."""
    col: str | None
    labels: tuple[str, ...] = ()
    """Of the row and the column, for people."""

    @property
    def where(self) -> str:
        return " x ".join(self.labels) or tr("all cells")


def selection_of(view: RunMatrix, row: str | None, column: str | None) -> Selection:
    """Returns the predictions behind a cell or a margin of a matrix."""
    matrix = view.matrix
    labels = [
        axis.by_key.get(key or "", "") for axis, key in ((matrix.rows, row), (matrix.cols, column))
    ]
    return Selection(
        view.run.id,
        view.run.name,
        view.metric,
        matrix.rows.name,
        matrix.cols.name,
        row,
        column,
        tuple(filter(None, labels)),
    )


class ShownMatrix(NamedTuple):
    run_id: int
    metric: MetricKey
    rows: str = "topic"
    cols: str = "task"

    @property
    def query(self) -> MetricQuery:
        return MetricQuery.of(self.metric, self.rows, self.cols, lang=language())

    def beside(self, other: int) -> ComparisonQuery:
        """Returns the query that compares this run with another."""
        return ComparisonQuery(str(self.run_id), str(other), self.query)


def matrix_words(run: str, metric: MetricKey, rows: str, cols: str) -> tuple[str, ...]:
    """Returns the words of the command that prints a run's matrix."""
    return ("matrix", run, *metric_words(metric), "--rows", rows, "--cols", cols)


def compare_words(view: RunComparison) -> tuple[str, ...]:
    """Returns the words of the command that compares the same runs."""
    runs, axes = (view.a.name, view.b.name), ("--rows", view.rows.name, "--cols", view.cols.name)
    return ("compare", *runs, *metric_words(view.metric), *axes)


def metric_words(metric: MetricKey) -> tuple[str, ...]:
    """The options of a command that name a metric."""
    words = ("--metric", metric.name, "--variant", metric.variant)
    return (*words, "--judge", metric.judge) if metric.judge else words


def compute(
    calculator: Calculator, wanted: ShownMatrix, axes: tuple[str, ...]
) -> tuple[RunMatrix, tuple[str, ...]]:
    """The matrix, and the axes of the run, which are read unless they are known.

    Another run may not have the axes that were shown: then topic and task are used.
    """
    axes = axes or calculator.ask(AxesQuery(str(wanted.run_id)))
    has_axes = {wanted.rows, wanted.cols} <= set(axes)
    of = wanted.query if has_axes else MetricQuery.of(wanted.metric, lang=language())
    return calculator.ask(MatrixQuery(str(wanted.run_id), of)), axes


def first_to_show(facts: Facts) -> WorkFact | None:
    """Returns the newest run with scores; one without retrieval only if there is no other."""
    with_run = [fact for fact in facts.work if fact.run is not None]
    with_run.sort(
        key=lambda fact: (
            not fact.progress.scored,
            fact.run is not None and fact.run.system.retriever is None,
        )
    )
    return with_run[0] if with_run else None


def run_row(fact: WorkFact) -> Row:
    progress = fact.progress
    return Row(
        fact.key,
        (
            Cell(fact.title, "strong"),
            system_text(fact),
            fact.release,
            state_text(fact),
            f"{progress.finished:,}/{progress.total:,}",
        ),
    )


def runs_beside(facts: Facts, fact: WorkFact) -> list[WorkFact]:
    """Returns the scored runs of the same dataset: this one first, then the newest."""
    dataset = fact.release.rpartition("@")[0]
    others = [
        other
        for other in facts.work
        if other.run is not None
        and other.key != fact.key
        and other.release.rpartition("@")[0] == dataset
        and other.progress.scored
    ]
    return [fact, *others]


def ask_metric(
    host: Host,
    metrics: Sequence[MetricKey],
    current: MetricKey,
    then: Callable[[MetricKey], object],
) -> None:
    """Asks which of some metrics to show."""
    keys = {metric_id(key): key for key in metrics}
    columns, rows = metric_columns(metrics), metric_rows(metrics)

    def chosen(name: str | None) -> None:
        if name in keys:
            then(keys[name])

    host.push_screen(Choose(tr("Metric"), columns, rows, metric_id(current)), chosen)


def ask_axes(
    host: Host,
    axes: Sequence[str],
    current: Collection[str],
    then: Callable[[str, str], object],
) -> None:
    """Asks which two of some axes the rows and the columns are by."""
    pairs = {f"{one}\t{other}": (one, other) for one, other in combinations(axes, 2)}
    rows = [Row(key, (Cell(" x ".join(pair), "strong"),)) for key, pair in pairs.items()]

    shown = "\t".join(axis for axis in axes if axis in current)
    host.question(
        Choose(tr("Rows x columns"), (Column(),), rows, shown), lambda key: then(*pairs[key])
    )

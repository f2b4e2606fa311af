"""The matrix that the Results screen is set to, and its computation."""

from __future__ import annotations

from typing import NamedTuple

from engine.results.matrix import RunMatrix
from engine.results.metric_query import MetricQuery
from engine.results.queries import ComparisonQuery, MatrixQuery
from store.runs import results
from store.runs.results import MetricKey
from store.workspace import Workspace
from tui.calculator.calculator import Calculator
from tui.live.facts import Facts, WorkFact


class ShownMatrix(NamedTuple):
    run_id: int
    metric: MetricKey
    rows: str = "topic"
    cols: str = "task"

    @property
    def query(self) -> MetricQuery:
        return MetricQuery.of(self.metric, self.rows, self.cols)

    def beside(self, other: int) -> ComparisonQuery:
        """Returns the query that compares this run with another."""
        return ComparisonQuery(str(self.run_id), str(other), self.query)


def compute(
    workspace: Workspace, calculator: Calculator, wanted: ShownMatrix, axes: tuple[str, ...]
) -> tuple[RunMatrix, tuple[str, ...]]:
    """The matrix, and the axes of the run, which are read unless they are known.

    Another run may not have the axes that were shown: then topic and task are used.
    """
    axes = axes or tuple(results.axes(workspace.db, wanted.run_id))
    has_axes = {wanted.rows, wanted.cols} <= set(axes)
    of = wanted.query if has_axes else MetricQuery.of(wanted.metric)
    return calculator.ask(MatrixQuery(str(wanted.run_id), of)), axes


def first_to_show(facts: Facts) -> WorkFact | None:
    """Returns the newest run with scores; one without retrieval only if there is no other."""
    runs = [fact for fact in facts.work if fact.run is not None]
    runs.sort(
        key=lambda fact: (
            not fact.progress.scored,
            fact.run is not None and fact.run.system.retriever is None,
        )
    )
    return runs[0] if runs else None

"""The queries for results: a matrix, a comparison, a leaderboard, a table."""

from __future__ import annotations

from msgspec import Struct

from engine.results.axes import axes
from engine.results.comparison import Leaderboard, PairedScore, RunComparison
from engine.results.matrix import RunMatrix
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from engine.results.run_table import run_table
from engine.results.table import RunTable
from store.runs import runs
from store.workspace import Workspace


class MatrixQuery(Struct, frozen=True):
    run: str
    of: MetricQuery

    def answer(self, workspace: Workspace) -> RunMatrix:
        """Raises NotFound for an unknown run, metric or axis."""
        return run_matrix(workspace.db, self.run, self.of)


class AxesQuery(Struct, frozen=True):
    run: str

    def answer(self, workspace: Workspace) -> tuple[str, ...]:
        """The names of all axes of a run; raises NotFound for an unknown run."""
        return tuple(axes(workspace.db, runs.get(workspace.db, self.run)))


class ComparisonQuery(Struct, frozen=True):
    """Two runs of one dataset, cell by cell."""

    run_a: str
    run_b: str
    of: MetricQuery

    def answer(self, workspace: Workspace) -> RunComparison:
        """Raises as `compare_runs` does."""
        from engine.results.run_comparison import compare_runs

        return compare_runs(workspace.db, self.run_a, self.run_b, self.of)


class PairsQuery(Struct, frozen=True):
    """The turns behind a cell of a comparison; a row or column of None is all of them."""

    comparison: ComparisonQuery
    row: str | None
    col: str | None

    def answer(self, workspace: Workspace) -> tuple[PairedScore, ...]:
        """The largest difference first."""
        from engine.results.run_comparison import paired_scores

        a, b, of = self.comparison.run_a, self.comparison.run_b, self.comparison.of
        return paired_scores(workspace.db, a, b, of, row=self.row, col=self.col)


class LeaderboardQuery(Struct, frozen=True):
    """Runs of one dataset, ranked on a metric."""

    runs: tuple[str, ...]
    of: MetricQuery

    def answer(self, workspace: Workspace) -> Leaderboard:
        """Raises as `rank_runs` does."""
        from engine.results.run_comparison import rank_runs

        _, board = rank_runs(workspace.db, self.runs, self.of)
        return board


class TableQuery(Struct, frozen=True):
    """Runs of one dataset with OmniEval's nine measures."""

    runs: tuple[str, ...]
    judge: str | None
    """None where only one judge has scored."""

    def answer(self, workspace: Workspace) -> RunTable:
        """Raises as `run_table` does."""
        return run_table(workspace.db, self.runs, judge=self.judge)

"""The commands that print results of runs: matrix, compare, leaderboard, table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.prompts.languages import LANGS
from store.errors import UsageError
from tui.cli.command import Command
from tui.cli.options import add_out, workspace_of
from tui.cli.output import print_json, terminal_width, write_rendered

if TYPE_CHECKING:
    from engine.results.metric_query import MetricQuery


def _add_metric(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--metric", default="f1", metavar="M", help="metric to show (default f1)")
    parser.add_argument("--variant", metavar="V", help="variant of the metric (default standard)")
    parser.add_argument("--judge", metavar="NAME", help="judge, where several scored the metric")
    parser.add_argument("--lang", choices=LANGS, help="language of labels and sentences")


def _query(arguments: argparse.Namespace) -> MetricQuery:
    """Returns the query for the metric and the axes in the arguments."""
    from engine.results.metric_query import MetricQuery

    named = {name: getattr(arguments, name) for name in ("rows", "cols") if name in arguments}
    return MetricQuery(
        arguments.metric,
        variant=arguments.variant,
        judge=arguments.judge,
        lang=arguments.lang,
        **named,
    )


def _add_axes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rows", default="topic", metavar="AXIS", help="rows of the matrix (default topic)"
    )
    parser.add_argument(
        "--cols", default="task", metavar="AXIS", help="columns of the matrix (default task)"
    )


def _add_format(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    parser.add_argument(
        "--format", choices=formats, default="text", help="format of the result (default text)"
    )
    add_out(parser)


def _matrix_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_name", metavar="RUN", help="name or number of the run")
    _add_metric(parser)
    _add_axes(parser)
    _add_format(parser, ("text", "json", "csv", "markdown", "latex", "html", "svg"))


def matrix(arguments: argparse.Namespace) -> int:
    from engine.report.run_matrix import render
    from engine.results.run_matrix import run_matrix

    with workspace_of(arguments) as workspace:
        view = run_matrix(workspace.db, arguments.run_name, _query(arguments))
    write_rendered(arguments, render, view)
    return 0


def _compare_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_a", metavar="RUN", help="name or number of the run")
    parser.add_argument("run_b", metavar="RUN", help="run to compare it with")
    _add_metric(parser)
    _add_axes(parser)
    _add_format(parser, ("text", "json", "csv", "markdown"))


def compare(arguments: argparse.Namespace) -> int:
    from engine.report.comparison import render
    from engine.results.run_comparison import compare_runs

    with workspace_of(arguments) as workspace:
        view = compare_runs(workspace.db, arguments.run_a, arguments.run_b, _query(arguments))
    write_rendered(arguments, render, view)
    return 0


def _leaderboard_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_names", nargs="+", metavar="RUN", help="name or number of the run")
    _add_metric(parser)


def leaderboard(arguments: argparse.Namespace) -> int:
    from engine.report.comparison import leaderboard_as_json, leaderboard_text
    from engine.results.run_comparison import rank_runs

    if len(arguments.run_names) < 2:
        raise UsageError("A leaderboard needs two runs or more.")
    with workspace_of(arguments) as workspace:
        key, board = rank_runs(workspace.db, arguments.run_names, _query(arguments))
    if arguments.json:
        print_json(leaderboard_as_json(key, board))
    else:
        print(leaderboard_text(key, board, arguments.lang or "en", width=terminal_width()))
    return 0


def _table_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_names", nargs="+", metavar="RUN", help="name or number of the run")
    parser.add_argument("--variant", metavar="V", help="variant of MAP to F1 (default standard)")
    parser.add_argument("--judge", metavar="NAME", help="judge, where several scored a run")
    _add_format(parser, ("text", "markdown", "csv", "latex", "json"))


def table(arguments: argparse.Namespace) -> int:
    from engine.report.run_table import render
    from engine.results.run_table import check_judge, run_table

    with workspace_of(arguments) as workspace:
        if arguments.judge is not None:
            check_judge(workspace.db, arguments.run_names, arguments.judge)
        rows = run_table(
            workspace.db,
            arguments.run_names,
            variant=arguments.variant,
            judge=arguments.judge,
        )
    write_rendered(arguments, render, rows)
    return 0


COMMANDS = (
    Command(
        "matrix",
        "print a run's scores as a matrix",
        matrix,
        _matrix_arguments,
        "ragdesk matrix bm25-mine@1 --metric f1 --rows topic --cols task",
    ),
    Command(
        "compare",
        "test the difference of two runs",
        compare,
        _compare_arguments,
        "ragdesk compare bm25-mine@1 lsa-mine@1 --metric f1",
    ),
    Command(
        "leaderboard",
        "rank runs and say which cannot be told apart",
        leaderboard,
        _leaderboard_arguments,
        "ragdesk leaderboard bm25-mine@1 lsa-mine@1 --metric f1",
    ),
    Command(
        "table",
        "print runs as rows with OmniEval's nine measures",
        table,
        _table_arguments,
        "ragdesk table bm25-mine@1 lsa-mine@1",
    ),
)

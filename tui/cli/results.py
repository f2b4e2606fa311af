"""Commands that read results: matrix, compare, leaderboard, table."""

from __future__ import annotations

import argparse

from engine.report.output import json_text
from store.errors import UsageError
from store.workspace import open_workspace
from tui.cli.output import print_json, terminal_width, write_result


def matrix(arguments: argparse.Namespace) -> int:
    from engine.report.matrix_output import render
    from engine.results.run_matrix import run_matrix

    with open_workspace(arguments.workspace) as workspace:
        view = run_matrix(
            workspace.db,
            arguments.run_name,
            arguments.metric,
            variant=arguments.variant,
            judge=arguments.judge,
            rows=arguments.rows,
            cols=arguments.cols,
            lang=arguments.lang,
        )
    kind = "json" if arguments.json else arguments.format
    write_result(
        render(view, kind, width=terminal_width() if arguments.out is None else None), arguments.out
    )
    return 0


def compare(arguments: argparse.Namespace) -> int:
    from engine.report.comparison_output import comparison_as_json, comparison_text
    from engine.results.run_comparison import compare_runs

    with open_workspace(arguments.workspace) as workspace:
        view = compare_runs(
            workspace.db,
            arguments.run_a,
            arguments.run_b,
            arguments.metric,
            variant=arguments.variant,
            judge=arguments.judge,
            rows=arguments.rows,
            cols=arguments.cols,
            lang=arguments.lang,
        )
    if arguments.json or arguments.format == "json":
        write_result(json_text(comparison_as_json(view)), arguments.out)
    else:
        width = terminal_width() if arguments.out is None else None
        write_result(comparison_text(view, arguments.format, width=width), arguments.out)
    return 0


def leaderboard(arguments: argparse.Namespace) -> int:
    from engine.report.comparison_output import leaderboard_as_json, leaderboard_text
    from engine.results.run_comparison import rank_runs

    if len(arguments.run_names) < 2:
        raise UsageError("A leaderboard needs two runs or more.")
    with open_workspace(arguments.workspace) as workspace:
        key, board = rank_runs(
            workspace.db,
            arguments.run_names,
            arguments.metric,
            variant=arguments.variant,
            judge=arguments.judge,
        )
    if arguments.json:
        print_json(leaderboard_as_json(key, board))
    else:
        print(leaderboard_text(key, board, arguments.lang or "en", width=terminal_width()))
    return 0


def table(arguments: argparse.Namespace) -> int:
    from engine.report.run_table_output import render
    from engine.results.run_table import check_judge, run_table

    with open_workspace(arguments.workspace) as workspace:
        if arguments.judge is not None:
            check_judge(workspace.db, arguments.run_names, arguments.judge)
        found = run_table(
            workspace.db,
            arguments.run_names,
            variant=arguments.variant,
            judge=arguments.judge,
        )
    kind = "json" if arguments.json else arguments.format
    width = terminal_width() if arguments.out is None else None
    write_result(render(found, kind, width=width), arguments.out)
    return 0

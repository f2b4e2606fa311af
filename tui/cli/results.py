"""The commands that show results of runs: matrix, compare, leaderboard, table, report."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from engine.prompts.languages import LANGS
from store.errors import UsageError
from store.messages import choices
from tui.cli.command import command, option
from tui.cli.options import FORCE, filled, format_options, workspace_of
from tui.cli.output import ProgressLine, print_json, say, tell, terminal_width, write_rendered
from tui.language import language, tr

if TYPE_CHECKING:
    from engine.results.metric_query import MetricQuery
    from store.records import Lang


_METRIC = (
    option("--metric M", "metric to show (default f1)", "f1"),
    option("--variant V", "variant of the metric (default standard)"),
    option("--judge NAME", "judge, where several scored the metric"),
    option("--lang", "language of labels and sentences (default: the interface's)", choices=LANGS),
)


def _lang(arguments: argparse.Namespace) -> Lang | None:
    """Returns the language of labels: the one asked for, else the interface's; for a program None,
    the language of most items, whoever calls it."""
    is_for_program = arguments.json or getattr(arguments, "format", "") in ("json", "csv")
    return arguments.lang or (None if is_for_program else language())


def _query(arguments: argparse.Namespace) -> MetricQuery:
    """Returns the query for the metric and the axes in the arguments."""
    from engine.results.metric_query import MetricQuery

    named = {name: getattr(arguments, name) for name in ("rows", "cols") if name in arguments}
    return MetricQuery(
        arguments.metric,
        variant=arguments.variant,
        judge=arguments.judge,
        lang=_lang(arguments),
        **named,
    )


_AXES = (
    option("--rows AXIS", "rows of the matrix (default topic)", "topic"),
    option("--cols AXIS", "columns of the matrix (default task)", "task"),
)


@command(
    "matrix",
    "print a run's scores as a matrix",
    option("RUN", "name or number of the run", dest="run_name"),
    *_METRIC,
    *_AXES,
    *format_options("json", "csv", "markdown", "latex", "html", "svg"),
    example="bm25-mine@1 --metric f1 --rows topic --cols task",
)
def matrix(arguments: argparse.Namespace) -> int:
    from engine.report.run_matrix import render
    from engine.results.run_matrix import run_matrix

    with workspace_of(arguments) as workspace:
        view = run_matrix(workspace.db, arguments.run_name, _query(arguments))
    write_rendered(arguments, render, view)
    return 0


EXIT_NOT_MET, EXIT_UNDECIDED = 4, 5
"""The exit codes of a comparison with gates, where not all hold."""


@command(
    "compare",
    "test the difference of two runs",
    option("RUN", "name or number of the run (A)", dest="run_a"),
    option("RUN", "run to compare it with (B)", dest="run_b"),
    option("--metric M", "metric to show (default f1, or that of the first --fail-if-worse)"),
    *_METRIC[1:],
    *_AXES,
    option(
        "--fail-if-worse METRIC[:MARGIN]",
        "end with 4 if A is worse than B on the metric by more than the margin (default 0), with 5"
        " if that cannot be told; may be repeated",
        action="append",
    ),
    *format_options("json", "csv", "markdown"),
    example="bm25-mine@1 lsa-mine@1 --metric f1",
)
def compare(arguments: argparse.Namespace) -> int:
    from msgspec import structs

    from engine.report.comparison import gate_lines, render
    from engine.results.comparison import GateVerdict
    from engine.results.gate import Gate, check_gate
    from engine.results.run_comparison import compare_runs

    gates = [Gate.read(text) for text in arguments.fail_if_worse]
    arguments.metric = arguments.metric or (gates[0].metric if gates else "f1")
    query, (a, b) = _query(arguments), (arguments.run_a, arguments.run_b)
    with workspace_of(arguments) as workspace:
        view = compare_runs(workspace.db, a, b, query)
        results = tuple(check_gate(workspace.db, a, b, gate, query) for gate in gates)
    view = structs.replace(view, gates=results)
    write_rendered(arguments, render, view)
    if arguments.out is not None or arguments.format == "csv":
        # what is printed says it already
        for line in gate_lines(view):
            say(line)
    verdicts = {result.verdict for result in results}
    if GateVerdict.NOT_MET in verdicts:
        return EXIT_NOT_MET
    return EXIT_UNDECIDED if GateVerdict.UNDECIDED in verdicts else 0


@command(
    "leaderboard",
    "rank runs and say which cannot be told apart",
    option("RUN...", "name or number of the run", dest="run_names"),
    *_METRIC,
    option("--macro", "runs of several datasets: each system's mean on each, and their mean"),
    example="bm25-mine@1 lsa-mine@1 --metric f1",
)
def leaderboard(arguments: argparse.Namespace) -> int:
    from engine.report.comparison import leaderboard_as_json, leaderboard_text
    from engine.results.run_comparison import rank_runs

    if arguments.macro:
        return _macro(arguments)
    if len(arguments.run_names) < 2:
        raise UsageError("A leaderboard needs two runs or more.")
    with workspace_of(arguments) as workspace:
        key, board = rank_runs(workspace.db, arguments.run_names, _query(arguments))
    if arguments.json:
        print_json(leaderboard_as_json(key, board))
    else:
        print(leaderboard_text(key, board, arguments.lang or language(), width=terminal_width()))
    return 0


def _macro(arguments: argparse.Namespace) -> int:
    """Runs `leaderboard --macro`."""
    from engine.report.macro import macro_as_json, macro_text
    from engine.results.macro import macro_board

    with workspace_of(arguments) as workspace:
        board = macro_board(workspace.db, arguments.run_names, _query(arguments))
    if arguments.json:
        print_json(macro_as_json(board))
    else:
        print(macro_text(board, arguments.lang or language(), width=terminal_width()))
    return 0


@command(
    "table",
    "print runs as rows with OmniEval's nine measures",
    option("RUN...", "name or number of the run", dest="run_names"),
    option("--variant V", "variant of MAP to F1 (default standard)"),
    option("--judge NAME", "judge, where several scored a run"),
    *format_options("markdown", "csv", "latex", "json"),
    example="bm25-mine@1 lsa-mine@1",
)
def table(arguments: argparse.Namespace) -> int:
    from functools import partial

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
    write_rendered(arguments, partial(render, lang=language()), rows)
    return 0


@command(
    "report",
    "write a page on runs for a browser, down to items with passages and reasons",
    option("RUN...", "names or numbers of runs of one dataset", dest="run_names"),
    option("--out FILE", "HTML file to write", required=True),
    FORCE,
    option("--metrics M...", "only these metrics (default: all)"),
    option(
        "--variants V...",
        "variants of the metrics that need no judge (default: standard)",
    ),
    *_AXES,
    option("--lang", "language of labels and sentences (default: the interface's)", choices=LANGS),
    option("--no-passages", "leave out the texts of what was retrieved"),
    example="bm25-mine@1 lsa-mine@1 --out report.html",
)
def report(arguments: argparse.Namespace) -> int:
    from engine.exporters.report import ReportWanted, report_page
    from engine.metrics.spec import VARIANTS
    from store.files import check_new, write_whole

    for variant in arguments.variants:
        if variant not in VARIANTS:
            raise UsageError(
                f"--variants {variant}: there is none.", choices(variant, VARIANTS, "Variants")
            )
    check_new(arguments.out, force=arguments.force)
    wanted = filled(
        ReportWanted,
        arguments,
        runs=arguments.run_names,
        variants=arguments.variants or None,
        lang=arguments.lang or language(),
        passages=not arguments.no_passages,
    )
    line = ProgressLine()
    with workspace_of(arguments) as workspace:
        page = report_page(
            workspace,
            wanted,
            lambda done, total: line.show(tr("{done} of {total} tables", done=done, total=total)),
        )
    line.end()
    write_whole(page, arguments.out, force=arguments.force)
    size = len(page.encode())
    if arguments.json:
        print_json({"out": str(arguments.out), "bytes": size})
    else:
        tell("Wrote {out}, {size:.1f} MB.", out=arguments.out, size=size / 1e6)
    return 0


COMMANDS = (matrix, compare, leaderboard, table, report)

"""The commands and their options, one table a subject; each names the function that runs it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tui.cli.arguments import Parser, refuse
from tui.cli.examples import EXAMPLES
from tui.cli.export_options import add_dataset_exports, add_judge_export
from tui.cli.import_options import add_foreign_imports, add_question_sets, add_tables
from tui.cli.parser_building import add_quality, add_taxonomy, add_topics
from tui.cli.parser_generation import add_generation
from tui.cli.parser_judging import add_judging
from tui.cli.parser_labelling import add_labelling
from tui.cli.parser_removal import add_all, add_removal


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments of one call; `run` on the result is what does the work."""
    arguments, unknown = build().parse_known_args(argv)
    if unknown:
        refuse(arguments.parser, unknown)
    if arguments.workspace is None:
        named = os.environ.get("RAGDESK_WORKSPACE")
        arguments.workspace = Path(named or arguments.default_workspace)
    return arguments


def build() -> argparse.ArgumentParser:
    parser = Parser(
        prog="ragdesk",
        description="A workstation in the terminal for people who build and use RAG benchmarks."
        " Without a command it opens the app.",
        parents=[_global_options(argparse.SUPPRESS)],
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.add_argument("--ascii", action="store_true", help="the app draws with ASCII signs only")
    parser.add_argument("--no-mouse", action="store_true", help="the app leaves the mouse alone")
    parser.add_argument(
        "--full-redraw",
        action="store_true",
        help="the app writes all that it draws, not only what has changed",
    )
    parser.set_defaults(**_global_defaults(), run=_lazy("app", "open_app"), parser=parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for add in (
        _demo,
        _corpus,
        add_topics,
        _data,
        add_generation,
        add_quality,
        _evaluation,
        _jobs,
        add_judging,
        _results,
        add_labelling,
        _upkeep,
        add_removal,
    ):
        add(_Commands(commands))
    return parser


def _global_defaults() -> dict[str, Any]:
    return {
        "workspace": None,
        "default_workspace": "workspace",
        "rater": os.environ.get("RAGDESK_RATER") or "",
        "json": False,
    }


def _global_options(default: object) -> argparse.ArgumentParser:
    # suppressed defaults: an option given before the command would else be overwritten by the
    # default of the same option after it
    options = Parser(add_help=False)
    group = options.add_argument_group("everywhere")
    group.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        default=default,
        help="the workspace folder (default: $RAGDESK_WORKSPACE, else ./workspace)",
    )
    group.add_argument(
        "--rater",
        metavar="NAME",
        default=default,
        help="who you are (default: $RAGDESK_RATER, else your user name)",
    )
    group.add_argument(
        "--json", action="store_true", default=default, help="print one JSON document"
    )
    return options


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        parser.exit(message=f"ragdesk {version('ragdesk')}\n")


def _lazy(module: str, function: str) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        return int(getattr(import_module(f"tui.cli.{module}"), function)(arguments))

    return run


class _Commands:
    """Adds commands that share the global options."""

    def __init__(self, subparsers: Any) -> None:
        self._subparsers = subparsers

    def add(self, name: str, module: str, function: str, help: str) -> argparse.ArgumentParser:
        parser: Parser = self._subparsers.add_parser(
            name,
            help=help,
            description=help[0].upper() + help[1:] + ".",
            parents=[_global_options(argparse.SUPPRESS)],
        )
        parser.example = EXAMPLES.get(parser.prog.partition(" ")[2], "")
        parser.set_defaults(run=_lazy(module, function), parser=parser)
        return parser

    def group(self, name: str, help: str, metavar: str) -> _Commands:
        parser = self._subparsers.add_parser(
            name, help=help, description=help[0].upper() + help[1:] + "."
        )
        return _Commands(parser.add_subparsers(metavar=metavar, required=True))


def _demo(commands: _Commands) -> None:
    demo = commands.add(
        "demo", "demo", "run_demo", "build ./ragdesk-demo from the sample and show its matrix"
    )
    # never the workspace that $RAGDESK_WORKSPACE names: the demo is not to be mixed with real work
    demo.set_defaults(workspace=Path("ragdesk-demo"))
    demo.add_argument(
        "--force", action="store_true", help="use the folder even though it is not empty"
    )


def _chunking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--chunk-size", type=int, metavar="N", help="default 2048")
    parser.add_argument("--chunk-overlap", type=int, metavar="N", help="default 256")
    parser.add_argument("--unit", choices=("tokens", "chars"), help="default tokens")


def _corpus(commands: _Commands) -> None:
    ingest = commands.add("ingest", "corpus", "ingest", "read files and folders into a corpus")
    ingest.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files and folders")
    ingest.add_argument("--corpus", required=True, metavar="NAME", help="made if missing")
    _chunking(ingest)

    search = commands.add("search", "corpus", "search", "search a corpus")
    search.add_argument(
        "query", nargs="?", metavar="QUERY", help="what to search for, or --queries"
    )
    search.add_argument("--corpus", required=True, metavar="NAME", help="to search in")
    search.add_argument(
        "--retriever",
        default="bm25",
        metavar="NAME",
        help="bm25 (default), bm25-okapi, lsa, an embedding of the settings, or hybrid:bm25+NAME",
    )
    search.add_argument(
        "--reranker",
        action="append",
        default=[],
        metavar="NAME",
        help="a reranker of the settings; give it again for another stage",
    )
    search.add_argument(
        "--rerank-depth",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help="chunks that the reranker reads (default 50)",
    )
    search.add_argument("--k", type=int, default=10, metavar="N", help="hits a query (default 10)")
    search.add_argument(
        "--by",
        choices=("document", "chunk"),
        default="document",
        help="rank documents, each by its best chunk, or chunks (default document)",
    )
    search.add_argument("--queries", type=Path, metavar="FILE", help='lines {"id", "query"}')
    search.add_argument("--out", type=Path, metavar="FILE", help='lines {"id", "hits"}')


def _data(commands: _Commands) -> None:
    imports = commands.group("import", "bring data in", "KIND")
    beir = imports.add(
        "beir", "data", "import_beir", "import corpus.jsonl, queries.jsonl and qrels.tsv"
    )
    beir.add_argument("folder", type=Path, metavar="DIR", help="a folder in the layout of BEIR")
    beir.add_argument(
        "--corpus", required=True, metavar="NAME", help="for the documents; made if missing"
    )
    beir.add_argument(
        "--dataset", required=True, metavar="NAME", help="for the queries; to be made"
    )
    beir.add_argument("--qrels", type=Path, metavar="FILE", help="default DIR/qrels.tsv")
    beir.add_argument("--answers", type=Path, metavar="FILE", help='lines {"_id", "answer"}')
    beir.add_argument(
        "--expansions",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help='lines {"_id", "text"}: the queries with words added, for systems that use NAME',
    )
    beir.add_argument(
        "--task-map",
        action="append",
        default=[],
        metavar="TYPE=TASK",
        help="the task of queries of a type; may be given several times",
    )
    add_taxonomy(beir)
    _chunking(beir)

    items = imports.add(
        "items", "data", "import_items", "import gold items, or a folder that `export items` wrote"
    )
    items.add_argument(
        "files", nargs="+", type=Path, metavar="PATH", help="lines of items, or one exported folder"
    )
    items.add_argument("--corpus", required=True, metavar="NAME", help="that the items are about")
    items.add_argument("--dataset", required=True, metavar="NAME", help="to be made")
    add_taxonomy(items)

    add_foreign_imports(imports)
    add_question_sets(imports)
    add_tables(imports)

    exports = commands.group("export", "write data out, with a manifest", "KIND")
    add_dataset_exports(exports)
    add_judge_export(exports)

    release = commands.add("release", "data", "release", "freeze a version of a dataset")
    release.add_argument(
        "--dataset", required=True, metavar="NAME", help="whose accepted items are frozen"
    )
    release.add_argument("--note", default="", metavar="TEXT", help="kept with the version")


def _budget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-tokens", type=int, metavar="N", help="pause after so many tokens")
    parser.add_argument(
        "--max-cost", type=float, metavar="X", help="pause after so much money, in its currency"
    )


def _evaluation(commands: _Commands) -> None:
    commands.add("systems", "evaluation", "list_systems", "list what can be evaluated")
    providers = commands.group("providers", "models at endpoints", "list|test")
    providers.add("list", "providers", "list_providers", "list the providers of ragdesk.toml")
    test = providers.add("test", "providers", "test_provider", "ask an endpoint one small question")
    test.add_argument("name", metavar="NAME", help="of a provider of ragdesk.toml")
    test.add_argument("--use", choices=("chat", "embeddings"), default="chat", help="default chat")

    run = commands.add("run", "evaluation", "run", "evaluate a system over a released dataset")
    run.add_argument("--system", required=True, metavar="NAME", help="as `systems` lists them")
    run.add_argument(
        "--dataset", required=True, metavar="NAME[@V]", help="a release (default the latest)"
    )
    run.add_argument("--name", metavar="NAME", help="what to call the run")
    run.add_argument("--seed", type=int, default=0, metavar="N", help="of the order (default 0)")
    run.add_argument("--repeats", type=int, default=1, metavar="N", help="default 1")
    _budget(run)
    run.add_argument("--detach", action="store_true", help="return at once; the worker goes on")
    run.add_argument(
        "--dry-run", action="store_true", help="say what it would take; ask no model, store nothing"
    )

    add_all(commands.add("runs", "evaluation", "list_runs", "list the runs"))

    score = commands.add(
        "score", "score", "score", "compute metrics over a predictions file, without a workspace"
    )
    score.add_argument("file", type=Path, metavar="FILE.jsonl", help="lines of predictions")
    score.add_argument("--variant", default="standard", metavar="V", help="default standard")
    score.add_argument("--metrics", nargs="+", metavar="NAME", help="default: all that apply")
    score.add_argument("--out", type=Path, metavar="FILE.jsonl", help="default: standard output")


def _jobs(commands: _Commands) -> None:
    jobs = commands.group("jobs", "look at background work and steer it", "COMMAND")
    add_all(jobs.add("list", "jobs", "list_jobs", "list the jobs, newest first"))
    for name, help in (
        ("show", "show one job with what happened to it"),
        ("pause", "stop a job after what is in flight; resume goes on from there"),
        ("cancel", "end a job; what it has done stays"),
        ("resume", "go on with a paused, failed, cancelled or interrupted job"),
    ):
        command = jobs.add(name, "jobs", f"{name}_job", help)
        command.add_argument("job", type=int, metavar="JOB", help="number, as `jobs list` has it")
        if name == "resume":
            _budget(command)
            command.add_argument(
                "--retry-failed", action="store_true", help="also ask again for what failed"
            )
            command.add_argument(
                "--detach", action="store_true", help="return at once; the worker goes on"
            )


def _metric(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--metric", default="f1", metavar="M", help="default f1")
    parser.add_argument("--variant", metavar="V", help="default standard")
    parser.add_argument("--judge", metavar="NAME", help="when several judges scored the metric")
    parser.add_argument("--lang", choices=("zh", "en"), help="language of labels and sentences")


def _table(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    parser.add_argument("--rows", default="topic", metavar="AXIS", help="default topic")
    parser.add_argument("--cols", default="task", metavar="AXIS", help="default task")
    parser.add_argument("--format", choices=formats, default="text", help="default text")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")


def _results(commands: _Commands) -> None:
    matrix = commands.add("matrix", "results", "matrix", "print a run's scores as a matrix")
    matrix.add_argument("run_name", metavar="RUN", help="name or number")
    _metric(matrix)
    _table(matrix, ("text", "json", "csv", "markdown", "latex", "html", "svg"))

    compare = commands.add("compare", "results", "compare", "test the difference of two runs")
    compare.add_argument("run_a", metavar="RUN", help="name or number")
    compare.add_argument("run_b", metavar="RUN", help="to compare it with")
    _metric(compare)
    _table(compare, ("text", "json", "csv", "markdown"))

    board = commands.add(
        "leaderboard", "results", "leaderboard", "rank runs and say which cannot be told apart"
    )
    board.add_argument("run_names", nargs="+", metavar="RUN", help="name or number")
    _metric(board)

    table = commands.add(
        "table", "results", "table", "print runs as rows with OmniEval's nine measures"
    )
    table.add_argument("run_names", nargs="+", metavar="RUN", help="name or number")
    table.add_argument("--variant", metavar="V", help="of MAP to F1; default standard")
    table.add_argument("--judge", metavar="NAME", help="when several judges scored a run")
    table.add_argument(
        "--format",
        choices=("text", "markdown", "csv", "latex", "json"),
        default="text",
        help="default text",
    )
    table.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")


def _upkeep(commands: _Commands) -> None:
    doctor = commands.add(
        "doctor", "doctor", "doctor", "say what is installed, reachable and wrong"
    )
    doctor.add_argument(
        "--probe", action="store_true", help="also ask every endpoint one small question"
    )
    verify = commands.add("verify", "upkeep", "verify", "check the workspace's integrity")
    verify.add_argument(
        "--export", type=Path, metavar="DIR", help="check an exported folder instead"
    )
    backup = commands.add("backup", "upkeep", "backup", "write a consistent copy of the workspace")
    backup.add_argument(
        "--out", type=Path, metavar="FILE", help="default: backups/ in the workspace"
    )

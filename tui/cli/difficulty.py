"""The commands on difficulty: measure it, show how it is distributed, and what it goes with."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tui.cli.command import command, option
from tui.cli.options import detach_option, format_options, workspace_of
from tui.cli.output import tell, write_sheets
from tui.language import tr

if TYPE_CHECKING:
    pass

_EMBEDDING = option("--embedding NAME", "embedding that it was measured with (default: the newest)")
_WEIGHT = option("--lambda X", "weight of RD in RGD (default 20)", 20.0, dest="weight")
_FORMAT = format_options("csv", "html")


@command(
    "measure",
    "measure how hard the items of a dataset are",
    option("DATASET", "dataset whose items are measured"),
    option(
        "--embedding NAME",
        "lsa, bm25 or an embedding of ragdesk.toml (default lsa)",
        "lsa",
    ),
    option(
        "--candidates",
        "chunks that RD looks at: all of the corpus, or those that name an entity of question or"
        " answer (default corpus)",
        "corpus",
        choices=("corpus", "entities"),
    ),
    detach_option(),
    example="mine --embedding lsa",
)
def measure(arguments: argparse.Namespace) -> int:
    from engine.difficulty.difficulty_job import MeasureDifficulty
    from engine.jobs.start import start
    from tui.cli.follow import follow, show_queued

    operation = MeasureDifficulty(arguments.dataset, arguments.embedding, arguments.candidates)
    with workspace_of(arguments) as workspace:
        job = start(workspace, operation)
        if arguments.detach:
            return show_queued(arguments, job.id)
        code = follow(workspace, [job.id])
        if code == 0:
            arguments.format, arguments.out = "text", None
            _show_distributions(arguments, workspace, "task", 20.0)
        return code


@command(
    "show",
    "show how difficulty is distributed",
    option("DATASET", "dataset that was measured"),
    _EMBEDDING,
    option("--by FACET", "parts that are shown apart: task, or a facet (default task)", "task"),
    _WEIGHT,
    *_FORMAT,
    example="mine --by task",
)
def show(arguments: argparse.Namespace) -> int:
    with workspace_of(arguments) as workspace:
        _show_distributions(arguments, workspace, arguments.by, arguments.weight)
    return 0


@command(
    "correlate",
    "correlate difficulty with the metrics of a run",
    option("RUN", "name or number of the run", dest="run_name"),
    option("--metrics M...", "metrics (default: all standard ones with values)"),
    option("--all", "as text show all of these metrics, not the strongest of each figure"),
    _EMBEDDING,
    _WEIGHT,
    *_FORMAT,
    example="3 --metrics hit@5 recall@5 --format html --out difficulty.html",
)
def correlate(arguments: argparse.Namespace) -> int:
    from engine.report.difficulty import STRONGEST, correlation_sheets, strongest_sheets
    from engine.results.difficulty import correlations

    with workspace_of(arguments) as workspace:
        found = correlations(
            workspace.db,
            arguments.run_name,
            arguments.metrics,
            arguments.embedding,
            arguments.weight,
        )
    is_short = arguments.format == "text" and not (arguments.all or arguments.metrics)
    sheets = strongest_sheets(found) if is_short else correlation_sheets(found)
    write_sheets(arguments, found, tr("Difficulty and {run}", run=found.run), sheets)
    number = len(found.metrics)
    if is_short and not arguments.json and number > STRONGEST:
        tell("{number} metrics were compared; --all shows all of them.", number=number)
    return 0


def _show_distributions(
    arguments: argparse.Namespace, workspace: Any, by: str, weight: float
) -> None:
    from engine.report.difficulty import distribution_sheets
    from engine.results.difficulty import distributions
    from store.datasets import datasets

    dataset = datasets.get(workspace.db, arguments.dataset)
    measured, parts = distributions(workspace.db, dataset, arguments.embedding, by, weight)
    sheets = distribution_sheets(dataset.name, measured, parts, weight)
    title = tr("Difficulty of {name}", name=dataset.name)
    write_sheets(arguments, {"measure": measured, "parts": parts}, title, sheets)


COMMANDS = (measure, show, correlate)

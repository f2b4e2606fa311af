"""The command that generates items: generate."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import command, option
from tui.cli.costs import print_tokens, spent_words
from tui.cli.options import (
    BUDGET,
    DRY_RUN,
    budget_of,
    detach_option,
    filled,
    model_option,
    workspace_of,
)
from tui.cli.output import print_json, print_line, print_table, say, tell
from tui.language import later, read, tr

if TYPE_CHECKING:
    from engine.generate.filling.asked import GenerationEstimate
    from store.datasets.generation_figures import CellProgress
    from store.workspace import Workspace


@command(
    "generate",
    "write items into the cells of a dataset",
    option("--corpus NAME", "corpus to draft from", required=True),
    option("--dataset NAME", "dataset for the items; made if missing", required=True),
    option(
        "--per-cell N",
        "items per topic and task, counting those that the dataset holds",
        required=True,
    ),
    option("--tasks TASK...", "tasks to fill (default: all of the taxonomy)", None),
    option(
        "--topics TOPIC...",
        "topics to fill (default: all of the taxonomy); unassigned: documents without a topic",
        None,
    ),
    option(
        "--target TOPIC/TASK=N",
        "another number of items for one cell, 0 for none; may be repeated",
        action="append",
    ),
    option("--taxonomy NAME", "taxonomy of a new dataset (default omnieval)"),
    model_option("drafts by rule"),
    option("--seed N", "seed of the order of documents (default 0)", 0),
    option(
        "--related-by RETRIEVER",
        "what chooses the other reports that stand in for a hidden one (default lsa): not the"
        " retriever that is to be tested",
    ),
    *BUDGET,
    option(
        "--inspect [MODEL]",
        "then inspect the drafts by a provider's model; without MODEL by the five checks",
        const="offline",
    ),
    detach_option(),
    DRY_RUN,
    example="--corpus finance --dataset mine --per-cell 5 --inspect",
)
def generate(arguments: argparse.Namespace) -> int:
    from engine.generate.filling.generate_job import Generate
    from engine.jobs.operation import dry_run
    from engine.jobs.start import start
    from tui.cli.follow import follow

    operation = filled(
        Generate,
        arguments,
        targets=[*map(_target, arguments.target)],
        inspect_by=arguments.inspect,
        budget=budget_of(arguments),
    )
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            return _show_estimate(arguments, dry_run(workspace, operation))
        job = start(workspace, operation)
        code = 0
        if arguments.detach:
            tell("Job {id} is queued; see `ragdesk jobs show {id}`.", id=job.id)
        else:
            code = follow(workspace, [job.id])
            if not code and arguments.inspect:
                code = _follow_inspection(workspace, job.id)
        _show(arguments, workspace, job.id, operation.dataset)
        return code


def _follow_inspection(workspace: Workspace, job_id: int) -> int:
    """Waits for the inspection that a generation has queued, if it has."""
    from engine.generate.filling.generate_job import Generate
    from engine.jobs.operation import stored_operation
    from store.jobs import jobs
    from tui.cli.follow import follow

    operation = stored_operation(jobs.get(workspace.db, job_id))
    assert isinstance(operation, Generate)
    return 0 if operation.inspection is None else follow(workspace, [operation.inspection])


def _target(text: str) -> tuple[str, str, int]:
    cell, _, items = text.partition("=")
    topic, mark, task = cell.partition("/")
    if not (topic and mark and task and items.isdecimal()):
        raise UsageError(f"--target {text!r} cannot be read.", "Use TOPIC/TASK=N: fund/contrast=8.")
    return topic, task, int(items)


def _show(arguments: argparse.Namespace, workspace: Workspace, job_id: int, dataset: str) -> None:
    from engine.generate.filling.shortfall import shortfalls
    from store.datasets import generation_figures, generations
    from store.jobs import jobs

    cells = generation_figures.progress(workspace.db, job_id)
    if arguments.json:
        tokens, cost = generations.spent(workspace.db, job_id)
        job = jobs.get(workspace.db, job_id)
        print_json(
            {
                "job": job_id,
                "status": job.status,
                "dataset": dataset,
                "tokens": tokens,
                "cost": cost,
                "cells": cells,
                "yields": generation_figures.yields(
                    workspace.db, generations.get(workspace.db, job_id).dataset_id
                ),
            }
        )
        return
    if arguments.detach:
        return
    for event in jobs.events(workspace.db, job_id):
        if event.kind in ("classified", "prompts", "generated", "inspects"):
            say(read(f"{event.text[0].upper()}{event.text[1:]}."))
    _print_cells(cells)
    if short := shortfalls(cells):
        every = tr("all")
        print()
        print_table(
            ("topic", "tasks", "why not more"),
            [(cell.topic, ", ".join(cell.tasks) or every, read(cell.reason)) for cell in short],
        )
    tokens, cost = generations.spent(workspace.db, job_id)
    if tokens:
        print(f"\n{spent_words(jobs.get(workspace.db, job_id).params, tokens, cost)}")


def _print_cells(cells: Sequence[CellProgress]) -> None:
    """Prints the items of each cell, with the target where it is not reached."""
    topics = list(dict.fromkeys(cell.topic for cell in cells))
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    by_place = {(cell.topic, cell.task): cell for cell in cells}

    def shown(cell: CellProgress | None) -> str:
        if cell is None:
            return ""
        return str(cell.filled) if cell.filled >= cell.target else f"{cell.filled}/{cell.target}"

    print_table(
        ("topic", *tasks),
        [(topic, *(shown(by_place.get((topic, task))) for task in tasks)) for topic in topics],
    )


def _show_estimate(arguments: argparse.Namespace, estimate: GenerationEstimate) -> int:
    from engine.generate.filling.asked import only_models_write, stands_in

    if arguments.json:
        print_json(estimate)
        return 0
    print_line(
        "{items} missing in {open_cells} of {cells}",
        items=plural(estimate.missing, "item"),
        open_cells=estimate.open_cells,
        cells=plural(estimate.cells, "cell"),
    )
    if estimate.unreachable:
        print_line(
            "{unreachable} cells have no documents, or none that fit the task",
            unreachable=estimate.unreachable,
        )
    if estimate.model == "offline":
        print_line(
            "drafts by rule from at least {documents}; no model is asked",
            documents=plural(estimate.calls, "document"),
        )
        if estimate.for_models:
            print(only_models_write(estimate.for_models))
        return 0
    print_line(
        "model calls at least {calls:,}, of which {cached:,} are in the cache",
        calls=estimate.calls,
        cached=estimate.cached,
    )
    print_line(
        "at most {calls}, when documents give nothing", calls=plural(estimate.calls_at_most, "call")
    )
    print_tokens(estimate, later("about"))
    if estimate.absent_prompts:
        print(stands_in(estimate.absent_prompts))
    return 0


COMMANDS = (generate,)

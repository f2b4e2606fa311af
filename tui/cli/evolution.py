"""The commands that evolve items and show where they come from: evolve, lineage."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.messages import plural
from tui.cli.command import command, option
from tui.cli.costs import print_tokens, show_no_calls, spent_words
from tui.cli.options import (
    BUDGET,
    DRY_RUN,
    budget_of,
    detach_option,
    filled,
    format_options,
    model_option,
    workspace_of,
)
from tui.cli.output import (
    print_json,
    print_line,
    print_table,
    print_text,
    said,
    say,
    tell,
    terminal_width,
    write_sheets,
)
from tui.language import later, read, tr

if TYPE_CHECKING:
    from engine.evolve.asked import EvolveEstimate
    from store.workspace import Workspace


@command(
    "evolve",
    "write questions from a corpus and grow harder ones from them",
    option("--corpus NAME", "corpus with an entity graph", required=True),
    option("--dataset NAME", "dataset for the items; made if missing", required=True),
    option("--initial N", "initial questions to write and to evolve", required=True),
    option(
        "--from DATASET", "evolve the items of a dataset (default: write questions)", dest="source"
    ),
    model_option("drafts and concatenation by rule"),
    option("--embedding NAME", "embedding that RD is measured with (default lsa)", "lsa"),
    option("--lambda X", "weight of RD in RGD (default 20)", 20.0, dest="weight"),
    option("--threshold X", "RGD above which a question is hard enough (default 1.2)", 1.2),
    option("--queue N", "hardest questions that are kept in a round (default 2)", 2),
    option("--partners N", "questions made to evolve each one with (default 3)", 3),
    option("--rounds N", "rounds at most (default 5)", 5),
    option("--past-threshold", "evolve further what is hard enough, until nothing is gained"),
    option("--gain X", "gain of mean RGD without which rounds end (default 0.01)", 0.01),
    option("--seed N", "seed of every random choice (default 0)", 0),
    option("--rewrite", "also have each initial question plainly rewritten, to compare with"),
    *BUDGET,
    detach_option(),
    DRY_RUN,
    example="--corpus news --dataset harder --initial 100 --model writer --max-cost 5",
)
def evolve(arguments: argparse.Namespace) -> int:
    from engine.evolve.evolve_job import Evolve
    from engine.jobs.operation import dry_run
    from engine.jobs.start import start
    from tui.cli.follow import follow, show_queued

    operation = filled(Evolve, arguments, budget=budget_of(arguments))
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            return _show_estimate(arguments, dry_run(workspace, operation))
        job = start(workspace, operation)
        if arguments.detach:
            return show_queued(arguments, job.id)
        code = follow(workspace, [job.id])
        _show_job(arguments, workspace, job.id)
        return code


def _show_estimate(arguments: argparse.Namespace, estimate: EvolveEstimate) -> int:
    if not estimate.calls:
        show_no_calls(arguments, tr("By rule: no model is asked."))
    elif arguments.json:
        print_json(estimate)
    else:
        print_line(
            "model calls at least {calls:,}, at most {calls_at_most:,}; how many depends "
            "on the replies",
            calls=estimate.calls,
            calls_at_most=estimate.calls_at_most,
        )
        print_tokens(estimate, later("about"))
    return 0


def _show_job(arguments: argparse.Namespace, workspace: Workspace, job_id: int) -> None:
    from engine.evolve.figures import figures
    from engine.report.evolution import evolution_sheets
    from engine.report.sheets import text
    from store.datasets import lineages
    from store.jobs import jobs

    families = lineages.of_job(workspace.db, job_id)
    settings = lineages.settings(workspace.db, job_id)
    found = figures(families, float(settings["weight"]), float(settings["threshold"]))
    tokens, cost = lineages.spent(workspace.db, job_id)
    if arguments.json:
        print_json({"job": job_id, "figures": found, "tokens": tokens, "cost": cost})
        return
    if families:
        print(text(said(evolution_sheets(found)), width=terminal_width()), end="")
    if tokens:
        say(spent_words(jobs.get(workspace.db, job_id).params, tokens, cost) + tr("."))


@command(
    "lineage",
    "show how items were evolved",
    option("DATASET", "dataset that items were evolved into"),
    option("[ITEM]", "key of an item whose family is shown", dest="item"),
    option("--runs RUN...", "also compare evolved with initial questions in these runs"),
    option("--metrics M...", "metrics of that (default hit@5 recall@5)", ["hit@5", "recall@5"]),
    *format_options("csv", "html", help=later("format of the tables (default text)")),
    example="harder --runs 3 4",
)
def lineage(arguments: argparse.Namespace) -> int:
    from engine.evolve.figures import figures
    from engine.report.evolution import change_sheets, evolution_sheets
    from engine.results.evolved import evolved_run
    from store.datasets import datasets, lineages
    from store.errors import InputError

    with workspace_of(arguments) as workspace:
        dataset = datasets.get(workspace.db, arguments.dataset)
        if arguments.item:
            return _show_family(arguments, workspace, dataset.name)
        families = lineages.of_dataset(workspace.db, dataset.id)
        if not families:
            raise InputError(
                f"Dataset {dataset.name!r} holds no evolved items.",
                "Evolve some: `ragdesk evolve --help`.",
            )
        compared = [
            one
            for run in arguments.runs
            for one in evolved_run(workspace.db, run, arguments.metrics)
        ]
    found = figures(families)
    tables = [*evolution_sheets(found), *(change_sheets(compared) if compared else [])]
    value = {"figures": found, "families": families, "runs": compared}
    write_sheets(arguments, value, tr("Evolution of {name}", name=dataset.name), tables)
    return 0


def _show_family(arguments: argparse.Namespace, workspace: Workspace, dataset: str) -> int:
    from engine.difficulty.formulas import difficulty
    from store.datasets import datasets, lineages
    from store.errors import NotFound
    from store.messages import choices

    db = workspace.db
    number = datasets.find_item(db, datasets.get(db, dataset), arguments.item)
    family = None if number is None else lineages.of_item(db, number)
    if family is None:
        keys = list(datasets.head_contents(db, datasets.get(db, dataset)))
        raise NotFound(
            f"Dataset {dataset!r} has no evolved item {arguments.item!r}.",
            choices(arguments.item, keys, "Its items"),
        )
    if arguments.json:
        print_json(family)
        return 0
    settings = lineages.settings(db, family.job_id)
    rows = []
    for step in family.steps:
        hard = (
            ""
            if step.rd is None
            else f"{difficulty(step.rd, step.gd or 0, settings['weight']):.3f}"
        )
        rows.append(
            (
                str(step.number),
                tr(step.operation),
                "+".join(map(str, step.parents)),
                "" if step.rd is None else f"{step.rd:.3f}",
                "" if step.gd is None else f"{step.gd:.3f}",
                hard,
                tr(step.outcome),
                read(step.reason)
                or ("" if step.content is None else step.content.turns[0].question),
            )
        )
    print_table(("step", "operation", "parents", "RD", "GD", "RGD", "outcome", "question"), rows)
    last = next(step for step in family.steps if step.item_id == number)
    assert last.content is not None
    (turn,) = last.content.turns
    print()
    print_text(f"{tr('Q: ')}{turn.question}\n{tr('A: ')}{turn.golden_answers[0]}")
    for unit in turn.evidence:
        print_text(f"{tr('key sentence: ')}{unit.quote}", indent=2)
    for point in turn.keypoints:
        print_text(f"{tr('keypoint: ')}{point}", indent=2)
    tell("{steps}, seed {seed}.", steps=plural(len(family.steps), "step"), seed=settings["seed"])
    return 0


COMMANDS = (evolve, lineage)

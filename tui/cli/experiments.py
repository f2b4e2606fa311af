"""The commands on experiments: experiment new, run, show, list, and a command for each recipe."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import Command, command, option
from tui.cli.costs import estimated, print_judging, print_tokens
from tui.cli.options import BUDGET, DRY_RUN, budget_of, detach_option, filled, workspace_of
from tui.cli.output import (
    ProgressLine,
    print_json,
    print_line,
    print_table,
    print_text,
    show,
    show_table,
)
from tui.language import later, read, tr

if TYPE_CHECKING:
    from engine.experiments.outcome import ExperimentOutcome
    from engine.experiments.ranking import ArmValue
    from engine.experiments.scores import By
    from store.runs.experiments import Experiment
    from store.workspace import Workspace

RECIPES = {
    "crud-table3": later(
        "work CRUD-RAG's table 3: sizes of chunks in a context of constant length"
    ),
    "crud-table5": later("work CRUD-RAG's table 5: retrievers, both at once, a reranker"),
    "ekrag-table1": later("work EKRAG's tables 1 and 2: embeddings, alone and joined"),
    "ekrag-table3": later("work EKRAG's table 3: hypothetical documents by several models"),
    "ekrag-table4": later("work EKRAG's table 4: hybrid beside dense search"),
    "ekrag-table5": later("work EKRAG's table 5: average query expansion"),
    "ekrag-table6": later("work EKRAG's table 6: with and without a reranker"),
    "ekrag-table7": later("work EKRAG's table 7: models that answer"),
    "ekrag-table8": later("work EKRAG's table 8: numbers of chunks"),
    "financerag-table1": later(
        "work FinanceRAG's table 1: changed questions, summaries, tables, rerankers"
    ),
    "omnieval-table4": later("work OmniEval's table 4: retrievers"),
}

_DATASET = option("--dataset NAME[@V]", "dataset, or one of its releases", required=True)
_SPLIT = option(
    "--split NAME", "a split with the sides train and test (default: the dataset's own)", ""
)


@command(
    "new",
    "describe an experiment",
    option("NAME", "name of the experiment"),
    _DATASET,
    option("--base NAME", "a system that `systems` lists (default bm25)", "bm25"),
    option(
        "--factor KEY=VALUES",
        "a key of a system's table with its values: retriever=bm25,lsa; may be repeated",
        [],
        dest="factors",
        action="append",
    ),
    option(
        "--tied LEVELS",
        "several keys changed together: chunk_size=64+top_k=16,chunk_size=128+top_k=8",
        [],
        dest="tied",
        action="append",
    ),
    option(
        "--design HOW",
        "grid (the default), one-at-a-time, or halving, which lets half of the arms go on with"
        " twice the items",
        "grid",
        choices=("grid", "one-at-a-time", "halving"),
    ),
    option(
        "--metrics M...",
        "metrics as NAME, VARIANT:NAME or JUDGE/NAME; the first one chooses (default f1)",
    ),
    option("--finalists N", "best arms that go on to the test side (default: all)", type=int),
    _SPLIT,
    option("--seed N", "seed of the order of items (default 0)", 0),
    example="depths --dataset finance --factor retriever=bm25,lsa --factor top_k=2,4"
    " --metrics f1 mrr",
)
def new(arguments: argparse.Namespace) -> int:
    from engine.experiments.design import Design, Factor
    from engine.experiments.new_experiment import make_experiment, parse_levels, parse_tied

    factors = [Factor(*parse_levels(text)) for text in arguments.factors]
    factors += [Factor(*parse_tied(text)) for text in arguments.tied]
    design = Design(
        arguments.base,
        {},
        tuple(factors),
        tuple(arguments.metrics or ["f1"]),
        arguments.design,
        arguments.finalists,
        arguments.seed,
    )
    with workspace_of(arguments) as workspace:
        made = make_experiment(
            workspace, arguments.name, arguments.dataset, design, arguments.split
        )
        return _made(arguments, made)


def _made(arguments: argparse.Namespace, made: Experiment) -> int:
    arms = [arm.name for arm in made.arms]
    return show(
        arguments,
        {"experiment": made.name, "arms": arms},
        *arms,
        tr("experiment {name}: {arms}", name=made.name, arms=plural(len(arms), "arm")),
        tr("next: ragdesk experiment run {name} --dry-run", name=made.name),
    )


_JUDGE = option(
    "--judge", "let the judges of its metrics score the answers that lack a score of theirs"
)


@command(
    "run",
    "work the arms of an experiment",
    option("NAME", "an experiment"),
    _JUDGE,
    *BUDGET,
    detach_option(),
    DRY_RUN,
    example="depths --dry-run",
)
def run(arguments: argparse.Namespace) -> int:
    with workspace_of(arguments) as workspace:
        return _run(arguments, workspace, arguments.name)


def _run(arguments: argparse.Namespace, workspace: Workspace, name: str) -> int:
    from engine.experiments.design import read_design
    from engine.experiments.experiment_job import RunExperiment
    from engine.experiments.judging import metric_judges
    from engine.jobs.start import start
    from store.runs import experiments
    from tui.cli.follow import follow, show_queued

    design = read_design(experiments.get(workspace.db, name))
    judges = metric_judges(design) if arguments.judge else ()
    operation = RunExperiment(name, judges, budget=budget_of(arguments))
    if arguments.dry_run:
        estimate = estimated(workspace, operation, lambda total: plural(total, "arm"))
        if arguments.json:
            print_json(estimate)
            return 0
        arms = read(plural(estimate.arms, "arm"))
        print(f"{name}: {arms}, {read(plural(estimate.predictions, 'prediction'))}")
        if estimate.calls:
            print_line(
                "model calls {calls:,}, of which {cached:,} need not be made",
                calls=estimate.calls,
                cached=estimate.cached,
            )
            print_tokens(estimate)
        else:
            print(tr("no model is asked for the answers") if judges else tr("no model is asked"))
        if estimate.judging is not None:
            print_judging(estimate.judging)
        return 0
    job = start(workspace, operation)
    if arguments.detach:
        return show_queued(arguments, job.id)
    code = follow(workspace, [job.id])
    if code == 0:
        _show(arguments, workspace, name)
    return code


@command(
    "show",
    "show what an experiment came to",
    option("NAME", "an experiment"),
    option("--by AXIS", "recommend by task (the default), topic or another axis", "task"),
    example="depths",
)
def show_one(arguments: argparse.Namespace) -> int:
    with workspace_of(arguments) as workspace:
        _show(arguments, workspace, arguments.name, arguments.by)
    return 0


def _show(arguments: argparse.Namespace, workspace: Workspace, name: str, by: By = "task") -> None:
    from engine.experiments.outcome import outcome
    from engine.experiments.sentences import legend, recommendation

    result = outcome(workspace.db, name, by)
    if arguments.json:
        print_json(result)
        return
    print_table(
        ("arm", *result.design.metrics, "ms", "tokens", "cost", "front"),
        [
            (
                arm.name,
                *(
                    _value(value, arm.name == best)
                    for value, best in zip(arm.values, result.chosen, strict=True)
                ),
                _number(arm.cost.latency_ms if arm.cost else None, ",.1f"),
                _number(arm.cost.tokens if arm.cost else None, ",.0f"),
                _number(arm.cost.cost if arm.cost else None, ".4f"),
                "x" if arm.on_front else "",
            )
            for arm in result.arms
        ],
    )
    print_text(read(legend(result)))
    for one in result.recommendations:
        print_text(read(recommendation(one)))
    _print_paper(result)


def _print_paper(result: ExperimentOutcome) -> None:
    from engine.experiments.recipes import read_recipe

    if not result.design.recipe:
        return
    recipe = read_recipe(result.design.recipe)
    print_text(read(f"{recipe.title}: {recipe.paper.unit}"))
    rows = [(row.name, *row.figures) for row in recipe.paper.rows]
    print_table(("in the paper", *recipe.paper.headings), rows)
    for line in (*recipe.paper.advice, recipe.note):
        print_text(read(line))


def _value(value: ArmValue | None, is_chosen: bool) -> str:
    from engine.experiments.sentences import mark, with_interval

    return "-" if value is None else f"{with_interval(value)}{mark(value, is_chosen)}"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


@command(
    "weights",
    "choose the weights of a fusion on the train side",
    option("--system NAME", "a system whose retriever joins several by weights", required=True),
    _DATASET,
    option("--metric M", "ranking metric that chooses (default ndcg@10)", "ndcg@10"),
    _SPLIT,
    option("--steps N", "weights are multiples of 1/N and sum to 1 (default 10)", 10),
    option("--most N", "where there are more weights, N drawn at random (default 200)", 200),
    option("--seed N", "seed of the drawing (default 0)", 0),
    option("--save NAME", "keep the system with the chosen weights in ragdesk.toml by a new name"),
    example="--system both --dataset finance --metric ndcg@10",
)
def weights(arguments: argparse.Namespace) -> int:
    from engine.experiments.fusion_weights import (
        WeightSearch,
        check_new_system,
        save_tuned,
        tune_weights,
    )

    search = filled(WeightSearch, arguments)
    line = ProgressLine()
    with workspace_of(arguments) as workspace:
        if arguments.save is not None:
            check_new_system(workspace.folder, arguments.save)
        tuned = tune_weights(
            workspace,
            search,
            lambda done, total: line.show(tr("{done}/{total} weights", done=done, total=total)),
        )
        line.end()
        if arguments.save is not None:
            save_tuned(workspace.folder, arguments.save, tuned)
    if arguments.json:
        print_json(tuned)
        return 0
    print_table(
        ("retriever", "train", "test", "chosen - it", "p"),
        [
            (
                one.retriever,
                _number(one.train_mean, ".3f"),
                _value(one.value, one.retriever == tuned.retriever),
                _number(gap.difference if (gap := one.value.difference) else None, "+.3f"),
                _number(gap.p_holm if gap else None, ".3f"),
            )
            for one in tuned.compared
        ],
    )
    print_text(
        tr(
            "{metric} over {release}: the best of {weightings} on {turns} of the side "
            "train of split {split}; test: {test:,} others, with 95 % intervals "
            "(sign-flip test, Holm).",
            metric=search.metric,
            release=tuned.release,
            weightings=plural(tuned.tried, "weighting"),
            turns=plural(tuned.train, "turn"),
            split=tuned.split,
            test=tuned.test,
        )
    )
    if arguments.save is not None:
        kept = tr(
            "system {system} has {retriever}, in ragdesk.toml",
            system=arguments.save,
            retriever=tuned.retriever,
        )
    else:
        kept = tr(
            'in [systems.{system}] of ragdesk.toml: retriever = "{retriever}"',
            system=search.system,
            retriever=tuned.retriever,
        )
    print_text(kept)
    return 0


@command("list", "list the experiments")
def list_all(arguments: argparse.Namespace) -> int:
    from store.datasets import datasets
    from store.runs import experiments

    with workspace_of(arguments) as workspace:
        known = experiments.listing(workspace.db)
        labels = [datasets.release_by_id(workspace.db, one.release_id).label for one in known]
    return show_table(
        arguments,
        {"experiments": known},
        ("name", "dataset", "design", "arms", "begun", "made"),
        [
            (
                one.name,
                label,
                tr(str(one.design.get("how", "grid"))),
                str(len(one.arms)),
                str(sum(arm.run_id is not None for arm in one.arms)),
                one.created_at[:16].replace("T", " "),
            )
            for one, label in zip(known, labels, strict=True)
        ],
        empty=tr("No experiment yet. Make one: ragdesk experiment new --help"),
    )


_RECIPE = (
    _DATASET,
    option("--base NAME", "a system of your own as the base (default: an offline stand-in)"),
    option("--name NAME", "name of the experiment (default: the recipe's and the dataset's)"),
    _SPLIT,
    _JUDGE,
    *BUDGET,
    detach_option(),
    option(
        "--dry-run",
        "make the experiment and print the estimated calls, tokens and cost; ask no model and"
        " begin no run",
    ),
)


def recipe(name: str, arguments: argparse.Namespace) -> int:
    """Makes the experiment of a recipe where there is none of that name, and runs it."""
    from engine.experiments.design import read_design
    from engine.experiments.new_experiment import make_experiment
    from engine.experiments.recipes import recipe_design
    from store.runs import experiments

    with workspace_of(arguments) as workspace:
        called = arguments.name or f"{name}-{arguments.dataset}"
        design = recipe_design(workspace.folder, name, arguments.base)
        made = {one.name: one for one in experiments.listing(workspace.db)}.get(called)
        if made is not None:
            was = read_design(made)
            if (was.recipe, was.base) != (name, design.base):
                raise UsageError(
                    f"There is an experiment {called!r} already, over the system {was.base!r}.",
                    "Name another: --name NAME.",
                )
        else:
            make_experiment(workspace, called, arguments.dataset, design, arguments.split)
        return _run(arguments, workspace, called)


COMMANDS = (
    new,
    run,
    show_one,
    list_all,
    weights,
    *(
        Command(name, what, partial(recipe, name), _RECIPE, "--dataset finance")
        for name, what in RECIPES.items()
    ),
)

"""Commands that evaluate: systems, run, runs."""

from __future__ import annotations

import argparse
from shlex import quote
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import command, option
from tui.cli.costs import estimated, print_judging, print_tokens
from tui.cli.options import ALL, BUDGET, DRY_RUN, budget_of, detach_option, filled, workspace_of
from tui.cli.output import print_json, print_line, show, show_table
from tui.language import read, tr

if TYPE_CHECKING:
    from engine.evaluate.run_job import Evaluate
    from engine.results.run_matrix import RunStatus
    from store.workspace import Workspace


@command("systems", "list the systems that can be evaluated")
def list_systems(arguments: argparse.Namespace) -> int:
    from engine.evaluate.systems import systems

    known = list(systems(arguments.workspace).values())
    return show_table(
        arguments,
        {"systems": known},
        ("system", "retriever", "generator", "top-k", "history", "description"),
        [
            (
                system.name,
                system.retriever or tr("none"),
                system.generator,
                str(system.top_k),
                system.history,
                (tr("baseline: ") if system.baseline else "") + read(system.description),
            )
            for system in known
        ],
    )


@command(
    "run",
    "evaluate a system over a released dataset",
    option("--system NAME", "a system that `systems` lists", required=True),
    option(
        "--dataset NAME[@V]",
        "dataset to answer, or one of its releases (default: the latest)",
        required=True,
    ),
    option("--name NAME", "name of the run (default: system and release)"),
    option("--seed N", "seed of the order of items (default 0)", 0),
    option("--repeats N", "times that each item is answered (default 1)", 1),
    option("--judge NAME", "judge that scores the answers once they are there"),
    option("--judge-metrics M...", "metrics to judge (default: all that the judge gives)"),
    *BUDGET,
    detach_option(),
    DRY_RUN,
    example="--system bm25 --dataset mine",
)
def run(arguments: argparse.Namespace) -> int:
    from engine.evaluate.new_run import NewRun
    from engine.evaluate.run_job import Evaluate
    from engine.jobs.start import start
    from engine.judge.judge_job import JudgeRun
    from engine.results.run_matrix import run_status
    from store.jobs import jobs
    from store.runs import runs
    from tui.cli.follow import follow

    new = filled(NewRun, arguments)
    judge = None
    if arguments.judge:
        judge = JudgeRun("", arguments.judge, tuple(arguments.judge_metrics or ()))
    elif arguments.judge_metrics:
        raise UsageError("--judge-metrics names no judge.", "Name one: --judge NAME.")
    operation = Evaluate(new, judge=judge, budget=budget_of(arguments))
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            return _dry_run(arguments, workspace, operation)
        job = start(workspace, operation)
        assert job.run_id is not None
        made = runs.get(workspace.db, job.run_id)
        if arguments.detach:
            line = tr(
                "run {name} is job {id}; see `ragdesk jobs show {id}`", name=made.name, id=job.id
            )
            return show(arguments, run_status(workspace.db, made), line)
        code = follow(workspace, [job.id])
        if arguments.json:
            print_json(run_status(workspace.db, made))
        elif code == 0:
            print_line("run {name} is done", name=made.name)
            for event in jobs.events(workspace.db, job.id):
                if event.kind == "hidden":
                    print(event.text)
            if failed := run_status(workspace.db, made).failed:
                print_line(
                    "{failed:,} failed; again: ragdesk jobs resume {id} --retry-failed",
                    failed=failed,
                    id=job.id,
                )
            print_line("next: ragdesk matrix {run} --metric f1", run=quote(made.name))
        return code


def _dry_run(arguments: argparse.Namespace, workspace: Workspace, operation: Evaluate) -> int:
    from store.datasets import datasets

    estimate = estimated(workspace, operation, lambda total: plural(total, "prompt"))
    if arguments.json:
        print_json(estimate)
        return 0
    release = datasets.find_release(workspace.db, arguments.dataset)
    print_line(
        "{system} on {label}: {predictions}",
        system=arguments.system,
        label=release.label,
        predictions=plural(estimate.predictions, "prediction"),
    )
    least = tr("at least ") if estimate.at_least else ""
    print_line(
        "model calls {least}{calls:,}, of which {cached:,} are in the cache",
        least=least,
        calls=estimate.calls,
        cached=estimate.cached,
    )
    print_tokens(estimate)
    if estimate.stands_in:
        print_line(
            "golden answers are used in place of the system's earlier ones, which are not known yet"
        )
    if estimate.at_least:
        print_line(
            "what stages of the system will search for is not known yet: their questions "
            "are used, and what depends on their replies is not counted"
        )
    if estimate.judging is not None:
        print_judging(estimate.judging)
    return 0


@command("runs", "list the runs", ALL)
def list_runs(arguments: argparse.Namespace) -> int:
    from engine.results.run_matrix import run_status
    from store.runs import runs

    with workspace_of(arguments) as workspace:
        listed = runs.listing(workspace.db, archived=arguments.all)
        states = [run_status(workspace.db, run) for run in listed]
    return show_table(
        arguments,
        {"runs": states},
        ("run", "name", "system", "dataset", "state", "done", "refused", "failed", "of"),
        [
            (
                str(run.id),
                run.name,
                run.system + _note(run),
                run.dataset,
                tr("{kind} (archived)", kind=run.state) if run.archived else tr(run.state),
                f"{run.finished:,}",
                f"{run.refused:,}",
                f"{run.failed:,}",
                f"{run.total:,}",
            )
            for run in states
        ],
        keys=2,
        empty=tr("No run yet. Start one: ragdesk run --system bm25 --dataset NAME"),
    )


def _note(run: RunStatus) -> str:
    return tr(" (imported)") if run.imported else tr(" (baseline)") if run.baseline else ""


COMMANDS = (list_systems, run, list_runs)

"""Commands about judges: judges, question-sets, judge, calibrate."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from shlex import quote
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import command, option
from tui.cli.costs import estimated, print_replies, spent_words
from tui.cli.options import BUDGET, DRY_RUN, budget_of, detach_option, filled, workspace_of
from tui.cli.output import (
    print_json,
    print_line,
    print_table,
    show,
    show_table,
    tell,
    terminal_width,
)
from tui.language import language, tr

if TYPE_CHECKING:
    from engine.judge.base import JudgeSpec
    from engine.judge.judge_job import JudgeRun
    from store.jobs.jobs import Job
    from store.workspace import Workspace


@command("judges", "list who can judge answers")
def list_judges(arguments: argparse.Namespace) -> int:
    from engine.judge.registry import judges
    from store.runs.judge_scores import short_hash

    known = list(judges(arguments.workspace).values())
    fields = ("name", "kind", "stands_in", "metrics", "hash", "config")
    return show_table(
        arguments,
        {"judges": [{field: getattr(judge, field) for field in fields} for judge in known]},
        ("judge", "kind", "hash", "metrics"),
        [
            (
                judge.name,
                _kind(judge),
                short_hash(judge.hash),
                ", ".join(judge.metrics),
            )
            for judge in known
        ],
    )


def _kind(judge: JudgeSpec) -> str:
    if judge.members:
        members = ", ".join(member.name for member in judge.members)
        return tr("{kind} of the judges {members}", kind=judge.kind, members=members)
    return tr("{kind}, stand-in", kind=judge.kind) if judge.stands_in else tr(judge.kind)


@command(
    "question-sets",
    "list the imported questions that judges ask",
    option("[NAME]", "sets of that name, question by question", dest="name"),
    example="crud",
)
def list_question_sets(arguments: argparse.Namespace) -> int:
    from store.datasets import question_sets
    from store.messages import no_such

    with workspace_of(arguments) as workspace:
        known = question_sets.listing(workspace.db)
    if arguments.name is None:
        groups = {(one.name, one.dataset): 0 for one in known}
        for one in known:
            groups[one.name, one.dataset] += len(one.content.questions)
        items = Counter((one.name, one.dataset) for one in known)
        found = [(*names, items[names], count) for names, count in groups.items()]
        keys = ("sets", "dataset", "items", "questions")
        return show_table(
            arguments,
            {"question_sets": [dict(zip(keys, row, strict=True)) for row in found]},
            ("sets", "dataset", "items", "questions"),
            [(*row[:2], *(f"{count:,}" for count in row[2:])) for row in found],
            empty=tr("No question sets were imported: ragdesk import question-sets."),
        )
    sets = [one for one in known if one.name == arguments.name]
    if not sets:
        have = dict.fromkeys(one.name for one in known)
        raise no_such("question set", arguments.name, have, "There are")
    return show_table(
        arguments,
        {"question_sets": sets},
        ("item", "question", "golden answer"),
        [
            (one.item, *pair)
            for one in sets
            for pair in zip_longest(one.content.questions, one.content.answers, fillvalue="")
        ],
    )


@command(
    "judge",
    "let a judge score the answers of a run",
    option("RUN", "name or number of the run", dest="run_name"),
    option("--judge NAME", "a judge that `judges` lists", required=True),
    option("--metrics M...", "metrics to score (default: all that the judge gives)", None),
    *BUDGET,
    detach_option(),
    DRY_RUN,
    example="bm25-mine@1 --judge rules",
)
def judge(arguments: argparse.Namespace) -> int:
    from engine.jobs.start import start
    from engine.judge.judge_job import JudgeRun
    from tui.cli.follow import follow

    operation = filled(JudgeRun, arguments, of_run=arguments.run_name, budget=budget_of(arguments))
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            return _dry_run(arguments, workspace, operation)
        job = start(workspace, operation)
        if arguments.detach:
            line = tr(
                "{title} is job {id}; see `ragdesk jobs show {id}`", title=job.title, id=job.id
            )
            return show(arguments, {"job": job.id, "state": job.status}, line)
        code = follow(workspace, [job.id])
        _report(arguments, workspace, job)
        return code


def _report(arguments: argparse.Namespace, workspace: Workspace, job: Job) -> None:
    from store.jobs import jobs
    from store.records import ScoreState
    from store.runs import judge_scores, runs

    run_id, judge_id = job.params["run"], job.params["judge_id"]
    run = runs.get(workspace.db, run_id)
    by_state = judge_scores.counts(workspace.db, run_id, judge_id)
    asked = [job.params, *job.params.get("members", ())]
    spent = {
        one["judge"]: (one, *judge_scores.spent(workspace.db, run_id, one["judge_id"]))
        for one in asked
    }
    if arguments.json:
        prices = [(one.get("provider") or {}).get("prices") for one, _, _ in spent.values()]
        one_currency = len({price.get("currency") for price in prices if price}) <= 1
        print_json(
            {
                "job": job.id,
                "state": jobs.get(workspace.db, job.id).status,
                "run": run.name,
                "judge": judge_scores.get(workspace.db, judge_id).label,
                "scores": by_state,
                "tokens": sum(tokens for _, tokens, _ in spent.values()),
                "cost": sum(cost for _, _, cost in spent.values()) if one_currency else None,
            }
        )
        return
    states = list(ScoreState)[:-1]
    print_table(
        ("metric", *states),
        [
            (metric, *(f"{by_state[metric].get(state, 0):,}" for state in states))
            for metric in job.params["metrics"]
            if metric in by_state
        ],
    )
    for name, (one, tokens, cost) in spent.items():
        if tokens:
            words = spent_words(one, tokens, cost)
            if len(spent) > 1:
                print_line("spent so far by {name}: {spent}", name=name, spent=words)
            else:
                print_line("spent so far: {spent}", spent=words)
    failed = sum(states.get(ScoreState.ERROR, 0) for states in by_state.values())
    if failed:
        tell(
            "{failed:,} failed; again: ragdesk jobs resume {id} --retry-failed",
            failed=failed,
            id=job.id,
        )
    if pending := runs.progress(workspace.db, run_id).pending:
        tell(
            "Pending in the run: {answers}; judge it again when it is done.",
            answers=plural(pending, "answer"),
        )
    if jobs.get(workspace.db, job.id).state == "done":
        name = quote(judge_scores.get(workspace.db, judge_id).name)
        metric = job.params["metrics"][0]
        print_line(
            "next: ragdesk matrix {run} --metric {metric} --judge {judge}",
            run=quote(run.name),
            metric=metric,
            judge=name,
        )


def _warn_of_family(shared: Sequence[str]) -> None:
    from engine.judge.trust import PREFERENCE, family_text

    if shared:
        tell(
            "warning: {kinship}; {preference}",
            kinship=family_text(shared, language()),
            preference=PREFERENCE,
        )


def _dry_run(arguments: argparse.Namespace, workspace: Workspace, operation: JudgeRun) -> int:
    estimate = estimated(workspace, operation, lambda total: plural(total, "answer"))
    if arguments.json:
        print_json(estimate)
        return 0
    _warn_of_family(estimate.same_family)
    print_line(
        "{judge} on {run_name}: {answers} to judge",
        judge=arguments.judge,
        run_name=arguments.run_name,
        answers=plural(estimate.answers, "answer"),
    )
    if estimate.at_least:
        print_line(
            "scores {scores:,}, which take at least {calls:,} model calls",
            scores=estimate.scores,
            calls=estimate.calls,
        )
    else:
        print_line(
            "scores {scores:,}, of which {calls:,} take a model call",
            scores=estimate.scores,
            calls=estimate.calls,
        )
    print_replies(estimate, estimate.answers)
    return 0


@command(
    "calibrate",
    "measure judges against people's labels",
    option(
        "[RUN...]", "names or numbers of runs (default: all labelled answers)", dest="run_names"
    ),
    option("--sample SAMPLE", "only answers of this sample"),
    option(
        "--judge NAME...",
        "judges as NAME or NAME@HASH (default: every judge's newest configuration)",
    ),
    option("--metric M", "metric to measure (default: all five)"),
    option("--details", "also print confusion matrices and results by cell"),
    example="bm25-mine@1 --metric accuracy --details",
)
def calibrate(arguments: argparse.Namespace) -> int:
    from engine.calibration.calibrate import calibrate_judges
    from engine.report.calibration import calibration_as_json, calibration_text

    if arguments.sample and arguments.run_names:
        raise UsageError("Runs and --sample exclude each other.", "Name runs, or a sample.")
    with workspace_of(arguments) as workspace:
        calibration = calibrate_judges(
            workspace,
            runs=arguments.run_names,
            sample=arguments.sample,
            judges=arguments.judge,
            metric=arguments.metric,
        )
    if arguments.json:
        print_json(calibration_as_json(calibration))
    else:
        print(
            calibration_text(calibration, details=arguments.details, width=terminal_width()), end=""
        )
    return 0


COMMANDS = (list_judges, list_question_sets, judge, calibrate)

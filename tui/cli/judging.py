"""Commands about judges: judges, judge, calibrate."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from store.workspace import Workspace, open_workspace
from tui.cli.follow import follow
from tui.cli.output import ProgressLine, print_json, print_table, say, terminal_width
from tui.cli.topics import spent_words

if TYPE_CHECKING:
    from store.jobs.jobs import Job


def list_judges(arguments: argparse.Namespace) -> int:
    from engine.judge.registry import judges
    from store.runs.judge_scores import short_hash

    found = list(judges(arguments.workspace).values())
    if arguments.json:
        print_json(
            {
                "judges": [
                    {
                        "name": one.name,
                        "kind": one.kind,
                        "metrics": one.metrics,
                        "hash": one.hash,
                        "config": one.config,
                    }
                    for one in found
                ]
            }
        )
        return 0
    print_table(
        ("judge", "kind", "hash", "metrics"),
        [(one.name, one.kind, short_hash(one.hash), ", ".join(one.metrics)) for one in found],
    )
    return 0


def judge(arguments: argparse.Namespace) -> int:
    from engine.jobs.launch import JobBudget, ensure_worker
    from engine.judge.launch import check_judging, queue_judging

    metrics = arguments.metrics or ()
    budget = JobBudget(arguments.max_tokens, arguments.max_cost)
    with open_workspace(arguments.workspace) as workspace:
        asked = workspace, arguments.run_name, arguments.judge
        if arguments.dry_run:
            check_judging(*asked, metrics=metrics, budget=budget)
            return _dry_run(arguments, workspace)
        job = queue_judging(*asked, metrics=metrics, budget=budget)
        ensure_worker(workspace)
        if arguments.detach:
            if arguments.json:
                print_json({"job": job.id, "state": job.status})
            else:
                print(f"{job.title} is job {job.id}; see `ragdesk jobs show {job.id}`")
            return 0
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
    tokens, cost = judge_scores.spent(workspace.db, run_id, judge_id)
    if arguments.json:
        print_json(
            {
                "job": job.id,
                "state": jobs.get(workspace.db, job.id).status,
                "run": run.name,
                "judge": judge_scores.get(workspace.db, judge_id).label,
                "scores": by_state,
                "tokens": tokens,
                "cost": cost,
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
    if tokens:
        print(f"spent so far: {spent_words(job, tokens, cost)}")
    failed = sum(states.get(ScoreState.ERROR, 0) for states in by_state.values())
    if failed:
        say(f"{failed:,} failed; again: ragdesk jobs resume {job.id} --retry-failed")
    if pending := runs.progress(workspace.db, run_id).pending:
        say(f"Pending in the run: {plural(pending, 'answer')}; judge it again when it is done.")
    if jobs.get(workspace.db, job.id).state == "done":
        name = judge_scores.get(workspace.db, judge_id).name
        metric = job.params["metrics"][0]
        print(f"next: ragdesk matrix {run.name} --metric {metric} --judge {name}")


def _dry_run(arguments: argparse.Namespace, workspace: Workspace) -> int:
    from engine.judge.launch import estimate_judging

    line = ProgressLine()
    estimate = estimate_judging(
        workspace,
        arguments.run_name,
        arguments.judge,
        metrics=arguments.metrics or (),
        progress=lambda done, total: line.show(f"{done:,}/{plural(total, 'answer')}"),
    )
    line.end()
    if arguments.json:
        print_json(estimate)
        return 0
    print(
        f"{arguments.judge} on {arguments.run_name}: {plural(estimate.answers, 'answer')} to judge"
    )
    print(f"scores {estimate.scores:,}, of which {estimate.calls:,} take a model call")
    if estimate.calls:
        print(f"replies in the cache {estimate.cached:,}")
        print(f"tokens in about {estimate.tokens_in:,}, out at most about {estimate.tokens_out:,}")
        if estimate.cost is not None:
            print(f"cost about {estimate.cost:,.2f} {estimate.currency}")
        else:
            print("cost unknown: the provider has no prices in ragdesk.toml")
    return 0


def calibrate(arguments: argparse.Namespace) -> int:
    from engine.calibration.calibrate import calibrate_judges
    from engine.report.calibration_output import calibration_as_json, calibration_text

    if arguments.sample and arguments.run_names:
        raise UsageError("Runs and --sample exclude each other.", "Name runs, or a sample.")
    with open_workspace(arguments.workspace) as workspace:
        found = calibrate_judges(
            workspace,
            runs=arguments.run_names,
            sample=arguments.sample,
            judges=arguments.judge,
            metric=arguments.metric,
        )
    if arguments.json:
        print_json(calibration_as_json(found))
    else:
        print(calibration_text(found, details=arguments.details, width=terminal_width()), end="")
    return 0

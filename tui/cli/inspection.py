"""The command that inspects items automatically."""

from __future__ import annotations

import argparse

from store.records import ItemState
from store.workspace import Workspace, open_workspace
from tui.cli.follow import follow
from tui.cli.output import print_json, print_table, say
from tui.cli.topics import show_count, show_no_calls, spent_words

SHOWN_UNREAD = 20
_WORDS = {
    "2": "very good: accepted",
    "1": "can be corrected",
    "0": "poor: discarded",
    "refused": "no verdict: the model refused",
    "unparsed": "no verdict: the reply cannot be read",
    "failed": "no verdict: no reply",
}


def inspect(arguments: argparse.Namespace) -> int:
    from engine.generate.inspect_job import queue_inspect
    from engine.jobs.launch import JobBudget, ensure_worker

    with open_workspace(arguments.workspace) as workspace:
        states = [ItemState(state) for state in dict.fromkeys(arguments.only_state)]
        if arguments.dry_run:
            return _dry_run(arguments, workspace, states)
        job = queue_inspect(
            workspace,
            arguments.dataset,
            model=arguments.model,
            states=states,
            budget=JobBudget(arguments.max_tokens, arguments.max_cost),
        )
        ensure_worker(workspace)
        if arguments.detach:
            if arguments.json:
                print_json({"job": job.id})
            else:
                print(f"job {job.id} is queued; see `ragdesk jobs show {job.id}`")
            return 0
        code = follow(workspace, [job.id])
        _show(arguments, workspace, job.id)
        return code


def _show(arguments: argparse.Namespace, workspace: Workspace, job_id: int) -> None:
    from store.datasets import datasets, inspections
    from store.jobs import jobs

    found = inspections.counts(workspace.db, job_id)
    unread = inspections.unread(workspace.db, job_id)
    tokens, cost = inspections.spent(workspace.db, job_id)
    states = datasets.state_counts(workspace.db, datasets.get(workspace.db, arguments.dataset))
    if arguments.json:
        print_json(
            {
                "job": job_id,
                "status": jobs.get(workspace.db, job_id).status,
                "verdicts": found,
                "states": states,
                "unread": unread,
                "tokens": tokens,
                "cost": cost,
            }
        )
        return
    rows = [(key, f"{found[key]:,}", words) for key, words in _WORDS.items() if key in found]
    print_table(("verdict", "items", ""), rows)
    if found["corrected"]:
        say(f"{found['corrected']:,} corrected and looked at again.")
    for event in jobs.events(workspace.db, job_id):
        if event.kind == "left":
            say(f"{event.text}.")
    for one in unread[:SHOWN_UNREAD]:
        say(f"{one.state}: {one.item_key}: {one.reason}")
    if len(unread) > SHOWN_UNREAD:
        say(f"no verdict on {len(unread) - SHOWN_UNREAD:,} more (all of them with --json)")
    job = jobs.get(workspace.db, job_id)
    if job.params.get("provider"):
        say(f"{spent_words(job, tokens, cost)}.")
    now = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    print(f"dataset {arguments.dataset}: {now}")


def _dry_run(arguments: argparse.Namespace, workspace: Workspace, states: list[ItemState]) -> int:
    from engine.generate.inspect_job import check_inspect, estimate_inspect
    from engine.jobs.launch import JobBudget

    _, provider = check_inspect(
        workspace,
        arguments.dataset,
        model=arguments.model,
        states=states,
        budget=JobBudget(arguments.max_tokens, arguments.max_cost),
    )
    if provider is None:
        show_no_calls(arguments, "By the five checks: no model is asked.")
        return 0
    show_count(arguments, estimate_inspect(workspace, arguments.dataset, provider, states))
    say("What is corrected is asked about a second time, which nobody can foresee.")
    return 0

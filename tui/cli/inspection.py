"""The command that inspects items automatically: inspect."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.cli.command import command, option
from tui.cli.costs import show_dry_run, spent_words
from tui.cli.options import (
    BUDGET,
    DRY_RUN,
    budget_of,
    detach_option,
    filled,
    model_option,
    workspace_of,
)
from tui.cli.output import print_json, print_line, print_table, say, say_first, tell
from tui.language import read, tr

if TYPE_CHECKING:
    from store.workspace import Workspace

_STATES = ("drafted", "needs_correction", "corrected", "accepted", "discarded")
SHOWN_UNREAD = 20

_VERDICTS = {
    "2": tr("very good: accepted"),
    "1": tr("can be corrected"),
    "0": tr("poor: discarded"),
    "refused": tr("no verdict: the model refused"),
    "unparsed": tr("no verdict: the reply cannot be read"),
    "failed": tr("no verdict: no reply"),
}


@command(
    "inspect",
    "rate drafted items 0, 1 or 2, and correct those rated 1",
    option("--dataset NAME", "dataset whose items are inspected", required=True),
    option(
        "--only-state STATE...",
        "states of the items (default drafted)",
        ["drafted"],
        choices=_STATES,
    ),
    model_option("the five checks by rule"),
    *BUDGET,
    detach_option(),
    DRY_RUN,
    example="--dataset mine --model writer --max-cost 2",
)
def inspect(arguments: argparse.Namespace) -> int:
    from engine.generate.inspection.inspect_job import Inspect
    from engine.jobs.start import start
    from store.records import ItemState
    from tui.cli.follow import follow, show_queued

    states = tuple(ItemState(state) for state in dict.fromkeys(arguments.only_state))
    operation = filled(Inspect, arguments, states=states, budget=budget_of(arguments))
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            by_rule = tr("By the five checks: no model is asked.")
            if show_dry_run(arguments, workspace, operation, by_rule):
                tell(
                    "Corrected items are inspected a second time; these calls cannot be estimated."
                )
            return 0
        job = start(workspace, operation)
        if arguments.detach:
            return show_queued(arguments, job.id)
        code = follow(workspace, [job.id])
        _show(arguments, workspace, job.id)
        return code


def _show(arguments: argparse.Namespace, workspace: Workspace, job_id: int) -> None:
    from store.datasets import datasets, inspections
    from store.jobs import jobs

    verdicts = inspections.counts(workspace.db, job_id)
    unread = inspections.unread(workspace.db, job_id)
    tokens, cost = inspections.spent(workspace.db, job_id)
    states = datasets.state_counts(workspace.db, datasets.get(workspace.db, arguments.dataset))
    if arguments.json:
        print_json(
            {
                "job": job_id,
                "status": jobs.get(workspace.db, job_id).status,
                "verdicts": verdicts,
                "states": states,
                "unread": unread,
                "tokens": tokens,
                "cost": cost,
            }
        )
        return
    rows = [(key, f"{verdicts[key]:,}", text) for key, text in _VERDICTS.items() if key in verdicts]
    print_table(("verdict", "items", ""), rows)
    if verdicts["corrected"]:
        tell("{corrected:,} corrected and looked at again.", corrected=verdicts["corrected"])
    for event in jobs.events(workspace.db, job_id):
        if event.kind == "left":
            say(read(f"{event.text}."))
    lines = [f"{tr(item.state)}: {item.item_key}: {read(item.reason)}" for item in unread]
    say_first(lines, SHOWN_UNREAD, tr("no verdict on {} more (all of them with --json)"))
    job = jobs.get(workspace.db, job_id)
    if job.params.get("provider"):
        say(spent_words(job.params, tokens, cost) + tr("."))
    now = ", ".join(f"{count:,} {tr(state)}" for state, count in sorted(states.items()))
    print_line("dataset {dataset}: {now}", dataset=arguments.dataset, now=now)


COMMANDS = (inspect,)

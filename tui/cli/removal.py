"""Commands that archive, bring back and purge: delete, restore."""

from __future__ import annotations

import argparse
import sys

from store.errors import UsageError
from store.lifecycle import archiving
from store.lifecycle.archiving import Thing
from store.lifecycle.purging import Removal
from store.workspace import Workspace, open_workspace
from tui.cli.output import print_json, say


def delete(arguments: argparse.Namespace) -> int:
    with open_workspace(arguments.workspace) as workspace:
        thing = archiving.find(workspace.db, arguments.kind, arguments.name)
        if arguments.purge:
            return _purge(arguments, workspace, thing)
        with workspace.write(durable=True) as db:
            archived = archiving.archive(db, thing)
        samples = archiving.open_samples(workspace.db, thing)
    if arguments.json:
        print_json({"archived": archived, "open_samples": samples})
        return 0
    if thing.archived_at is None:
        print(f"archived {archived}; nothing was removed")
    else:
        print(f"{archived} is archived since {_day(thing)}")
    print(f"back: ragdesk restore {archived.kind} {archived.name}")
    if samples:
        say(f"warning: raters are still asked about it by the samples {', '.join(samples)}")
        say(f"to ask no longer: ragdesk sample close {samples[0]}")
    return 0


def restore(arguments: argparse.Namespace) -> int:
    with open_workspace(arguments.workspace) as workspace, workspace.write(durable=True) as db:
        thing = archiving.restore(db, archiving.find(db, arguments.kind, arguments.name))
        above = archiving.hidden_by(db, thing.kind, thing.id)
    if arguments.json:
        print_json({"restored": thing, "hidden_by": above})
        return 0
    print(f"restored {thing}")
    if above is not None:
        say(f"It stays out of sight with its {above}: ragdesk restore {above.kind} {above.name}")
    return 0


def _purge(arguments: argparse.Namespace, workspace: Workspace, thing: Thing) -> int:
    from engine.retrieve.purging import purge
    from store.lifecycle import purging

    if not arguments.yes:
        planned = purging.plan(workspace.db, thing)
        if not sys.stdin.isatty():
            raise UsageError(
                f"A purge of {thing} has to be confirmed, and nobody is there to ask.",
                f"It would remove: {_counts(planned)}. Give --yes to do it.",
            )
        if not _confirmed(planned):
            say("Nothing was removed.")
            return 1
    done = purge(workspace, thing)
    if arguments.json:
        print_json(
            {
                "purged": thing,
                "removed": done.removal.counts,
                "indexes": done.indexes,
                "indexes_left": done.left,
            }
        )
    else:
        print(f"purged {thing}: {_counts(done.removal)}")
        if done.indexes:
            print(f"removed indexes: {done.indexes}")
    for folder in done.left:
        say(f"warning: the index {folder} could not be removed; nothing uses it")
    return 0


def _confirmed(planned: Removal) -> bool:
    thing = planned.thing
    say(f"A purge of {thing} removes: {_counts(planned)}.")
    say(
        f"There is no way back. `ragdesk backup` keeps a copy; `ragdesk delete {thing.kind}"
        f" {thing.name}` only archives."
    )
    sys.stderr.write(f"Type the name of the {thing.kind} to remove it: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() == thing.name


def _counts(removal: Removal) -> str:
    parts = [f"{label} {rows:,}" for label, rows in removal.counts.items()]
    return ", ".join(parts) if parts else "nothing but its name"


def _day(thing: Thing) -> str:
    return (thing.archived_at or "")[:10]

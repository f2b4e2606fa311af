"""Commands that look after the workspace: verify, backup, delete, restore."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from store.errors import UsageError
from tui.cli.command import command, option
from tui.cli.exports import verify_export
from tui.cli.options import workspace_of
from tui.cli.output import print_json, print_line, print_text, show, tell
from tui.cli.second_opinion import verify_metrics
from tui.language import read, tr

if TYPE_CHECKING:
    from store.lifecycle.archiving import Thing
    from store.lifecycle.purging import Removal
    from store.workspace import Workspace


@command(
    "verify",
    "check the workspace's integrity",
    option("--export DIR", "check an exported folder instead"),
    option(
        "--metrics RUN",
        "score a sample of a run again by other people's libraries instead; the exit code"
        " is 1 where a value differs",
    ),
    option("--sample N", "with --metrics: number of answers to draw (default 200)"),
    option("--seed N", "with --metrics: seed of the draw (default 0)"),
)
def verify(arguments: argparse.Namespace) -> int:
    from store.verify import verify as check

    for name in ("sample", "seed"):
        if getattr(arguments, name) is not None and arguments.metrics is None:
            raise UsageError(f"--{name} belongs to --metrics.", "Give --metrics RUN too.")
    if arguments.export is not None:
        if arguments.metrics is not None:
            raise UsageError("--export and --metrics are two checks.", "Ask for one at a time.")
        return verify_export(arguments)
    if arguments.metrics is not None:
        return verify_metrics(arguments)
    with workspace_of(arguments) as workspace:
        report = check(workspace.db)
    if arguments.json:
        print_json({"ok": report.ok, "checks": report.checks})
    else:
        for result in report.checks:
            mark = tr("ok  ") if result.ok else tr("FAIL")
            print_text(f"{mark}  {read(result.name)}: {read(result.detail)}")
        print(tr("the workspace is whole") if report.ok else tr("the workspace is damaged"))
    return 0 if report.ok else 1


@command(
    "backup",
    "write a consistent copy of the workspace",
    option("--out FILE", "file to write (default: in backups/ of the workspace)"),
)
def backup(arguments: argparse.Namespace) -> int:
    from engine.judge.light.backup import back_up, proposed_backup

    folder: Path = arguments.workspace
    made = back_up(folder, arguments.out or proposed_backup(folder))
    for note in made.notes:
        tell("warning: {note}", note=note)
    value = {"backup": made.file, "bytes": made.bytes}
    return show(
        arguments,
        value,
        tr("wrote {file} ({bytes:,} bytes), checked", file=made.file, bytes=made.bytes),
    )


_THING = (
    option(
        "run|dataset|corpus", "kind of the thing", choices=("run", "dataset", "corpus"), dest="kind"
    ),
    option("NAME", "name of the thing; of a run also its number"),
)


@command(
    "delete",
    "archive a run, dataset or corpus, or remove it for good",
    *_THING,
    option(
        "--purge",
        "remove it for good, with everything that nothing else needs; never people's labels",
    ),
    option("--yes", "purge without asking for confirmation"),
    example="dataset old",
)
def delete(arguments: argparse.Namespace) -> int:
    from store.lifecycle import archiving

    with workspace_of(arguments) as workspace:
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
        print_line(
            "archived {kind} {name!r}; nothing was removed", kind=archived.kind, name=archived.name
        )
    else:
        print_line(
            "{kind} {name!r} is archived since {day}",
            kind=archived.kind,
            name=archived.name,
            day=_day(thing),
        )
    restore = f"ragdesk restore {archived.kind} {quote(archived.name)}"
    print_line("undo: {command}", command=restore)
    if samples:
        tell(
            "warning: raters are still asked about it by the samples {samples}",
            samples=", ".join(samples),
        )
        tell("to ask no longer: ragdesk sample close {sample}", sample=quote(samples[0]))
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
            tell("Nothing was removed.")
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
        print_line(
            "purged {kind} {name!r}: {counts}",
            kind=thing.kind,
            name=thing.name,
            counts=_counts(done.removal),
        )
        if done.indexes:
            print_line("removed indexes: {indexes}", indexes=done.indexes)
    for folder in done.left:
        tell("warning: the index {folder} could not be removed; nothing uses it", folder=folder)
    return 0


def _confirmed(planned: Removal) -> bool:
    thing = planned.thing
    tell(
        "A purge of {kind} {name!r} removes: {counts}.",
        kind=thing.kind,
        name=thing.name,
        counts=_counts(planned),
    )
    tell(
        "There is no way back. `ragdesk backup` keeps a copy; `{command}` only archives.",
        command=f"ragdesk delete {thing.kind} {quote(thing.name)}",
    )
    sys.stderr.write(tr("Type the name of the {kind} to remove it: ", kind=thing.kind))
    sys.stderr.flush()
    return sys.stdin.readline().strip() == thing.name


def _counts(removal: Removal) -> str:
    parts = [f"{label} {rows:,}" for label, rows in removal.counts.items()]
    return ", ".join(parts) if parts else tr("nothing but its name")


def _day(thing: Thing) -> str:
    return (thing.archived_at or "")[:10]


@command("restore", "bring back what was archived", *_THING, example="dataset old")
def restore(arguments: argparse.Namespace) -> int:
    from store.lifecycle import archiving

    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        thing = archiving.restore(db, archiving.find(db, arguments.kind, arguments.name))
        above = archiving.hidden_by(db, thing.kind, thing.id)
    if arguments.json:
        print_json({"restored": thing, "hidden_by": above})
        return 0
    print_line("restored {kind} {name!r}", kind=thing.kind, name=thing.name)
    if above is not None:
        command = f"ragdesk restore {above.kind} {quote(above.name)}"
        tell("It stays out of sight with its {kind}: {command}", kind=above, command=command)
    return 0


COMMANDS = (verify, backup, delete, restore)

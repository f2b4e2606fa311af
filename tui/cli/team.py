"""The commands on a workspace that several accounts of one host share: share, unshare."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.cli.command import Command, option
from tui.cli.options import workspace_of
from tui.cli.output import say, show

if TYPE_CHECKING:
    from store.modes import Change


def share(arguments: argparse.Namespace) -> int:
    from store import modes

    # opened first: a folder without a workspace is not shared
    with workspace_of(arguments) as workspace:
        change = modes.share(workspace.folder, arguments.group)
    return _tell(arguments, change, f"shared with the group {arguments.group}")


def unshare(arguments: argparse.Namespace) -> int:
    from store import modes

    with workspace_of(arguments) as workspace:
        change = modes.unshare(workspace.folder)
    return _tell(arguments, change, "its owner's alone")


def _tell(arguments: argparse.Namespace, change: Change, state: str) -> int:
    from store.messages import listed, plural

    changed = plural(change.changed, "file or folder", "files and folders")
    show(arguments, change, f"{arguments.workspace} is {state}; {changed} changed")
    if change.left:
        say(f"left as they are, since they belong to others: {listed(change.left)}")
    return 0


COMMANDS = (
    Command(
        "share",
        "open the workspace to a group of accounts on this host",
        share,
        (option("--group NAME", "the group, which you are in", required=True),),
        "--group raters",
    ),
    Command("unshare", "close a shared workspace to all but its owner", unshare),
)

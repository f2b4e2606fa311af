"""Commands on a workspace that accounts of one host share: share, unshare, team list, set, log."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.cli.command import Group, command, option
from tui.cli.options import seen_text, workspace_of
from tui.cli.output import show, show_table, tell
from tui.language import later, read, tr

if TYPE_CHECKING:
    from store.sharing.modes import Change
    from store.sharing.team import Member


@command(
    "share",
    "open the workspace to a group of accounts on this host",
    option("--group NAME", "the group, which you are in", required=True),
    option(
        "--operators GROUP",
        "a group of operators, who may change settings, prompts, forms and code too"
        " (default: only the folder's owner may)",
    ),
    example="--group raters --operators leads",
)
def share(arguments: argparse.Namespace) -> int:
    from store.sharing import modes, team

    # opened first: a folder without a workspace is not shared
    with workspace_of(arguments) as workspace:
        change = modes.share(workspace.folder, arguments.group, arguments.operators)
        with workspace.write(durable=True) as db:
            team.note(db, "share", arguments.group, arguments.operators)
    _tell(arguments, change, tr("shared with the group {group}", group=arguments.group))
    if arguments.operators is not None:
        tell("operators, who may change its settings too: {group}", group=arguments.operators)
    return 0


@command("unshare", "close a shared workspace to all but its owner")
def unshare(arguments: argparse.Namespace) -> int:
    from store.sharing import modes, team

    with workspace_of(arguments) as workspace:
        change = modes.unshare(workspace.folder)
        with workspace.write(durable=True) as db:
            team.note(db, "unshare", "")
    _tell(arguments, change, tr("its owner's alone"))
    return 0


def _tell(arguments: argparse.Namespace, change: Change, state: str) -> None:
    from store.messages import listed, plural

    changed = plural(change.changed, "file or folder", "files and folders")
    show(
        arguments,
        change,
        tr(
            "{workspace} is {state}; {changed} changed",
            workspace=arguments.workspace,
            state=state,
            changed=changed,
        ),
    )
    if change.left:
        tell("left as they are, since they belong to others: {left}", left=listed(change.left))


@command("list", "list the accounts of the team with their roles")
def list_members(arguments: argparse.Namespace) -> int:
    from store.sharing import team
    from store.sharing.accounts import account
    from store.sharing.modes import is_shared, members_of
    from store.sharing.operators import operates

    with workspace_of(arguments) as workspace:
        named = {one.account: one for one in team.members(workspace.db)}
        role = workspace.role
        shared = is_shared(workspace.folder)
        owner, group, accounts = members_of(workspace.folder)
        rows = [
            (
                name,
                *_role(
                    named.get(name),
                    owns=name == owner,
                    operates=operates(workspace.folder, name),
                    is_in_group=name in accounts,
                ),
            )
            for name in sorted({owner, *(accounts if shared else ()), *named})
        ]
    value = {
        "shared": shared,
        "group": group,
        "you": {"account": account(), "role": role},
        "members": [dict(zip(_MEMBER, row, strict=True)) for row in rows],
    }
    said = [(name, tr(role), *given, read(note)) for name, role, *given, note in rows]
    show_table(arguments, value, _MEMBER, said)
    tell("You are {account}: {kind}.", account=account(), kind=role)
    if not shared:
        tell("The workspace is not shared, so that roles bind nobody: ragdesk share --group NAME")
    return 0


_MEMBER = (later("account"), later("role"), later("given by"), later("since"), later("note"))


def _role(
    member: Member | None, *, owns: bool, operates: bool, is_in_group: bool
) -> tuple[str, str, str, str]:
    from store.sharing.team import UNNAMED, Role

    if operates:
        note = later("owns the folder") if owns else later("in the group of operators")
        return Role.OPERATOR, "", "", note
    if member is None:
        return UNNAMED, "", "", later("in the group; nobody has named it")
    note = "" if is_in_group else later("not in the group, so it cannot open the workspace")
    return member.role, member.by, member.since[:16].replace("T", " "), note


@command(
    "set",
    "give an account a role",
    option("ACCOUNT", "name of the account on this host"),
    option(
        "ROLE",
        "what it may do: read; also label; also rule on conflicts; everything. `none` takes a"
        " role away",
        choices=("reader", "rater", "adjudicator", "operator", "none"),
    ),
    example="wang adjudicator",
)
def set_member(arguments: argparse.Namespace) -> int:
    from store.errors import UsageError
    from store.sharing import team
    from store.sharing.accounts import check_account
    from store.sharing.operators import operates

    role = None if arguments.role == "none" else team.Role(arguments.role)
    if role is not None:
        check_account(arguments.account)
    account = arguments.account
    with workspace_of(arguments) as workspace:
        if operates(workspace.folder, account):
            raise UsageError(
                tr(
                    "{account} owns the folder or is in the group of operators, and so an operator"
                    " whatever their role.",
                    account=account,
                )
            )
        with workspace.write(durable=True) as db:
            team.set_role(db, account, role)
    now = (
        tr("{account} is {kind} from now on", account=account, kind=role)
        if role
        else tr(
            "{account} has no role of its own, as {kind} from now on",
            account=account,
            kind=team.UNNAMED,
        )
    )
    return show(arguments, {"account": account, "role": role}, now)


_DONE = {
    "share": later("shared with"),
    "unshare": later("unshared"),
    "role": later("role"),
    "act": later("labelled as"),
}


@command("log", "print who changed what about the team")
def show_log(arguments: argparse.Namespace) -> int:
    from store.sharing import team

    with workspace_of(arguments) as workspace:
        events = team.events(workspace.db)
    rows = [
        (
            one.at[:19].replace("T", " "),
            one.account,
            tr(_DONE[one.kind]),
            one.about,
            tr(one.value) if one.kind == "role" and one.value else one.value or "",
        )
        for one in events
    ]
    return show_table(
        arguments,
        {"events": events},
        ("at", "account", "what", "whom", "value"),
        rows,
        empty=tr("Nothing yet."),
    )


@command(
    "message",
    "tell everybody something, and see who has seen it",
    option("[TEXT]", "what everybody is told; '' ends it (default: print what is told)"),
    example='"Read the new guideline first"',
)
def message(arguments: argparse.Namespace) -> int:
    from msgspec import to_builtins

    from store.labels import news

    with workspace_of(arguments) as workspace:
        if arguments.text is not None:
            with workspace.write(durable=True) as db:
                news.post(db, arguments.text)
        told = news.message(workspace.db)
        seen = [] if told is None else news.seen_by(workspace.db, told.what, told.version)
    if told is None:
        return show(arguments, None, tr("no message"))
    lines = (f"{told.author}, {told.at[:16].replace('T', ' ')}: {told.text}", seen_text(seen))
    return show(arguments, {**to_builtins(told), "seen": seen}, *lines)


COMMANDS = (
    share,
    unshare,
    Group(
        "team",
        "who may do what in a shared workspace",
        "COMMAND",
        (list_members, set_member, message, show_log),
    ),
)

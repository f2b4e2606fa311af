"""Who may do what in a workspace that a group shares: a role for each account, and the log of what
operators changed.

Roles order the work among colleagues. They are rows of a file that every member can write, so what
must hold against a colleague too rests on the owners of files: see `store.sharing.rights`.
"""

from __future__ import annotations

import sqlite3
from enum import StrEnum
from pathlib import Path
from typing import Literal

from msgspec import Struct

from store.clock import now_text
from store.errors import WorkspaceError
from store.messages import check_printable
from store.sharing.accounts import account, account_of
from store.sharing.modes import is_shared
from store.sharing.operators import is_operator, listed_operators, operators_name


class Role(StrEnum):
    """What an account may do; each may what those before it may."""

    READER = "reader"
    RATER = "rater"
    ADJUDICATOR = "adjudicator"
    OPERATOR = "operator"

    def may(self, needed: Role) -> bool:
        order = list(Role)
        return order.index(self) >= order.index(needed)


UNNAMED = Role.RATER
"""The role of a member of the group that nobody has named."""

EventKind = Literal["share", "unshare", "role", "act"]
"""What is logged: `role` of an account, and `act`: an operator labels as somebody else."""


class NotAllowed(WorkspaceError):
    """The account may not write this."""


class Member(Struct, frozen=True):
    account: str
    role: Role
    since: str
    by: str
    """The operator who gave the role."""


class TeamEvent(Struct, frozen=True):
    at: str
    account: str
    """Who did it."""
    kind: EventKind
    about: str
    """The group, the account or the rater."""
    value: str | None
    """The role; null where it was taken away. Of `share` the group of operators."""


def role_of(db: sqlite3.Connection, folder: Path) -> Role:
    """The role of this process' account. Who owns the folder, the group of operators that they
    named, and root, are operators; without a group that shares it everybody is."""
    if not is_shared(folder) or is_operator(folder):
        return Role.OPERATOR
    row = db.execute("SELECT role FROM team_member WHERE account = ?", (account(),)).fetchone()
    return UNNAMED if row is None else Role(row[0])


def check_role(db: sqlite3.Connection, folder: Path, needed: Role) -> None:
    """Raises NotAllowed where this process' account has no such role in a shared workspace."""
    role = role_of(db, folder)
    if not role.may(needed):
        article = "an" if needed in (Role.OPERATOR, Role.ADJUDICATOR) else "a"
        raise NotAllowed(
            f"{account()} is {role} in this workspace; this is for {article} {needed}.",
            "An operator gives roles.",
            f"ragdesk team set {account()} {needed}",
        )


def check_directs(folder: Path, file: Path) -> None:
    """Raises NotAllowed for who may not write that file of a shared workspace's settings, prompts,
    forms or code: a role given by a row is not enough for it."""
    if is_shared(folder) and not is_operator(folder):
        owner, group = account_of(folder.stat().st_uid), operators_name(folder)
        raise NotAllowed(
            f"{file} is for {owner} to change, who owns the folder."
            if group is None
            else f"{file} is for {owner} and the group {group} to change.",
            "Ask for it: the keys of every account that works here go where it says.",
        )


def members(db: sqlite3.Connection) -> list[Member]:
    """The accounts that have been given a role, by name."""
    rows = db.execute("SELECT account, role, since, by FROM team_member ORDER BY account")
    return [Member(name, Role(role), since, by) for name, role, since, by in rows]


def operators(db: sqlite3.Connection, folder: Path) -> tuple[str, ...]:
    """Whom to ask in a shared workspace: who owns the folder, those the host lists in the group
    of operators, then those with the role; nobody in one that is not shared."""
    if not is_shared(folder):
        return ()
    named = (one.account for one in members(db) if one.role is Role.OPERATOR)
    owner = account_of(folder.stat().st_uid)
    return tuple(dict.fromkeys((owner, *listed_operators(folder), *named)))


def set_role(db: sqlite3.Connection, name: str, role: Role | None) -> None:
    """Gives an account a role from now on; None takes it away."""
    check_printable("account", name)
    note(db, "role", name, role)


def note(db: sqlite3.Connection, kind: EventKind, about: str, value: str | None = None) -> None:
    """Adds to the log what this process' account does."""
    db.execute(
        "INSERT INTO team_event (at, account, kind, about, value) VALUES (?, ?, ?, ?, ?)",
        (now_text(), account(), kind, about, value),
    )


def events(db: sqlite3.Connection) -> list[TeamEvent]:
    """The log, oldest first."""
    rows = db.execute("SELECT at, account, kind, about, value FROM team_event ORDER BY id")
    return [TeamEvent(*row) for row in rows]

"""The modes of what lies in a workspace's folder: its owner's alone, or open to the group that
shares the folder.

A shared folder is writable for its group and hands the group on (setgid), as a shared repository
of git does. What the work is stored in is the group's; everything else there is for its owner to
write and for the group to read, but that a second group, of operators, may write what directs the
work: settings, prompts, forms and code.
"""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from store.errors import UsageError, WorkspaceError
from store.sharing.accounts import account, account_of
from store.sharing.operators import (
    is_in,
    is_operator,
    name_operators,
    operators_group,
)

FILE_NAME = "ragdesk.sqlite"
"""The file of a workspace that holds everything."""
WORKER_LOG = "worker.log"
RESERVE = "ragdesk.reserve"
DATABASE = tuple(f"{FILE_NAME}{end}" for end in ("", "-wal", "-shm", "-journal"))
_WORK = frozenset((*DATABASE, WORKER_LOG, RESERVE, "artefacts", "backups", "drafts", "exports"))
"""What every member writes who works in a shared workspace."""
DIRECTING = ("ragdesk.toml", "prompts", "forms", "code")
"""What decides where keys are sent, what is asked and what is run."""
_SHARED = stat.S_ISGID | stat.S_IWGRP


def is_shared(folder: Path) -> bool:
    """Whether a group shares a folder: `share` made it so, or it lies in one that is. One that is
    not there, or no more, is not shared."""
    try:
        mode = folder.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    return mode & _SHARED == _SHARED and not mode & stat.S_ISVTX


def home_of(path: Path) -> Path | None:
    """The folder of the workspace that a path lies in; None outside of one."""
    return next((one for one in path.resolve().parents if (one / FILE_NAME).exists()), None)


def members_of(folder: Path) -> tuple[str, str, tuple[str, ...]]:
    """The account that owns a folder, its group, and the accounts in that group by name, as far as
    the host lists them."""
    status = folder.stat()
    try:
        group = grp.getgrgid(status.st_gid)
    except KeyError:
        return account_of(status.st_uid), str(status.st_gid), ()
    first = [one.pw_name for one in pwd.getpwall() if one.pw_gid == group.gr_gid]
    return account_of(status.st_uid), group.gr_name, tuple(sorted({*first, *group.gr_mem}))


def joining(folder: Path) -> str:
    """How an account that is not in the group of a shared workspace comes into it; empty where
    this one is, or no group shares it."""
    if not is_shared(folder) or is_in(folder.stat().st_gid) or not os.geteuid():
        return ""
    name = members_of(folder)[1]
    return f"As root: usermod -aG {quote(name)} {quote(account())}; then log in again."


def make_folder(folder: Path) -> None:
    """Makes a folder, and those above it: in a workspace for its owner alone unless it is shared.
    Raises OSError."""
    home = home_of(folder)
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for new in reversed(missing):
        with contextlib.suppress(FileExistsError):
            new.mkdir(0o777 if home is None else 0o700)
            if home is not None and is_shared(home):
                _Sharing.of(home).give(new, new, new.lstat())


def open_own(file: Path, flags: int) -> int:
    """Opens a file that processes of a workspace write, and makes it if it is missing; returns its
    descriptor. Raises OSError, for a link too."""
    descriptor = os.open(file, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    home = file.parent if file.name == FILE_NAME else home_of(file)
    if home is not None and is_shared(home):
        with contextlib.suppress(PermissionError):  # of another member, who has done it
            os.fchmod(descriptor, 0o660)
    return descriptor


def new_file(file: Path) -> None:
    """Makes an empty file of a workspace unless it is there; SQLite gives those beside it its
    mode. Raises OSError."""
    with contextlib.suppress(FileExistsError):
        os.close(open_own(file, os.O_WRONLY | os.O_EXCL))


def settle(path: Path, becomes: Path | None = None) -> None:
    """Gives a new file or folder, and all that is in it, the group and the modes of the workspace
    that it lies in, as those of what it `becomes`; outside of one it stays as it is. Raises
    OSError."""
    home = home_of(path)
    if home is None:
        return
    sharing = _Sharing.of(home) if is_shared(home) else None
    for one in (path, *(path.rglob("*") if path.is_dir() else ())):
        status = one.lstat()
        if stat.S_ISLNK(status.st_mode):
            continue
        if sharing is None:
            one.chmod(_alone(status))
        else:
            sharing.give(one, becomes or one, status)


def close_to_others(file: Path) -> None:
    """Makes the file of a workspace if it is missing. Nobody but its owner can read it, unless its
    folder is shared; so it is for what an older ragdesk made."""
    with contextlib.suppress(OSError):  # the file of another owner, or on a read-only disk
        new_file(file)
        if is_shared(file.parent):
            return
        for name in (*DATABASE, WORKER_LOG, "backups", "artefacts"):
            with contextlib.suppress(FileNotFoundError):
                path = file.with_name(name)
                status = path.stat()
                if status.st_mode & 0o077 and status.st_uid == os.geteuid():
                    path.chmod(_alone(status))


def refuse_links(folder: Path) -> None:
    """Raises WorkspaceError where a link lies among a shared workspace's own files: it would lead
    what a colleague writes to another place."""
    for name in sorted(_WORK):
        if (folder / name).is_symlink():
            raise WorkspaceError(
                f"{folder / name} is a link, which a shared workspace may not hold; nothing was"
                " opened.",
                "Find out who made it, and remove it.",
            )


class Change(NamedTuple):
    """What `share` or `unshare` did."""

    changed: int
    """Files and folders."""
    left: list[str]
    """Those that have wrong modes and belong to somebody else."""


def share(folder: Path, group: str, operators: str | None = None) -> Change:
    """Opens a workspace to a group, whose members write what the work is stored in and read the
    rest, and to a group of `operators`, who write what directs the work too. Operators may repeat
    it, which sets right what is theirs.

    Raises UsageError for a group that there is not or that the account is not in, and
    WorkspaceError, before anything is changed, for a folder of somebody else and for links in it.
    """
    sharing = _Sharing(
        folder.resolve(), _group_id(group), None if operators is None else _group_id(operators)
    )
    if sharing.operators == sharing.group:
        raise UsageError(
            f"{group!r} is the group of all members.", "Name another group for operators."
        )
    if not (is_shared(folder) and is_operator(folder) and sharing == _Sharing.of(sharing.home)):
        _check_owner(folder)
    change = _change(sharing.home, sharing.rights)
    name_operators(sharing.home, operators, sharing.group)
    return change


def _group_id(name: str) -> int:
    try:
        number = grp.getgrnam(name).gr_gid
    except KeyError as error:
        raise UsageError(
            f"There is no group {name!r} on this host.", f"As root: groupadd {quote(name)}"
        ) from error
    if os.geteuid() and not is_in(number):
        raise UsageError(
            f"You are not in the group {name!r}.",
            f"As root: usermod -aG {quote(name)} {quote(account())}; then log in again.",
        )
    return number


def unshare(folder: Path) -> Change:
    """Closes a workspace to all but its owner. Raises WorkspaceError as `share` does."""
    _check_owner(folder)
    home = folder.resolve()
    change = _change(home, lambda _, status: (status.st_gid, _alone(status)))
    name_operators(home, None, home.stat().st_gid)
    return change


def strange(folder: Path) -> list[str]:
    """What in a shared workspace does not have the group and the mode that sharing gives."""
    sharing = _Sharing.of(folder.resolve())
    return [
        str(path)
        for path, status in _contents(sharing.home)
        if (status.st_gid, stat.S_IMODE(status.st_mode)) != sharing.rights(path, status)
    ]


def _check_owner(folder: Path) -> None:
    if os.geteuid() not in (0, folder.stat().st_uid):
        raise WorkspaceError(f"{folder} belongs to somebody else.", "Have its owner do it.")


def _change(folder: Path, wanted: Callable[[Path, os.stat_result], tuple[int, int]]) -> Change:
    there = list(_contents(folder))
    changed, left = 0, []
    for path, status in there:
        group, mode = wanted(path, status)
        if (status.st_gid, stat.S_IMODE(status.st_mode)) == (group, mode):
            continue
        try:
            os.chown(path, -1, group, follow_symlinks=False)
            path.chmod(mode)
            changed += 1
        except FileNotFoundError:
            continue  # the log of a database that was closed meanwhile
        except PermissionError:
            left.append(str(path))
    return Change(changed, left)


def _contents(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The folder and all in it, inmost first, so that what cannot be changed stands below what
    can. Raises WorkspaceError for a link."""
    for root, folders, files in os.walk(folder, topdown=False):
        for name in sorted((*folders, *files)):
            path = Path(root, name)
            try:
                status = path.lstat()
            except FileNotFoundError:
                continue
            if stat.S_ISLNK(status.st_mode):
                raise WorkspaceError(
                    f"{path} is a link, which a shared workspace may not hold.",
                    "Put what it leads to in its place, or remove it.",
                )
            yield path, status
    yield folder, folder.lstat()


def _alone(status: os.stat_result) -> int:
    return stat.S_IMODE(status.st_mode) & 0o700


class _Sharing(NamedTuple):
    """Whom a workspace is shared with."""

    home: Path
    group: int
    operators: int | None

    @classmethod
    def of(cls, home: Path) -> _Sharing:
        return cls(home, home.stat().st_gid, operators_group(home))

    def rights(self, path: Path, status: os.stat_result) -> tuple[int, int]:
        """The group and the mode of what lies at `path`; what its owner may not write nobody
        may."""
        owner = _alone(status)
        own_group = stat.S_ISGID if stat.S_ISDIR(status.st_mode) else 0
        first = None if path == self.home else path.relative_to(self.home).parts[0]
        if first in DIRECTING and self.operators is not None:
            # who shares the folder reads by the bits of others: nobody else comes into it
            return self.operators, owner | owner >> 3 | (owner & 0o500) >> 6 | own_group
        group = owner if first is None or first in _WORK else owner & 0o500
        return self.group, owner | group >> 3 | own_group

    def give(self, path: Path, becomes: Path, status: os.stat_result) -> None:
        """Gives a new file or folder the rights of what it becomes. Raises OSError."""
        group, mode = self.rights(becomes.resolve(), status)
        if status.st_gid != group:
            try:
                os.chown(path, -1, group, follow_symlinks=False)
            except PermissionError:  # the owner of the folder need not operate
                mode &= ~stat.S_IWGRP
        path.chmod(mode)

"""The group whose members are operators of a shared workspace: they may also change its settings,
prompts, forms and code.

The folder's owner names it in a file beside these. A role is a row that each member of the sharing
group could write with another program; that file is believed only where the owner of the folder, or
root, wrote it, and who is in a group is root's to say.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
import tempfile
from pathlib import Path

from store.errors import WorkspaceError
from store.sharing.accounts import account_of

OPERATORS = "operators"
"""The file in a workspace's folder that names the group."""
_LONGEST = 1000
_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def operators_group(folder: Path) -> int | None:
    """The group id; None where the folder's owner has named no group that this host knows."""
    name = operators_name(folder)
    try:
        return None if name is None else grp.getgrnam(name).gr_gid
    except KeyError:
        return None


def operators_name(folder: Path) -> str | None:
    """The group's name as the folder's owner has written it; None where there is none."""
    try:
        held = os.open(folder / OPERATORS, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(held)
        is_owners = status.st_uid in (0, folder.stat().st_uid)
        if not is_owners or not stat.S_ISREG(status.st_mode) or status.st_mode & _OF_OTHERS:
            return None
        return os.read(held, _LONGEST).decode("utf-8", "replace").strip() or None
    finally:
        os.close(held)


def name_operators(folder: Path, name: str | None, readers: int) -> None:
    """Writes down the group of operators of a workspace, for the group `readers` to read; None for
    none. Raises WorkspaceError."""
    file = folder / OPERATORS
    if name is not None and operators_name(folder) == name:
        return
    try:
        if name is None:
            file.unlink(missing_ok=True)
        else:
            _write_whole(file, f"{name}\n", readers)
    except OSError as error:
        raise WorkspaceError(
            f"{file} cannot be written: {error.strerror}.",
            "Make room for it, and remove what else lies there.",
        ) from error


def _write_whole(file: Path, text: str, readers: int) -> None:
    held, partial = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(held, "w", encoding="utf-8") as written:
            written.write(text)
            os.fchown(held, -1, readers)
            os.fchmod(held, 0o640)
        Path(partial).replace(file)
    except OSError:
        Path(partial).unlink()
        raise


def listed_operators(folder: Path) -> list[str]:
    """The accounts that the host lists in a workspace's group of operators, by name."""
    group = operators_group(folder)
    return [] if group is None else sorted(grp.getgrgid(group).gr_mem)


def is_in(group: int) -> bool:
    """Whether this process is in a group."""
    return group in (os.getegid(), *os.getgroups())


def has_member(group: int, name: str) -> bool:
    """Whether an account is in a group, as the host says now."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return False
    return group in os.getgrouplist(name, entry.pw_gid)


def operates(folder: Path, name: str) -> bool:
    """Whether an account owns a workspace's folder or is in its group of operators."""
    group = operators_group(folder)
    owner = account_of(folder.stat().st_uid)
    return name == owner or (group is not None and has_member(group, name))


def is_operator(folder: Path) -> bool:
    """Whether this process may change the settings of a shared workspace: that of root, of who
    owns the folder, and of a member of the group of operators."""
    if os.geteuid() in (0, folder.stat().st_uid):
        return True
    group = operators_group(folder)
    return group is not None and is_in(group)

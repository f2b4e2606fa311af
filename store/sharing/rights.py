"""Files that decide where keys are sent and what is run: nobody else may write them.

An account trusts what it and root wrote. In a workspace that a group shares it also trusts who owns
the folder and the group of operators that they named, and no other member, whatever their role: a
role is a row that each member can write, the owner of a file is not.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from shlex import quote

from store.errors import InputError
from store.sharing.accounts import account_of
from store.sharing.modes import DIRECTING, home_of, is_shared
from store.sharing.operators import OPERATORS, has_member, operators_group, operators_name

LONGEST = 1024 * 1024
CODE = "code"
"""The folder of a shared workspace that holds what is run there."""
_SHARED = "In a shared workspace"
_NOW = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe in the place of a file never waits


def read_directing(file: Path, home: Path) -> bytes:
    """The content of a file of settings, prompts or forms in the workspace `home`.

    Raises OSError. In a workspace that a group shares raises InputError for a file that anybody
    else could write, or that a link leads to.
    """
    if not is_shared(home):
        return file.read_bytes()
    trust, path = _Trust(home), home
    held = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in file.relative_to(home).parts:
            within = os.open(part, _NOW, dir_fd=held)
            os.close(held)
            held, path = within, path / part
            # who may write a folder may put another file in the place of one in it
            trust.check(os.fstat(held), path, _SHARED)
        _check_file(os.fstat(held), file, _SHARED)
        with os.fdopen(held, "rb", closefd=False) as opened:
            return opened.read()
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise InputError(
                f"{file} leads through a link, which a shared workspace may not hold.",
                "Find out who made it, and remove it.",
            ) from error
        raise
    finally:
        os.close(held)


def check_directing(home: Path) -> None:
    """Raises InputError for the first of a shared workspace's settings, prompts, forms and code
    that somebody else could have written, and for a group of operators that nobody who may has
    named."""
    trust = _Trust(home)
    record = home / OPERATORS
    if os.path.lexists(record) and operators_name(home) is None:
        trust.check(record.lstat(), record, _SHARED)
    for name in DIRECTING:
        path = home / name
        for one in (path, *path.rglob("*")) if path.exists() else ():
            trust.check(one.lstat(), one, _SHARED)


def replaceable_in(home: Path) -> Path | None:
    """The nearest folder above a workspace whose writers could put another one in its place; None
    where only root and the workspace's owner could."""
    owners = (0, home.stat().st_uid)
    for folder in home.resolve().parents:
        status = folder.stat()
        of_others = 0 if status.st_mode & stat.S_ISVTX else stat.S_IWGRP | stat.S_IWOTH
        if status.st_uid not in owners or status.st_mode & of_others:
            return folder
    return None


def group_reads(path: Path, group: int) -> bool:
    """Whether the members of a group may read a file, whoever asks. Raises OSError."""
    file = path.resolve()
    wanted = [(file, stat.S_IRGRP, stat.S_IROTH)]
    wanted += [(folder, stat.S_IXGRP, stat.S_IXOTH) for folder in file.parents]
    states = [(place.stat(), of_group, of_others) for place, of_group, of_others in wanted]
    return all(
        status.st_mode & (of_group if status.st_gid == group else of_others)
        for status, of_group, of_others in states
    )


def code_folder(home: Path, place: str) -> Path:
    """The folder that code of a workspace is imported and started from: its own folder, or in a
    shared one, where each member may put files, a folder `code` that only its owner may write.

    Raises InputError, beginning with `place`, where the latter is missing or others can write it.
    """
    if not is_shared(home):
        return home
    os.close(hold_code(home, place))
    return home / CODE


def hold_code(home: Path, place: str) -> int:
    """Opens the folder of code of a shared workspace and checks all in it; returns its descriptor.

    What is started by the descriptor is what was checked, though any member may put another folder
    in the place of this one at any time. Raises InputError as `code_folder` does.
    """
    folder = home / CODE
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise InputError(
            f"{place}: a shared workspace runs code from {folder} alone, which is not there.",
            f"The folder's owner makes it: mkdir -m 750 {quote(str(folder))}",
        ) from error
    try:
        trust = _Trust(home)
        trust.check(os.fstat(held), folder, place)
        for root, folders, files, within in os.fwalk(dir_fd=held):
            for name in (*folders, *files):
                status = os.stat(name, dir_fd=within, follow_symlinks=False)
                trust.check(status, folder / root / name, place)
    except BaseException:
        os.close(held)
        raise
    return held


def readable_text(file: Path, place: str) -> str:
    """The text of a file of code.

    Raises InputError, beginning with `place`, for a file that is not there, is no text or is too
    long, and one that others than its owner could change.
    """
    try:
        with file.open("rb") as opened:
            check_rights(os.fstat(opened.fileno()), file, place)
            data = opened.read(LONGEST + 1)
        if len(data) > LONGEST:
            raise InputError(f"{place}: {file} has more than {LONGEST:,} bytes.", "Shorten it.")
        return data.decode()
    except OSError as error:
        raise InputError(f"{place}: {file} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{place}: {file} is not UTF-8 ({error.reason}).") from error


def check_rights(status: os.stat_result, file: Path, place: str) -> None:
    """Raises InputError for what is no file, or belongs to others, or can be written by them."""
    _check_file(status, file, place)
    _Trust(home_of(file)).check(status, file, place)


def _check_file(status: os.stat_result, file: Path, place: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{place}: {file} is no file.")


class _Trust:
    """Whose files this process relies on, in a workspace or, without one, anywhere."""

    def __init__(self, home: Path | None) -> None:
        self._home = home if home is not None and is_shared(home) else None
        self._accounts = {os.geteuid(), 0}
        self._operators: int | None = None
        if self._home is not None:
            self._accounts.add(self._home.stat().st_uid)
            self._operators = operators_group(self._home)

    def check(self, status: os.stat_result, path: Path, place: str) -> None:
        """Raises InputError, beginning with `place`, for what belongs to others or can be written
        by them."""
        if not self._trusts(status.st_uid):
            raise InputError(
                f"{place}: {path} belongs to {account_of(status.st_uid)}.", self._remedy()
            )
        of_others = stat.S_IWOTH | (0 if status.st_gid == self._operators else stat.S_IWGRP)
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & of_others:
            raise InputError(f"{place}: others can write {path}.", f"chmod go-w {quote(str(path))}")

    def _trusts(self, number: int) -> bool:
        if number in self._accounts:
            return True
        if self._operators is None or not has_member(self._operators, account_of(number)):
            return False
        self._accounts.add(number)
        return True

    def _remedy(self) -> str:
        if self._home is None:
            return "Make a copy of your own."
        owner = account_of(self._home.stat().st_uid)
        if self._operators is None:
            return f"It has to belong to {owner}, who owns the folder."
        group = operators_name(self._home)
        return f"It has to belong to {owner}, who owns the folder, or to a member of {group}."

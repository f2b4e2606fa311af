"""Files that decide where keys are sent and what is run: nobody else may write them.

An account trusts what it and root wrote. In a workspace that a group shares it also trusts who owns
the folder, and no other member, whatever their role: a role is a row that each member can write,
the owner of a file is not.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from store.errors import InputError
from store.sharing.accounts import account_of
from store.sharing.modes import home_of, is_shared

LONGEST = 1024 * 1024
CODE = "code"
"""The folder of a shared workspace that holds what is run there."""
_NOW = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe in the place of a file never waits


def read_directing(file: Path, home: Path) -> bytes:
    """The content of a file of settings, prompts or forms in the workspace `home`.

    Raises OSError. In a workspace that a group shares raises InputError for a file that anybody
    else could write, or that a link leads to.
    """
    if not is_shared(home):
        return file.read_bytes()
    held = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
    for part in file.relative_to(home).parts:
        try:
            within = os.open(part, _NOW, dir_fd=held)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise InputError(
                    f"{file} leads through a link, which a shared workspace may not hold.",
                    "Find out who made it, and remove it.",
                ) from error
            raise
        finally:
            os.close(held)
        held = within
    with os.fdopen(held, "rb") as opened:
        check_rights(os.fstat(opened.fileno()), file, "In a shared workspace")
        return opened.read()


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
    folder = home / CODE
    if not folder.is_dir():
        raise InputError(
            f"{place}: a shared workspace runs code from {folder} alone, which is not there.",
            f"The folder's owner makes it: mkdir -m 750 {folder}",
        )
    for path in (folder, *folder.rglob("*")):
        _check_owner(path.lstat(), path, place)
    return folder


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
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{place}: {file} is no file.")
    _check_owner(status, file, place)


def _check_owner(status: os.stat_result, file: Path, place: str) -> None:
    home = home_of(file)
    shared = home is not None and is_shared(home)
    trusted = {os.geteuid(), 0} | ({home.stat().st_uid} if home is not None and shared else set())
    if status.st_uid not in trusted:
        of = account_of(status.st_uid)
        remedy = "Make a copy of your own."
        if home is not None and shared:
            remedy = f"It has to belong to {account_of(home.stat().st_uid)}, who owns the folder."
        raise InputError(f"{place}: {file} belongs to {of}.", remedy)
    if not stat.S_ISLNK(status.st_mode) and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InputError(f"{place}: others can write {file}.", f"chmod go-w {file}")

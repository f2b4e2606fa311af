"""Files whose code is run with the rights of whoever starts a job: nobody else may write them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from store.errors import InputError

LONGEST = 1024 * 1024


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
    if status.st_uid not in (os.geteuid(), 0):
        raise InputError(f"{place}: {file} belongs to somebody else.", "Make a copy of your own.")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InputError(f"{place}: others can write {file}.", f"chmod go-w {file}")

"""Files that a person names for a result: whole or absent, and never in the place of a workspace's
own files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from store.errors import InputError
from store.sharing.modes import DATABASE, DIRECTING, FILE_NAME, RESERVE, WORKER_LOG, settle
from store.sharing.operators import OPERATORS

_OWN = frozenset(("artefacts", *DIRECTING, OPERATORS, RESERVE, WORKER_LOG))
"""What else lies in a workspace's folder and is no result; `exports` and `backups` are."""
_THERE, _OTHER_NAME = "{} exists already.", "Choose another name, or replace it."
_SQLITE = b"SQLite format 3\0"


def check_place(out: Path) -> None:
    """Raises InputError when nothing may be written to the path, whatever a person says: it is of
    a workspace, a database, or no ordinary file."""
    place = out.resolve()
    if place.name in DATABASE or any(
        place.relative_to(folder).parts[0] in _OWN
        for folder in place.parents
        if (folder / FILE_NAME).exists()
    ):
        raise InputError(f"{out} belongs to a workspace.", "Name another file.")
    if not place.exists() or place.is_dir():
        return
    if not place.is_file():
        raise InputError(f"{out} is no ordinary file.", "Name another.")
    with place.open("rb") as file:
        if file.read(len(_SQLITE)) == _SQLITE:
            raise InputError(f"{out} is a database.", "Name another file.")


def check_new(out: Path, *, force: bool = False) -> None:
    """Raises InputError as `whole_file` would before anything is written: for whoever computes
    long what they will write."""
    check_place(out)
    if not force and out.exists():
        raise InputError(_THERE.format(out), _OTHER_NAME, "--force")


@contextmanager
def whole_file(out: Path, *, force: bool = False, of_workspace: bool = False) -> Iterator[BinaryIO]:
    """A file to write into, which gets the name `out` when the block ends without an error.

    Raises InputError when it cannot be written, and, before anything is written, when it may not
    (`check_place`) or when it exists and `force` is false. `of_workspace` is for what writes a
    workspace's own files by their names.
    """
    if out.is_dir():
        raise InputError(f"{out} is a folder.", "Name a file in it.")
    partial = out.with_name(f"{out.name}.partial")
    try:
        if not of_workspace:
            check_place(out)
        if not force and out.exists():
            raise FileExistsError
        try:
            partial.unlink(missing_ok=True)
            with partial.open("xb") as file:
                yield file
            settle(partial)
            if not force:
                # claims the name, so that nobody's file is replaced even by a race
                out.open("x").close()
            partial.replace(out)
        finally:
            if partial.is_file():
                partial.unlink()
    except FileExistsError as error:
        raise InputError(_THERE.format(out), _OTHER_NAME, "--force") from error
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}.") from error


def write_whole(text: str, out: Path, *, force: bool = False, of_workspace: bool = False) -> None:
    """Writes `text` by `whole_file`, with a line break at its end unless it is empty, in UTF-8."""
    ended = text if text.endswith("\n") or not text else text + "\n"
    with whole_file(out, force=force, of_workspace=of_workspace) as file:
        file.write(ended.encode())

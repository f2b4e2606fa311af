"""The one reader of `ragdesk.toml`, the settings file of a workspace.

Each room declares the tables that it reads as a struct; tables of other rooms are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from store.errors import InputError
from store.sharing.rights import read_directing

SETTINGS_FILE = "ragdesk.toml"

T = TypeVar("T")

_MOST_DOTS = 1_000
"""In a line: the time to read a dotted key grows with the square of its parts."""


def read_settings(file: Path, kind: type[T]) -> T:
    """The tables of the file that `kind` declares, or its defaults where there is no file.

    Raises InputError, naming the file, where it cannot be read or is broken, and in a shared
    workspace where anybody but its owner could have written it.
    """
    try:
        data = read_directing(file, file.parent)
    except (FileNotFoundError, NotADirectoryError):
        data = b""
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}.", "Make it readable."
        ) from error
    return decode_settings(data, file, kind)


def decode_settings(data: bytes, file: Path, kind: type[T]) -> T:
    """The tables that the content `data` of a settings file holds; see `read_settings`."""
    if any(line.count(b".") > _MOST_DOTS for line in data.splitlines()):
        raise InputError(f"{file}: a key has more than {_MOST_DOTS:,} parts.", "Mend the file.")
    try:
        return msgspec.toml.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}.", "Mend the file, or remove it.") from error
    except RecursionError as error:
        raise InputError(
            f"{file}: its tables or lists are nested too deeply.", "Mend the file, or remove it."
        ) from error


def convert_table(table: dict[str, Any], kind: type[T], place: str) -> T:
    """One table as a struct.

    `place`, as `FILE: providers.NAME`, begins the message of the InputError for a wrong field.
    """
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{place}: {error}.", "Correct or remove that field.") from error


def check_ranges(place: str, ranges: Iterable[tuple[str, float | None, float, float]]) -> None:
    """Raises InputError for the first (field, value, least, greatest) that is out of its range.

    A value that is None is not given, which is right.
    """
    for field, value, least, greatest in ranges:
        if value is not None and not least <= value <= greatest:
            raise InputError(f"{place}.{field} is {value}.", f"Use {least:,} to {greatest:,}.")

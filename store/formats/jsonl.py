"""Reads JSON Lines, one typed object at a time, and names each bad line.

What others publish as one JSON list is read alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from store.errors import InputError
from store.formats.faults import BOM, read_json

T = TypeVar("T")


def read_jsonl(file: Path, type: type[T]) -> Iterator[tuple[int, T]]:
    """(line number from 1, object) for every line that is not blank.

    Raises InputError, with file, line and field, for a missing file or a line of another shape.
    """
    decoder = msgspec.json.Decoder(type)
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if number == 1:
                    line = line.removeprefix(BOM)
                if not line.strip():
                    continue
                try:
                    yield number, decoder.decode(line)
                except UnicodeDecodeError as error:
                    raise InputError(
                        f"{file}, line {number}: the line is not UTF-8.", "Save the file as UTF-8."
                    ) from error
                except (msgspec.DecodeError, RecursionError) as error:
                    raise InputError(
                        f"{file}, line {number}: {error}.", "Mend that line and try again."
                    ) from error
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error


def read_records(file: Path, type: type[T]) -> Iterator[tuple[str, T]]:
    """(place, object) of JSON Lines, or of a `.json` file that holds a list of objects, or several
    lists by name, as `{"train": [...], "dev": [...]}`; the place is what errors are to name."""
    if file.suffix != ".json":
        for number, value in read_jsonl(file, type):
            yield f"{file}, line {number}", value
        return
    parts: Any = dict[str, list[msgspec.Raw]] | list[msgspec.Raw]
    lists = read_json(file, parts, "Give a list of objects, or JSON Lines.")
    decode = msgspec.json.Decoder(type).decode
    for name, entries in lists.items() if isinstance(lists, dict) else (("", lists),):
        for number, raw in enumerate(entries, 1):
            place = f"{file}, {name + ' ' if name else ''}entry {number}"
            try:
                yield place, decode(raw)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise InputError(f"{place}: {error}.", "Mend it and try again.") from error

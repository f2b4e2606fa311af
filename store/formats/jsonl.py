"""JSON Lines, read one typed object at a time; a bad line is named, not swallowed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from store.errors import InputError

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
                    line = line.removeprefix(b"\xef\xbb\xbf")
                if not line.strip():
                    continue
                try:
                    yield number, decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                    raise InputError(
                        f"{file}, line {number}: {error}.", "Mend that line and try again."
                    ) from error
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error

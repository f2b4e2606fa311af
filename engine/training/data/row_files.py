"""The files of rows in an export, by the shape of the rows and the side that they are on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.training.data.shapes import AS_ARRAY, Row
from store.errors import InputError
from store.formats.folder import ExportFolder
from store.formats.jsonl import read_jsonl


def file_name(shape: str, side: str) -> str:
    """The path of a shape's rows of a side."""
    return f"{shape}/{side}.{'json' if shape in AS_ARRAY else 'jsonl'}"


def write_rows(folder: ExportFolder, shape: str, side: str, rows: Sequence[Row]) -> None:
    """Writes the rows into the file of that name."""
    name = file_name(shape, side)
    if shape in AS_ARRAY:
        # a row a line, so that two versions can be compared
        lines = b"[\n" + b",\n".join(map(msgspec.json.encode, rows)) + b"\n]\n"
        folder.data(name, lines, len(rows))
    else:
        folder.json_lines(name, rows)


def read_rows(file: Path) -> list[Any]:
    """The rows of a file. Raises InputError for one that cannot be read."""
    try:
        if file.suffix == ".json":
            rows: list[Any] = msgspec.json.decode(file.read_bytes(), type=list[Any])
            return rows
        return [row for _, row in read_jsonl(file, dict[str, Any])]
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}.", "Export the folder anew.") from error

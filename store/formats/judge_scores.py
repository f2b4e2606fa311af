"""Scores that were computed elsewhere, one in each line of JSON Lines or CSV.

    {"id": "q1", "turn": 0, "repeat": 0, "metric": "accuracy", "value": 2, "reason": "…"}

`id` is the item's key. `value` is a number, or null, `na` or `n/a` where the metric does not apply.
Optional are `turn`, `repeat`, `reason`, and what an export has: `judge` (lines of other judges than
the one that is asked for are left out), `judge_repeat`, and `state`, which says why there is no
value. Other fields are ignored.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from store.errors import InputError
from store.formats.csv_cells import text_of_cell
from store.formats.faults import not_utf8
from store.formats.jsonl import read_jsonl
from store.records import ScoreState

Name = str | int
Count = Annotated[int, Meta(ge=0)]

NOT_APPLICABLE = frozenset({"na", "n/a"})
_COLUMNS = ("id", "metric", "value")


class FileScore(Struct, frozen=True):
    id: Name
    metric: str
    value: float | str | None
    turn: Count = 0
    repeat: Count = 0
    reason: str = ""
    judge: str | None = None
    judge_repeat: Count = 0
    state: ScoreState | None = None


def read_scores(file: Path) -> Iterator[tuple[int, FileScore]]:
    """(line number, score); raises InputError naming file, line and field."""
    if file.suffix.lower() == ".csv":
        yield from _read_csv(file)
    else:
        yield from read_jsonl(file, FileScore)


def _read_csv(file: Path) -> Iterator[tuple[int, FileScore]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines, strict=True)
            missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(
                    f"{file}, line 1: there is no column {missing[0]!r}.",
                    f"The columns are {', '.join(FileScore.__struct_fields__)}.",
                )
            for row in reader:
                # an empty cell says nothing: what does not apply is written as `na`
                given = {name: text_of_cell(text) for name, text in row.items() if name and text}
                try:
                    yield reader.line_num, msgspec.convert(given, FileScore, strict=False)
                except msgspec.ValidationError as error:
                    raise InputError(
                        f"{file}, line {reader.line_num}: {error}.", "Mend that line and try again."
                    ) from error
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise not_utf8(file.read_bytes(), str(file)) from error
    except csv.Error as error:
        raise InputError(f"{file}, line {reader.line_num}: {error}.", "Mend that line.") from error

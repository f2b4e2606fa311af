"""Text cells of CSV files that a spreadsheet would take for formulas.

A text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return is written with an apostrophe
before it, which spreadsheets show as text; read again, it is the same text. Numbers, and a sign
that stands alone, stay as they are.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_WRITTEN = re.compile(r"'+[=+\-@\t\r]")


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """The text of a CSV file: numbers in full precision, None as an empty cell, texts by
    `safe_cell`, cells quoted where they must be, lines ended by \\n."""
    lines: list[str] = []
    # the ending makes the writer quote either line break within a cell
    writer = csv.writer(_Lines(lines), lineterminator="\r\n")
    writer.writerows(map(safe_cell, row) for row in rows)
    return "".join(lines)


class _Lines:
    """What a CSV writer writes to; it writes line by line."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, line: str) -> None:
        self._lines.append(line.removesuffix("\r\n") + "\n")


def safe_cell(value: object) -> object:
    """The value of a cell as it is written; only texts are changed."""
    if not isinstance(value, str) or len(value) < 2 or not _FORMULA.match(value):
        return value
    return value if _is_number(value) else f"'{value}"


def text_of_cell(cell: str) -> str:
    """The text of a cell that `safe_cell` wrote."""
    return cell[1:] if _WRITTEN.match(cell) and len(cell) > 2 else cell


def _is_number(text: str) -> bool:
    # as spreadsheets write them: Python would also take 1_000 and nan
    return re.fullmatch(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", text) is not None

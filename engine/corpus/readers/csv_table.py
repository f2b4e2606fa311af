"""Reads a CSV or TSV file with a header, one document for each row, in constant memory."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from engine.corpus.decoding import guess_stream_encoding, reading_warning
from engine.corpus.readers.contract import (
    LARGEST_DOCUMENT,
    Read,
    ReadOptions,
    Refusal,
    with_warning,
)
from engine.corpus.readers.json_record import TEXT_FIELDS, to_document
from engine.corpus.readers.whole_file import HEAD, refuse_binary
from store.errors import InputError

DELIMITERS = ",\t;|"
_SAMPLE = 65536
_BLOCK = 1 << 20


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Rows are located as `row N`, counted as a spreadsheet does: the header is row 1.

    A row becomes the document of an object of its columns; without a text column it is written
    out as `column: value` lines, empty cells left out.
    """
    encoding = _encoding(path)
    # The module's own limit of 128 KB a field is below many articles; the setting is global.
    csv.field_size_limit(LARGEST_DOCUMENT)
    with path.open(encoding=encoding, errors="replace", newline="") as file:
        sample = file.read(_SAMPLE)
        if not sample.strip():
            raise InputError("the file is empty")
        file.seek(0)
        numbered = enumerate(_rows(csv.reader(file, delimiter=sniff_delimiter(sample))), start=1)
        names = column_names(_header(numbered))
        has_text = not set(names).isdisjoint((*TEXT_FIELDS, options.text_field))
        for number, row in numbered:
            locator = f"row {number}"
            if isinstance(row, csv.Error):
                yield Refusal(given, locator, f"not valid CSV: {row}")
            elif any(cell.strip() for cell in row):
                record = _as_object(names, row, keep_empty=has_text)
                warning = reading_warning(encoding, sum(cell.count("\ufffd") for cell in row))
                yield with_warning(to_document(record, given, locator, options), warning)


def sniff_delimiter(sample: str) -> str:
    """The delimiter that splits most of the first rows into the same, largest number of cells."""
    lines = sample.splitlines(keepends=True)[:50]

    def fitness(delimiter: str) -> tuple[float, int]:
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
        widths = Counter(map(len, rows))
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
        return (count / len(rows), width) if width > 1 else (0.0, 1)

    return max(DELIMITERS, key=fitness)


def column_names(header: list[str]) -> list[str]:
    """The header's names, made distinct: `column 3` for a blank one, `name (3)` for a repeated."""
    names: dict[str, None] = {}
    for place, cell in enumerate(header, start=1):
        name = cell.strip() or f"column {place}"
        names[f"{name} ({place})" if name in names else name] = None
    return list(names)


def _encoding(path: Path) -> str:
    with path.open("rb") as file:
        refuse_binary(file.read(HEAD))
        file.seek(0)
        return guess_stream_encoding(iter(partial(file.read, _BLOCK), b""))


def _rows(rows: Iterator[list[str]]) -> Iterator[list[str] | csv.Error]:
    """The rows, with the error in place of a row that cannot be parsed."""
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield error


def _header(numbered: Iterator[tuple[int, list[str] | csv.Error]]) -> list[str]:
    for _, row in numbered:
        if isinstance(row, csv.Error):
            raise InputError(f"the header is not valid CSV: {row}")
        if any(cell.strip() for cell in row):
            return row
    raise InputError("the file has no header")


def _as_object(names: list[str], row: list[str], *, keep_empty: bool) -> dict[str, str]:
    """Cells by column name; cells beyond the header are named by their place."""
    beyond = [f"column {place}" for place in range(len(names) + 1, len(row) + 1)]
    cells = zip([*names, *beyond], row, strict=False)
    return {name: cell for name, cell in cells if keep_empty or cell.strip()}

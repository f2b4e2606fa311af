"""Labels as a table, in CSV or JSON Lines, with one subject and its raters' labels in each row."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from store.errors import InputError, UsageError
from store.formats.csv_cells import csv_of, text_of_cell
from store.formats.faults import not_utf8
from store.formats.jsonl import read_jsonl


def read_label_rows(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number, column to text) for every row; empty columns are left out.

    Raises InputError naming file and line for another suffix than .csv and .jsonl, a broken line, a
    header that names a column twice, and a value that is a list or object.
    """
    if file.suffix.lower() == ".jsonl":
        for line, row in read_jsonl(file, dict[str, Any]):
            yield line, _texts(row, f"{file}, line {line}")
    elif file.suffix.lower() == ".csv":
        yield from _read_csv(file)
    else:
        raise UsageError(f"{file} is neither .csv nor .jsonl.", "Give the file such a name.")


def write_label_rows(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], suffix: str) -> str:
    """The text of a file that `read_label_rows` reads; `suffix` is .csv or .jsonl."""
    if suffix == ".jsonl":
        encode = msgspec.json.Encoder().encode
        return "".join(encode(dict(row)).decode() + "\n" for row in rows)
    lines = (
        ["" if row.get(name) is None else _text(row[name]) for name in columns] for row in rows
    )
    return csv_of((columns, *lines))


def _read_csv(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, strict=True)
            header = [name.strip() for name in next(reader, [])]
            if len(set(header)) != len(header):
                raise InputError(f"{file}, line 1: a column name occurs twice.", "Rename one.")
            for row in reader:
                if not row:
                    continue
                if len(row) != len(header):
                    raise InputError(
                        f"{file}, line {reader.line_num}: {len(row)} columns,"
                        f" but the header has {len(header)}.",
                        "Mend that line and try again.",
                    )
                named = zip(header, map(text_of_cell, row), strict=True)
                yield reader.line_num, {key: value for key, value in named if value.strip()}
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise not_utf8(file.read_bytes(), str(file)) from error
    except csv.Error as error:
        raise InputError(f"{file}, line {reader.line_num}: {error}.", "Mend that line.") from error


def _texts(row: Mapping[str, Any], place: str) -> dict[str, str]:
    out = {}
    for key, value in row.items():
        if isinstance(value, list | dict):
            raise InputError(
                f"{place}: field `{key}` is not a single value.",
                "Labels are numbers, words or flags.",
            )
        if value is not None and str(value).strip():
            out[key] = _text(value)
    return out


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

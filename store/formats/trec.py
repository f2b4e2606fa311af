"""Runs in the format of trec_eval, with one retrieved document in each line.

The order of a query's documents is that of their scores, not of the lines or the rank column:
falling, compared in single precision, equal scores by falling document id.
"""

from __future__ import annotations

import array
import math
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from store.errors import InputError
from store.formats.faults import not_utf8


class TrecHit(Struct, frozen=True):
    document: str
    score: float


class TrecQuery(Struct, frozen=True):
    id: str
    line: int
    """The line at which the query first occurs."""
    hits: tuple[TrecHit, ...]


def read_run(file: Path) -> list[TrecQuery]:
    """The queries in the order of the file, each with its documents best first.

    Raises InputError, naming file and line, for another shape and a document given twice.
    """
    first: dict[str, int] = {}
    scores: dict[str, dict[str, float]] = {}
    for number, fields in _rows(file):
        query, document, score = fields[0], fields[2], _score(file, number, fields[4])
        first.setdefault(query, number)
        of_query = scores.setdefault(query, {})
        if document in of_query:
            raise InputError(
                f"{file}, line {number}: query {query!r} has document {document!r} twice.",
                "Leave one of the two lines out.",
            )
        of_query[document] = score
    return [TrecQuery(query, first[query], _ranked(of_query)) for query, of_query in scores.items()]


def _rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        with file.open(encoding="utf-8-sig", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                fields = line.split()
                if not fields:
                    continue
                if len(fields) != 6:
                    raise InputError(
                        f"{file}, line {number}: expected `query Q0 document rank score tag`,"
                        f" found {len(fields)} fields.",
                        "Mend that line and try again.",
                    )
                yield number, fields
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise not_utf8(file.read_bytes(), str(file)) from error


def _score(file: Path, number: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError(
            f"{file}, line {number}: the score {text!r} is not a number.",
            "Write it as the fifth field.",
        )
    return value


def _ranked(scores: dict[str, float]) -> tuple[TrecHit, ...]:
    single = dict(zip(scores, array.array("f", scores.values()), strict=True))
    order = sorted(scores, key=lambda document: (single[document], document), reverse=True)
    return tuple(TrecHit(document, scores[document]) for document in order)

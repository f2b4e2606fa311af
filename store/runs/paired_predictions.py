"""The answers of two runs to the same turns, side by side."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec


class PairedPrediction(msgspec.Struct, frozen=True):
    """A turn with the first repeat of either run; an answer is None where a run failed."""

    id_a: int
    id_b: int
    question: str
    turns: int
    answer_a: str | None
    answer_b: str | None


def paired_predictions(
    db: sqlite3.Connection, run_a: int, run_b: int, turns: Iterable[tuple[int, int]]
) -> list[PairedPrediction]:
    """The answers to some turns, (revision, turn) each, in the order given.

    Turns that either run does not hold are left out.
    """
    found: list[PairedPrediction] = []
    for revision_id, turn in turns:
        row = db.execute(
            "SELECT a.id, b.id,"
            " json_extract(content, '$.turns[' || a.turn || '].question'), revision.turns,"
            " a.answer, b.answer FROM prediction AS a JOIN prediction AS b"
            "   ON b.run_id = ? AND b.revision_id = a.revision_id AND b.turn = a.turn"
            " JOIN revision ON revision.id = a.revision_id"
            " WHERE a.run_id = ? AND a.revision_id = ? AND a.turn = ?"
            " ORDER BY a.repeat, b.repeat LIMIT 1",
            (run_b, run_a, revision_id, turn),
        ).fetchone()
        if row is not None:
            found.append(PairedPrediction(*row))
    return found

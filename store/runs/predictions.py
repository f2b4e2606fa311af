"""The predictions of a run by item, turn and repeat, alone or beside another run's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

import msgspec

from store.datasets.revisions import MAY_HIDE
from store.records import Hit, ItemContent, PredictionState
from store.runs.stages import RetrieveValue


class StoredPrediction(msgspec.Struct, frozen=True):
    id: int
    state: PredictionState
    answer: str | None


PredictionKey = tuple[int, int, int]
"""Revision number, turn and repeat."""


class PairedPrediction(msgspec.Struct, frozen=True):
    """A turn with the first repeat of either run; an answer is None where a run failed."""

    id_a: int
    id_b: int
    question: str
    turns: int
    answer_a: str | None
    answer_b: str | None


def by_key(db: sqlite3.Connection, run_id: int) -> dict[PredictionKey, StoredPrediction]:
    """All predictions of a run by revision, turn and repeat, in the run's order."""
    rows = db.execute(
        "SELECT revision_id, turn, repeat, id, state, answer FROM prediction WHERE run_id = ?"
        " ORDER BY ordinal",
        (run_id,),
    )
    return {
        (revision, turn, repeat): StoredPrediction(id, PredictionState(state), answer)
        for revision, turn, repeat, id, state, answer in rows
    }


def asked_turns(db: sqlite3.Connection, run_id: int) -> Iterator[tuple[int, int, ItemContent]]:
    """Yields revision, turn and item of every turn that a run was asked, by revision."""
    rows = db.execute(
        "SELECT revision_id, turn, content FROM prediction"
        " JOIN revision ON revision.id = revision_id WHERE run_id = ?"
        " GROUP BY revision_id, turn",
        (run_id,),
    )
    decode = msgspec.json.Decoder(ItemContent).decode
    for revision, turn, content in rows:
        yield revision, turn, decode(content)


def rankings(db: sqlite3.Connection, run_id: int) -> dict[PredictionKey, tuple[Hit, ...]]:
    """What was retrieved, by revision, turn and repeat; without those that retrieved nothing."""
    rows = db.execute(
        "SELECT revision_id, turn, repeat, value FROM prediction"
        " JOIN stage_result ON prediction_id = prediction.id AND stage = 'retrieve'"
        " WHERE run_id = ?",
        (run_id,),
    )
    return {
        (revision, turn, repeat): msgspec.json.decode(value, type=RetrieveValue).hits
        for revision, turn, repeat, value in rows
    }


def finished_ids(db: sqlite3.Connection, run_id: int) -> list[int]:
    """The numbers of the predictions of a run that are not pending, in the run's order."""
    rows = db.execute(
        "SELECT id FROM prediction WHERE run_id = ? AND state <> 'pending' ORDER BY ordinal",
        (run_id,),
    )
    return [number for (number,) in rows]


def failures(db: sqlite3.Connection, run_id: int) -> dict[str, int]:
    """The number of failed predictions of a run, by kind of failure."""
    rows = db.execute(
        "SELECT error_kind, count(*) FROM prediction WHERE run_id = ? AND state = 'failed'"
        " GROUP BY error_kind",
        (run_id,),
    )
    return dict(rows.fetchall())


def paired(
    db: sqlite3.Connection, run_a: int, run_b: int, turns: Iterable[tuple[int, int]]
) -> list[PairedPrediction]:
    """The answers to some turns, (revision, turn) each, in the order given.

    Turns that either run does not hold are left out.
    """
    pairs: list[PairedPrediction] = []
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
            pairs.append(PairedPrediction(*row))
    return pairs


class HiddenCounts(msgspec.Struct, frozen=True):
    """What a run did for items that hide documents."""

    predictions: int
    """Of items that hide documents."""
    kept_back: int
    """Of those, the ones with a hidden document among what they would have retrieved."""
    documents: int
    """Hidden documents that were kept back, counted once a prediction."""


def hidden_counts(db: sqlite3.Connection, run_id: int) -> HiddenCounts:
    """Counts over the predictions of a run that have been retrieved for."""
    row = db.execute(
        "SELECT count(*), count(json_extract(value, '$.hidden')),"
        " coalesce(sum(json_array_length(value, '$.hidden')), 0)"
        " FROM revision JOIN prediction ON revision_id = revision.id"
        " JOIN stage_result ON prediction_id = prediction.id AND stage = 'retrieve'"
        " WHERE run_id = ?"
        f" AND {MAY_HIDE} AND json_extract(content, '$.hidden') IS NOT NULL",
        (run_id,),
    )
    return HiddenCounts(*row.fetchone())


def unusable_replies(db: sqlite3.Connection, run_id: int) -> dict[str, tuple[int, int]]:
    """For each query stage, and retrieval for its rerankers, that got no usable reply somewhere:
    of how many turns of the run, and how many turns the stage has worked."""
    rows = db.execute(
        "SELECT stage, count(json_extract(value, '$.unusable')), count(*) FROM prediction"
        " JOIN stage_result ON prediction_id = prediction.id "
        " AND (stage LIKE 'query/%' OR stage = 'retrieve')"
        " WHERE run_id = ? GROUP BY stage",
        (run_id,),
    )
    return {stage: (unusable, turns) for stage, unusable, turns in rows if unusable}


def hidden_and_retrieved(
    db: sqlite3.Connection, run_id: int
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """For each prediction of an item that hides documents the ids of those that the item names,
    and of those that were retrieved."""
    rows = db.execute(
        "SELECT json_extract(content, '$.hidden'), value"
        " FROM revision JOIN prediction ON revision_id = revision.id"
        " JOIN stage_result ON prediction_id = prediction.id AND stage = 'retrieve'"
        " WHERE run_id = ?"
        f" AND {MAY_HIDE} AND json_extract(content, '$.hidden') IS NOT NULL",
        (run_id,),
    )
    return [
        (
            msgspec.json.decode(named, type=tuple[str, ...]),
            tuple(hit.document_id for hit in msgspec.json.decode(value, type=RetrieveValue).hits),
        )
        for named, value in rows
    ]

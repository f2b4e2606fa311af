"""What an import of foreign results asks of the store: how long documents are, which predictions a
run has."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from store.corpora.corpora import Corpus
from store.records import PredictionState


class PredictionRow(Struct, frozen=True):
    id: int
    state: PredictionState
    answer: str | None


PredictionKey = tuple[int, int, int]
"""Revision number, turn and repeat."""


def document_lengths(db: sqlite3.Connection, corpus: Corpus) -> dict[str, int]:
    """Maps the id of every document of the corpus, superseded ones too, to its characters."""
    rows = db.execute(
        "SELECT document_id, chars FROM document WHERE id IN"
        " (SELECT document FROM source WHERE corpus_id = ?)",
        (corpus.id,),
    )
    return dict(rows.fetchall())


def predictions(db: sqlite3.Connection, run_id: int) -> dict[PredictionKey, PredictionRow]:
    """All predictions of a run by revision, turn and repeat, in the run's order."""
    rows = db.execute(
        "SELECT revision_id, turn, repeat, id, state, answer FROM prediction WHERE run_id = ?"
        " ORDER BY ordinal",
        (run_id,),
    )
    return {
        (revision, turn, repeat): PredictionRow(id, PredictionState(state), answer)
        for revision, turn, repeat, id, state, answer in rows
    }


def judged_metrics(db: sqlite3.Connection, run_id: int, judge: str) -> set[str]:
    """Names of the metrics that any judge of that name has given a run."""
    rows = db.execute(
        "SELECT DISTINCT metric.name FROM prediction JOIN score ON prediction_id = prediction.id"
        " JOIN metric ON metric.id = metric_id JOIN judge ON judge.id = judge_id"
        " WHERE run_id = ? AND judge.name = ?",
        (run_id, judge),
    )
    return {name for (name,) in rows}


def failures(db: sqlite3.Connection, run_id: int) -> dict[str, int]:
    """How many predictions of a run failed, by kind of failure."""
    rows = db.execute(
        "SELECT error_kind, count(*) FROM prediction WHERE run_id = ? AND state = 'failed'"
        " GROUP BY error_kind",
        (run_id,),
    )
    return dict(rows.fetchall())

"""What could be labelled: items, predictions and pairs of them, with what a draw looks at."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from store.datasets.datasets import Dataset
from store.records import ItemContent, ItemState
from store.runs.results import MetricKey
from store.systems import SystemConfig


class RevisionRow(Struct, frozen=True):
    """An item's text."""

    revision: int
    item_key: str
    group_key: str
    topic: str
    task: str
    content: ItemContent


class PredictionRow(Struct, frozen=True):
    """An answer of a system, with a judge's value where one was asked for."""

    prediction: int
    system: str
    retrieves: bool
    item_key: str
    group_key: str
    topic: str
    task: str
    turn: int
    content: ItemContent
    value: float | None


def revisions(
    db: sqlite3.Connection, dataset: Dataset, states: Sequence[ItemState]
) -> list[RevisionRow]:
    """The texts of a dataset's items in those states, by number, without those that are still being
    authored."""
    marks = ",".join("?" * len(states))
    rows = db.execute(
        "SELECT head, item_key, group_key, topic, task, content FROM item"
        " JOIN revision ON revision.id = head"
        f" WHERE dataset_id = ? AND state IN ({marks}) AND NOT EXISTS (SELECT 1 FROM authored"
        "  WHERE item_id = item.id AND form_key IS NOT NULL) ORDER BY item.id",
        (dataset.id, *states),
    )
    decode = msgspec.json.Decoder(ItemContent).decode
    return [
        RevisionRow(revision, item_key, group_key, topic, task, decode(content))
        for revision, item_key, group_key, topic, task, content in rows
    ]


def predictions(
    db: sqlite3.Connection, run_id: int, metric: MetricKey | None = None
) -> list[PredictionRow]:
    """The answers of a run's first repeat, refused ones included, with their value of `metric`."""
    name, variant, judge = (
        (metric.name, metric.variant, metric.judge_id) if metric is not None else ("", "", 0)
    )
    rows = db.execute(
        "SELECT prediction.id, system.config, item_key, group_key, topic, task, turn, content,"
        " score.value FROM prediction JOIN run ON run.id = run_id"
        " JOIN system ON system.id = system_id JOIN revision ON revision.id = revision_id"
        " JOIN item ON item.id = item_id LEFT JOIN score ON prediction_id = prediction.id"
        " AND score.judge_id = ? AND score.repeat = 0 AND metric_id ="
        "   (SELECT id FROM metric WHERE name = ? AND variant = ?)"
        " WHERE run_id = ? AND prediction.repeat = 0 AND answer IS NOT NULL ORDER BY ordinal",
        (judge, name, variant, run_id),
    )
    out = []
    for prediction, config, key, group, topic, task, turn, text, value in rows:
        system = msgspec.json.decode(config, type=SystemConfig)
        retrieves = system.retriever is not None
        content = msgspec.json.decode(text, type=ItemContent)
        answered = (prediction, system.name, retrieves, key, group, topic, task, turn)
        out.append(PredictionRow(*answered, content, value))
    return out


def pairs(
    db: sqlite3.Connection, run_a: int, run_b: int
) -> list[tuple[PredictionRow, PredictionRow]]:
    """Answers of two runs to the same question, in the order of the first run."""
    others = {(row.item_key, row.turn): row for row in predictions(db, run_b)}
    return [
        (row, other)
        for row in predictions(db, run_a)
        if (other := others.get((row.item_key, row.turn))) and row.content == other.content
    ]

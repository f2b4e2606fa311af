"""Stores how items were evolved: the questions of each family, with parents and difficulty."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from store.hashing import canonical_json
from store.records import ItemContent

Outcome = Literal["initial", "partner", "kept", "dropped", "rejected"]
"""What became of a question: it began a family, was made to evolve another with, stayed in the
queue, left the queue for harder ones, or was refused."""


class LineageStep(Struct, frozen=True):
    """A question that an evolution made."""

    number: int
    """Within its family, from 0 for the initial one."""
    operation: str
    """An operation, or the type of a question that was written from chunks."""
    entity: str
    """What it turns on."""
    parents: tuple[int, ...]
    round: int
    content: ItemContent | None
    rd: float | None
    gd: float | None
    outcome: Outcome
    reason: str
    """Why it was rejected."""
    item_id: int | None = None
    """The item of the dataset that it became."""


class Family(Struct, frozen=True):
    """The questions of a family, in the order in which they were made."""

    job_id: int
    number: int
    steps: tuple[LineageStep, ...]


def begin(
    db: sqlite3.Connection, job_id: int, dataset_id: int, settings: Mapping[str, Any]
) -> None:
    db.execute(
        "INSERT INTO evolution (job_id, dataset_id, settings) VALUES (?, ?, ?)",
        (job_id, dataset_id, canonical_json(settings).decode()),
    )


def settings(db: sqlite3.Connection, job_id: int) -> dict[str, Any]:
    """What was frozen when the job was queued."""
    (text,) = db.execute("SELECT settings FROM evolution WHERE job_id = ?", (job_id,)).fetchone()
    read: dict[str, Any] = msgspec.json.decode(text)
    return read


def put_family(
    db: sqlite3.Connection, job_id: int, family: int, steps: Iterable[LineageStep]
) -> None:
    db.executemany(
        "INSERT INTO qra (job_id, family, number, operation, entity, parents, round, content, rd,"
        " gd, outcome, reason, item_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                job_id,
                family,
                one.number,
                one.operation,
                one.entity,
                msgspec.json.encode(one.parents).decode(),
                one.round,
                None if one.content is None else canonical_json(one.content).decode(),
                one.rd,
                one.gd,
                one.outcome,
                one.reason,
                one.item_id,
            )
            for one in steps
        ],
    )


def put_call(db: sqlite3.Connection, job_id: int, key: str, *, cached: bool) -> None:
    """Notes that a job has asked for a reply; the first time counts."""
    db.execute("INSERT OR IGNORE INTO evolution_call VALUES (?, ?, ?)", (job_id, key, cached))


def spent(db: sqlite3.Connection, job_id: int) -> tuple[int, float]:
    """Tokens and money that a job's calls used, without calls served from the cache."""
    tokens, cost = db.execute(
        "SELECT coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),"
        " coalesce(sum(cost), 0.0) FROM evolution_call JOIN model_call ON key = call_key"
        " WHERE job_id = ? AND NOT cached",
        (job_id,),
    ).fetchone()
    return int(tokens), float(cost)


def begun(db: sqlite3.Connection, job_id: int) -> dict[int, bool]:
    """The families that are stored, each with whether its initial question could be written."""
    rows = db.execute(
        "SELECT family, content IS NOT NULL FROM qra WHERE job_id = ? AND number = 0", (job_id,)
    )
    return {family: bool(written) for family, written in rows}


def has_lineages(db: sqlite3.Connection, dataset: str) -> bool:
    """Whether anything was evolved into a dataset of that name."""
    row = db.execute(
        "SELECT 1 FROM evolution JOIN dataset ON dataset.id = dataset_id WHERE name = ?", (dataset,)
    ).fetchone()
    return row is not None


_STEPS = (
    "SELECT job_id, family, number, operation, entity, parents, round, content, rd, gd, outcome,"
    " reason, item_id FROM qra"
)


def of_dataset(db: sqlite3.Connection, dataset_id: int) -> list[Family]:
    """The families of all evolutions into a dataset, oldest first."""
    rows = db.execute(
        f"{_STEPS} WHERE job_id IN (SELECT job_id FROM evolution WHERE dataset_id = ?)"
        " ORDER BY job_id, family, number",
        (dataset_id,),
    )
    return _families(rows)


def of_job(db: sqlite3.Connection, job_id: int) -> list[Family]:
    """The families of an evolution, in their order."""
    return _families(db.execute(f"{_STEPS} WHERE job_id = ? ORDER BY family, number", (job_id,)))


def of_item(db: sqlite3.Connection, item_id: int) -> Family | None:
    """The family that an item comes from, if it was evolved or began one."""
    row = db.execute("SELECT job_id, family FROM qra WHERE item_id = ?", (item_id,)).fetchone()
    if row is None:
        return None
    return _families(db.execute(f"{_STEPS} WHERE job_id = ? AND family = ? ORDER BY number", row))[
        0
    ]


def _families(rows: Iterable[tuple[Any, ...]]) -> list[Family]:
    parents_of = msgspec.json.Decoder(tuple[int, ...]).decode
    content_of = msgspec.json.Decoder(ItemContent).decode
    families: dict[tuple[int, int], list[LineageStep]] = {}
    for job, family, number, operation, entity, parents, turn, content, *rest in rows:
        step = LineageStep(
            number,
            operation,
            entity,
            parents_of(parents),
            turn,
            None if content is None else content_of(content),
            *rest,
        )
        families.setdefault((job, family), []).append(step)
    return [Family(job, number, tuple(steps)) for (job, number), steps in families.items()]

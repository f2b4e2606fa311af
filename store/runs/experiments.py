"""Stores experiments: the design of each, its arms, and their runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from store.clock import now_text
from store.errors import UsageError
from store.hashing import canonical_json
from store.messages import check_printable, no_such
from store.runs.stages import RetrieveValue


class Arm(Struct, frozen=True):
    """One of the systems that an experiment compares."""

    ordinal: int
    name: str
    levels: dict[str, Any]
    """What it has in place of the base system's settings."""
    run_id: int | None = None


class Experiment(Struct, frozen=True):
    id: int
    name: str
    release_id: int
    split_id: int
    design: dict[str, Any]
    """As `engine.experiments.design` reads it."""
    created_at: str
    arms: tuple[Arm, ...]


def create(
    db: sqlite3.Connection,
    name: str,
    release_id: int,
    split_id: int,
    design: Struct,
    arms: Sequence[tuple[str, dict[str, Any]]],
) -> Experiment:
    """An experiment with its arms, (name, levels) each. Raises UsageError for an unusable name."""
    if not name.strip() or name.isdigit():
        raise UsageError(f"{name!r} cannot name an experiment.", "Use a name that is no number.")
    check_printable("experiment", name)
    if db.execute("SELECT 1 FROM experiment WHERE name = ?", (name,)).fetchone():
        raise UsageError(f"There is an experiment {name!r} already.", "Choose another name.")
    number = db.execute(
        "INSERT INTO experiment (name, release_id, split_id, design, created_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (name, release_id, split_id, canonical_json(design).decode(), now_text()),
    ).lastrowid
    db.executemany(
        "INSERT INTO experiment_arm (experiment_id, ordinal, name, levels) VALUES (?, ?, ?, ?)",
        [
            (number, ordinal, arm, canonical_json(levels).decode())
            for ordinal, (arm, levels) in enumerate(arms)
        ],
    )
    return get(db, name)


def get(db: sqlite3.Connection, name: str) -> Experiment:
    row = db.execute(_EXPERIMENT + " WHERE name = ?", (name,)).fetchone()
    if row is None:
        known = [name for (name,) in db.execute("SELECT name FROM experiment ORDER BY id")]
        raise no_such("experiment", name, known, "Experiments here")
    return _experiment(db, row)


def listing(db: sqlite3.Connection) -> list[Experiment]:
    """All experiments, newest first."""
    return [_experiment(db, row) for row in db.execute(_EXPERIMENT + " ORDER BY id DESC")]


def of_run(db: sqlite3.Connection, run_id: int) -> str | None:
    """The name of the experiment that a run is an arm of."""
    row = db.execute(
        "SELECT experiment.name FROM experiment WHERE id ="
        " (SELECT experiment_id FROM experiment_arm WHERE run_id = ? LIMIT 1)",
        (run_id,),
    ).fetchone()
    return None if row is None else str(row[0])


def state_without_job(db: sqlite3.Connection, run_id: int) -> str:
    """What to say of a run that no job of its own has made."""
    return "imported" if of_run(db, run_id) is None else "in an experiment"


def set_run(db: sqlite3.Connection, experiment_id: int, ordinal: int, run_id: int) -> None:
    """Names the run of an arm."""
    db.execute(
        "UPDATE experiment_arm SET run_id = ? WHERE experiment_id = ? AND ordinal = ?",
        (run_id, experiment_id, ordinal),
    )


def share_stages(db: sqlite3.Connection, source: int, target: int, until: int, top_k: int) -> int:
    """Copies what run `source` searched for and the first `top_k` of what it retrieved to the
    predictions of run `target` that stand before ordinal `until` and are pending; returns how many
    values that were. A longer list from which hidden documents were kept back is left out: which
    of them stood in its beginning is not known."""
    rows = db.execute(
        "SELECT new.id, found.stage, found.value, found.elapsed_ms FROM prediction AS new"
        " JOIN prediction AS old ON old.run_id = ? AND old.revision_id = new.revision_id"
        "  AND old.turn = new.turn AND old.repeat = new.repeat"
        " JOIN stage_result AS found ON found.prediction_id = old.id"
        "  AND (found.stage = 'retrieve' OR found.stage LIKE 'query/%')"
        " WHERE new.run_id = ? AND new.state = 'pending' AND new.ordinal < ?"
        " AND NOT EXISTS (SELECT 1 FROM stage_result AS have"
        "  WHERE have.prediction_id = new.id AND have.stage = found.stage)",
        (source, target, until),
    ).fetchall()
    now = now_text()
    shared = [
        (prediction, stage, kept, elapsed, now)
        for prediction, stage, value, elapsed in rows
        if (kept := _beginning(value, top_k) if stage == "retrieve" else value)
    ]
    db.executemany(
        "INSERT INTO stage_result (prediction_id, stage, value, elapsed_ms, finished_at, checksum)"
        " VALUES (?1, ?2, ?3, ?4, ?5, row_sum(?2, ?3, NULL))",
        shared,
    )
    return len(shared)


def _beginning(value: str, top_k: int) -> str | None:
    """The stored value of `retrieve` with its first hits; None where it cannot be cut."""
    retrieved = msgspec.json.decode(value, type=RetrieveValue)
    if len(retrieved.hits) <= top_k:
        return value
    if retrieved.hidden:
        return None
    return canonical_json(replace(retrieved, hits=retrieved.hits[:top_k])).decode()


_EXPERIMENT = "SELECT id, name, release_id, split_id, design, created_at FROM experiment"


def _experiment(db: sqlite3.Connection, row: tuple[Any, ...]) -> Experiment:
    id, name, release_id, split_id, design, created_at = row
    arms = db.execute(
        "SELECT ordinal, name, levels, run_id FROM experiment_arm WHERE experiment_id = ?"
        " ORDER BY ordinal",
        (id,),
    )
    return Experiment(
        id,
        name,
        release_id,
        split_id,
        msgspec.json.decode(design),
        created_at,
        tuple(
            Arm(ordinal, arm, msgspec.json.decode(levels), run_id)
            for ordinal, arm, levels, run_id in arms
        ),
    )

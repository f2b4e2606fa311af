"""Stores runs and their systems, and counts their predictions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from store.clock import now_text
from store.errors import UsageError
from store.hashing import canonical_json, content_hash
from store.lifecycle import archiving
from store.messages import check_printable, no_such
from store.records import PredictionState
from store.systems import SystemConfig

_ENDLESS = 2**62
"""An ordinal that no prediction has."""


class RunSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """The settings that a run froze besides its system."""

    seed: int = 0
    repeats: int = 1
    corpus_fingerprint: str = ""
    """Of the corpus when the run began; a resumed run refuses a corpus that has changed."""
    provider: dict[str, Any] | None = None
    """The settings of the model that answers, as they were when the run began; never a key."""
    stage_providers: dict[str, dict[str, Any]] = {}
    """Likewise of the models that stages before the answer ask instead, by name."""
    prompts: dict[str, str] = {}
    """The prompt texts that the run uses, by id."""
    imported_from: str = ""
    """The file that the predictions came from, when they were not made here."""


class Run(msgspec.Struct, frozen=True):
    id: int
    name: str
    release_id: int
    system: SystemConfig
    settings: RunSettings
    created_at: str


class RunProgress(msgspec.Struct, frozen=True):
    """Counts of predictions (turns x repeats) by state, computed from the rows."""

    pending: int = 0
    ok: int = 0
    refused: int = 0
    failed: int = 0
    scored: int = 0
    """Predictions whose scoring stage is done."""

    @property
    def total(self) -> int:
        return self.pending + self.ok + self.refused + self.failed

    @property
    def finished(self) -> int:
        """Predictions that need no more work: scored, or failed."""
        return self.scored + self.failed


class PendingTurn(msgspec.Struct, frozen=True):
    prediction_id: int
    turn: int
    state: PredictionState
    answer: str | None


class PendingItem(msgspec.Struct, frozen=True):
    """All turns of one item (and repeat) of which at least one needs work."""

    revision_id: int
    repeat: int
    last_ordinal: int
    turns: tuple[PendingTurn, ...]


def put_system(db: sqlite3.Connection, config: SystemConfig) -> int:
    check_printable("system", config.name)
    digest = content_hash(config)
    db.execute(
        "INSERT INTO system (name, config_hash, config, created_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (config_hash) DO NOTHING",
        (config.name, digest, canonical_json(config).decode(), now_text()),
    )
    row = db.execute("SELECT id FROM system WHERE config_hash = ?", (digest,)).fetchone()
    return int(row[0])


def free_name(db: sqlite3.Connection, preferred: str) -> str:
    """`preferred`, or the first of `wanted-2`, `wanted-3`, ... that no run has."""
    names = {name for (name,) in db.execute("SELECT name FROM run")}
    if preferred not in names:
        return preferred
    number = 2
    while f"{preferred}-{number}" in names:
        number += 1
    return f"{preferred}-{number}"


def check_name(db: sqlite3.Connection, name: str) -> None:
    """Raises UsageError for an unusable name of a new run, Conflict if an archived run has it."""
    if not name.strip() or name.isdigit():
        raise UsageError(f"{name!r} cannot name a run.", "Use a name that is not a number.")
    check_printable("run", name)
    taken = db.execute("SELECT id FROM run WHERE name = ?", (name,)).fetchone()
    if taken is not None:
        archiving.refuse_archived(db, "run", taken[0], name)
        raise UsageError(f"There is a run {name!r} already.", "Choose another name.")


def create(
    db: sqlite3.Connection,
    name: str,
    release_id: int,
    system: SystemConfig,
    settings: RunSettings,
    order: Sequence[tuple[int, int]],
) -> Run:
    """A run with all its predictions pending, in the order given.

    `order` lists (revision id, number of turns); every repeat goes through it once more.
    """
    check_name(db, name)
    run_id = db.execute(
        "INSERT INTO run (name, release_id, system_id, settings, created_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (
            name,
            release_id,
            put_system(db, system),
            canonical_json(settings).decode(),
            now_text(),
        ),
    ).lastrowid
    rows = (
        (run_id, revision, turn, repeat)
        for repeat in range(settings.repeats)
        for revision, turns in order
        for turn in range(turns)
    )
    db.executemany(
        "INSERT INTO prediction (run_id, revision_id, turn, repeat, ordinal, state)"
        " VALUES (?, ?, ?, ?, ?, 'pending')",
        ((*row, ordinal) for ordinal, row in enumerate(rows)),
    )
    return get(db, name)


_RUN = (
    "SELECT run.id, run.name, release_id, system.config, settings, run.created_at"
    " FROM run JOIN system ON system.id = system_id"
)


def get(db: sqlite3.Connection, name_or_number: str | int) -> Run:
    """The run of that name or number. An archived run is found only by its number as rows hold it;
    a name, or a number that a person typed, raises Conflict.
    """
    text = str(name_or_number)
    # compared as text, since a number that a person types may be too long for SQLite's integers
    row = db.execute(_RUN + " WHERE run.name = ?1 OR CAST(run.id AS TEXT) = ?1", (text,)).fetchone()
    if row is None:
        raise no_such("run", name_or_number, (run.name for run in listing(db)), "Runs here")
    if isinstance(name_or_number, str):
        archiving.refuse_archived(db, "run", row[0], row[1])
    return _run(row)


def listing(db: sqlite3.Connection, *, archived: bool = False) -> list[Run]:
    """The runs that are not archived, newest first; with `archived` all."""
    where = "" if archived else f" WHERE {archiving.RUN_SHOWN}"
    return [_run(row) for row in db.execute(f"{_RUN}{where} ORDER BY 1 DESC")]


def progress(db: sqlite3.Connection, run_id: int) -> RunProgress:
    rows = db.execute(
        "SELECT state, count(*) FROM prediction WHERE run_id = ? GROUP BY state", (run_id,)
    )
    tally = db.execute("SELECT scored FROM run_tally WHERE run_id = ?", (run_id,)).fetchone()
    return RunProgress(**dict(rows.fetchall()), scored=tally[0] if tally else 0)


def score_count(db: sqlite3.Connection, run_id: int) -> int:
    """The number of scores of a run, of all metrics and judges and in every state."""
    found: tuple[int] = db.execute(
        "SELECT count(*) FROM prediction JOIN score ON prediction_id = prediction.id"
        " WHERE run_id = ?",
        (run_id,),
    ).fetchone()
    return found[0]


def pending_items(
    db: sqlite3.Connection, run_id: int, after: int, limit: int, until: int | None = None
) -> list[PendingItem]:
    """The next items, in the run's order, of which a turn after ordinal `after`, and before `until`
    where that is given, is unanswered, or answered but not scored: at least one when any is left,
    `limit` at the most."""
    # walks the index on (run_id, ordinal) and stops at the limit, so that a page costs the same
    # at the end of a long run as at its beginning
    heads = db.execute(
        "SELECT revision_id, repeat FROM prediction AS p WHERE run_id = ? AND ordinal > ?"
        " AND ordinal < ?"
        " AND (state = 'pending' OR (state IN ('ok', 'refused') AND NOT EXISTS"
        "   (SELECT 1 FROM stage_result WHERE prediction_id = p.id AND stage = 'score')))"
        " ORDER BY ordinal LIMIT ?",
        (run_id, after, _ENDLESS if until is None else until, limit),
    ).fetchall()
    out = []
    for revision_id, repeat in dict.fromkeys(heads):
        turns = db.execute(
            "SELECT id, turn, state, answer, ordinal FROM prediction"
            " WHERE run_id = ? AND revision_id = ? AND repeat = ? ORDER BY turn",
            (run_id, revision_id, repeat),
        ).fetchall()
        out.append(
            PendingItem(
                revision_id,
                repeat,
                turns[-1][4],
                tuple(
                    PendingTurn(id, turn, PredictionState(state), answer)
                    for id, turn, state, answer, _ in turns
                ),
            )
        )
    return out


def reopen_failed(db: sqlite3.Connection, run_id: int) -> dict[str, int]:
    """Makes a run's failed predictions pending again; returns their number by kind of failure."""
    kinds = db.execute(
        "SELECT error_kind, count(*) FROM prediction WHERE run_id = ? AND state = 'failed'"
        " GROUP BY error_kind",
        (run_id,),
    ).fetchall()
    db.execute(
        "DELETE FROM stage_result WHERE stage = 'answer' AND prediction_id IN"
        " (SELECT id FROM prediction WHERE run_id = ? AND state = 'failed')",
        (run_id,),
    )
    db.execute(
        "UPDATE prediction SET state = 'pending', error_kind = NULL, error_text = NULL,"
        " finished_at = NULL, checksum = NULL WHERE run_id = ? AND state = 'failed'",
        (run_id,),
    )
    return dict(kinds)


def spent(db: sqlite3.Connection, *run_ids: int) -> tuple[int, float]:
    """Tokens and money that the answers of runs and the stages before them used, without calls
    served from the cache; a call that several share counts once.
    """
    tokens, cost = db.execute(
        "WITH stage AS (SELECT stage, value, call_key FROM prediction JOIN stage_result"
        "  ON prediction_id = prediction.id WHERE run_id IN (SELECT value FROM json_each(?)))"
        "SELECT coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),"
        " coalesce(sum(cost), 0.0) FROM model_call WHERE key IN"
        " (SELECT call_key FROM stage WHERE stage = 'answer'"
        "   AND NOT coalesce(json_extract(value, '$.cached'), 0)"
        "  UNION SELECT json_extract(call.value, '$.key')"
        "   FROM stage, json_each(stage.value, '$.calls') AS call"
        "   WHERE (stage LIKE 'query/%' OR stage LIKE 'context/%'"
        "    OR stage IN ('retrieve', 'answer'))"
        "   AND NOT coalesce(json_extract(call.value, '$.cached'), 0))",
        (msgspec.json.encode(run_ids).decode(),),
    ).fetchone()
    return int(tokens), float(cost)


def _run(row: tuple[int, str, int, str, str, str]) -> Run:
    run_id, name, release_id, config, settings, created_at = row
    return Run(
        run_id,
        name,
        release_id,
        msgspec.json.decode(config, type=SystemConfig),
        msgspec.json.decode(settings, type=RunSettings),
        created_at,
    )

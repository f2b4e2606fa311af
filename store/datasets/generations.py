"""Stores generations: the cells that a job has to fill, its attempts, and their outcomes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.errors import NotFound
from store.hashing import canonical_json
from store.records import ItemContent, ItemState
from store.systems import Retrieval

OFFLINE = "offline"
"""The model of what was drafted by rule."""
KEPT = "kept"
"""The outcome of what became an item."""


class AttemptState(StrEnum):
    PENDING = "pending"
    PARSED = "parsed"
    EMPTY = "empty"
    """The writer found nothing to write, and said so."""
    REFUSED = "refused"
    UNPARSED = "unparsed"
    FAILED = "failed"
    """The call gave no answer."""


class GenerationSettings(Struct, frozen=True, omit_defaults=True):
    """The settings that were frozen when a generation was queued."""

    per_cell: int
    seed: int = 0
    model: str = OFFLINE
    """As statistics name it: the server's name of the model."""
    provider: dict[str, Any] | None = None
    """The settings of the model that writes; never a key. Null for drafts by rule."""
    prompts: dict[str, str] = {}
    """Hash of the prompt of each task, by `LANG/TASK`, of its further stages by `LANG/TASK/STAGE`;
    the texts are in the store."""
    related_by: Retrieval = Retrieval("lsa")
    """The way in which other reports are chosen for items that hide the one they were made from."""


class Generation(Struct, frozen=True):
    job_id: int
    dataset_id: int
    settings: GenerationSettings


class AttemptRow(Struct, frozen=True):
    """An attempt with all documents that it used, the one whose turn it was first."""

    id: int
    topic: str
    task: str
    document_id: str
    round: int
    repeat: int
    documents: tuple[str, ...]
    prompt_id: str
    prompt_hash: str | None
    state: AttemptState = AttemptState.PENDING
    reason: str = ""


CALLS = (
    "SELECT id AS attempt_id, call_key, cached AS paid_before FROM generation_attempt"
    " UNION ALL SELECT attempt_id, call_key, cached FROM generation_step"
)
"""SQL for the calls of all attempts: the one of an attempt by itself, and those of stages."""


class HeldItem(Struct, frozen=True):
    """An item that a dataset holds, with its present text."""

    item_id: int
    item_key: str
    state: ItemState
    content: ItemContent


class Outcome(Struct, frozen=True):
    """The outcome of one item of a reply: kept as item `item_id`, or not, for a reason."""

    outcome: str
    item_id: int | None = None
    reason: str = ""


def create(
    db: sqlite3.Connection,
    job_id: int,
    dataset_id: int,
    settings: GenerationSettings,
    targets: Iterable[tuple[tuple[str, str], int]],
) -> Generation:
    """Stores the task of job `job_id`; `targets` lists ((topic, task), items) in their order."""
    db.execute(
        "INSERT INTO generation (job_id, dataset_id, settings) VALUES (?, ?, ?)",
        (job_id, dataset_id, canonical_json(settings).decode()),
    )
    db.executemany(
        "INSERT INTO generation_cell (job_id, topic, task, ordinal, target) VALUES (?, ?, ?, ?, ?)",
        (
            (job_id, topic, task, ordinal, target)
            for ordinal, ((topic, task), target) in enumerate(targets)
        ),
    )
    return Generation(job_id, dataset_id, settings)


def get(db: sqlite3.Connection, job_id: int) -> Generation:
    row = db.execute(
        "SELECT job_id, dataset_id, settings FROM generation WHERE job_id = ?", (job_id,)
    ).fetchone()
    if row is None:
        raise NotFound(f"Job {job_id} generates nothing.", "Name another.", "ragdesk jobs list")
    return Generation(row[0], row[1], msgspec.json.decode(row[2], type=GenerationSettings))


def of_dataset(db: sqlite3.Connection, dataset_id: int) -> list[int]:
    """The jobs that generate into a dataset, newest first."""
    rows = db.execute(
        "SELECT job_id FROM generation WHERE dataset_id = ? ORDER BY job_id DESC", (dataset_id,)
    )
    return [job_id for (job_id,) in rows]


def targets(db: sqlite3.Connection, job_id: int) -> dict[tuple[str, str], int]:
    """The target of each cell, in their order."""
    rows = db.execute(
        "SELECT topic, task, target FROM generation_cell WHERE job_id = ? ORDER BY ordinal",
        (job_id,),
    )
    return {(topic, task): target for topic, task, target in rows}


def filled(db: sqlite3.Connection, dataset_id: int) -> dict[tuple[str, str], int]:
    """Items of a dataset by cell, without discarded ones."""
    rows = db.execute(
        "SELECT topic, task, count(*) FROM item JOIN revision ON revision.id = head"
        " WHERE dataset_id = ? AND state <> ? GROUP BY topic, task",
        (dataset_id, ItemState.DISCARDED),
    )
    return {(topic, task): count for topic, task, count in rows}


def items_after(db: sqlite3.Connection, dataset_id: int, item_id: int) -> list[HeldItem]:
    """The items of a dataset with a number above `item_id`, in order."""
    rows = db.execute(
        "SELECT item.id, item_key, state, content FROM item JOIN revision ON revision.id = head"
        " WHERE dataset_id = ? AND item.id > ? ORDER BY item.id",
        (dataset_id, item_id),
    )
    decode = msgspec.json.Decoder(ItemContent).decode
    return [
        HeldItem(number, key, ItemState(state), decode(text)) for number, key, state, text in rows
    ]


_ATTEMPT = (
    "SELECT id, topic, task, document_id, round, repeat, documents, prompt_id, prompt_hash, state,"
    " reason FROM generation_attempt"
)


def begin_attempt(
    db: sqlite3.Connection,
    job_id: int,
    model: str,
    *,
    cell: tuple[str, str],
    round: int,
    repeat: int,
    documents: Sequence[str],
    prompt_id: str,
    prompt_hash: str | None,
) -> AttemptRow:
    """Stores an attempt that is about to be made."""
    attempt_id = db.execute(
        "INSERT INTO generation_attempt (job_id, topic, task, document_id, round, repeat,"
        " documents, model, prompt_id, prompt_hash, state, reason, created_at, calls)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', '', ?,"
        " (SELECT coalesce(max(rowid), 0) FROM model_call))",
        (
            job_id,
            *cell,
            documents[0],
            round,
            repeat,
            canonical_json(list(documents)).decode(),
            model,
            prompt_id,
            prompt_hash,
            now_text(),
        ),
    ).lastrowid
    assert attempt_id is not None
    return AttemptRow(
        attempt_id,
        *cell,
        documents[0],
        round,
        repeat,
        tuple(documents),
        prompt_id,
        prompt_hash,
    )


WAS_THERE = "EXISTS (SELECT 1 FROM model_call WHERE key = :key AND model_call.rowid <= calls)"
"""Whether a reply was there before the attempt began, which then has not paid for it."""


def end_attempt(
    db: sqlite3.Connection,
    attempt_id: int,
    state: AttemptState,
    outcomes: Sequence[Outcome],
    *,
    reason: str = "",
    call_key: str | None = None,
    cached: bool = False,
) -> None:
    """Stores the results of an attempt, in the transaction that stores the items that it names.

    `cached` says that its reply was there when it was asked for. That it was made after the
    attempt began, for a worker that was killed, means that this attempt has paid for it.
    """
    db.execute(
        "UPDATE generation_attempt SET state = :state, reason = :reason, call_key = :key,"
        f" written = :written, finished_at = :at, cached = :cached AND {WAS_THERE}"
        " WHERE id = :id",
        {
            "state": state,
            "reason": reason,
            "key": call_key,
            "written": len(outcomes),
            "at": now_text(),
            "cached": cached,
            "id": attempt_id,
        },
    )
    db.executemany(
        "INSERT INTO generation_result (attempt_id, ordinal, item_id, outcome, reason)"
        " VALUES (?, ?, ?, ?, ?)",
        (
            (attempt_id, ordinal, outcome.item_id, outcome.outcome, outcome.reason)
            for ordinal, outcome in enumerate(outcomes)
        ),
    )


def written_from(db: sqlite3.Connection, item_id: int) -> list[str]:
    """Ids of the documents that an item was written from; none where no attempt here wrote it."""
    row = db.execute(
        "SELECT documents FROM generation_result JOIN generation_attempt"
        " ON generation_attempt.id = attempt_id WHERE item_id = ?",
        (item_id,),
    ).fetchone()
    return [] if row is None else msgspec.json.decode(row[0], type=list[str])


def reopen(db: sqlite3.Connection, attempt_ids: Sequence[int]) -> None:
    """Marks failed attempts as still to be made."""
    db.executemany(
        "UPDATE generation_attempt SET state = 'pending', reason = '', finished_at = NULL"
        " WHERE id = ? AND state = 'failed'",
        ((attempt_id,) for attempt_id in attempt_ids),
    )


def pending(db: sqlite3.Connection, job_id: int) -> list[AttemptRow]:
    """The attempts that a worker began and did not end, in the order in which it did."""
    rows = db.execute(f"{_ATTEMPT} WHERE job_id = ? AND state = 'pending' ORDER BY id", (job_id,))
    return [_attempt(row) for row in rows]


def attempts(db: sqlite3.Connection, job_id: int) -> list[AttemptRow]:
    """All attempts of a generation, in their order."""
    rows = db.execute(f"{_ATTEMPT} WHERE job_id = ? ORDER BY id", (job_id,))
    return [_attempt(row) for row in rows]


def given(db: sqlite3.Connection, job_id: int) -> dict[tuple[str, str, str], int]:
    """Items that a generation produced, by topic, task and the document whose turn it was."""
    rows = db.execute(
        "SELECT topic, task, document_id, count(item_id) FROM generation_attempt"
        " JOIN generation_result ON attempt_id = id WHERE job_id = ? AND item_id IS NOT NULL"
        " GROUP BY topic, task, document_id",
        (job_id,),
    )
    return {(topic, task, document_id): count for topic, task, document_id, count in rows}


def set_lacks(
    db: sqlite3.Connection, job_id: int, lacks: Iterable[tuple[tuple[str, str], str]]
) -> None:
    """Stores why cells stay below their targets, and clears the reason of all others."""
    db.execute("UPDATE generation_cell SET lack = NULL WHERE job_id = ?", (job_id,))
    db.executemany(
        "UPDATE generation_cell SET lack = ? WHERE job_id = ? AND topic = ? AND task = ?",
        ((lack, job_id, topic, task) for (topic, task), lack in lacks),
    )


def spent(db: sqlite3.Connection, job_id: int) -> tuple[int, float]:
    """Tokens and money of a generation's calls, without those served from the cache."""
    tokens, cost = db.execute(
        "SELECT coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),"
        f" coalesce(sum(cost), 0.0) FROM ({CALLS}) AS made JOIN model_call"
        " ON key = made.call_key"
        " JOIN generation_attempt AS attempt ON attempt.id = attempt_id"
        " WHERE job_id = ? AND NOT paid_before",
        (job_id,),
    ).fetchone()
    return int(tokens), float(cost)


def _attempt(row: tuple[Any, ...]) -> AttemptRow:
    id, topic, task, document_id, number, repeat, documents, prompt_id, digest, state, why = row
    return AttemptRow(
        id,
        topic,
        task,
        document_id,
        number,
        repeat,
        tuple(msgspec.json.decode(documents)),
        prompt_id,
        digest,
        AttemptState(state),
        why,
    )

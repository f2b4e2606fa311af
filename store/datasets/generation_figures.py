"""Figures on generations: the progress of each cell, and the yield of each model and prompt."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from store.datasets.generations import CALLS, filled, get, of_dataset, targets


class CellProgress(Struct, frozen=True):
    """A cell of a generation. Items are those of the whole dataset, attempts those of the job."""

    topic: str
    task: str
    target: int
    filled: int
    """Items of the dataset in this cell, discarded ones apart."""
    lack: str | None
    """The reason why it stays below its target, once that is certain."""
    attempts: int
    """That have ended."""
    pending: int
    states: dict[str, int]
    """Ended attempts by state."""
    outcomes: dict[str, int]
    """Items of replies by what became of them."""
    documents: int = 0
    """That had their turn, partners apart."""
    fruitful: int = 0
    """Documents of those that gave the cell an item."""


class Yield(Struct, frozen=True):
    """The yield of a model with a prompt, over all generations into a dataset."""

    model: str
    prompt_id: str
    prompt_hash: str | None
    attempts: int
    states: dict[str, int]
    """Attempts by state."""
    outcomes: dict[str, int]
    """Items of replies by what became of them."""
    items: dict[str, int]
    """Kept items by the state that they are in now."""
    tokens: int
    """Of the calls that were made, those served from the cache apart."""
    cost: dict[str, float]
    """By currency."""


class Rejection(Struct, frozen=True):
    """An attempt without a result, or an item of a reply that was not kept, with its reason."""

    what: str
    """The attempt's state, or what became of the item."""
    reason: str
    document: str
    """Title or path of the document that it was written from."""


def rejections(
    db: sqlite3.Connection, job_id: int, topic: str, task: str, limit: int = 12
) -> list[Rejection]:
    """The latest rejections of a cell that have a reason, newest first, at most `limit`."""
    rows = db.execute(
        "WITH lost AS (SELECT id, document_id, state AS what, reason FROM generation_attempt"
        "  WHERE job_id = :job AND topic = :topic AND task = :task AND reason <> ''"
        " UNION ALL SELECT id, document_id, outcome, result.reason FROM generation_attempt"
        "  JOIN generation_result AS result ON attempt_id = id WHERE job_id = :job"
        "  AND topic = :topic AND task = :task AND item_id IS NULL AND result.reason <> '')"
        " SELECT what, lost.reason, coalesce((SELECT iif(title <> '', title, path) FROM source"
        "  JOIN document ON document.id = document WHERE document.document_id = lost.document_id"
        "  ORDER BY source.id LIMIT 1), '') FROM lost ORDER BY lost.id DESC LIMIT :limit",
        {"job": job_id, "topic": topic, "task": task, "limit": limit},
    )
    return [Rejection(*row) for row in rows]


def short_cells(db: sqlite3.Connection, dataset_id: int) -> int:
    """Cells below the targets of the latest generation into a dataset."""
    latest = of_dataset(db, dataset_id)
    held = filled(db, dataset_id) if latest else {}
    target_by_cell = targets(db, latest[0]) if latest else {}
    return sum(held.get(cell, 0) < target for cell, target in target_by_cell.items())


def progress(db: sqlite3.Connection, job_id: int) -> list[CellProgress]:
    """Every cell of a generation in its present state, in their order."""
    held = filled(db, get(db, job_id).dataset_id)
    states = _by_cell(
        db,
        "SELECT topic, task, state, count(*) FROM generation_attempt WHERE job_id = ?"
        " GROUP BY topic, task, state",
        job_id,
    )
    outcomes = _by_cell(
        db,
        "SELECT topic, task, outcome, count(*) FROM generation_attempt"
        " JOIN generation_result ON attempt_id = id WHERE job_id = ?"
        " GROUP BY topic, task, outcome",
        job_id,
    )
    tried = {
        (topic, task): counts
        for topic, task, *counts in db.execute(
            "SELECT topic, task, count(DISTINCT document_id),"
            " count(DISTINCT iif(item_id IS NULL, NULL, document_id)) FROM generation_attempt"
            " AS attempt LEFT JOIN generation_result ON attempt_id = attempt.id"
            " WHERE job_id = ? AND state <> 'pending' GROUP BY topic, task",
            (job_id,),
        )
    }
    rows = db.execute(
        "SELECT topic, task, target, lack FROM generation_cell WHERE job_id = ? ORDER BY ordinal",
        (job_id,),
    )
    cells = []
    for topic, task, target, lack in rows:
        ended = dict(states.get((topic, task), {}))
        under_way = ended.pop("pending", 0)
        cells.append(
            CellProgress(
                topic,
                task,
                target,
                held.get((topic, task), 0),
                lack,
                sum(ended.values()),
                under_way,
                ended,
                outcomes.get((topic, task), {}),
                *tried.get((topic, task), ()),
            )
        )
    return cells


def yields(db: sqlite3.Connection, dataset_id: int) -> list[Yield]:
    """The yield of each model and prompt for a dataset, with the later fate of its items."""
    keys = db.execute(
        "SELECT DISTINCT model, prompt_id, prompt_hash FROM generation_attempt"
        " JOIN generation USING (job_id) WHERE dataset_id = ?"
        " ORDER BY model, prompt_id, prompt_hash",
        (dataset_id,),
    ).fetchall()
    return [_yield(db, dataset_id, *key) for key in keys]


def _yield(
    db: sqlite3.Connection, dataset_id: int, model: str, prompt_id: str, prompt_hash: str | None
) -> Yield:
    of = (
        " FROM generation_attempt AS attempt JOIN generation USING (job_id){}"
        " WHERE generation.dataset_id = ? AND attempt.model = ? AND prompt_id = ?"
        " AND prompt_hash IS ?"
    )
    where = (dataset_id, model, prompt_id, prompt_hash)

    def counts(column: str, join: str = "") -> dict[str, int]:
        sql = f"SELECT {column}, count(*){of.format(join)} AND {column} IS NOT NULL GROUP BY 1"
        return dict(db.execute(sql, where).fetchall())

    results = " JOIN generation_result ON attempt_id = attempt.id"
    calls = (
        f" JOIN ({CALLS}) AS made ON attempt_id = attempt.id JOIN model_call ON key = made.call_key"
    )
    states = counts("attempt.state")
    spent = db.execute(
        "SELECT coalesce(currency, ''), sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)),"
        " sum(coalesce(cost, 0.0))"
        f"{of.format(calls)} AND NOT paid_before GROUP BY 1",
        where,
    ).fetchall()
    return Yield(
        model,
        prompt_id,
        prompt_hash,
        sum(states.values()),
        states,
        counts("outcome", results),
        counts("item.state", f"{results} JOIN item ON item.id = item_id"),
        sum(tokens for _, tokens, _ in spent),
        {currency: cost for currency, _, cost in spent if currency},
    )


def _by_cell(
    db: sqlite3.Connection, sql: str, job_id: int
) -> dict[tuple[str, str], dict[str, int]]:
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for topic, task, name, count in db.execute(sql, (job_id,)):
        counts.setdefault((topic, task), {})[name] = count
    return counts

"""Automatic verdicts on the texts of items, and the states that items take by them.

A person's word goes before: an item that anybody has judged, or is at work on, is left alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_seconds, now_text
from store.datasets import datasets
from store.datasets.datasets import Dataset
from store.hashing import canonical_json
from store.records import ItemContent, ItemState

OFFLINE = "offline"
"""The inspector by rule."""
ASKED_AT_MOST = 2
"""The number of times that one job asks about a text when replies cannot be read."""


class ToInspect(Struct, frozen=True):
    """An item's present text, to be judged."""

    item: int
    revision: int
    state: ItemState
    item_key: str
    content: ItemContent
    repeat: int
    """The number of the inspector's replies without a verdict, which is the next call's number."""
    asked: int
    """The number of times that the job has already asked."""


class Inspected(Struct, frozen=True):
    """A verdict, or the reason why there is none; `evaluation` is null unless `state` is parsed."""

    repeat: int
    inspector: str
    state: str
    """parsed, refused, unparsed, failed."""
    evaluation: int | None = None
    """2 very good, 1 can be corrected, 0 poor."""
    reason: str = ""
    checks: Sequence[Any] = ()
    """The five checks of the inspector by rule."""
    correction: ItemContent | None = None
    prompt_hash: str | None = None
    call_key: str | None = None
    cached: bool = False


class Inspection(Struct, frozen=True):
    """An automatic evaluation of a text as it is stored."""

    id: int
    revision: int
    inspector: str
    state: str
    evaluation: int | None
    reason: str
    checks: Any
    correction: int | None
    """The revision that the inspector wrote."""
    prompt_hash: str | None
    at: str


class Unread(Struct, frozen=True):
    """An item on which a job reached no verdict."""

    item_key: str
    state: str
    reason: str


# whoever judged any text of an item; imported values are no judgement
_JUDGED = (
    "EXISTS (SELECT 1 FROM judgement WHERE judgement.item_id = item.id) OR EXISTS (SELECT 1"
    " FROM revision AS text JOIN label_event ON subject_kind = 'revision'"
    "  AND subject = CAST(text.id AS TEXT) AND label_event.kind <> 'import'"
    " WHERE text.item_id = item.id)"
)
# whoever has it before them: a lease that holds, or half-typed text
_HELD = (
    "EXISTS (SELECT 1 FROM lease WHERE subject_kind = 'revision' AND until > :now"
    "  AND subject = CAST(item.head AS TEXT)) OR EXISTS (SELECT 1 FROM draft"
    " WHERE subject_kind = 'revision' AND subject = CAST(item.head AS TEXT))"
)


def pending(
    db: sqlite3.Connection,
    dataset: Dataset,
    job_id: int,
    inspector: str,
    states: Sequence[ItemState],
) -> list[ToInspect]:
    """The items that a job still has to inspect, by number: those in the given states, and those
    that the job itself has corrected, without a verdict of this inspector, that no person has
    judged or holds.
    """
    marks = ",".join(f":s{number}" for number in range(len(states)))
    rows = db.execute(
        "SELECT item.id, head, item.state, item_key, content,"
        "  (SELECT count(*) FROM inspection AS i WHERE i.revision_id = head"
        "   AND i.inspector = :inspector AND i.state <> 'parsed' AND i.call_key IS NOT NULL),"
        "  (SELECT count(*) FROM inspection AS i WHERE i.revision_id = head"
        "   AND i.job_id = :job) AS asked"
        " FROM item JOIN revision ON revision.id = head WHERE dataset_id = :dataset"
        f" AND (item.state IN ({marks}) OR (item.state = 'corrected' AND head IN"
        "   (SELECT correction FROM inspection AS i WHERE i.job_id = :job)))"
        " AND NOT EXISTS (SELECT 1 FROM inspection AS i WHERE i.revision_id = head"
        "   AND i.inspector = :inspector AND i.state = 'parsed')"
        " AND asked < :most AND NOT EXISTS (SELECT 1 FROM inspection AS i"
        "   WHERE i.revision_id = head AND i.job_id = :job AND i.state <> 'unparsed')"
        " AND NOT EXISTS (SELECT 1 FROM authored WHERE item_id = item.id"
        "   AND form_key IS NOT NULL)"
        f" AND NOT ({_JUDGED}) AND NOT ({_HELD}) ORDER BY item.id",
        {
            "inspector": inspector,
            "job": job_id,
            "dataset": dataset.id,
            "most": ASKED_AT_MOST,
            "now": now_seconds(),
            **{f"s{number}": state for number, state in enumerate(states)},
        },
    )
    decode = msgspec.json.Decoder(ItemContent).decode
    return [
        ToInspect(item, head, ItemState(state), key, decode(content), repeat, asked)
        for item, head, state, key, content, repeat, asked in rows
    ]


def record(db: sqlite3.Connection, job_id: int, asked: ToInspect, made: Inspected) -> int | None:
    """Stores a verdict and moves the item's state by it; returns the correction's revision, if any.

    2 accepts a drafted text, and one that an inspector corrected. 1 with a correction makes that
    the item's text, `corrected`; without one the item needs correction by a person. 0 discards a
    drafted text. An item moves only as its states allow and nobody has judged it, else the
    verdict alone is kept; while somebody has it before them nothing is, so that it can be asked
    for again.
    """
    row = db.execute(
        f"SELECT state, head, {_JUDGED}, {_HELD} FROM item WHERE id = :item",
        {"item": asked.item, "now": now_seconds()},
    ).fetchone()
    state, head, is_judged, is_held = row
    if is_held and not is_judged:
        return None
    moves = (
        made.evaluation is not None
        and not is_judged
        and (state, head) == (asked.state, asked.revision)
    )
    correction = _correct(db, asked, made) if moves else None
    db.execute(
        "INSERT INTO inspection (job_id, revision_id, repeat, inspector, prompt_hash, state,"
        " evaluation, reason, checks, correction, call_key, cached, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            job_id,
            asked.revision,
            made.repeat,
            made.inspector,
            made.prompt_hash,
            made.state,
            made.evaluation,
            made.reason,
            canonical_json(made.checks).decode(),
            correction,
            made.call_key,
            made.cached,
            now_text(),
        ),
    )
    if moves and correction is None:
        _move(db, asked, made)
    return correction


def _correct(db: sqlite3.Connection, asked: ToInspect, made: Inspected) -> int | None:
    """Makes the correction the item's text where there is one and the item may be corrected."""
    if made.correction is None or made.evaluation != 1:
        return None
    if asked.state not in (ItemState.DRAFTED, ItemState.NEEDS_CORRECTION):
        return None
    reason = f"automatic inspection: {made.reason}" if made.reason else "automatic inspection"
    revision = datasets.revise(
        db, asked.item, asked.revision, made.correction, author=made.inspector, reason=reason
    )
    datasets.move_head(db, asked.item, asked.revision, revision)
    if asked.state is ItemState.DRAFTED:
        datasets.set_state(db, asked.item, asked.state, ItemState.NEEDS_CORRECTION)
    datasets.set_state(db, asked.item, ItemState.NEEDS_CORRECTION, ItemState.CORRECTED)
    return revision


def _move(db: sqlite3.Connection, asked: ToInspect, made: Inspected) -> None:
    after = {0: ItemState.DISCARDED, 1: ItemState.NEEDS_CORRECTION, 2: ItemState.ACCEPTED}
    if asked.state is ItemState.DRAFTED and made.evaluation is not None:
        datasets.set_state(db, asked.item, asked.state, after[made.evaluation])
    elif asked.state is ItemState.CORRECTED and made.evaluation == 2:
        datasets.set_state(db, asked.item, asked.state, ItemState.ACCEPTED)


def held(db: sqlite3.Connection, dataset: Dataset, states: Sequence[ItemState]) -> int:
    """The number of unjudged items in those states that a rater holds a lease or a draft of."""
    marks = ",".join(f":s{number}" for number in range(len(states)))
    (count,) = db.execute(
        f"SELECT count(*) FROM item WHERE dataset_id = :dataset AND state IN ({marks})"
        f" AND NOT ({_JUDGED}) AND ({_HELD})",
        {
            "dataset": dataset.id,
            "now": now_seconds(),
            **{f"s{number}": state for number, state in enumerate(states)},
        },
    ).fetchone()
    return int(count)


def of_item(db: sqlite3.Connection, item: int) -> list[Inspection]:
    """All inspections of an item's texts, the earliest first."""
    rows = db.execute(
        "SELECT inspection.id, revision_id, inspector, state, evaluation, inspection.reason,"
        " checks, correction, prompt_hash, inspection.at FROM inspection"
        " JOIN revision ON revision.id = revision_id WHERE item_id = ? ORDER BY inspection.id",
        (item,),
    )
    return [
        Inspection(id, revision, by, state, value, reason, msgspec.json.decode(checks), *rest)
        for id, revision, by, state, value, reason, checks, *rest in rows
    ]


def counts(db: sqlite3.Connection, job_id: int) -> dict[str, int]:
    """The number of items by what a job found: `2`, `1`, `0`, or no verdict (refused, unparsed,
    failed), by the first text of each that it judged, the last word on that; and `corrected` of
    the 1s."""
    rows = db.execute(
        "SELECT coalesce(CAST(evaluation AS TEXT), state), count(*), count(correction)"
        " FROM inspection AS i WHERE id IN (SELECT max(id) FROM inspection WHERE job_id = ?1"
        "  AND revision_id NOT IN (SELECT correction FROM inspection WHERE job_id = ?1"
        "   AND correction IS NOT NULL) GROUP BY revision_id) GROUP BY 1",
        (job_id,),
    ).fetchall()
    verdicts = {key: count for key, count, _ in rows}
    verdicts["corrected"] = sum(corrected for _, _, corrected in rows)
    return verdicts


def unread(db: sqlite3.Connection, job_id: int) -> list[Unread]:
    """The items on whose text a job reached no verdict, by item number."""
    rows = db.execute(
        "SELECT item_key, i.state, i.reason FROM inspection AS i"
        " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
        " WHERE i.id IN (SELECT max(id) FROM inspection WHERE job_id = ? GROUP BY revision_id)"
        " AND i.state <> 'parsed' ORDER BY item.id",
        (job_id,),
    )
    return [Unread(*row) for row in rows]


def spent(db: sqlite3.Connection, job_id: int) -> tuple[int, float]:
    """Tokens and money that a job's calls used, without calls served from the cache."""
    tokens, cost = db.execute(
        "SELECT coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),"
        " coalesce(sum(cost), 0.0) FROM inspection JOIN model_call ON key = call_key"
        " WHERE job_id = ? AND NOT cached",
        (job_id,),
    ).fetchone()
    return int(tokens), float(cost)

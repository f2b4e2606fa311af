"""Acts: what a person did with many items at once, as one group that is taken back as a whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.hashing import canonical_json
from store.labels.forms import Value
from store.labels.log.events import EventKind, aspect_of


class Act(Struct, frozen=True):
    """An act, and whether it still stands."""

    id: int
    at: str
    rater: str
    form_key: str
    what: str
    """In words, such as `score 5`."""
    wanted: dict[str, Any]
    """The filter that found the items."""
    items: int
    """How many it was done with."""
    stands: bool
    """Whether something of it can be taken back."""


def begin(
    db: sqlite3.Connection, rater: str, form_key: str, what: str, wanted: dict[str, Any]
) -> int:
    """Stores a new act, in the transaction of what it does; returns its number."""
    (id,) = db.execute(
        "INSERT INTO act (at, rater, form_key, what, wanted) VALUES (?, ?, ?, ?, ?) RETURNING id",
        (now_text(), rater, form_key, what, canonical_json(wanted).decode()),
    ).fetchone()
    return int(id)


def hold_events(db: sqlite3.Connection, act: int, seqs: Iterable[int]) -> None:
    """Counts label events to an act."""
    db.executemany(
        "INSERT INTO act_event (seq, act_id) VALUES (?, ?)", ((seq, act) for seq in seqs)
    )


def hold_assignments(
    db: sqlite3.Connection, act: int, sample_id: int, subjects: Sequence[str]
) -> None:
    """Counts subjects that were added to a sample to an act."""
    db.executemany(
        "INSERT INTO act_assignment (act_id, sample_id, subject) VALUES (?, ?, ?)",
        ((act, sample_id, subject) for subject in subjects),
    )


_FREE = (
    "SELECT a.sample_id, a.ordinal FROM act_assignment AS added"
    " JOIN sample ON sample.id = added.sample_id"
    " JOIN assignment AS a ON a.sample_id = added.sample_id AND a.subject = added.subject"
    " WHERE added.act_id = {act} AND NOT EXISTS (SELECT 1 FROM label_status AS begun"
    "  WHERE begun.form_key = sample.form_key AND begun.subject_kind = sample.subject_kind"
    "  AND begun.subject = a.subject) AND NOT EXISTS (SELECT 1 FROM lease"
    "  WHERE lease.form_key = sample.form_key AND lease.subject_kind = sample.subject_kind"
    "  AND lease.subject = a.subject)"
)
"""What an act added to a sample and nobody has begun, or has before them."""
_STANDS = (
    "EXISTS (SELECT 1 FROM act_event AS held JOIN label_effective AS e ON e.seq = held.seq"
    f"  WHERE held.act_id = act.id) OR EXISTS ({_FREE.format(act='act.id')})"
)


def listing(db: sqlite3.Connection, rater: str | None = None) -> list[Act]:
    """All acts, of one rater or of all, the latest first."""
    rows = db.execute(
        "SELECT id, at, rater, form_key, what, wanted, (SELECT count(*) FROM act_event AS held"
        "  JOIN label_event AS e ON e.seq = held.seq WHERE act_id = act.id"
        "  AND e.kind NOT IN ('undo', 'redo'))"
        f" + (SELECT count(*) FROM act_assignment WHERE act_id = act.id), {_STANDS} FROM act"
        " WHERE ?1 IS NULL OR rater = ?1 ORDER BY id DESC",
        (rater,),
    )
    return [
        Act(id, at, who, form, what, msgspec.json.decode(wanted), items, bool(stands))
        for id, at, who, form, what, wanted, items, stands in rows
    ]


def latest(db: sqlite3.Connection, rater: str) -> int | None:
    """The number of the last act of a rater that stands; None where there is none."""
    row = db.execute(
        f"SELECT id FROM act WHERE rater = ? AND ({_STANDS}) ORDER BY id DESC LIMIT 1", (rater,)
    ).fetchone()
    return None if row is None else int(row[0])


def take_out(db: sqlite3.Connection, act: int) -> tuple[int, int]:
    """Takes what an act added to a sample out of it, where nobody has begun it or has it before
    them; returns how many went and how many stay."""
    rows = db.execute(_FREE.format(act="?"), (act,)).fetchall()
    db.executemany("DELETE FROM assignment WHERE sample_id = ? AND ordinal = ?", rows)
    (stay,) = db.execute(
        "SELECT count(*) FROM act_assignment JOIN assignment USING (sample_id, subject)"
        " WHERE act_id = ?",
        (act,),
    ).fetchone()
    return len(rows), int(stay)


# What an act leaves alone: subjects, which are numbers of revisions


def authored(db: sqlite3.Connection) -> set[str]:
    """The present texts of items that are still being authored."""
    rows = db.execute(
        "SELECT head FROM authored JOIN item ON item.id = item_id WHERE form_key IS NOT NULL"
    )
    return {str(head) for (head,) in rows}


def decided_elsewhere(db: sqlite3.Connection, form_key: str) -> set[str]:
    """The texts that another form decides about."""
    rows = db.execute("SELECT revision_id FROM judgement WHERE form_key <> ?", (form_key,))
    return {str(revision) for (revision,) in rows}


def said(
    db: sqlite3.Connection, form_key: str, rater: str, kind: EventKind, field: str, value: Value
) -> set[str]:
    """The subjects of which a rater says so already."""
    rows = db.execute(
        "SELECT subject FROM label_current WHERE form_key = ? AND rater = ? AND field = ?"
        " AND aspect = ? AND value = ?",
        (form_key, rater, field, aspect_of(kind), canonical_json(value).decode()),
    )
    return {subject for (subject,) in rows}

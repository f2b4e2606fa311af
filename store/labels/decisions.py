"""Items following what people decide about them: states and heads move here, by events alone."""

from __future__ import annotations

import sqlite3

import msgspec
from msgspec import Struct

from store.datasets import datasets
from store.errors import Conflict, InputError, NotFound
from store.labels.events import Subject
from store.labels.forms import Form
from store.labels.outcomes import Opinion, Standing, decide
from store.records import ITEM_TRANSITIONS, ItemState


class Judged(Struct, frozen=True):
    """A revision with its item, and how the item stands."""

    revision: int
    item: int
    standing: Standing


class Judgement(Struct, frozen=True):
    """A revision that people have judged, and how its item stood before."""

    id: int
    form_key: str
    revision: int
    item: int
    before: Standing
    quorum: int
    """How many raters decide; what the samples wanted when the first one did."""


def judged(db: sqlite3.Connection, subject: Subject) -> Judged:
    """The item of a subject. Raises NotFound for a revision that does not exist."""
    (revision,) = subject.numbers
    row = db.execute(
        "SELECT item.id, state, head FROM revision JOIN item ON item.id = item_id"
        " WHERE revision.id = ?",
        (revision,),
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no revision with number {revision}.")
    item, state, head = row
    return Judged(revision, item, Standing(ItemState(state), head))


def prepare(db: sqlite3.Connection, form: Form, subject: Subject) -> Standing | None:
    """Before a deciding event on `subject`: where its item stands by the events so far.

    The first time this remembers how the item stood before. None when the item follows the
    judgement of a later text. Refused with Conflict when the text that the rater was shown has
    been replaced by other means than judging it.
    """
    now = judged(db, subject)
    known = of_revision(db, now.revision)
    if known is not None and known.form_key != form.key:
        raise Conflict(
            f"Revision {now.revision} is judged by form {known.form_key!r}.",
            f"Use that form, not {form.key!r}.",
        )
    if known is not None and latest(db, now.item) != known:
        return None
    decided = known is not None and is_decided(db, form, known)
    expected = outcome(db, form, known) if known is not None and decided else None
    if now.standing.head != (expected.head if expected is not None else now.revision):
        raise Conflict(
            f"Item {now.item} was changed by somebody else meanwhile.", "Look at it again."
        )
    if expected is not None:
        return expected
    db.execute(
        "INSERT INTO judgement (revision_id, item_id, form_key, state_before, head_before, quorum)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (revision_id) DO UPDATE SET state_before ="
        " excluded.state_before, head_before = excluded.head_before, quorum = excluded.quorum",
        (
            now.revision,
            now.item,
            form.key,
            now.standing.state,
            now.standing.head,
            _raters_wanted(db, form.key, now.revision),
        ),
    )
    return now.standing


def prepare_undo(db: sqlite3.Connection, form: Form, subject: Subject) -> Standing | None:
    """Before an undo or redo: where the item stands, or none when undoing must not move it,
    since it follows a later judgement or its text was replaced by other means."""
    now = judged(db, subject)
    known = latest(db, now.item)
    if known is None or known.revision != now.revision or known.form_key != form.key:
        return None
    if not is_decided(db, form, known):
        if now.standing.head != known.revision:
            return None
        # it may have been moved by other means since all was undone
        db.execute(
            "UPDATE judgement SET state_before = ? WHERE id = ?", (now.standing.state, known.id)
        )
        return now.standing
    expected = outcome(db, form, known)
    return expected if now.standing.head == expected.head else None


def follow(db: sqlite3.Connection, form: Form, subject: Subject, expected: Standing | None) -> None:
    """After a deciding event or its undoing: moves the item from `expected`, which `prepare`
    gave, to where its judgement puts it."""
    if expected is None:
        return
    now = judged(db, subject)
    known = of_revision(db, now.revision)
    assert known is not None
    _move(db, now, outcome(db, form, known))


def of_revision(db: sqlite3.Connection, revision: int) -> Judgement | None:
    return _one(db, "revision_id = ?", revision)


def latest(db: sqlite3.Connection, item: int) -> Judgement | None:
    """The judgement that an item follows."""
    return _one(db, "item_id = ? ORDER BY id DESC LIMIT 1", item)


def check_proposal(db: sqlite3.Connection, subject: Subject, revision: int) -> None:
    """A correction of `subject` must be written on the revision that was shown."""
    (shown,) = subject.numbers
    row = db.execute("SELECT parent FROM revision WHERE id = ?", (revision,)).fetchone()
    if row is None or row[0] != shown:
        raise InputError(
            f"Revision {revision} is no correction of revision {shown}.",
            "Propose one with that revision as its parent.",
        )


def outcome(db: sqlite3.Connection, form: Form, judgement: Judgement) -> Standing:
    """Where the events put the item of a judgement."""
    return decide(
        judgement.before,
        judgement.revision,
        opinions(db, form, judgement.revision),
        ruling(db, form, judgement.revision),
        judgement.quorum,
    )


def quorum(db: sqlite3.Connection, form: Form, subject: Subject) -> int:
    """How many raters decide on a subject's item: what was wanted when the first one did."""
    (revision,) = subject.numbers
    known = of_revision(db, revision)
    if known is not None and known.form_key == form.key and is_decided(db, form, known):
        return known.quorum
    return _raters_wanted(db, form.key, revision)


def is_decided(db: sqlite3.Connection, form: Form, judgement: Judgement) -> bool:
    """Whether any decision on it stands."""
    revision = judgement.revision
    return bool(opinions(db, form, revision)) or ruling(db, form, revision) is not None


def _raters_wanted(db: sqlite3.Connection, form_key: str, revision: int) -> int:
    (wanted,) = db.execute(
        "SELECT coalesce(max(raters_wanted), 1) FROM assignment JOIN sample ON sample.id ="
        " sample_id WHERE subject = ? AND form_key = ? AND subject_kind = 'revision'",
        (str(revision), form_key),
    ).fetchone()
    return int(wanted)


def opinions(db: sqlite3.Connection, form: Form, revision: int) -> list[Opinion]:
    """What each rater holds now; imported values are no decisions."""
    decision = form.decision
    assert decision is not None
    place = (str(revision), form.key)
    rows = db.execute(
        "SELECT rater, field, aspect, value FROM label_current WHERE subject_kind = 'revision'"
        " AND subject = ? AND form_key = ? AND kind IN ('set', 'accept')",
        place,
    )
    held = {
        (rater, field, aspect): msgspec.json.decode(text) for rater, field, aspect, text in rows
    }
    first = db.execute(
        "SELECT rater, min(seq) FROM label_effective WHERE subject_kind = 'revision'"
        " AND subject = ? AND form_key = ? AND field = ? AND kind = 'set' GROUP BY rater",
        (*place, decision.field),
    )
    out = []
    for rater, since in first.fetchall():
        verdict = decision.verdict(held.get((rater, decision.field, "value")))
        if verdict is not None:
            proposal = held.get((rater, decision.correction, "value"))
            accepted = held.get((rater, decision.correction, "accept"))
            is_accepted = proposal is not None and proposal == accepted
            out.append(Opinion(rater, since, verdict, proposal, is_accepted))
    return out


def ruling(db: sqlite3.Connection, form: Form, revision: int) -> Opinion | None:
    """The latest adjudication of a revision: of its verdict, or a text for it."""
    decision = form.decision
    assert decision is not None
    row = db.execute(
        "SELECT rater, field, value, seq FROM label_current WHERE form_key = ?"
        " AND subject_kind = 'revision' AND subject = ? AND aspect = 'adjudicate'"
        " AND field IN (?, ?) ORDER BY seq DESC LIMIT 1",
        (form.key, str(revision), decision.field, decision.correction),
    ).fetchone()
    if row is None:
        return None
    rater, field, text, seq = row
    value = msgspec.json.decode(text)
    if field == decision.correction:
        return Opinion(rater, seq, "correct", value, True)
    verdict = decision.verdict(value)
    return None if verdict is None else Opinion(rater, seq, verdict)


def _move(db: sqlite3.Connection, now: Judged, goal: Standing) -> None:
    if now.standing.head != goal.head:
        datasets.move_head(db, now.item, now.standing.head, goal.head)
    before, after = now.standing.state, goal.state
    if before == after:
        return
    if after in ITEM_TRANSITIONS[before]:
        datasets.set_state(db, now.item, before, after)
    else:
        # not forward: an undo, a changed mind or a ruling, after which other events stand
        db.execute("UPDATE item SET state = ? WHERE id = ?", (after, now.item))


def _one(db: sqlite3.Connection, where: str, number: int) -> Judgement | None:
    row = db.execute(
        "SELECT id, form_key, revision_id, item_id, state_before, head_before,"
        " quorum FROM judgement"
        f" WHERE {where}",
        (number,),
    ).fetchone()
    if row is None:
        return None
    id, form_key, revision, item, state, head, quorum = row
    return Judgement(id, form_key, revision, item, Standing(ItemState(state), head), quorum)

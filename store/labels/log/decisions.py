"""Items follow what people decide about them: their state and text move by label events alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from msgspec import Struct, structs

from store.datasets import datasets
from store.errors import Conflict, InputError, NotFound
from store.labels.forms import Form, Verdict
from store.labels.log.events import EventKind, LabelEvent, Subject, current
from store.records import ITEM_TRANSITIONS, ItemState


class Standing(Struct, frozen=True):
    """An item's state and the revision that is its text."""

    state: ItemState
    head: int


class Opinion(Struct, frozen=True):
    """What one rater, or the adjudicator, holds of a revision."""

    rater: str
    since: int
    """The event by which the rater first decided; who decided first goes first."""
    verdict: Verdict
    proposal: int | None = None
    """The revision that the rater proposes instead."""
    is_accepted: bool = False
    """Whether the rater made the proposal the item's text."""


def decide(
    before: Standing, shown: int, opinions: Sequence[Opinion], ruling: Opinion | None, quorum: int
) -> Standing:
    """Where an item stands by what people said of revision `shown`.

    An adjudicator's ruling goes before all opinions. Without one the item waits, as it stood
    `before`, until `quorum` raters have decided. With a quorum of one the first rater's opinion
    holds, and a later one that differs is a conflict; with a larger quorum all must agree, and a
    text is replaced by a ruling only. What is decided begins at `drafted`, whatever an import or an
    automatic inspection had made of the item, and goes forward from there.
    """
    if ruling is not None:
        return _follow(ruling, shown)
    ordered = sorted(opinions, key=lambda opinion: opinion.since)
    if not ordered or len(ordered) < quorum:
        return before
    if quorum == 1:
        return _follow(ordered[0], shown)
    if len({opinion.verdict for opinion in ordered}) > 1:
        return before
    proposed = next((one.proposal for one in ordered if one.proposal is not None), None)
    return _follow(Opinion("", 0, ordered[0].verdict, proposed), shown)


def _follow(opinion: Opinion, shown: int) -> Standing:
    if opinion.verdict == "accept":
        return Standing(_walk(ItemState.ACCEPTED), shown)
    if opinion.verdict == "discard":
        return Standing(_walk(ItemState.DISCARDED), shown)
    if opinion.proposal is None:
        return Standing(_walk(ItemState.NEEDS_CORRECTION), shown)
    corrected = (ItemState.NEEDS_CORRECTION, ItemState.CORRECTED)
    if opinion.is_accepted:
        return Standing(_walk(*corrected, ItemState.ACCEPTED), opinion.proposal)
    return Standing(_walk(*corrected), shown)


def _walk(*steps: ItemState) -> ItemState:
    """The last of the steps, each of which leads on from the one before, the first from drafted."""
    state = ItemState.DRAFTED
    for step in steps:
        assert step in ITEM_TRANSITIONS[state], (state, step)
        state = step
    return state


# What raters and adjudicators hold, read off the events that stand


_MOVING = frozenset(
    {EventKind.SET, EventKind.CLEAR, EventKind.ACCEPT, EventKind.ADJUDICATE, EventKind.IMPORT}
)


def can_move(form: Form, subject: Subject, kind: EventKind, field: str) -> bool:
    """Whether an event can move an item."""
    decision = form.decision
    return (
        decision is not None
        and not subject.is_repeat
        and kind in _MOVING
        and field in (decision.field, decision.correction)
    )


def opinions(form: Form, events: Sequence[LabelEvent]) -> list[Opinion]:
    """What each rater holds of a revision by the events that stand on it; imported values decide
    nothing."""
    decision = form.decision
    assert decision is not None
    held = {
        (rater, label.field, label.aspect): label.value
        for (_, _, rater), labels in current(events).items()
        for label in labels
        if label.kind in (EventKind.SET, EventKind.ACCEPT)
    }
    since: dict[str, int] = {}
    for event in events:
        if event.kind == EventKind.SET and event.field == decision.field:
            since.setdefault(event.rater, event.seq)
    out = []
    for rater, seq in since.items():
        verdict = decision.verdict(held.get((rater, decision.field, "value")))
        if verdict is not None:
            proposal = held.get((rater, decision.correction, "value"))
            assert proposal is None or isinstance(proposal, int)
            accepted = held.get((rater, decision.correction, "accept"))
            is_accepted = proposal is not None and proposal == accepted
            out.append(Opinion(rater, seq, verdict, proposal, is_accepted))
    return out


def ruling(form: Form, events: Sequence[LabelEvent]) -> Opinion | None:
    """The latest adjudication of a revision: of its verdict, or a text for it."""
    decision = form.decision
    assert decision is not None
    rulings = [
        (label.seq, rater, label)
        for (_, _, rater), labels in current(events).items()
        for label in labels
        if label.aspect == "adjudicate" and label.field in (decision.field, decision.correction)
    ]
    if not rulings:
        return None
    seq, rater, label = max(rulings, key=lambda ruling: ruling[0])
    if label.field == decision.correction:
        assert isinstance(label.value, int)
        return Opinion(rater, seq, "correct", label.value, True)
    verdict = decision.verdict(label.value)
    return None if verdict is None else Opinion(rater, seq, verdict)


# The items that they decided about


class Before(Struct, frozen=True):
    """How an item stood before people decided about a text of it."""

    form_key: str
    standing: Standing
    quorum: int
    """How many raters decide; what the samples wanted when the first one did."""


class DecidedItem(Struct, frozen=True):
    """An item with one of its revisions, and how both stand."""

    item: int
    revision: int
    standing: Standing
    raters_wanted: int
    """By the samples that hold the revision; 1 where none does."""
    before: Before | None
    """Of this revision; null while nobody has decided about it."""
    is_followed: bool
    """Whether the item follows what is decided about this revision, not about a later one."""


def decided_item(db: sqlite3.Connection, form_key: str, subject: Subject) -> DecidedItem:
    """The item of a subject. Raises NotFound for a revision that does not exist."""
    (revision,) = subject.numbers
    row = db.execute(
        "SELECT item.id, item.state, item.head, (SELECT coalesce(max(raters_wanted), 1) FROM"
        "   assignment JOIN sample ON sample.id = sample_id WHERE subject = CAST(?1 AS TEXT)"
        "   AND sample.form_key = ?2 AND subject_kind = 'revision'),"
        " judgement.id = (SELECT max(id) FROM judgement WHERE item_id = item.id),"
        " judgement.form_key, state_before, head_before, quorum"
        " FROM revision JOIN item ON item.id = revision.item_id"
        " LEFT JOIN judgement ON revision_id = revision.id WHERE revision.id = ?1",
        (revision, form_key),
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no revision with number {revision}.")
    item, state, head, wanted, is_latest, key, state_before, head_before, quorum = row
    before = None
    if key is not None:
        before = Before(key, Standing(ItemState(state_before), head_before), quorum)
    standing = Standing(ItemState(state), head)
    return DecidedItem(item, revision, standing, wanted, before, bool(is_latest))


def outcome(form: Form, item: DecidedItem, events: Sequence[LabelEvent]) -> Standing | None:
    """Where the events that stand on a revision put its item; None while nobody has decided."""
    held, ruled = opinions(form, events), ruling(form, events)
    if item.before is None or not (held or ruled):
        return None
    return decide(item.before.standing, item.revision, held, ruled, item.before.quorum)


def prepare(
    db: sqlite3.Connection, form: Form, subject: Subject, events: Sequence[LabelEvent]
) -> DecidedItem | None:
    """Before a deciding event on `subject`, on which `events` stand: the item that it moves.

    The first time this remembers how the item stood before. None when the item follows what was
    decided about a later text. Refused with Conflict when the text that the rater was shown has
    been replaced by other means than deciding about it.
    """
    item = decided_item(db, form.key, subject)
    if item.before is not None and item.before.form_key != form.key:
        raise Conflict(
            f"Revision {item.revision} is decided by form {item.before.form_key!r}.",
            f"Use that form, not {form.key!r}.",
        )
    if item.before is not None and not item.is_followed:
        return None
    expected = outcome(form, item, events)
    if item.standing.head != (expected.head if expected is not None else item.revision):
        raise Conflict(
            f"Item {item.item} was changed by somebody else meanwhile.", "Look at it again."
        )
    return item if expected is not None else _remember(db, form.key, item)


def prepare_undo(
    db: sqlite3.Connection, form: Form, subject: Subject, events: Sequence[LabelEvent]
) -> DecidedItem | None:
    """Before an undo or redo, or an import, which decides nothing but may replace what its rater
    had decided: the item that it moves, or None when it must not move it, since the item follows
    what was decided about a later text or its text was replaced by other means."""
    item = decided_item(db, form.key, subject)
    if item.before is None or not item.is_followed or item.before.form_key != form.key:
        return None
    expected = outcome(form, item, events)
    if item.standing.head != (expected.head if expected is not None else item.revision):
        return None
    if expected is not None:
        return item
    # it may have been moved by other means since all was undone
    state = item.standing.state
    db.execute(
        "UPDATE judgement SET state_before = ? WHERE revision_id = ?", (state, item.revision)
    )
    standing = structs.replace(item.before.standing, state=state)
    return structs.replace(item, before=structs.replace(item.before, standing=standing))


def follow(
    db: sqlite3.Connection, form: Form, item: DecidedItem, events: Sequence[LabelEvent]
) -> None:
    """After a deciding event or its undoing: moves the item, which `prepare` gave, to where the
    events that stand now put it."""
    assert item.before is not None
    goal = outcome(form, item, events)
    move(db, item.item, item.standing, goal if goal is not None else item.before.standing)


def raters_deciding(
    db: sqlite3.Connection, form: Form, subject: Subject, events: Sequence[LabelEvent]
) -> int:
    """How many raters decide on a subject's item: what was wanted when the first one did."""
    item = decided_item(db, form.key, subject)
    if (
        item.before is not None
        and item.before.form_key == form.key
        and outcome(form, item, events) is not None
    ):
        return item.before.quorum
    return item.raters_wanted


def check_proposal(db: sqlite3.Connection, subject: Subject, revision: int) -> None:
    """A correction of `subject` must be written on the revision that was shown."""
    (shown,) = subject.numbers
    row = db.execute("SELECT parent FROM revision WHERE id = ?", (revision,)).fetchone()
    if row is None or row[0] != shown:
        raise InputError(
            f"Revision {revision} is no correction of revision {shown}.",
            "Propose one with that revision as its parent.",
        )


def _remember(db: sqlite3.Connection, form_key: str, item: DecidedItem) -> DecidedItem:
    """Keeps how an item stands, so that undoing everything leads back to it."""
    db.execute(
        "INSERT INTO judgement (revision_id, item_id, form_key, state_before, head_before, quorum)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (revision_id) DO UPDATE SET state_before ="
        " excluded.state_before, head_before = excluded.head_before, quorum = excluded.quorum",
        (
            item.revision,
            item.item,
            form_key,
            item.standing.state,
            item.standing.head,
            item.raters_wanted,
        ),
    )
    return structs.replace(item, before=Before(form_key, item.standing, item.raters_wanted))


def move(db: sqlite3.Connection, item: int, now: Standing, goal: Standing) -> None:
    """Moves an item to another text and state. Raises Conflict when its text is no longer that of
    `now`."""
    if now.head != goal.head:
        datasets.move_head(db, item, now.head, goal.head)
    before, after = now.state, goal.state
    if before == after:
        return
    if after in ITEM_TRANSITIONS[before]:
        datasets.set_state(db, item, before, after)
    else:
        # not forward: an undo, a changed mind or a ruling, after which other events stand
        db.execute(
            "UPDATE item SET state = ?1, checksum = row_sum(item_key, ?1) WHERE id = ?2",
            (after, item),
        )

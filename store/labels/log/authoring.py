"""Items that people author: a question is written, answered and vetted, each by somebody else.

All labels of an item are about its first text, the commission, which names the documents that were
given. Its state, its text and the step that is due follow from the labels that stand.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from store.datasets import datasets
from store.datasets.datasets import Dataset
from store.errors import Conflict, InputError
from store.hashing import canonical_json, content_hash
from store.labels.forms import Form, Value
from store.labels.log import decisions
from store.labels.log.decisions import Standing
from store.labels.log.events import EventKind, LabelEvent, Subject, current
from store.records import ItemContent, ItemState

QUESTION, ANSWER, VETTING = "authoring_question", "authoring_answer", "authoring_vetting"
STEPS = (QUESTION, ANSWER, VETTING)
"""The form of each step, in order."""
ITEM, VERDICT = "item", "vetting"
"""The fields that hold the text that was written, and what the lead says of it."""
APPROVED, REJECTED = "approved", "rejected"
SENT_BACK = {"question": QUESTION, "answer": ANSWER}
"""The step that is to be done again, by the verdict that says so."""


class Done(Struct, frozen=True):
    """What a person did in a step: a text that was written, a verdict, or a reason to skip."""

    form_key: str
    rater: str
    seq: int
    revision: int | None = None
    verdict: str = ""
    skipped: str = ""


class Place(Struct, frozen=True):
    """Where an authored item stands."""

    standing: Standing
    form_key: str | None
    """Of the step that is due; null once the item is vetted, or was skipped."""
    rater: str | None = None
    """Who is to do it, as it was sent back; null for whoever may."""
    writer: str | None = None
    answerer: str | None = None
    last: Done | None = None
    """What was done last of what counts."""


class Authored(Struct, frozen=True):
    """An authored item with its place and its text."""

    commission: int
    item: int
    place: Place
    standing: Standing
    """As the item stands now, which other means may have changed since."""


def commission(
    db: sqlite3.Connection,
    dataset: Dataset,
    item_key: str,
    group_key: str,
    content: ItemContent,
    *,
    author: str,
) -> int:
    """A new item without a question, to be authored from the documents that its evidence names;
    returns the number of its text, which is what labels are about."""
    item = datasets.add_item(
        db,
        dataset,
        item_key,
        group_key,
        content,
        author=author,
        reason="given to be authored",
        state=ItemState.NEEDS_CORRECTION,
    )
    db.execute(
        "INSERT INTO authored (revision_id, item_id, form_key) SELECT head, id, ? FROM item"
        " WHERE id = ?",
        (QUESTION, item),
    )
    (head,) = db.execute("SELECT head FROM item WHERE id = ?", (item,)).fetchone()
    return int(head)


def given(db: sqlite3.Connection, dataset: Dataset) -> frozenset[str]:
    """Ids of the documents that items of a dataset were commissioned with."""
    rows = db.execute(
        "SELECT DISTINCT json_extract(unit.value, '$.document_id') FROM authored"
        " JOIN revision ON revision.id = revision_id JOIN item ON item.id = authored.item_id,"
        " json_each(content, '$.turns[0].evidence') AS unit WHERE dataset_id = ?",
        (dataset.id,),
    )
    return frozenset(name for (name,) in rows)


def unanswered(db: sqlite3.Connection, dataset: Dataset) -> int:
    """The number of a dataset's questions that wait for their answer."""
    (count,) = db.execute(
        "SELECT count(*) FROM authored JOIN item ON item.id = item_id"
        " WHERE dataset_id = ? AND form_key = ?",
        (dataset.id, ANSWER),
    ).fetchone()
    return int(count)


def place(commission: int, events: Sequence[LabelEvent]) -> Place:
    """Where the labels that stand put an item.

    A step counts if it was done after the one before it: a question that is written anew is
    answered anew.
    """
    done = sorted(_done(events), key=lambda one: one.seq)
    question = _last(done, QUESTION, 0)
    if question is None:
        return Place(Standing(ItemState.NEEDS_CORRECTION, commission), QUESTION)
    if question.revision is None:
        return Place(Standing(ItemState.DISCARDED, commission), None, last=question)
    writer = question.rater
    answer = _last(done, ANSWER, question.seq)
    if answer is None:
        unanswered = Standing(ItemState.NEEDS_CORRECTION, question.revision)
        return Place(unanswered, ANSWER, None, writer, last=question)
    answerer, head = answer.rater, answer.revision or question.revision
    state = ItemState.CORRECTED if answer.revision else ItemState.NEEDS_CORRECTION
    vetted = _last(done, VETTING, answer.seq)
    if vetted is None:
        return Place(Standing(state, head), VETTING, None, writer, answerer, answer)
    if again := SENT_BACK.get(vetted.verdict):
        rater = writer if again == QUESTION else answerer if answer.revision else None
        sent_back = Standing(ItemState.NEEDS_CORRECTION, head)
        return Place(sent_back, again, rater, writer, answerer, vetted)
    state = ItemState.ACCEPTED if vetted.verdict == APPROVED else ItemState.DISCARDED
    return Place(Standing(state, head), None, None, writer, answerer, vetted)


def _done(events: Sequence[LabelEvent]) -> Iterator[Done]:
    for (form_key, _, rater), labels in current(events).items():
        for label in labels:
            if label.aspect == "exclude":
                yield Done(form_key, rater, label.seq, skipped=str(label.value))
            elif label.field == ITEM and isinstance(label.value, int):
                yield Done(form_key, rater, label.seq, label.value)
            elif label.field == VERDICT and label.aspect == "value":
                yield Done(form_key, rater, label.seq, verdict=str(label.value))


def _last(done: Iterable[Done], form_key: str, after: int) -> Done | None:
    return max(
        (one for one in done if one.form_key == form_key and one.seq > after),
        key=lambda one: one.seq,
        default=None,
    )


def authored(db: sqlite3.Connection, subject: Subject, events: Sequence[LabelEvent]) -> Authored:
    """The authored item of a subject, of which these events of all steps stand. Raises InputError
    for an item that is not authored."""
    row = db.execute(
        "SELECT item.id, state, head FROM authored JOIN item ON item.id = item_id"
        " WHERE revision_id = CAST(? AS INTEGER)",
        (subject.base,),
    ).fetchone()
    if row is None:
        raise InputError(
            f"Revision {subject.base} was not given to be authored.",
            "Beginning the authoring gives out documents.",
            "ragdesk author begin",
        )
    item, state, head = row
    (commission,) = subject.numbers
    return Authored(commission, item, place(commission, events), Standing(ItemState(state), head))


_DOES = frozenset({EventKind.SET, EventKind.CLEAR, EventKind.EXCLUDE})


def check(
    now: Place, form: Form, rater: str, field: str, value: Value | None, kind: EventKind
) -> None:
    """Raises Conflict for an event of a step that is not this rater's to do now: the step is not
    due, it was sent back to somebody else, the rater did an earlier one of the item, or nothing was
    written that could be approved. What was done last may be done anew by who did it."""
    if kind not in _DOES or (kind != EventKind.EXCLUDE and field not in (ITEM, VERDICT)):
        return
    if now.last is None or (now.last.form_key, now.last.rater) != (form.key, rater):
        if now.form_key != form.key:
            raise Conflict(f"This step of the item is not due: {_due(now)}.", "Go on to the next.")
        if now.rater not in (None, rater):
            raise Conflict(f"The item was sent back to {now.rater}.", "Go on to the next.")
        earlier = {QUESTION: (), ANSWER: (now.writer,), VETTING: (now.writer, now.answerer)}
        if rater in earlier[form.key]:
            raise Conflict(
                f"{rater} wrote part of this item.", "Somebody else does the steps that follow."
            )
    if value == APPROVED and now.standing.state is ItemState.NEEDS_CORRECTION:
        raise Conflict("The item has no answer yet.", "Send it back, or reject it.")


def _due(now: Place) -> str:
    return {
        QUESTION: "its question is to be written",
        ANSWER: "its answer is to be written",
        VETTING: "it is to be vetted",
        None: "it is done",
    }[now.form_key]


def check_text(db: sqlite3.Connection, subject: Subject, revision: int) -> None:
    """Raises InputError for a text of another item."""
    (items,) = db.execute(
        "SELECT count(DISTINCT item_id) FROM revision WHERE id IN (?, CAST(? AS INTEGER))",
        (revision, subject.base),
    ).fetchone()
    if items != 1:
        raise InputError(f"Revision {revision} is no text of the item.", "Propose one of its own.")


def follow(db: sqlite3.Connection, before: Authored, now: Authored) -> None:
    """After an event: moves the item to where the labels that stand now put it, unless other means
    have moved it since `before`."""
    goal = now.place
    db.execute(
        "UPDATE authored SET form_key = ?, rater = ?, writer = ?, answerer = ?"
        " WHERE revision_id = ?",
        (goal.form_key, goal.rater, goal.writer, goal.answerer, before.commission),
    )
    if now.standing == before.place.standing:
        decisions.move(db, before.item, now.standing, goal.standing)


def is_authoring(form_key: str) -> bool:
    return form_key in STEPS


class SystemAnswer(Struct, frozen=True):
    """What a system answered to the question of an item."""

    system: str
    answer: str


def system_answers(db: sqlite3.Connection, item: int, question: str) -> list[SystemAnswer]:
    """The latest answer of each system to an item's question as it stands, in an order that says
    nothing of the systems."""
    rows = db.execute(
        "SELECT system.name, answer FROM prediction JOIN revision ON revision.id = revision_id"
        " JOIN run ON run.id = run_id JOIN system ON system.id = system_id"
        " WHERE item_id = ? AND turn = 0 AND prediction.repeat = 0 AND answer IS NOT NULL"
        " AND json_extract(content, '$.turns[0].question') = ? ORDER BY prediction.id",
        (item, question),
    )
    return sorted(
        (SystemAnswer(system, answer) for system, answer in dict(rows.fetchall()).items()),
        key=lambda one: content_hash([item, one.system]),
    )


class RoundProgress(Struct, frozen=True):
    """The items of a round by what is due."""

    items: int
    to_write: int
    to_answer: int
    to_vet: int
    sent_back: int
    """Of the first two, those that a lead sent back."""
    accepted: int
    discarded: int
    """Rejected, or skipped by who was to write."""


def progress(db: sqlite3.Connection, subjects: Iterable[str]) -> RoundProgress:
    """How far the items of a round are, by the subjects that its samples hold."""
    rows = db.execute(
        "SELECT form_key, rater IS NOT NULL, state FROM authored JOIN item ON item.id = item_id"
        " WHERE revision_id IN (SELECT CAST(value AS INTEGER) FROM json_each(?))",
        (canonical_json(list(subjects)).decode(),),
    ).fetchall()
    due = [form_key for form_key, _, _ in rows]
    states = [state for form_key, _, state in rows if form_key is None]
    return RoundProgress(
        items=len(rows),
        to_write=due.count(QUESTION),
        to_answer=due.count(ANSWER),
        to_vet=due.count(VETTING),
        sent_back=sum(bool(is_back) for _, is_back, _ in rows),
        accepted=states.count(ItemState.ACCEPTED),
        discarded=states.count(ItemState.DISCARDED),
    )

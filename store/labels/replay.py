"""Replaying the log of labels against everything that is derived from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import json

from store.hashing import content_hash
from store.labels import consensus, forms
from store.labels.forms import Form
from store.labels.log import decisions, reading
from store.labels.log.events import (
    UNDOABLE,
    EventKind,
    Place,
    Subject,
    SubjectStatus,
    current,
    status_of,
)


def problems(db: sqlite3.Connection) -> Iterator[str]:
    """What differs between the log and what stands in the file; nothing when all is well."""
    broken = list(_broken_forms(db))
    yield from broken
    if broken:
        return
    yield from _broken_undos(db)
    replayed = current(reading.events(db))
    held = {place: reading.current(db, place[0], place[2], place[1]) for place in _labelled(db)}
    yield from (f"labels of {_name(place)}" for place in _differing(replayed, held))
    known = {number: stored.form for number, stored in forms.all_versions(db).items()}
    expected = {}
    for place, labels in replayed.items():
        form_key, subject, _ = place
        skipped = reading.sampled(db, form_key, subject).not_applicable
        if status := status_of(labels, known.__getitem__, skipped):
            expected[place] = status
    yield from (f"status of {_name(place)}" for place in _differing(expected, _statuses(db)))
    yield from _miscounted(db, _statuses(db))
    yield from _strayed_items(db)
    yield from _strayed_authored(db)
    for (seq,) in db.execute(
        "SELECT r.seq FROM adjudication_reason AS r LEFT JOIN label_event AS e ON e.seq = r.seq"
        " WHERE kind IS NOT 'adjudicate' ORDER BY r.seq"
    ):
        yield f"reason of event {seq}, which is no ruling"


def _broken_forms(db: sqlite3.Connection) -> Iterator[str]:
    for key, version, content, digest in db.execute(
        "SELECT key, version, content, content_hash FROM form"
    ):
        try:
            whole = content_hash(msgspec.json.decode(content, type=Form)) == digest
        except msgspec.DecodeError:
            whole = False
        if not whole:
            yield f"form {key} version {version}"


def _broken_undos(db: sqlite3.Connection) -> Iterator[str]:
    seen: dict[int, tuple[str, str, EventKind]] = {}
    for event in reading.events(db):
        if event.kind in (EventKind.UNDO, EventKind.REDO):
            rater, key, kind = seen.get(event.undoes or 0, ("", "", None))
            wanted = kind in UNDOABLE if event.kind == EventKind.UNDO else kind == EventKind.UNDO
            if not wanted or (rater, key) != (event.rater, event.form_key):
                yield f"event {event.seq} undoes what it cannot"
        seen[event.seq] = (event.rater, event.form_key, event.kind)


def _labelled(db: sqlite3.Connection) -> list[Place]:
    rows = db.execute("SELECT DISTINCT form_key, subject_kind, subject, rater FROM label_current")
    return [(form, Subject(kind, subject), rater) for form, kind, subject, rater in rows]


def _statuses(db: sqlite3.Connection) -> dict[Place, SubjectStatus]:
    rows = db.execute(
        "SELECT form_key, subject_kind, subject, rater, status, seq, at FROM label_status"
    )
    return {
        (form, Subject(kind, subject), rater): SubjectStatus(status, seq, at)
        for form, kind, subject, rater, status, seq, at in rows
    }


def _differing(one: Mapping[Place, object], other: Mapping[Place, object]) -> list[Place]:
    places = one.keys() | other.keys()
    return sorted(place for place in places if one.get(place) != other.get(place))


def _miscounted(db: sqlite3.Connection, statuses: Mapping[Place, SubjectStatus]) -> Iterator[str]:
    """What is counted of the raters' statuses, and which fields are said to differ."""
    raters: dict[tuple[str, str, str], tuple[list[str], list[str]]] = {}
    for (form_key, subject, rater), status in sorted(statuses.items()):
        done, complete = raters.setdefault((form_key, subject.kind, subject.id), ([], []))
        if status.status in ("complete", "excluded"):
            done.append(rater)
        if status.status == "complete":
            complete.append(rater)
    held = {
        (form, kind, name): (json.decode(done), json.decode(complete))
        for form, kind, name, done, complete in db.execute("SELECT * FROM label_subject")
    }
    nobody: tuple[list[str], list[str]] = ([], [])
    for place in sorted(raters.keys() | held.keys()):
        if raters.get(place, nobody) != held.get(place, nobody):
            form_key, kind, name = place
            yield f"raters counted of {kind} {name} ({form_key})"
    for what, sql in _COUNTED.items():
        (wrong,) = db.execute(sql).fetchone()
        if wrong:
            yield f"{wrong} {what}"
    differing = {
        (form_key, one.subject.kind, one.subject.id, one.field)
        for form_key in {form for form, _, _ in statuses}
        for one in consensus.settled(db, forms.latest(db, form_key).form)
        if one.source == "conflict"
    }
    stored = set(db.execute("SELECT form_key, subject_kind, subject, field FROM label_conflict"))
    for form_key, kind, name, field in sorted(differing ^ stored):
        yield f"conflict about {field} of {kind} {name} ({form_key})"


_ROWS = "(SELECT count(*) FROM (SELECT * FROM ({0}) EXCEPT SELECT * FROM ({1})))"
_TALLIES = {
    "tallies of samples": (
        "SELECT sample_id, topic, task, raters_wanted, done_by, subjects FROM assignment_tally"
        " WHERE subjects <> 0",
        "SELECT sample_id, topic, task, raters_wanted, done_by, count(*) FROM assignment"
        " WHERE repeats IS NULL GROUP BY 1, 2, 3, 4, 5",
    ),
    "tallies of forms": (
        "SELECT form_key, complete_by, subjects FROM label_tally WHERE subjects <> 0",
        "SELECT form_key, complete_by, count(*) FROM label_subject WHERE instr(subject, '#') = 0"
        " GROUP BY 1, 2",
    ),
    "assignments with other raters": (
        "SELECT sample_id, ordinal, done_by FROM assignment",
        "SELECT sample_id, ordinal, coalesce((SELECT s.done_by FROM label_subject AS s"
        " WHERE s.form_key = sample.form_key AND s.subject_kind = sample.subject_kind"
        " AND s.subject = assignment.subject), '[]') FROM assignment"
        " JOIN sample ON sample.id = sample_id",
    ),
}
_COUNTED = {
    what: f"SELECT {_ROWS.format(stored, fresh)} + {_ROWS.format(fresh, stored)}"
    for what, (stored, fresh) in _TALLIES.items()
}


def _strayed_items(db: sqlite3.Connection) -> Iterator[str]:
    """Items that do not stand where what was decided last puts them. An item whose text was
    replaced since, by a revision upon that text, is free of it."""
    rows = db.execute(
        "SELECT revision_id, form_key FROM judgement WHERE id IN"
        " (SELECT max(id) FROM judgement GROUP BY item_id) ORDER BY item_id"
    ).fetchall()
    for revision, form_key in rows:
        form = forms.latest(db, form_key).form
        subject = Subject("revision", str(revision))
        item = decisions.decided_item(db, form_key, subject)
        goal = decisions.outcome(form, item, reading.standing_events(db, form_key, subject))
        now = item.standing
        if goal is None or now == goal:
            continue
        if now.head == goal.head or not _descends(db, now.head, goal.head):
            yield f"item {item.item} is {now.state}, not {goal.state}"


def _strayed_authored(db: sqlite3.Connection) -> Iterator[str]:
    """Authored items that do not stand where their steps put them. One whose text was replaced
    since is free of it."""
    rows = db.execute(
        "SELECT revision_id, form_key, rater, writer, answerer FROM authored ORDER BY 1"
    ).fetchall()
    for revision, *held in rows:
        now = reading.authored(db, Subject("revision", str(revision)))
        goal = now.place
        if held != [goal.form_key, goal.rater, goal.writer, goal.answerer]:
            yield f"the step of item {now.item}"
        elif now.standing.head == goal.standing.head and now.standing != goal.standing:
            yield f"item {now.item} is {now.standing.state}, not {goal.standing.state}"


def _descends(db: sqlite3.Connection, revision: int, ancestor: int) -> bool:
    row = db.execute(
        "WITH RECURSIVE line (id) AS (SELECT ?1 UNION SELECT parent FROM revision"
        " JOIN line USING (id) WHERE parent IS NOT NULL) SELECT 1 FROM line WHERE id = ?2",
        (revision, ancestor),
    )
    return row.fetchone() is not None


def _name(place: Place) -> str:
    form, subject, rater = place
    return f"{rater} on {subject.kind} {subject.id} ({form})"

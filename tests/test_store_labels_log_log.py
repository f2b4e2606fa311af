"""Labels: events are only appended; what holds now, undo and redo follow from them."""

from __future__ import annotations

import sqlite3
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from labelling_workspaces import (
    assignments,
    corrected,
    everything_derived,
    make_drafts,
    register,
    score,
)

from store.datasets import datasets
from store.errors import Conflict, InputError, UsageError
from store.labels import guidelines, standing
from store.labels.consensus import adjudicate
from store.labels.log import log, reading
from store.labels.log.drafts import of as drafts_of
from store.labels.log.drafts import save
from store.labels.log.events import IDLE_CUT_MS, EventKind, Subject
from store.labels.replay import problems
from store.labels.samples import samples
from store.verify import verify
from store.workspace import Workspace, open_workspace

APPEND = (
    "INSERT INTO label_event (at, rater, form_id, subject_kind, subject, field, value, kind,"
    " undoes, origin, active_ms, guideline)"
    " VALUES ('2026', ?, 1, 'revision', '1', 'score', ?, 'set', ?, 'app', 900, '')"
)


@pytest.fixture
def db(workspace: Workspace) -> sqlite3.Connection:
    """A store with one form and two events, the second undoing the first."""
    with workspace.write(durable=True) as db:
        db.execute("INSERT INTO form VALUES (1, 'inspection', 1, '{}', 'b2:0', '2026')")
        db.execute(APPEND, ("王芳", "4", None))
        db.execute(APPEND, ("王芳", None, 1))
    return workspace.db


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("UPDATE label_event SET value = '5'", "changed"),
        ("DELETE FROM label_event WHERE seq = 1", "deleted"),
        ("DELETE FROM label_event", "deleted"),
        ("INSERT OR REPLACE INTO label_event SELECT * FROM label_event", "replaced"),
        ("REPLACE INTO label_event (seq) VALUES (1)", "replaced"),
    ],
)
def test_an_event_is_final(db: sqlite3.Connection, statement: str, word: str) -> None:
    before = db.execute("SELECT * FROM label_event").fetchall()
    with pytest.raises(sqlite3.IntegrityError, match=f"never {word}"):
        db.execute(statement)
    assert db.execute("SELECT * FROM label_event").fetchall() == before


@pytest.mark.parametrize(
    ("rater", "value", "undoes"), [("王芳", "not json", None), ("王芳", "4", 99)]
)
def test_an_event_is_whole(
    db: sqlite3.Connection, rater: str, value: str, undoes: int | None
) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(APPEND, (rater, value, undoes))


def test_events_keep_the_order_in_which_they_came(db: sqlite3.Connection) -> None:
    db.execute(APPEND, ("li", "5", None))
    rows = db.execute("SELECT seq, rater, undoes FROM label_event ORDER BY seq").fetchall()
    assert rows == [(1, "王芳", None), (2, "王芳", 1), (3, "li", None)]


# appending through the store


@pytest.fixture
def inspection(workspace: Workspace):
    with workspace.write() as db:
        return register(db), make_drafts(db)


def test_values_are_read_back_by_rater(workspace: Workspace, inspection):
    form, drafts = inspection
    subject = drafts.subject(0)
    with workspace.write(durable=True) as db:
        log.append(db, form, "王芳", subject, "answer", 0)
        last = score(db, form, "王芳", subject, 4)
        score(db, form, "li", subject, 2)
        log.append(db, form, "王芳", subject, "answer", "依据不足", kind=EventKind.COMMENT)
    db = workspace.db
    assert reading.values(db, "inspection", "王芳", subject) == {"answer": 0, "score": 4}
    assert reading.values(db, "inspection", "li", subject) == {"score": 2}
    aspects = [(label.field, label.aspect) for label in label_current(db, "王芳", subject)]
    assert aspects == [("answer", "comment"), ("answer", "value"), ("score", "value")]
    assert reading.last_seq(db, "王芳") == last + 2
    assert reading.last_seq(db) == last + 2


def label_current(db, rater, subject):
    return reading.current(db, "inspection", rater, subject)


REFUSED = [
    ("score", 6, EventKind.SET, "takes 1, 2, 3, 4, 5"),
    ("score", True, EventKind.SET, "cannot be True"),
    ("score", 4.0, EventKind.SET, "cannot be 4.0"),
    ("score", "na", EventKind.SET, r'cannot be "-" \(not applicable\): .* applies to every item'),
    ("colour", 1, EventKind.SET, "no field 'colour'"),
    ("", 1, EventKind.SET, "no field ''"),
    ("correction", 0, EventKind.SET, "takes a revision's number"),
    ("correction", 99, EventKind.SET, "no correction of revision"),
    ("score", 4, EventKind.CLEAR, "takes no value"),
    ("score", " ", EventKind.COMMENT, "Give a text"),
    ("", False, EventKind.FLAG, "Give true or null"),
    ("", "bored", EventKind.EXCLUDE, "Reasons: broken"),
    ("score", "broken", EventKind.EXCLUDE, "about the whole subject"),
    ("", None, EventKind.REVEAL, "Give a text"),
    ("", None, EventKind.UNDO, r"undo\(\)"),
    ("score", 4, EventKind.ACCEPT, "no text to accept"),
]


@pytest.mark.parametrize(("field", "value", "kind", "message"), REFUSED)
def test_what_the_form_does_not_allow_is_refused(
    workspace: Workspace, inspection, field, value, kind, message
):
    form, drafts = inspection
    with pytest.raises(InputError, match=message), workspace.write(durable=True) as db:
        log.append(db, form, "a", drafts.subject(0), field, value, kind=kind)
    assert reading.last_seq(workspace.db) == 0


@pytest.mark.parametrize(
    "subject", [Subject("revision", "x"), Subject("prediction", "1"), Subject("revision", "1:2")]
)
def test_a_subject_of_another_kind_or_name_is_refused(workspace: Workspace, inspection, subject):
    form, _ = inspection
    with pytest.raises(InputError), workspace.write() as db:
        score(db, form, "a", subject, 4)


def test_a_rater_is_named(workspace: Workspace, inspection):
    form, drafts = inspection
    with pytest.raises(UsageError, match="Name the rater"), workspace.write() as db:
        score(db, form, " ", drafts.subject(0), 4)


def test_an_event_carries_guideline_and_capped_time(workspace: Workspace, inspection):
    form, drafts = inspection
    with workspace.write() as db:
        before = score(db, form, "a", drafts.subject(0), 4)
        guidelines.put(db, "inspection", "Score what you see.", "lead")
        after = log.append(db, form, "a", drafts.subject(1), "score", 4, active_ms=IDLE_CUT_MS + 1)
    found = {one.seq: (one.guideline, one.active_ms) for one in reading.events(workspace.db)}
    assert found == {before: ("", 1000), after.seq: ("1", IDLE_CUT_MS)}


def test_a_value_given_after_looking_says_so(workspace: Workspace, inspection):
    form, drafts = inspection
    first, second = drafts.subject(0), drafts.subject(1)
    with workspace.write() as db:
        score(db, form, "a", first, 4)
        log.append(db, form, "a", first, "", "automatic_verdict", kind=EventKind.REVEAL)
        score(db, form, "a", first, 2)
        score(db, form, "a", second, 4)
        log.undo(db, "a", "inspection")
        log.undo(db, "a", "inspection")
        score(db, form, "a", first, 2)
    origins = [e.origin for e in reading.events(workspace.db) if e.kind == EventKind.SET]
    assert origins == ["human", "human_after_reveal", "human", "human_after_reveal"]


def test_a_value_given_with_aids_says_so(workspace: Workspace, inspection):
    form, drafts = inspection
    with workspace.write() as db:
        sample = samples.create(db, "aided", "inspection", "revision", {}, aids=True)
        samples.add(db, sample, assignments(drafts)[:1])
        score(db, form, "a", drafts.subject(0), 4)
        score(db, form, "a", drafts.subject(1), 4)
        score(db, form, "b", drafts.subject(0), 2)
        adjudicate(db, form, "judge", drafts.subject(0), "score", 4)
        log.append(db, form, "a", drafts.subject(0), "", "judge_scores", kind=EventKind.REVEAL)
        score(db, form, "a", drafts.subject(0), 5)
    origins = [e.origin for e in reading.events(workspace.db) if e.kind != EventKind.REVEAL]
    assert origins == [
        "human_with_aids",
        "human",
        "human_with_aids",
        "human",
        "human_after_reveal",
    ]
    rows = {row.subject: row.origin for row in standing.rows(workspace.db, "inspection")}
    assert rows == {drafts.subject(0): "human_with_aids", drafts.subject(1): "human"}
    assert verify(workspace.db).ok


def test_a_label_ends_the_drafts_of_its_field(workspace: Workspace, inspection):
    form, drafts = inspection
    subject = drafts.subject(0)
    with workspace.write() as db:
        for field in ("score", "scores", "correction/turns.0.question"):
            save(db, "a", "inspection", subject, field, "半句")
        save(db, "b", "inspection", subject, "score", "hers")
        score(db, form, "a", subject, 3)
    kept = ["correction/turns.0.question", "scores"]
    assert sorted(drafts_of(workspace.db, "a", "inspection", subject)) == kept
    assert drafts_of(workspace.db, "b", "inspection", subject) == {"score": "hers"}


def test_undo_reaches_ones_own_events_only_and_every_one(workspace: Workspace, inspection):
    form, drafts = inspection
    with workspace.write() as db:
        for at in range(4):
            score(db, form, "a", drafts.subject(at), 5)
        score(db, form, "b", drafts.subject(7), 5)
    undone = []
    while True:
        # a new connection each time: the depth of undo does not end with the program
        with open_workspace(workspace.folder) as again, again.write() as db:
            found = log.undo(db, "a", "inspection")
        if found is None:
            break
        undone.append(found.event.subject)
    assert undone == [drafts.subject(at) for at in (3, 2, 1, 0)]
    assert reading.values(workspace.db, "inspection", "b", drafts.subject(7)) == {"score": 5}


def test_redo_goes_back_step_by_step_until_something_new_is_said(workspace: Workspace, inspection):
    form, drafts = inspection
    with workspace.write() as db:
        seqs = [score(db, form, "a", drafts.subject(at), 5) for at in range(3)]
        log.undo(db, "a", "inspection")
        log.undo(db, "a", "inspection")
        found = log.redo(db, "a", "inspection")
        assert found is not None
        assert found.event.seq == seqs[1]
        score(db, form, "a", drafts.subject(5), 2)
        assert log.redo(db, "a", "inspection") is None


def test_imports_and_looking_are_not_undone(workspace: Workspace, inspection):
    form, drafts = inspection
    subject = drafts.subject(0)
    with workspace.write() as db:
        log.append(db, form, "a", subject, "score", 4, kind=EventKind.IMPORT, origin="import")
        log.append(db, form, "a", subject, "", "author", kind=EventKind.REVEAL)
        assert log.undo(db, "a", "inspection") is None


KINDS = [
    *("1", "3", "5", "clear", "check", "correct", "accept", "postpone", "exclude", "comment"),
    *("flag", "adjudicate", "import", "undo", "undo", "undo", "redo", "redo"),
]
ACTS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 2), st.sampled_from(KINDS)), max_size=25
)


def act(db, form, drafts, rater: str, at: int, what: str) -> None:
    subject = drafts.subject(at)

    def say(field, value, kind=EventKind.SET):
        told = log.append(db, form, rater, subject, field, value, kind=kind)
        assert told.labels == label_current(db, rater, subject)

    values = reading.values(db, "inspection", rater, subject)
    if what in ("undo", "redo"):
        undone = (log.undo if what == "undo" else log.redo)(db, rater, "inspection")
        if undone is not None:
            assert undone.labels == label_current(db, rater, undone.event.subject)
    elif what.isdigit():
        score(db, form, rater, subject, int(what))
    elif what == "correct":
        written = datasets.revise(
            db, drafts.items[at], drafts.revisions[at], corrected(at), author=rater, reason="a"
        )
        say("correction", written)
    elif what == "accept" and "correction" in values:
        say("correction", values["correction"], EventKind.ACCEPT)
    elif what == "adjudicate" and "score" in values:
        adjudicate(db, form, "judge", subject, "score", 2)
    elif what in ("clear", "import"):
        say("score", None if what == "clear" else 4, EventKind(what))
    elif what == "check":
        say("answer", 0)
    elif what in ("postpone", "flag"):
        say("", True, EventKind(what))
    elif what in ("exclude", "comment"):
        say("", "broken", EventKind(what))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(acts=ACTS, raters_wanted=st.integers(1, 2))
def test_the_log_replayed_equals_what_stands_and_undone_equals_the_start(
    tmp_path_factory, acts, raters_wanted
):
    with open_workspace(tmp_path_factory.mktemp("w"), create=True) as workspace:
        with workspace.write() as db:
            form, drafts = register(db), make_drafts(db, 3)
            sample = samples.create(db, "s", "inspection", "revision", {})
            samples.add(db, sample, assignments(drafts, raters_wanted=raters_wanted))
            start = everything_derived(db)
        for rater, at, what in acts:
            # what a stale text or an unmade correction forbids leaves no trace
            with suppress(Conflict), workspace.write() as db:
                act(db, form, drafts, rater, at, what)
            assert list(problems(workspace.db)) == []
        with workspace.write() as db:
            imported = db.execute("SELECT 1 FROM label_event WHERE kind = 'import'").fetchone()
            for rater in ("a", "b", "judge"):
                while log.undo(db, rater, "inspection"):
                    pass
            assert list(problems(db)) == []
            if not imported:
                assert everything_derived(db) == start

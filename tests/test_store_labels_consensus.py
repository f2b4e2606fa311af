"""Agreement of values, conflicts, rulings with their grounds, and the work behind labels."""

from __future__ import annotations

import pytest
from labelling_workspaces import corrected, draft, make_drafts, register, score

from store.datasets import datasets
from store.errors import InputError
from store.labels import statistics
from store.labels.consensus import RaterValue, adjudicate, conflicts, settled
from store.labels.log import log
from store.labels.log.events import EventKind, Subject
from store.workspace import Workspace


@pytest.fixture
def db(workspace: Workspace):
    with workspace.write() as db:
        yield db


@pytest.fixture
def drafts(db):
    return make_drafts(db)


@pytest.fixture
def form(db):
    return register(db)


def sources(db, form):
    return [(one.field, one.value, one.source) for one in settled(db, form.form)]


def test_what_holds_says_how_it_came_about(db, drafts, form):
    score(db, form, "a", drafts.subject(0), 4)
    score(db, form, "a", drafts.subject(1), 5)
    score(db, form, "b", drafts.subject(1), 5)
    score(db, form, "a", drafts.subject(2), 5)
    last = score(db, form, "b", drafts.subject(2), 1)
    assert sources(db, form) == [
        ("score", 4, "single"),
        ("score", 5, "unanimous"),
        ("score", None, "conflict"),
    ]
    (conflict,) = conflicts(db, form.form)
    assert conflict.subject == drafts.subject(2)
    assert conflict.raters == (RaterValue("a", 5, last - 1), RaterValue("b", 1, last))


def test_unfinished_and_repeated_labels_are_no_conflict(db, drafts, form):
    score(db, form, "a", drafts.subject(0), 4)
    log.append(db, form, "a", drafts.subject(0), "answer", 1)
    log.append(db, form, "b", drafts.subject(0), "answer", 0)
    score(db, form, "a", Subject("revision", drafts.subject(0).id + "#1"), 1)
    assert conflicts(db, form.form) == []


def test_a_ruling_settles_until_a_rater_says_something_else(db, drafts, form):
    subject = drafts.subject(0)
    score(db, form, "a", subject, 5)
    score(db, form, "b", subject, 1)
    seq = adjudicate(db, form, "c", subject, "score", 2, active_ms=9000)
    (found,) = settled(db, form.form, subject=subject)
    assert (found.value, found.source, found.adjudicator) == (2, "adjudicated", "c")
    assert [(one.rater, one.value) for one in found.raters] == [("a", 5), ("b", 1)]
    weighed = db.execute("SELECT weighed FROM adjudication_basis WHERE seq = ?", (seq,)).fetchall()
    assert weighed == [(one.seq,) for one in found.raters]
    score(db, form, "b", subject, 3)
    assert [one.source for one in settled(db, form.form)] == ["conflict"]
    log.undo(db, "b", "inspection")
    assert [one.source for one in settled(db, form.form)] == ["adjudicated"]
    log.undo(db, "c", "inspection")
    assert [one.source for one in settled(db, form.form)] == ["conflict"]


def test_a_rater_may_rule_where_that_is_allowed(db, drafts, form):
    score(db, form, "a", drafts.subject(0), 5)
    score(db, form, "b", drafts.subject(0), 1)
    adjudicate(db, form, "b", drafts.subject(0), "score", 1, allow_own=True)
    assert conflicts(db, form.form) == []


@pytest.mark.parametrize(("field", "message"), [("answer", "Nobody has"), ("x", "no field 'x'")])
def test_there_is_nothing_to_rule_on_without_labels(db, drafts, form, field, message):
    with pytest.raises(InputError, match=message):
        adjudicate(db, form, "c", drafts.subject(0), field, 1)


def test_equal_corrections_agree_whoever_wrote_them(db, drafts, form):
    for rater, content in (("a", corrected(0)), ("b", corrected(0)), ("c", draft(1))):
        score(db, form, rater, drafts.subject(0), 3)
        written = datasets.revise(
            db, drafts.items[0], drafts.revisions[0], content, author=rater, reason="a"
        )
        log.append(db, form, rater, drafts.subject(0), "correction", written)
        found = {one.field: one.source for one in settled(db, form.form)}
        expected = {"a": "single", "b": "unanimous", "c": "conflict"}[rater]
        assert found["correction"] == expected


def test_work_tells_place_time_and_what_became_of_it(db, drafts, form):
    subject = drafts.subject(1)
    log.append(db, form, "a", subject, "answer", 1, active_ms=2500)
    score(db, form, "a", subject, 2)
    log.append(db, form, "b", drafts.subject(2), "", "broken", kind=EventKind.EXCLUDE)
    first, second = statistics.work(db, form.form)
    assert (first.subject, first.rater, first.status, first.value) == (subject, "a", "complete", 2)
    assert (first.topic, first.task, first.facets) == ("rates", "conversational", {"model": "m1"})
    assert (first.active_ms, first.item_state) == (3500, "discarded")
    assert (second.rater, second.status, second.value) == ("b", "excluded", None)

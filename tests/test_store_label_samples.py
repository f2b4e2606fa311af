"""Samples: what they hold keeps its place; who labels them can change."""

from __future__ import annotations

import pytest
from labelling_workspaces import assignments, make_drafts, register

from store import label_queue, label_samples, labels
from store.errors import Conflict, NotFound, UsageError
from store.label_samples import Assignment, Candidate
from store.workspace import Workspace


@pytest.fixture
def db(workspace: Workspace):
    with workspace.write() as db:
        yield db


def make(db, name="s", raters=(), form="inspection", kind="revision"):
    return label_samples.create(db, name, form, kind, {"seed": 3}, raters)


def test_a_sample_is_found_by_its_name(db):
    made = make(db, raters=["王芳", "li"])
    assert label_samples.get(db, "s") == made
    assert made.raters == ("王芳", "li")
    assert made.settings == {"seed": 3}
    assert label_samples.listing(db, "inspection") == [made]
    assert label_samples.listing(db, "preference") == []
    with pytest.raises(UsageError, match="exists already"):
        make(db)
    with pytest.raises(UsageError, match="needs a name"):
        make(db, " ")
    with pytest.raises(NotFound, match="Samples here: s"):
        label_samples.get(db, "t")


def test_adding_moves_nothing_and_takes_nothing_twice(db):
    rows = assignments(make_drafts(db))
    sample = make(db)
    assert label_samples.add(db, sample, rows[:3]) == 3
    before = label_samples.subjects(db, sample)
    assert label_samples.add(db, sample, rows) == 5
    assert label_samples.subjects(db, sample)[:3] == before
    assert label_samples.taken(db, sample) == [row.candidate for row in rows]


def test_more_raters_than_were_named_cannot_be_wanted(db):
    sample = make(db, raters=["a"])
    with pytest.raises(Conflict, match="Assign more raters"):
        label_samples.add(db, sample, [Assignment(Candidate("1"), raters_wanted=2)])
    sample = label_samples.assign(db, sample, ["a", "b"])
    label_samples.add(db, sample, [Assignment(Candidate("1"), raters_wanted=2)])
    with pytest.raises(Conflict, match="wants 2 raters"):
        label_samples.assign(db, sample, ["c"])
    with pytest.raises(UsageError, match="once each"):
        label_samples.assign(db, sample, ["c", "c"])


def test_what_does_not_apply_counts_for_what_was_labelled_before(db):
    drafts = make_drafts(db)
    form = register(db, "six_questions")
    keys = [field.key for field in form.form.fields]
    for key in keys[:-1]:
        labels.append(db, form, "a", drafts.subject(0), key, 1)
    assert label_queue.touched(db, "six_questions", "a") == [(drafts.subject(0), "partial")]
    sample = make(db, form="six_questions")
    candidate = Candidate(drafts.subject(0).id, not_applicable=(keys[-1],))
    label_samples.add(db, sample, [Assignment(candidate)])
    assert labels.not_applicable(db, "six_questions", drafts.subject(0)) == {keys[-1]}
    assert label_queue.touched(db, "six_questions", "a") == [(drafts.subject(0), "complete")]


def test_a_closed_sample_is_out_of_the_lists_and_can_be_reopened(db):
    sample = make(db)
    closed = label_samples.close(db, sample)
    assert closed.closed_at
    assert label_samples.close(db, closed) == closed
    assert label_samples.listing(db) == []
    assert label_samples.listing(db, closed=True) == [closed]
    with pytest.raises(Conflict, match="sample reopen s"):
        label_samples.check_open(closed)
    assert label_samples.reopen(db, closed) == sample
    label_samples.check_open(sample)

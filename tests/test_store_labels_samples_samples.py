"""Samples: what they hold keeps its place; who labels them can change."""

from __future__ import annotations

import pytest
from labelling_workspaces import assignments, make_drafts, register

from store.errors import Conflict, NotFound, UsageError
from store.labels.log import log, reading
from store.labels.samples import queue, samples
from store.labels.samples.samples import Assignment, Candidate
from store.workspace import Workspace


@pytest.fixture
def db(workspace: Workspace):
    with workspace.write() as db:
        yield db


def make(db, name="s", raters=(), form="inspection", kind="revision"):
    return samples.create(db, name, form, kind, {"seed": 3}, raters)


def test_a_sample_is_found_by_its_name(db):
    made = make(db, raters=["王芳", "li"])
    assert samples.get(db, "s") == made
    assert made.raters == ("王芳", "li")
    assert made.settings == {"seed": 3}
    assert samples.listing(db, "inspection") == [made]
    assert samples.listing(db, "preference") == []
    with pytest.raises(UsageError, match="exists already"):
        make(db)
    with pytest.raises(UsageError, match="needs a name"):
        make(db, " ")
    with pytest.raises(NotFound, match="Samples here: s"):
        samples.get(db, "t")


def test_adding_moves_nothing_and_takes_nothing_twice(db):
    rows = assignments(make_drafts(db))
    sample = make(db)
    assert samples.add(db, sample, rows[:3]) == 3
    before = samples.subjects(db, sample)
    assert samples.add(db, sample, rows) == 5
    assert samples.subjects(db, sample)[:3] == before
    assert samples.taken(db, sample) == [row.candidate for row in rows]


def test_more_raters_than_were_named_cannot_be_wanted(db):
    sample = make(db, raters=["a"])
    with pytest.raises(Conflict, match="Assign more raters"):
        samples.add(db, sample, [Assignment(Candidate("1"), raters_wanted=2)])
    sample = samples.assign(db, sample, ["a", "b"])
    samples.add(db, sample, [Assignment(Candidate("1"), raters_wanted=2)])
    with pytest.raises(Conflict, match="wants 2 raters"):
        samples.assign(db, sample, ["c"])
    with pytest.raises(UsageError, match="once each"):
        samples.assign(db, sample, ["c", "c"])


def test_what_does_not_apply_counts_for_what_was_labelled_before(db):
    drafts = make_drafts(db)
    form = register(db, "six_questions")
    keys = [field.key for field in form.form.fields]
    for key in keys[:-1]:
        log.append(db, form, "a", drafts.subject(0), key, 1)
    assert queue.touched(db, "six_questions", "a") == [(drafts.subject(0), "partial")]
    sample = make(db, form="six_questions")
    candidate = Candidate(drafts.subject(0).id, not_applicable=(keys[-1],))
    samples.add(db, sample, [Assignment(candidate)])
    assert reading.sampled(db, "six_questions", drafts.subject(0)).not_applicable == {keys[-1]}
    assert queue.touched(db, "six_questions", "a") == [(drafts.subject(0), "complete")]


def test_a_closed_sample_is_out_of_the_lists_and_can_be_reopened(db):
    sample = make(db)
    closed = samples.close(db, sample)
    assert closed.closed_at
    assert samples.close(db, closed) == closed
    assert samples.listing(db) == []
    assert samples.listing(db, closed=True) == [closed]
    with pytest.raises(Conflict, match="Reopen it first"):
        samples.check_open(closed)
    assert samples.reopen(db, closed) == sample
    samples.check_open(sample)


def test_adjudicators_and_aids_are_the_samples(db):
    sample = samples.create(db, "s", "judge_labels", "prediction", {}, aids=True)
    assert (sample.adjudicators, sample.aids) == ((), True)
    named = samples.set_adjudicators(db, sample, ["chen", "wu"])
    assert named == samples.get(db, "s")
    assert (named.adjudicators, named.aids) == (("chen", "wu"), True)
    with pytest.raises(UsageError, match="Adjudicators are named once each"):
        samples.set_adjudicators(db, sample, ["chen", "chen"])
    assert samples.set_adjudicators(db, sample, []).adjudicators == ()

"""Conflicts with their places, and how much of them there is by form."""

from __future__ import annotations

import pytest
from labelling_workspaces import CELLS, assignments, corrected, make_drafts, register, score

from engine.labelling.forms import load_form
from store.datasets import datasets
from store.errors import NotFound
from store.labels import consensus, log, samples
from store.labels.consensus import LabelCount
from store.labels.events import EventKind, Subject
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


def count(db) -> LabelCount:
    (one,) = consensus.label_counts(db, load_form)
    return one


def test_a_conflict_has_its_cell_item_and_question(db, drafts, form):
    for rater, value in (("a", 4), ("b", 2)):
        score(db, form, rater, drafts.subject(1), value)
    (one,) = consensus.placed_conflicts(db, form.form)
    assert (one.topic, one.task) == CELLS[1]
    assert one.item_key == "i1"
    content = datasets.content(db, drafts.revisions[1])
    assert one.question == content.turns[-1].question
    assert [one.conflict] == consensus.conflicts(db, form.form)


def test_only_those_of_a_sample(db, drafts, form):
    sample = samples.create(db, "s", "inspection", "revision", {}, [])
    samples.add(db, sample, assignments(drafts)[:1])
    for at in (0, 1):
        for rater, value in (("a", 4), ("b", 2)):
            score(db, form, rater, drafts.subject(at), value)
    found = consensus.placed_conflicts(db, form.form, sample="s")
    assert [one.item_key for one in found] == ["i0"]
    with pytest.raises(NotFound):
        consensus.placed_conflicts(db, form.form, sample="none")


def test_counts_follow_what_is_completed_changed_and_ruled_on(db, drafts, form):
    assert consensus.label_counts(db, load_form) == ()
    before = consensus.signature(db)
    last = score(db, form, "a", drafts.subject(0), 4)
    assert count(db) == LabelCount("inspection", 1, 1, 0, 0, 0, last)
    assert consensus.signature(db) != before
    last = score(db, form, "b", drafts.subject(0), 2)
    score(db, form, "b", Subject("revision", drafts.subject(0).id + "#1"), 5)
    assert count(db).conflicts == 1
    assert (count(db).raters, count(db).subjects, count(db).shared) == (2, 1, 1)
    before = consensus.signature(db)
    ruled = consensus.adjudicate(db, form, "c", drafts.subject(0), "score", 4)
    assert count(db).conflicts == 0
    assert count(db).seq == ruled
    assert consensus.signature(db) != before


def test_equal_corrections_are_no_conflict(db, drafts, form):
    for rater in ("a", "b"):
        log.append(db, form, rater, drafts.subject(0), "score", 3)
        proposed = datasets.revise(
            db, drafts.items[0], drafts.revisions[0], corrected(0), author=rater, reason="unit"
        )
        log.append(db, form, rater, drafts.subject(0), "correction", proposed)
    assert consensus.placed_conflicts(db, form.form) == []
    assert count(db).conflicts == 0


def test_what_has_not_been_completed_is_not_counted(db, drafts, form):
    log.append(db, form, "a", drafts.subject(0), "answer", 1)
    log.append(db, form, "a", drafts.subject(0), "", True, kind=EventKind.POSTPONE)
    assert consensus.label_counts(db, load_form) == ()


def test_a_third_person_may_rule_and_a_rater_of_the_subject_not(db, drafts, form):
    for at in (0, 1):
        for rater, value in (("a", 4), ("b", 2)):
            score(db, form, rater, drafts.subject(at), value)
    log.append(db, form, "c", drafts.subject(1), "answer", 0)
    allowed = {}
    for rater in ("a", "c", "d"):
        (one,) = consensus.label_counts(db, load_form, rater)
        assert one.conflicts == 2
        allowed[rater] = one.to_rule
    assert allowed == {"a": 0, "c": 1, "d": 2}

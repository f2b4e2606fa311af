"""Conflicts with their places, and how much of them there is by form."""

from __future__ import annotations

import pytest
from labelling_workspaces import CELLS, assignments, corrected, make_drafts, register, score

from store.datasets import datasets
from store.errors import Conflict, NotFound
from store.labels import consensus
from store.labels.consensus import LabelCount
from store.labels.log import log
from store.labels.log.events import EventKind, Subject
from store.labels.samples import samples
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
    (one,) = consensus.label_counts(db)
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
    assert consensus.label_counts(db) == ()
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
    assert consensus.label_counts(db) == ()


def test_a_third_person_may_rule_and_a_rater_of_the_subject_not(db, drafts, form):
    for at in (0, 1):
        for rater, value in (("a", 4), ("b", 2)):
            score(db, form, rater, drafts.subject(at), value)
    log.append(db, form, "c", drafts.subject(1), "answer", 0)
    allowed = {}
    for rater in ("a", "c", "d"):
        (one,) = consensus.label_counts(db, rater)
        assert one.conflicts == 2
        allowed[rater] = one.to_rule
    assert allowed == {"a": 0, "c": 1, "d": 2}


def test_where_a_sample_names_adjudicators_only_they_rule(db, drafts, form):
    sample = samples.create(db, "s", "inspection", "revision", {}, [])
    samples.add(db, sample, assignments(drafts)[:1])
    samples.set_adjudicators(db, sample, ["chen", "a"])
    for at in (0, 1):
        for rater, value in (("a", 4), ("b", 2)):
            score(db, form, rater, drafts.subject(at), value)
    allowed = {}
    for rater in ("zoe", "chen", "a"):
        allowed[rater] = {one.subject for one in consensus.to_rule(db, form.form, rater)}
    assert allowed == {
        "zoe": {drafts.subject(1)},
        "chen": {drafts.subject(0), drafts.subject(1)},
        "a": set(),
    }
    for allow_own in (False, True):
        with pytest.raises(Conflict, match="zoe is no adjudicator"):
            consensus.adjudicate(
                db, form, "zoe", drafts.subject(0), "score", 4, allow_own=allow_own
            )
    with pytest.raises(Conflict, match="a has labelled"):
        consensus.adjudicate(db, form, "a", drafts.subject(0), "score", 4)
    consensus.adjudicate(db, form, "chen", drafts.subject(0), "score", 4)
    before = consensus.signature(db)
    samples.set_adjudicators(db, sample, [])
    assert consensus.signature(db) != before, "others are told of it"
    assert [one.subject for one in consensus.to_rule(db, form.form, "zoe")] == [drafts.subject(1)]


def test_a_ruling_keeps_its_reason_and_a_conflict_hides_names(db, drafts, form):
    subject = drafts.subject(0)
    for rater, value in (("li", 4), ("wang", 2)):
        score(db, form, rater, subject, value)
    (conflict,) = consensus.conflicts(db, form.form)
    assert [(one.rater, one.value) for one in conflict.without_names().raters] == [
        ("rater 1", 4),
        ("rater 2", 2),
    ]
    seq = consensus.adjudicate(db, form, "chen", subject, "score", 4, reason="  the unit is given ")
    (ruled,) = consensus.settled(db, form.form)
    assert (ruled.adjudicator, ruled.reason) == ("chen", "the unit is given")
    assert consensus.reasons(db) == {seq: "the unit is given"}
    log.undo(db, "chen", "inspection")
    (open_again,) = consensus.settled(db, form.form)
    assert (open_again.source, open_again.reason) == ("conflict", "")


def test_nobody_rules_on_what_still_waits_for_their_own_label(db, drafts, form):
    sample = samples.create(db, "s", "inspection", "revision", {}, ["a", "b", "eva"])
    samples.add(db, sample, assignments(drafts, raters_wanted=3)[:1])
    for rater, value in (("a", 4), ("b", 2)):
        score(db, form, rater, drafts.subject(0), value)
    assert consensus.to_rule(db, form.form, "eva") == [], "she would label it knowing the others"
    assert len(consensus.to_rule(db, form.form, "chen")) == 1
    samples.set_adjudicators(db, sample, ["eva"])
    assert len(consensus.to_rule(db, form.form, "eva")) == 1, "who is named, rules"

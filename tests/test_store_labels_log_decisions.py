"""Items follow what people decide: by score, correction, acceptance, ruling and undo."""

from __future__ import annotations

import sqlite3

import pytest
from labelling_workspaces import (
    assignments,
    corrected,
    make_drafts,
    register,
    score,
    standing,
)

from store.datasets import datasets
from store.errors import Conflict, InputError, NotFound
from store.labels import consensus
from store.labels.log import log
from store.labels.log.events import EventKind, Subject
from store.labels.samples import samples
from store.records import ItemState
from store.verify import verify
from store.workspace import Workspace


@pytest.fixture
def db(workspace: Workspace):
    with workspace.write(durable=True) as db:
        yield db
    assert [check for check in verify(workspace.db).checks if not check.ok] == []


@pytest.fixture
def drafts(db: sqlite3.Connection):
    return make_drafts(db)


@pytest.fixture
def form(db: sqlite3.Connection):
    return register(db)


def propose(db, drafts, at, rater):
    return datasets.revise(
        db, drafts.items[at], drafts.revisions[at], corrected(at), author=rater, reason="a"
    )


def correct(db, form, drafts, at, rater):
    """Scores 3 and proposes a correction; returns its revision."""
    score(db, form, rater, drafts.subject(at), 3)
    revision = propose(db, drafts, at, rater)
    log.append(db, form, rater, drafts.subject(at), "correction", revision)
    return revision


def accept(db, form, drafts, at, rater, revision):
    subject = drafts.subject(at)
    return log.append(db, form, rater, subject, "correction", revision, kind=EventKind.ACCEPT)


@pytest.mark.parametrize(
    ("value", "state"),
    [
        (1, "discarded"),
        (2, "discarded"),
        (3, "needs_correction"),
        (4, "accepted"),
        (5, "accepted"),
    ],
)
def test_a_score_decides_and_its_undo_restores(db, drafts, form, value, state):
    score(db, form, "王芳", drafts.subject(0), value)
    assert standing(db, drafts.items[0]) == (state, drafts.revisions[0])
    log.undo(db, "王芳", "inspection")
    assert standing(db, drafts.items[0]) == ("drafted", drafts.revisions[0])
    log.redo(db, "王芳", "inspection")
    assert standing(db, drafts.items[0]) == (state, drafts.revisions[0])


def test_a_changed_mind_decides_anew(db, drafts, form):
    for value, state in ((4, "accepted"), (2, "discarded"), (3, "needs_correction")):
        score(db, form, "a", drafts.subject(0), value)
        assert standing(db, drafts.items[0])[0] == state
    log.append(db, form, "a", drafts.subject(0), "score", None, kind=EventKind.CLEAR)
    assert standing(db, drafts.items[0])[0] == "drafted"


def test_a_correction_is_a_proposal_until_it_is_accepted(db, drafts, form):
    revision = correct(db, form, drafts, 0, "a")
    assert standing(db, drafts.items[0]) == ("corrected", drafts.revisions[0])
    accept(db, form, drafts, 0, "a", revision)
    assert standing(db, drafts.items[0]) == ("accepted", revision)
    steps = []
    while log.undo(db, "a", "inspection"):
        steps.append(standing(db, drafts.items[0]))
    shown = drafts.revisions[0]
    assert steps == [("corrected", shown), ("needs_correction", shown), ("drafted", shown)]


def test_a_correction_must_be_written_on_what_was_shown(db, drafts, form):
    score(db, form, "a", drafts.subject(0), 3)
    with pytest.raises(InputError, match="no correction of revision"):
        log.append(db, form, "a", drafts.subject(0), "correction", drafts.revisions[1])


def test_a_correction_of_somebody_else_cannot_be_accepted_as_ones_own(db, drafts, form):
    revision = correct(db, form, drafts, 0, "a")
    score(db, form, "b", drafts.subject(0), 3)
    with pytest.raises(Conflict, match="not your correction"):
        accept(db, form, drafts, 0, "b", revision)


def test_a_correction_on_a_text_that_was_replaced_is_refused(db, drafts, form):
    accept(db, form, drafts, 0, "a", correct(db, form, drafts, 0, "a"))
    with pytest.raises(Conflict, match="changed by somebody else"):
        propose(db, drafts, 0, "b")


def test_a_score_of_a_text_that_a_program_replaced_is_refused(db, drafts, form):
    other = propose(db, drafts, 0, "evolve")
    datasets.move_head(db, drafts.items[0], drafts.revisions[0], other)
    with pytest.raises(Conflict, match="Look at it again"):
        score(db, form, "a", drafts.subject(0), 4)


def test_undoing_leaves_a_text_that_a_program_wrote_since(db, drafts, form):
    score(db, form, "a", drafts.subject(0), 4)
    other = propose(db, drafts, 0, "evolve")
    datasets.move_head(db, drafts.items[0], drafts.revisions[0], other)
    log.undo(db, "a", "inspection")
    assert standing(db, drafts.items[0]) == ("accepted", other)


def test_a_judgement_of_the_new_text_stands_when_the_old_one_is_undone(db, drafts, form):
    revision = correct(db, form, drafts, 0, "a")
    accept(db, form, drafts, 0, "a", revision)
    score(db, form, "b", Subject("revision", str(revision)), 1)
    assert standing(db, drafts.items[0]) == ("discarded", revision)
    log.undo(db, "a", "inspection")
    assert standing(db, drafts.items[0]) == ("discarded", revision)
    log.undo(db, "b", "inspection")
    assert standing(db, drafts.items[0]) == ("accepted", revision)


def test_after_a_release_an_undo_affects_only_the_next(db, drafts, form):
    for at in (0, 1):
        score(db, form, "a", drafts.subject(at), 5)
    first = datasets.release(db, drafts.dataset)
    log.undo(db, "a", "inspection")
    second = datasets.release(db, drafts.dataset)
    kept = [
        [item.item_id for item in datasets.released_items(db, release.id)]
        for release in (first, second)
    ]
    assert kept == [list(drafts.items[:2]), list(drafts.items[:1])]


def test_a_first_opinion_holds_and_a_second_is_a_conflict(db, drafts, form):
    score(db, form, "a", drafts.subject(0), 5)
    score(db, form, "b", drafts.subject(0), 1)
    assert standing(db, drafts.items[0])[0] == "accepted"
    score(db, form, "a", drafts.subject(0), 4)
    assert standing(db, drafts.items[0])[0] == "accepted"
    log.append(db, form, "a", drafts.subject(0), "score", None, kind=EventKind.CLEAR)
    assert standing(db, drafts.items[0])[0] == "discarded"


@pytest.fixture
def pairwise(db, drafts):
    """Every item is to be judged by two raters."""
    sample = samples.create(db, "two", "inspection", "revision", {})
    samples.add(db, sample, assignments(drafts, raters_wanted=2))


@pytest.mark.usefixtures("pairwise")
class TestTwoRaters:
    def test_an_item_waits_for_both(self, db, drafts, form):
        score(db, form, "a", drafts.subject(0), 5)
        assert standing(db, drafts.items[0])[0] == "drafted"
        score(db, form, "b", drafts.subject(0), 4)
        assert standing(db, drafts.items[0])[0] == "accepted"
        log.undo(db, "a", "inspection")
        assert standing(db, drafts.items[0])[0] == "drafted"

    def test_a_disagreement_waits_for_a_third_person(self, db, drafts, form):
        score(db, form, "a", drafts.subject(0), 5)
        score(db, form, "b", drafts.subject(0), 1)
        assert standing(db, drafts.items[0])[0] == "drafted"
        with pytest.raises(Conflict, match="third person"):
            consensus.adjudicate(db, form, "b", drafts.subject(0), "score", 2)
        consensus.adjudicate(db, form, "c", drafts.subject(0), "score", 2)
        assert standing(db, drafts.items[0])[0] == "discarded"
        log.undo(db, "c", "inspection")
        assert standing(db, drafts.items[0])[0] == "drafted"

    def test_each_corrects_blind_and_a_ruling_chooses(self, db, drafts, form):
        mine = correct(db, form, drafts, 0, "a")
        yours = correct(db, form, drafts, 0, "b")
        assert standing(db, drafts.items[0]) == ("corrected", drafts.revisions[0])
        consensus.adjudicate(db, form, "c", drafts.subject(0), "correction", yours)
        assert standing(db, drafts.items[0]) == ("accepted", yours)
        consensus.adjudicate(db, form, "c", drafts.subject(0), "correction", mine)
        assert standing(db, drafts.items[0]) == ("accepted", mine)
        log.undo(db, "c", "inspection")
        assert standing(db, drafts.items[0]) == ("accepted", yours)

    def test_how_many_decide_is_fixed_when_the_first_does(self, db, drafts, form):
        score(db, form, "a", drafts.subject(0), 5)
        more = samples.create(db, "three", "inspection", "revision", {})
        samples.add(db, more, assignments(drafts, raters_wanted=3))
        score(db, form, "b", drafts.subject(0), 5)
        assert standing(db, drafts.items[0])[0] == "accepted"


def test_people_go_before_an_automatic_acceptance(db, form):
    drafts = make_drafts(db, state=ItemState.ACCEPTED)
    score(db, form, "a", drafts.subject(0), 1)
    assert standing(db, drafts.items[0])[0] == "discarded"
    log.undo(db, "a", "inspection")
    assert standing(db, drafts.items[0])[0] == "accepted"


def test_imported_scores_and_hidden_repeats_decide_nothing(db, drafts, form):
    subject = drafts.subject(0)
    log.append(db, form, "a", subject, "score", 1, kind=EventKind.IMPORT, origin="import")
    log.append(db, form, "a", Subject("revision", f"{subject.id}#1"), "score", 1)
    assert standing(db, drafts.items[0])[0] == "drafted"


def test_a_revision_is_judged_by_one_form(db, drafts, form):
    score(db, form, "a", drafts.subject(0), 5)
    with pytest.raises(Conflict, match="decided by form 'inspection'"):
        log.append(db, register(db, "reasonable"), "a", drafts.subject(0), "verdict", "refine")


def test_a_revision_that_does_not_exist_is_not_found(db, form):
    with pytest.raises(NotFound, match="revision with number 99"):
        score(db, form, "a", Subject("revision", "99"), 4)


def test_an_import_decides_nothing_and_takes_the_place_of_what_its_rater_decided(db, drafts, form):
    samples.add(
        db,
        samples.create(db, "s", "inspection", "revision", {}),
        assignments(drafts, raters_wanted=1),
    )

    def bring_in(at, rater):
        log.append(
            db, form, rater, drafts.subject(at), "score", 4, kind=EventKind.IMPORT, origin="import"
        )

    bring_in(0, "b")
    assert standing(db, drafts.items[0])[0] == "drafted"
    score(db, form, "b", drafts.subject(1), 1)
    score(db, form, "a", drafts.subject(1), 3)
    assert standing(db, drafts.items[1])[0] == "discarded"
    bring_in(1, "b")
    assert standing(db, drafts.items[1])[0] == "needs_correction"

"""What waits for one rater is what the queue then gives them, whatever others have done."""

from __future__ import annotations

import random
import sqlite3

import pytest
from labelling_workspaces import assignments, make_drafts, register, score

from engine.labelling.drawing.sampling import with_repeats
from store.labels.log import log
from store.labels.log.events import EventKind, Subject
from store.labels.samples import queue, samples
from store.labels.samples.queue import Filter, SampleWaiting
from store.workspace import Workspace

FORM = "inspection"


@pytest.fixture
def db(workspace: Workspace):
    with workspace.write() as db:
        yield db


@pytest.fixture
def drafts(db):
    return make_drafts(db, 24)


@pytest.fixture
def form(db):
    return register(db)


def draw(db, drafts, places, name="s", *, raters_wanted=2, share=0.0, raters=()):
    chosen = [assignments(drafts)[at].candidate for at in places]
    sample = samples.create(db, name, FORM, "revision", {}, raters)
    samples.add(db, sample, with_repeats(chosen, raters_wanted, share, seed=1))
    return sample


def given(db: sqlite3.Connection, form, rater: str, sample: str | None = None) -> int:
    """How many subjects the queue gives a rater who completes each; all is as before afterwards."""
    db.execute("SAVEPOINT given")
    count = 0
    while found := queue.next_subject(db, FORM, rater, filter=Filter(sample=sample)):
        score(db, form, rater, found.subject, 4)
        count += 1
    db.execute("ROLLBACK TO given")
    db.execute("RELEASE given")
    return count


def agree(db, form, rater: str) -> list[SampleWaiting]:
    """Counts of a rater, after it is shown that they are what the queue gives."""
    found = queue.by_sample(db, FORM, rater)
    for one in found:
        assert one.waiting == given(db, form, rater, one.sample), (rater, one)
    assert queue.whole_queue(db, FORM, rater) == given(db, form, rater), rater
    return found


def test_two_raters_a_subject_and_hidden_repeats(db, drafts, form):
    draw(db, drafts, range(8), share=0.5)
    (mine,) = agree(db, form, "a")
    assert mine == SampleWaiting("s", "revision", 12, 0)
    for at in (0, 1, 2):
        score(db, form, "a", drafts.subject(at), 4)
    for at in (1, 2, 3):
        score(db, form, "b", drafts.subject(at), 4)
    (mine,) = agree(db, form, "a")
    assert (mine.waiting, mine.done) == (9, 3)
    (third,) = agree(db, form, "c")
    full = {drafts.subject(1).id, drafts.subject(2).id}
    repeated = {name for _, name in samples.subjects(db, samples.get(db, "s")) if name}
    assert third.waiting == 12 - len(full) - len(full & repeated)


def test_what_another_has_a_lease_on_waits_for_nobody_else(db, drafts, form):
    draw(db, drafts, range(4), raters_wanted=1)
    held = queue.next_subject(db, FORM, "b")
    assert held is not None
    assert agree(db, form, "a")[0].waiting == 3
    assert agree(db, form, "b")[0].waiting == 4, "one's own lease keeps nothing from oneself"
    assert queue.others_at_work(db, "b") == ()
    ((*what, until),) = queue.others_at_work(db, "a")
    assert what == [FORM, held.subject.id, "b"]
    assert until > 0
    queue.lease(db, FORM, held.subject, "b", seconds=-1)
    assert agree(db, form, "a")[0].waiting == 4
    assert queue.others_at_work(db, "a") == ()


def test_nothing_waits_in_samples_that_are_finished_closed_or_for_others(db, drafts, form):
    draw(db, drafts, range(3), "full", raters_wanted=1)
    for at in range(3):
        score(db, form, "b", drafts.subject(at), 4)
    closed = draw(db, drafts, range(3, 6), "closed")
    samples.close(db, closed)
    draw(db, drafts, range(6, 9), "named", raters=("王芳", "b"))
    assert agree(db, form, "a") == [SampleWaiting("full", "revision", 0, 0)]
    assert [(one.sample, one.waiting) for one in agree(db, form, "王芳")] == [
        ("full", 0),
        ("named", 3),
    ]
    assert agree(db, form, "b")[0].done == 3


def test_a_repeat_is_not_given_where_the_first_was_excluded_or_is_full(db, drafts, form):
    draw(db, drafts, range(2), raters_wanted=1, share=1.0)
    log.append(db, form, "a", drafts.subject(0), "", "broken", kind=EventKind.EXCLUDE)
    score(db, form, "b", drafts.subject(1), 4)
    assert agree(db, form, "a") == [SampleWaiting("s", "revision", 0, 1)]
    assert agree(db, form, "b") == [SampleWaiting("s", "revision", 1, 1)]


def test_a_subject_of_two_samples_is_given_once(db, drafts, form):
    draw(db, drafts, range(6), "one", raters_wanted=1, share=0.5)
    draw(db, drafts, range(3, 9), "two", raters_wanted=2, share=0.5)
    score(db, form, "b", drafts.subject(4), 4)
    agree(db, form, "a")
    apart = sum(one.waiting for one in queue.by_sample(db, FORM, "a"))
    assert queue.whole_queue(db, FORM, "a") < apart


@pytest.mark.parametrize("seed", range(12))
def test_whatever_raters_do_the_count_is_what_is_given(db, drafts, form, seed):
    random_ = random.Random(seed)
    for number, name in enumerate(("x", "y", "z")):
        draw(
            db,
            drafts,
            random_.sample(range(24), 10),
            name,
            raters_wanted=random_.choice((1, 2, 3)),
            share=random_.choice((0.0, 0.3, 1.0)),
            raters=("a", "b", "c") if number == 1 else (),
        )
    for _ in range(60):
        rater = random_.choice("abcd")
        found = queue.next_subject(db, FORM, rater)
        if found is None:
            continue
        act = random_.random()
        if act < 0.1:
            log.append(db, form, rater, found.subject, "", True, kind=EventKind.POSTPONE)
        elif act < 0.2:
            log.append(db, form, rater, found.subject, "", "broken", kind=EventKind.EXCLUDE)
        elif act < 0.3:
            log.append(db, form, rater, found.subject, "answer", 0)
        elif act < 0.4:
            log.undo(db, rater, FORM)
        elif act < 0.9:
            score(db, form, rater, found.subject, random_.choice((1, 2, 4, 5)))
        elif act < 0.95:
            gone = Subject("revision", found.subject.id)
            queue.lease(db, FORM, gone, rater, seconds=-1)
    for rater in "abcde":
        agree(db, form, rater)

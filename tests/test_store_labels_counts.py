"""What is counted of labels in their own transaction is what counting anew gives."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from labelling_workspaces import assignments, corrected, make_drafts, register, score

from engine.labelling.drawing.sampling import with_repeats
from store.datasets import datasets
from store.errors import RagdeskError
from store.labels import consensus
from store.labels.log import acts, log
from store.labels.log.events import EventKind
from store.labels.replay import problems
from store.labels.samples import queue, samples
from store.labels.samples.queue import Filter
from store.workspace import Workspace

FORM = "inspection"
RATERS = ("王芳", 'o"neil', "b\\")


class Walk:
    """People who label, correct, undo, put off, leave out and rule at random."""

    def __init__(self, db, seed: int) -> None:
        self.db = db
        self.random = random.Random(seed)
        self.drafts = make_drafts(db, 16)
        self.form = register(db)

    def draw(self, name: str, places: range, share: float = 0.0) -> None:
        chosen = [assignments(self.drafts)[at].candidate for at in places]
        sample = samples.create(self.db, name, FORM, "revision", {})
        samples.add(self.db, sample, with_repeats(chosen, 2, share, seed=1))

    def step(self) -> None:
        rater = self.random.choice(RATERS)
        steps = (self.score, self.score, self.put_off, self.undo, self.rule, self.act)
        do = self.random.choice(steps)
        with suppress(RagdeskError):  # what may not be done changes nothing
            do(rater)

    def score(self, rater: str) -> None:
        found = queue.next_subject(self.db, FORM, rater)
        if found is not None:
            score(self.db, self.form, rater, found.subject, self.random.choice((1, 4)))

    def put_off(self, rater: str) -> None:
        subject = self.drafts.subject(self.random.randrange(16))
        kind, value = self.random.choice(
            ((EventKind.POSTPONE, True), (EventKind.EXCLUDE, "other"), (EventKind.COMMENT, "?"))
        )
        log.append(self.db, self.form, rater, subject, "", value, kind=kind)

    def undo(self, rater: str) -> None:
        self.random.choice((log.undo, log.redo))(self.db, rater, FORM)

    def act(self, rater: str) -> None:
        """Flags two at once, takes the last act back, or puts into a sample and out of it."""
        places = self.random.sample(range(16), 2)
        act = acts.begin(self.db, rater, FORM, "walk", {})
        match self.random.randrange(3):
            case 0:
                subjects = [self.drafts.subject(at) for at in places]
                written = [
                    log.append(self.db, self.form, rater, one, "", True, kind=EventKind.FLAG)
                    for one in subjects
                ]
                acts.hold_events(self.db, act, (one.seq for one in written))
            case 1:
                sample = samples.listing(self.db)[0]
                there = {subject for subject, _ in samples.subjects(self.db, sample)}
                fresh = [
                    one
                    for one in (assignments(self.drafts)[at] for at in places)
                    if one.candidate.subject not in there
                ]
                samples.add(self.db, sample, fresh)
                names = [one.candidate.subject for one in fresh]
                acts.hold_assignments(self.db, act, sample.id, names)
            case _:
                if (last := acts.latest(self.db, rater)) is not None:
                    log.undo_act(self.db, last)
                    acts.take_out(self.db, last)

    def rule(self, rater: str) -> None:
        found = consensus.conflicts(self.db, self.form.form)
        if found:
            one = self.random.choice(found)
            consensus.adjudicate(
                self.db, self.form, "判", one.subject, one.field, self.random.choice((1, 4))
            )


@pytest.fixture
def db(workspace: Workspace):
    with workspace.write() as db:
        yield db


@pytest.mark.parametrize("seed", range(3))
def test_counts_and_conflicts_follow_whatever_people_do(db, seed: int) -> None:
    walk = Walk(db, seed)
    walk.draw("first", range(10), share=0.5)
    seen = set()
    for turn in range(120):
        if turn == 60:
            walk.draw("second", range(6, 16))
        walk.step()
        seen.add(len(consensus.conflicts(db, walk.form.form)))
        if turn % 5 == 0:
            assert list(problems(db)) == [], turn
            for rater in RATERS:
                every = queue.upcoming(db, FORM, rater, limit=99)
                for limit in (1, 4):
                    assert queue.upcoming(db, FORM, rater, limit=limit) == every[:limit]
                chosen = Filter(sample="first", topic="rates")
                every = queue.upcoming(db, FORM, rater, limit=99, filter=chosen)
                assert queue.upcoming(db, FORM, rater, limit=2, filter=chosen) == every[:2]
    assert len(seen) > 2, "conflicts came and went"


def test_equal_corrections_are_no_conflict_and_other_ones_are(db) -> None:
    drafts, form = make_drafts(db), register(db)
    item, first = drafts.items[0], drafts.revisions[0]
    for number, (rater, at) in enumerate((("a", 0), ("b", 0), ("c", 1)), 2):
        proposed = datasets.put_revision(
            db, item, number, first, corrected(at), author=rater, reason="r"
        )
        score(db, form, rater, drafts.subject(0), 3)
        log.append(db, form, rater, drafts.subject(0), "correction", proposed)
        assert list(problems(db)) == []
        assert bool(consensus.conflicts(db, form.form)) is (rater == "c")


def test_a_tampered_count_is_found(db) -> None:
    walk = Walk(db, 0)
    walk.draw("s", range(8))
    score(db, walk.form, "a", walk.drafts.subject(0), 4)
    for damage, found in (
        ("UPDATE label_subject SET done_by = '[]'", "raters counted of revision 1 (inspection)"),
        (
            "UPDATE assignment SET done_by = '[\"z\"]' WHERE ordinal = 3",
            "assignments with other raters",
        ),
        (
            "UPDATE assignment_tally SET subjects = 9 WHERE task = 'extractive'",
            "tallies of samples",
        ),
        ("UPDATE label_tally SET subjects = 7", "tallies of forms"),
        ("INSERT INTO label_conflict VALUES ('inspection', 'revision', '1', 'score')", "conflict"),
    ):
        db.execute("SAVEPOINT damage")
        db.execute(damage)
        assert any(found in one for one in problems(db)), damage
        db.execute("ROLLBACK TO damage")
    assert list(problems(db)) == []

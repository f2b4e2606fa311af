"""The queue: who is given what, in which order, and what counts towards the targets."""

from __future__ import annotations

import sqlite3
import time

import pytest
from labelling_workspaces import CELLS, assignments, corrected, make_drafts, register, score

from engine.labelling.drawing.sampling import with_repeats
from store.datasets import datasets
from store.labels.log import drafts as drafts_module
from store.labels.log import log, reading
from store.labels.log.events import EventKind, Subject
from store.labels.samples import progress, queue, samples
from store.labels.samples.progress import CellLabels
from store.labels.samples.queue import Filter
from store.labels.samples.samples import Assignment
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


def sample_of(db: sqlite3.Connection, rows: list[Assignment], name: str = "s", raters=()):
    sample = samples.create(db, name, "inspection", "revision", {}, raters)
    samples.add(db, sample, rows)
    return sample


def holders(db: sqlite3.Connection, subject: Subject) -> list[str]:
    leases = queue.others_at_work(db, "nobody")
    return [rater for form, name, rater, _ in leases if (form, name) == ("inspection", subject.id)]


def serve(db, rater: str, **options) -> Subject | None:
    found = queue.next_subject(db, "inspection", rater, **options)
    return found.subject if found else None


def order(db, rater: str, **options) -> list[str]:
    found = queue.upcoming(db, "inspection", rater, limit=99, **options)
    return [one.subject.id for one in found]


def test_cells_are_filled_evenly(db, drafts, form):
    sample_of(db, assignments(drafts))
    cells = []
    while found := queue.next_subject(db, "inspection", "a"):
        score(db, form, "a", found.subject, 4)
        cells.append((found.topic, found.task))
    assert len(cells) == 8
    assert sorted(cells[:4]) == sorted(cells[4:]) == sorted(CELLS)


@pytest.mark.parametrize("raters_wanted", [1, 2])
def test_what_is_foreseen_is_what_is_given(db, drafts, form, raters_wanted):
    sample_of(db, assignments(drafts, raters_wanted=raters_wanted))
    score(db, form, "b", drafts.subject(1), 4)
    foreseen = order(db, "a")
    assert foreseen == order(db, "a")
    given = []
    while subject := serve(db, "a"):
        score(db, form, "a", subject, 4)
        given.append(subject.id)
    assert given == foreseen


def test_one_rater_a_subject_is_leased_to_one(db, drafts, form):
    sample_of(db, assignments(drafts))
    given = [serve(db, rater) for rater in "abcdefgh"]
    assert len(set(given)) == 8
    assert serve(db, "i") is None
    queue.release(db, "inspection", "c")
    assert serve(db, "i") == given[2]


def test_a_lease_ends(db, drafts, form):
    sample_of(db, assignments(drafts))
    first = serve(db, "a")
    queue.lease(db, "inspection", first, "a", seconds=-1)
    assert serve(db, "b") == first
    assert holders(db, first) == ["b"]


def test_so_many_raters_as_wanted_are_given_a_subject(db, drafts, form):
    sample_of(db, assignments(drafts, raters_wanted=2)[:1])
    subject = drafts.subject(0)
    assert [serve(db, rater) for rater in "abc"] == [subject, subject, None]
    score(db, form, "a", subject, 4)
    # a rater who is done and still holds the lease counts once
    assert [serve(db, rater) for rater in "abc"] == [None, subject, None]
    score(db, form, "b", subject, 4)
    log.undo(db, "a", "inspection")
    assert [serve(db, rater) for rater in "cab"] == [subject, None, None]


def test_what_others_have_begun_is_finished_first(db, drafts, form):
    sample_of(db, assignments(drafts, raters_wanted=3))
    for rater, at in (("a", 6), ("a", 3), ("a", 0), ("c", 3)):
        score(db, form, rater, drafts.subject(at), 4)
    begun = [drafts.subject(at).id for at in (0, 3, 6)]
    assert sorted(order(db, "b")[:3]) == begun
    assert order(db, "b") == [serve_and_score(db, form, "b") for _ in range(8)]
    counts = samples.label_counts(db, samples.get(db, "s"))
    assert counts == {1: 5, 2: 2, 3: 1}


def test_two_raters_overlap_though_they_come_one_after_the_other(db, drafts, form):
    sample = sample_of(db, assignments(drafts, raters_wanted=2))
    for rater in "ab":
        for _ in range(4):
            serve_and_score(db, form, rater)
    assert samples.label_counts(db, sample) == {0: 4, 2: 4}
    queue.release(db, "inspection", "b")
    assert samples.label_counts(db, sample) == {0: 4, 2: 4}


def serve_and_score(db, form, rater: str) -> str:
    subject = serve(db, rater)
    assert subject is not None
    score(db, form, rater, subject, 4)
    return subject.id


def test_a_lease_taken_while_a_clock_was_ahead_holds_nobody_back(db, drafts, form, monkeypatch):
    sample_of(db, assignments(drafts)[:1])
    year = 365 * 86_400.0
    with monkeypatch.context() as ahead:
        ahead.setattr(queue, "now_seconds", lambda: time.time() + year)
        subject = serve(db, "a")
        assert holders(db, subject) == ["a"]
    assert holders(db, subject) == []
    assert serve(db, "b") == subject
    assert holders(db, subject) == ["b"]


def test_a_clock_that_is_ahead_ends_no_lease_of_others(db, drafts, form, monkeypatch):
    sample_of(db, assignments(drafts))
    subject = serve(db, "a")
    with monkeypatch.context() as ahead:
        ahead.setattr(queue, "now_seconds", lambda: time.time() + 365 * 86_400.0)
        serve(db, "b")
    assert holders(db, subject) == ["a"]
    assert queue.last_leased(db, "inspection", "a") == subject


def test_what_a_rater_was_at_last_follows_their_keys_and_not_the_clock(
    db, drafts, form, monkeypatch
):
    sample_of(db, assignments(drafts))
    first, second = drafts.subject(0), drafts.subject(1)
    with monkeypatch.context() as ahead:
        ahead.setattr(queue, "now_seconds", lambda: time.time() + 86_400.0)
        queue.lease(db, "six_questions", first, "a")
        ahead.setattr(drafts_module, "now_text", lambda: "2099-01-01T00:00:00.000Z")
        drafts_module.save(db, "a", "inspection", first, "comment", "half")
    queue.lease(db, "inspection", second, "a")
    assert queue.last_form(db, "a") == "inspection"
    assert drafts_module.latest(db, "a", "inspection") == first
    drafts_module.save(db, "a", "inspection", second, "comment", "half")
    assert drafts_module.latest(db, "a", "inspection") == second
    drafts_module.save(db, "a", "inspection", first, "comment", "half more")
    assert drafts_module.latest(db, "a", "inspection") == first
    score(db, form, "a", second, 4)
    assert drafts_module.latest(db, "a", "inspection") is None


def test_what_is_begun_comes_first_and_what_is_postponed_last(db, drafts, form):
    sample_of(db, assignments(drafts))
    before = order(db, "a")
    begun, later, latest = before[-1], before[1], before[0]
    log.append(db, form, "a", Subject("revision", begun), "answer", 0)
    for subject in (later, latest):
        log.append(db, form, "a", Subject("revision", subject), "", True, kind=EventKind.POSTPONE)
    found = order(db, "a")
    assert found[0] == begun
    assert found[-2:] == [later, latest]
    log.undo(db, "a", "inspection")
    assert order(db, "a")[-1] == later
    assert order(db, "b")[:2] == before[:2]


def test_an_excluded_subject_is_done_for_its_rater(db, drafts, form):
    sample_of(db, assignments(drafts, raters_wanted=2)[:1])
    log.append(db, form, "a", drafts.subject(0), "", "broken", kind=EventKind.EXCLUDE)
    assert (order(db, "a"), len(order(db, "b"))) == ([], 1)


def test_raters_who_are_not_named_get_nothing(db, drafts, form):
    sample = sample_of(db, assignments(drafts), raters=("王芳",))
    assert (len(order(db, "王芳")), order(db, "b")) == (8, [])
    samples.assign(db, sample, [])
    assert len(order(db, "b")) == 8
    samples.close(db, sample)
    assert order(db, "b") == []


def test_a_filter_narrows_the_queue(db, drafts, form):
    sample_of(db, assignments(drafts)[:4], "one")
    sample_of(db, assignments(drafts)[4:], "two")
    topic, task = CELLS[0]
    assert order(db, "a", filter=Filter(topic=topic, task=task)) == [
        drafts.subject(0).id,
        drafts.subject(4).id,
    ]
    assert set(order(db, "a", filter=Filter(sample="two"))) == {
        drafts.subject(at).id for at in (4, 5, 6, 7)
    }
    log.append(db, form, "a", drafts.subject(0), "answer", 0)
    assert len(order(db, "a", filter=Filter(untouched_only=True))) == 7


def test_a_hidden_repeat_comes_when_enough_lies_between(db, drafts, form):
    drawn = [one.candidate for one in assignments(drafts)]
    sample_of(db, with_repeats(drawn, 1, 0.5, seed=3))
    served = []
    while found := queue.upcoming(db, "inspection", "a", gap=3):
        subject = found[0].subject
        score(db, form, "a", subject, 4)
        served.append(subject.id)
    repeats = [name for name in served if "#" in name]
    assert len(served) == 12
    assert len(repeats) == 4
    for name in repeats[:-2]:
        first = served.index(name.partition("#")[0])
        assert served.index(name) - first >= 3
    assert served.index(repeats[0]) < 8


def test_a_repeat_is_for_those_who_labelled_the_first(db, drafts, form):
    drawn = [one.candidate for one in assignments(drafts)][:1]
    sample_of(db, with_repeats(drawn, 1, 1.0, seed=0))
    score(db, form, "a", drafts.subject(0), 4)
    assert order(db, "a") == [f"{drafts.subject(0).id}#1"]
    assert order(db, "b") == []


def test_progress_counts_up_to_the_target(db, drafts, form):
    sample_of(db, assignments(drafts, raters_wanted=2))
    for rater in "abc":
        score(db, form, rater, drafts.subject(0), 4)
    score(db, form, "a", drafts.subject(4), 4)
    topic, task = CELLS[0]
    found = {(cell.topic, cell.task): cell for cell in progress.cell_progress(db, "inspection")}
    assert found[topic, task] == CellLabels(topic, task, 2, 4, 3, 0)
    mine = progress.cell_progress(db, "inspection", "a", sample="s")
    assert {(cell.topic, cell.task): cell.by_rater for cell in mine}[topic, task] == 2
    assert [cell.is_full for cell in mine] == [False] * 4


def test_the_days_count_and_the_way_back(db, drafts, form):
    for at in (0, 1, 2):
        score(db, form, "a", drafts.subject(at), 4)
    log.append(db, form, "a", drafts.subject(3), "", True, kind=EventKind.FLAG)
    log.append(db, form, "a", drafts.subject(3), "", "单位不明", kind=EventKind.COMMENT)
    assert progress.done_since(db, "inspection", "a", "2000") == 3
    assert progress.done_since(db, "inspection", "a", "9999") == 0
    assert progress.done_since(db, "inspection", "b", "2000") == 0
    way = [subject for subject, _ in queue.touched(db, "inspection", "a")]
    assert way == [drafts.subject(at) for at in (3, 2, 1, 0)]
    assert queue.listed(db, form.form, "a", "flagged") == [drafts.subject(3)]
    assert reading.comments(db, "inspection", drafts.subject(3)) == {("a", ""): "单位不明"}


def test_time_is_the_median_over_complete_subjects(db, drafts, form):
    assert progress.median_seconds(db, "inspection", "a") is None
    for at, ms in ((0, 3000), (1, 500_000), (2, 7000)):
        log.append(db, form, "a", drafts.subject(at), "answer", 1, active_ms=ms)
        score(db, form, "a", drafts.subject(at), 4)
    log.append(db, form, "a", drafts.subject(3), "answer", 1, active_ms=90_000)
    score(db, form, "b", drafts.subject(4), 4)
    assert progress.median_seconds(db, "inspection", "a") == 8.0


def take(db, rater: str, subject: Subject) -> bool:
    return queue.take(db, "inspection", rater, subject)


def test_a_foreseen_subject_can_be_taken_while_it_is_free(db, drafts, form):
    sample_of(db, assignments(drafts))
    first, second = drafts.subject(0), drafts.subject(1)
    assert take(db, "a", first)
    assert not take(db, "b", first)
    assert take(db, "b", second)
    assert not take(db, "a", second)
    assert holders(db, first) == ["a"], "a refusal changes nothing"
    score(db, form, "a", first, 4)
    assert not take(db, "b", first)
    assert not take(db, "a", first)
    assert take(db, "b", drafts.subject(2))
    assert holders(db, second) == []


def test_taking_follows_the_same_rules_as_the_queue(db, drafts, form):
    sample_of(db, assignments(drafts, raters_wanted=2), raters=("a", "b", "c"))
    subject = drafts.subject(0)
    assert take(db, "a", subject)
    assert take(db, "b", subject)
    assert not take(db, "c", subject)
    assert not take(db, "stranger", drafts.subject(1))
    assert not take(db, "a", Subject("revision", "999"))


def test_listings_are_the_raters_own_and_latest_first(db, drafts, form):
    sample_of(db, assignments(drafts))
    subject = drafts.subject
    for at, value in ((0, 4), (1, 3), (2, 3)):
        score(db, form, "a", subject(at), value)
    log.append(db, form, "a", subject(0), "", True, kind=EventKind.FLAG)
    log.append(db, form, "b", subject(5), "", True, kind=EventKind.FLAG)
    log.append(db, form, "a", subject(3), "", True, kind=EventKind.POSTPONE)
    log.append(db, form, "a", subject(4), "", "broken", kind=EventKind.EXCLUDE)
    log.append(db, form, "a", subject(6), "answer", 0)

    def listed(name, **options):
        found = queue.listed(db, form.form, "a", name, **options)
        return [drafts.revisions.index(int(one.id)) for one in found]

    assert listed("complete") == [2, 1, 0]
    assert listed("flagged") == [0]
    assert listed("postponed") == [3]
    assert listed("excluded") == [4]
    assert listed("partial") == [6]
    assert listed("uncorrected") == [2, 1]
    topic, task = CELLS[2]
    assert listed("complete", topic=topic, task=task) == [2]
    assert listed("complete", limit=1) == [2]


def test_what_was_corrected_is_no_longer_listed_as_lacking(workspace, db, drafts, form):
    sample_of(db, assignments(drafts))
    score(db, form, "a", drafts.subject(0), 3)
    revision = datasets.revise(
        db, drafts.items[0], drafts.revisions[0], corrected(0), author="a", reason="wrong"
    )
    log.append(db, form, "a", drafts.subject(0), "correction", revision)
    assert queue.listed(db, form.form, "a", "uncorrected") == []


def test_a_repeat_can_be_taken_once_its_first_is_complete(db, drafts, form):
    drawn = [one.candidate for one in assignments(drafts)][:1]
    sample_of(db, with_repeats(drawn, 1, 1.0, seed=0))
    first = drafts.subject(0)
    again = Subject("revision", f"{first.id}#1")
    assert not take(db, "a", again)
    score(db, form, "a", first, 4)
    assert take(db, "a", again)
    assert not take(db, "b", again)


@pytest.mark.parametrize("rater", ["王芳", 'O"Neill', "o'k", "a\\b", "1", "null", "[]"])
def test_any_name_is_a_raters_name(db, drafts, form, rater):
    sample_of(db, assignments(drafts, raters_wanted=2), raters=(rater, "b"))
    subject = serve(db, rater)
    assert subject is not None
    score(db, form, rater, subject, 4)
    assert [(one.waiting, one.done) for one in queue.by_sample(db, "inspection", rater)] == [(7, 1)]
    assert take(db, rater, drafts.subject(7))
    assert order(db, f"{rater}?") == []

"""A rater at work: what is committed, what is told, and that others stay hidden."""

from __future__ import annotations

import pytest
from labelling_workspaces import assignments, corrected, make_drafts, standing

from engine.labelling.session import LabelSession
from store.errors import InputError, UsageError
from store.labels.log import reading
from store.labels.log.events import EventKind
from store.labels.samples import samples
from store.workspace import Workspace, open_workspace


@pytest.fixture
def drafts(workspace: Workspace):
    with workspace.write() as db:
        made = make_drafts(db)
        sample = samples.create(db, "s", "inspection", "revision", {})
        samples.add(db, sample, assignments(made))
    return made


def test_the_queue_runs_dry_one_value_at_a_time(workspace: Workspace, drafts):
    session = LabelSession(workspace, "inspection", "王芳")
    foreseen = [one.subject for one in session.upcoming(9)]
    given = []
    while queued := session.next():
        state = session.set(queued.subject, "score", 4, active_ms=900)
        assert state.is_complete
        assert state == session.state(queued.subject)
        assert session.saved == reading.last_seq(workspace.db)
        given.append(queued.subject)
    assert given == foreseen
    assert all(cell.is_full for cell in session.progress())
    assert {standing(workspace.db, item)[0] for item in drafts.items} == {"accepted"}


def test_a_value_tells_what_contradicts_it(workspace: Workspace, drafts):
    session = LabelSession(workspace, "inspection", "a")
    session.set(drafts.subject(0), "answer", 0)
    state = session.set(drafts.subject(0), "score", 5)
    assert [warning.key for warning in state.warnings] == ["good_without_answer"]
    assert session.clear(drafts.subject(0), "score").is_complete is False


def test_a_correction_is_written_proposed_and_accepted(workspace: Workspace, drafts):
    session = LabelSession(workspace, "inspection", "a")
    subject = drafts.subject(0)
    session.set(subject, "score", 3)
    session.save_draft(subject, "correction/turns.0.question", "多少")
    revision = session.propose(subject, corrected(0), "the answer lacked a form", active_ms=20_000)
    assert session.drafts(subject) == {}
    session.accept(subject, revision)
    assert standing(workspace.db, drafts.items[0]) == ("accepted", revision)
    undone = [session.undo(), session.undo(), session.undo(), session.undo()]
    assert [one.event.kind if one else None for one in undone] == [
        EventKind.ACCEPT,
        EventKind.SET,
        EventKind.SET,
        None,
    ]
    assert standing(workspace.db, drafts.items[0]) == ("drafted", drafts.revisions[0])
    while session.redo():
        pass
    assert standing(workspace.db, drafts.items[0]) == ("accepted", revision)


def test_notes_are_kept_and_taken_back(workspace: Workspace, drafts):
    session = LabelSession(workspace, "inspection", "a")
    subject = drafts.subject(0)
    session.comment(subject, "单位不明", "answer")
    session.comment(subject, "whole")
    session.flag(subject)
    session.postpone(subject)
    session.exclude(subject, "broken")
    session.reveal(subject, "author")
    found = {(one.field, one.aspect): one.value for one in session.labels(subject)}
    assert found == {
        ("", "comment"): "whole",
        ("", "exclude"): "broken",
        ("", "flag"): True,
        ("", "postpone"): True,
        ("", "reveal"): "author",
        ("answer", "comment"): "单位不明",
    }
    session.comment(subject, " ")
    session.flag(subject, on=False)
    session.postpone(subject, on=False)
    session.exclude(subject, None)
    assert [one.aspect for one in session.labels(subject)] == ["reveal", "comment"]
    assert len(session.history(subject)) == 10


def test_another_rater_sees_nothing_of_it(workspace: Workspace, drafts):
    mine, yours = (LabelSession(workspace, "inspection", rater) for rater in "ab")
    subject = drafts.subject(0)
    mine.set(subject, "answer", 0)
    mine.comment(subject, "bad")
    mine.save_draft(subject, "correction", "x")
    assert (yours.values(subject), yours.labels(subject), yours.history(subject)) == ({}, [], [])
    assert yours.drafts(subject) == {}
    assert yours.undo() is None


def test_a_draft_outlives_the_program(workspace: Workspace, drafts):
    LabelSession(workspace, "inspection", "a").save_draft(drafts.subject(0), "correction", "半句话")
    with open_workspace(workspace.folder) as again:
        session = LabelSession(again, "inspection", "a")
        assert session.drafts(drafts.subject(0)) == {"correction": "半句话"}
        session.discard_draft(drafts.subject(0), "correction")
        assert session.drafts(drafts.subject(0)) == {}


def test_an_illegal_value_changes_nothing(workspace: Workspace, drafts):
    session = LabelSession(workspace, "inspection", "a")
    session.set(drafts.subject(0), "score", 4)
    with pytest.raises(InputError):
        session.set(drafts.subject(0), "score", 7)
    assert session.values(drafts.subject(0)) == {"score": 4}
    with pytest.raises(UsageError, match="no corrections"):
        LabelSession(workspace, "six_questions", "a").accept(drafts.subject(0), 1)

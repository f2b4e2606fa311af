"""Quotas of raters in a sample, and news that raters have or have not seen."""

from __future__ import annotations

import pytest
from labelling_workspaces import Drafts, assignments, make_drafts

from engine.labelling.session import LabelSession
from store.errors import UsageError
from store.labels import guidelines, news
from store.labels.samples import queue, quotas, samples
from store.labels.samples.samples import Sample
from store.sharing import team
from store.sharing.accounts import account_of
from store.sharing.modes import members_of, share
from store.verify import verify
from store.workspace import Workspace


@pytest.fixture
def drafts(workspace: Workspace) -> Drafts:
    with workspace.write() as db:
        return make_drafts(db, 6)


@pytest.fixture
def sample(workspace: Workspace, drafts: Drafts) -> Sample:
    with workspace.write() as db:
        made = samples.create(db, "pilot", "inspection", "revision", {}, ("wang", "li"))
        samples.add(db, made, assignments(drafts, raters_wanted=2))
        quotas.put(db, made, {"wang": 2})
    return made


def label(workspace: Workspace, rater: str, times: int) -> int:
    """Labels so many subjects, or as many as there are; returns how many."""
    session = LabelSession(workspace, "inspection", rater)
    for done in range(times):
        queued = session.next()
        if queued is None:
            return done
        session.set(queued.subject, "score", 4)
    return times


def waiting(workspace: Workspace, rater: str) -> tuple[int, int]:
    (one,) = queue.by_sample(workspace.db, "inspection", rater)
    return one.waiting, one.done


def test_a_rater_is_given_no_more_than_the_quota(workspace: Workspace, sample: Sample) -> None:
    assert waiting(workspace, "wang") == (2, 0)
    assert waiting(workspace, "li") == (6, 0)
    assert label(workspace, "wang", 5) == 2
    assert waiting(workspace, "wang") == (0, 2)
    assert label(workspace, "li", 9) == 6
    assert verify(workspace.db).ok


def test_a_full_quota_is_told_until_more_is_given(workspace: Workspace, sample: Sample) -> None:
    label(workspace, "wang", 1)
    assert quotas.full(workspace.db, workspace.folder, "wang") == []
    label(workspace, "wang", 1)
    (one,) = quotas.full(workspace.db, workspace.folder, "wang", "inspection")
    assert one.text == "Your quota of 2 in pilot is full; a larger quota gives more."
    assert quotas.full(workspace.db, workspace.folder, "wang", "judge_labels") == []
    assert quotas.full(workspace.db, workspace.folder, "li") == []
    with workspace.write() as db:
        quotas.put(db, sample, {"wang": 3})
    assert quotas.full(workspace.db, workspace.folder, "wang") == []


def test_in_a_shared_workspace_operators_are_named(workspace: Workspace, sample: Sample) -> None:
    label(workspace, "wang", 2)
    owner = account_of(workspace.folder.stat().st_uid)
    share(workspace.folder, members_of(workspace.folder)[1])
    with workspace.write() as db:
        team.set_role(db, "zhao", team.Role.OPERATOR)
    (one,) = quotas.full(workspace.db, workspace.folder, "wang")
    assert one.remedy == f"ask {owner} or zhao for more"


def test_a_label_that_is_undone_makes_room_again(workspace: Workspace, sample: Sample) -> None:
    label(workspace, "wang", 2)
    LabelSession(workspace, "inspection", "wang").undo()
    assert waiting(workspace, "wang") == (1, 1)


def test_what_is_done_of_each_quota_is_told(workspace: Workspace, sample: Sample) -> None:
    label(workspace, "wang", 1)
    li, wang = quotas.progress(workspace.db, sample=sample)
    assert (wang.rater, wang.done, wang.most) == ("wang", 1, 2)
    assert wang.last_at is not None
    assert (li.rater, li.done, li.most, li.last_at) == ("li", 0, None, None)


def test_a_quota_is_a_number_above_0_and_is_replaced(workspace: Workspace, sample: Sample) -> None:
    with pytest.raises(UsageError, match="quota of li is 0"), workspace.write() as db:
        quotas.put(db, sample, {"li": 0})
    with workspace.write() as db:
        quotas.put(db, sample, {"li": 1})
    assert (waiting(workspace, "wang"), waiting(workspace, "li")) == ((6, 0), (1, 0))


def test_a_message_is_new_until_it_was_seen(workspace: Workspace, sample: Sample) -> None:
    with workspace.write() as db:
        news.post(db, "Read the guideline.")
    (told,) = news.unseen(workspace.db, "wang")
    assert (told.what, told.text) == (news.MESSAGE, "Read the guideline.")
    with workspace.write() as db:
        news.mark_seen(db, told.what, told.version, "wang")
    assert news.unseen(workspace.db, "wang") == []
    assert [one.rater for one in news.seen_by(workspace.db, told.what, told.version)] == ["wang"]
    with workspace.write() as db:
        news.post(db, "")
    assert news.unseen(workspace.db, "li") == []


def test_a_guideline_is_new_to_its_raters_until_they_look(
    workspace: Workspace, sample: Sample
) -> None:
    with workspace.write() as db:
        guidelines.put(db, "inspection", "Be strict.", "lead")
        guidelines.put(db, "inspection", "Be fair.", "lead")
    (told,) = news.unseen(workspace.db, "wang")
    assert (told.what, told.version) == ("inspection", 2)
    assert news.unseen(workspace.db, "stranger") == []
    LabelSession(workspace, "inspection", "wang").guideline()
    assert news.unseen(workspace.db, "wang") == []
    assert [one.rater for one in news.seen_by(workspace.db, "inspection", 2)] == ["wang"]

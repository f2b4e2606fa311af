"""Acts on many items: what they are done with, one transaction, one undo, others' leases."""

from __future__ import annotations

import pytest
from labelling_workspaces import assignments, make_drafts, register, score, standing

from engine.labelling.items.acts import ActRequest, perform_act, plan_act, undo_act
from engine.labelling.items.item_lists import ItemRequest
from engine.labelling.session import LabelSession
from store.datasets.item_lists import ItemFilter
from store.errors import Conflict, InputError, UsageError
from store.labels.log import acts, authoring, log, reading
from store.labels.replay import problems
from store.labels.samples import queue, samples
from store.records import ItemState
from store.workspace import Workspace

RATES = ItemRequest("drafts", ItemFilter(topics=("rates",)))
"""The even ones of each four: items 0, 1, 4, 5."""


@pytest.fixture
def drafts(workspace: Workspace):
    with workspace.write() as db:
        made = make_drafts(db)
        register(db)
    return made


def done(workspace: Workspace, request: ActRequest, rater: str = "王芳"):
    return perform_act(workspace, request, plan_act(workspace.db, request, rater).items, rater)


def states(workspace: Workspace) -> list[str]:
    return [state for (state,) in workspace.db.execute("SELECT state FROM item ORDER BY id")]


def seqs(workspace: Workspace) -> int:
    return reading.last_seq(workspace.db)


def test_a_score_is_given_to_all_that_match_and_to_no_others(workspace, drafts) -> None:
    plan = plan_act(workspace.db, ActRequest(RATES, "set", 4), "王芳")
    assert (plan.what, plan.states, plan.left_out) == ("score 4 (good)", {"drafted": 4}, {})
    made = done(workspace, ActRequest(RATES, "set", 4))
    assert (made.items, made.states) == (4, {"accepted": 4})
    assert states(workspace) == ["accepted", "accepted", "drafted", "drafted"] * 2


def test_one_undo_takes_the_whole_act_back_and_changes_no_event(workspace, drafts) -> None:
    before = states(workspace)
    done(workspace, ActRequest(RATES, "set", 1))
    made = seqs(workspace)
    undone = undo_act(workspace, "王芳")
    assert undone is not None
    assert undone.items == 4
    assert states(workspace) == before
    assert seqs(workspace) == made + 4, "taken back by events"
    assert undo_act(workspace, "王芳") is None
    assert [one.stands for one in acts.listing(workspace.db)] == [False]
    assert list(problems(workspace.db)) == []


def test_the_undo_and_redo_of_a_desk_go_over_the_whole_act(workspace, drafts) -> None:
    session = LabelSession(workspace, "inspection", "王芳")
    session.set(drafts.subject(2), "score", 5)
    done(workspace, ActRequest(RATES, "set", 4))
    undone = session.undo()
    assert undone is not None
    assert undone.events == 4
    assert states(workspace) == ["drafted", "drafted", "accepted", *["drafted"] * 5]
    redone = session.redo()
    assert redone is not None
    assert redone.events == 4
    assert states(workspace).count("accepted") == 5
    session.undo()
    alone = session.undo()
    assert alone is not None
    assert alone.events == 1
    assert states(workspace) == ["drafted"] * 8


def test_an_undo_of_the_list_is_of_acts_alone(workspace, drafts) -> None:
    done(workspace, ActRequest(RATES, "flag"))
    with workspace.write() as db:
        score(db, register(db), "王芳", drafts.subject(2), 5)
    undone = undo_act(workspace, "王芳")
    assert undone is not None
    assert undone.what == "flag"
    assert states(workspace)[2] == "accepted"


def test_what_others_have_before_them_is_left_out_and_said(workspace, drafts) -> None:
    with workspace.write() as db:
        queue.lease(db, "inspection", drafts.subject(0), "li")
        queue.lease(db, "inspection", drafts.subject(1), "王芳")
        queue.lease(db, "judge_labels", drafts.subject(4), "li")
    plan = plan_act(workspace.db, ActRequest(RATES, "set", 4), "王芳")
    assert len(plan.items) == 3
    assert plan.left_out == {"before another rater now": 1}


def test_a_lease_taken_after_the_plan_holds_too(workspace, drafts) -> None:
    request = ActRequest(RATES, "postpone")
    plan = plan_act(workspace.db, request, "王芳")
    with workspace.write() as db:
        queue.lease(db, "inspection", drafts.subject(0), "li")
    made = perform_act(workspace, request, plan.items, "王芳")
    assert (made.items, made.left_out) == (3, {"before another rater now": 1})


def test_what_the_rater_said_already_is_not_said_again(workspace, drafts) -> None:
    request = ActRequest(RATES, "exclude", "duplicate")
    done(workspace, request)
    with pytest.raises(InputError, match="no item"):
        done(workspace, request)
    assert plan_act(workspace.db, request, "王芳").left_out == {"said so already": 4}
    assert len(plan_act(workspace.db, request, "li").items) == 4


def test_an_act_that_nothing_is_left_for_leaves_no_trace(workspace, drafts) -> None:
    with pytest.raises(InputError, match="no item"):
        perform_act(workspace, ActRequest(RATES, "flag"), (), "王芳")
    assert acts.listing(workspace.db) == []


def test_an_item_that_another_form_decides_about_is_left_out(workspace, drafts) -> None:
    with workspace.write() as db:
        log.append(db, register(db, "reasonable"), "li", drafts.subject(0), "verdict", "reasonable")
    plan = plan_act(workspace.db, ActRequest(RATES, "set", 4), "王芳")
    assert plan.left_out == {"decided by another form": 1}


def test_items_in_the_making_are_left_out(workspace, drafts) -> None:
    with workspace.write() as db:
        db.execute(
            "INSERT INTO authored (revision_id, item_id, form_key) VALUES (?, ?, ?)",
            (drafts.revisions[0], drafts.items[0], authoring.STEPS[0]),
        )
    plan = plan_act(workspace.db, ActRequest(RATES, "flag"), "王芳")
    assert plan.left_out == {"being authored": 1}


def test_a_score_of_three_sends_to_correction(workspace, drafts) -> None:
    assert done(workspace, ActRequest(RATES, "set", 3)).states == {"needs_correction": 4}


@pytest.mark.parametrize(
    ("request_", "error", "said"),
    [
        (ActRequest(RATES, "set", 9), InputError, "cannot be 9"),
        (ActRequest(RATES, "exclude", "dull"), InputError, "no reason"),
        (ActRequest(RATES, "set", 1, form="judge_labels"), UsageError, "does not inspect"),
        (ActRequest(RATES, "set", 1, form="six_questions"), UsageError, "decides nothing"),
        (ActRequest(RATES, "flag", form="authoring_answer"), UsageError, "does not inspect"),
    ],
)
def test_what_the_form_does_not_allow_is_refused(workspace, drafts, request_, error, said) -> None:
    with pytest.raises(error, match=said):
        plan_act(workspace.db, request_, "王芳")


# Samples


def sample(workspace: Workspace, drafts, places: range = range(2)) -> None:
    with workspace.write() as db:
        made = samples.create(db, "pilot", "inspection", "revision", {"raters_wanted": 2})
        samples.add(db, made, [assignments(drafts, raters_wanted=2)[at] for at in places])


def held(workspace: Workspace, name: str = "pilot") -> set[str]:
    sample_held = samples.get(workspace.db, name)
    return {subject for subject, _ in samples.subjects(workspace.db, sample_held)}


def test_items_are_added_to_a_sample_and_taken_out_again(workspace, drafts) -> None:
    sample(workspace, drafts)
    request = ActRequest(RATES, "sample", "pilot")
    plan = plan_act(workspace.db, request, "王芳")
    assert (len(plan.items), plan.left_out) == (2, {"in the sample already": 2})
    assert done(workspace, request).items == 2
    assert len(held(workspace)) == 4
    counts = samples.label_counts(workspace.db, samples.get(workspace.db, "pilot"))
    assert counts == {0: 4}
    assert list(problems(workspace.db)) == []
    undone = undo_act(workspace, "王芳")
    assert undone is not None
    assert (undone.items, undone.stay) == (2, 0)
    assert held(workspace) == {str(number) for number in drafts.revisions[:2]}
    assert list(problems(workspace.db)) == []


def test_what_somebody_has_begun_stays_in_the_sample(workspace, drafts) -> None:
    done(workspace, ActRequest(RATES, "sample", "new"))
    with workspace.write() as db:
        score(db, register(db), "li", drafts.subject(0), 5)
        queue.lease(db, "inspection", drafts.subject(1), "li")
    undone = undo_act(workspace, "王芳")
    assert undone is not None
    assert (undone.items, undone.stay) == (2, 2)
    assert held(workspace, "new") == {drafts.subject(0).id, drafts.subject(1).id}
    assert list(problems(workspace.db)) == []


def test_a_closed_sample_takes_nothing(workspace, drafts) -> None:
    sample(workspace, drafts)
    with workspace.write() as db:
        samples.close(db, samples.get(db, "pilot"))
    with pytest.raises(Conflict, match="closed"):
        plan_act(workspace.db, ActRequest(RATES, "sample", "pilot"), "王芳")


def test_an_act_decides_as_a_single_label_does(workspace, drafts) -> None:
    sample(workspace, drafts)
    done(workspace, ActRequest(RATES, "set", 4))
    assert standing(workspace.db, drafts.items[0])[0] == ItemState.DRAFTED, "two are wanted"
    done(workspace, ActRequest(RATES, "set", 5), "li")
    assert standing(workspace.db, drafts.items[0])[0] == ItemState.ACCEPTED

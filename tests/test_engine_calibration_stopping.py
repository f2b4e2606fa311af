"""When the labels of a sample answer what it was drawn for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from judged_workspaces import ITEMS, Desk
from msgspec import structs

from engine.calibration.calibration_records import Choose
from engine.calibration.label_requests import NextRequest
from engine.calibration.next_labels import draw_next
from engine.calibration.stopping import FEWEST, label_goal
from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.statistics.linearised import FIRST_LOOK
from store.labels.samples import samples

REQUEST = NextRequest("next", "precision", ("r",), "accuracy", "rules", 30, within=0.1)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "w")
    with desk.workspace:
        yield desk


def label_drawn(desk: Desk, number: int | None = None, *, answer: int | None = None) -> None:
    sample = samples.get(desk.workspace.db, "next")
    for one in samples.taken(desk.workspace.db, sample)[:number]:
        at = desk.answers.index(int(one.subject))
        desk.label("anna", at, desk.truth(at) if answer is None else answer)


def test_a_mean_is_precise_enough_once_its_interval_is(desk: Desk) -> None:
    draw_next(desk.workspace, REQUEST)
    goal = label_goal(desk.workspace.db, "next")
    assert goal is not None
    assert (goal.drawn, goal.labels, goal.estimate, goal.is_answered) == (ITEMS, 0, None, False)
    assert goal.interval.reason == "nothing is labelled"
    halves = []
    for number in (8, 22, 29):
        label_drawn(desk, number)
        goal = label_goal(desk.workspace.db, "next")
        assert goal is not None
        assert goal.labels == number
        assert goal.interval.half is not None
        halves.append(goal.interval.half)
        assert goal.is_answered == (number >= FEWEST and goal.interval.half <= 0.1)
    assert halves[0] > halves[1] > halves[2]
    assert goal.is_answered
    assert goal.sequence is None


def test_nobody_asked_is_nobody_answered(desk: Desk) -> None:
    draw_next(desk.workspace, structs.replace(REQUEST, within=None))
    label_drawn(desk)
    goal = label_goal(desk.workspace.db, "next")
    assert goal is not None
    assert (goal.interval.state, goal.is_answered) == ("census", False)
    draw_sample(desk.workspace, SampleRequest("plain", "judge_labels", 2, runs=("r",)))
    assert label_goal(desk.workspace.db, "plain") is None


def test_agreement_goes_by_kappa(desk: Desk) -> None:
    draw_next(desk.workspace, structs.replace(REQUEST, choose="agreement", within=0.5))
    label_drawn(desk, 24)
    goal = label_goal(desk.workspace.db, "next")
    assert goal is not None
    assert goal.labels == 24
    assert goal.estimate is not None
    assert 0.2 < goal.estimate < 0.9
    assert goal.is_answered


def test_a_comparison_is_decided_by_the_sequence_not_by_the_interval(desk: Desk) -> None:
    desk.answers = [*desk.answers, *desk.answered("s")]
    with desk.workspace.write():
        for at in range(ITEMS, 2 * ITEMS):
            desk.score(desk.rules, at, at % 3)
    request = structs.replace(REQUEST, choose="comparison", runs=("r", "s"))
    draw_next(desk.workspace, request)
    sample = samples.get(desk.workspace.db, "next")
    for one in samples.taken(desk.workspace.db, sample):
        at = desk.answers.index(int(one.subject))
        # the first run is right everywhere, the second nowhere; one question is left
        if at % ITEMS < ITEMS - 1:
            desk.label("anna", at, 2 if at < ITEMS else 0)
    goal = label_goal(desk.workspace.db, "next")
    assert goal is not None
    assert (goal.labels, goal.estimate) == (ITEMS - 1, pytest.approx(1))
    assert goal.interval.low is not None
    assert goal.interval.low > 0
    assert goal.sequence is not None
    # no look before so many labels, however clear it seems
    assert goal.labels < FIRST_LOOK
    assert (goal.sequence.state, goal.is_answered) == ("too few", False)
    for at in (ITEMS - 1, 2 * ITEMS - 1):
        desk.label("anna", at, 2 if at < ITEMS else 0)
    goal = label_goal(desk.workspace.db, "next")
    assert goal is not None
    assert goal.sequence is not None
    assert (goal.sequence.method, goal.is_answered) == ("sequence", True)


@pytest.mark.parametrize(("choose", "runs"), [("agreement", ("r",)), ("comparison", ("r", "s"))])
def test_without_labels_a_goal_has_no_figure(
    desk: Desk, choose: Choose, runs: tuple[str, ...]
) -> None:
    desk.answers = [*desk.answers, *desk.answered("s")]
    with desk.workspace.write():
        for at in range(ITEMS, 2 * ITEMS):
            desk.score(desk.rules, at, at % 3)
    draw_next(desk.workspace, structs.replace(REQUEST, choose=choose, runs=runs))
    goal = label_goal(desk.workspace.db, "next")
    assert goal is not None
    assert (goal.labels, goal.estimate, goal.is_answered) == (0, None, False)
    assert goal.interval.reason == "nothing is labelled"


def test_a_few_labels_give_an_agreement_without_an_interval(desk: Desk) -> None:
    draw_next(desk.workspace, structs.replace(REQUEST, choose="agreement", within=0.5))
    label_drawn(desk, 4)
    goal = label_goal(desk.workspace.db, "next")
    assert goal is not None
    assert (goal.labels, goal.interval.state, goal.is_answered) == (4, "too few", False)
    assert goal.interval.reason

"""How many labels a question takes, and how long."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from judged_workspaces import ITEMS, Desk

from engine.calibration.planning import SECONDS_EACH, plan_labels
from store.errors import NotFound, UsageError


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "w")
    with desk.workspace:
        yield desk


def test_without_labels_the_judge_counts_as_useless(desk: Desk) -> None:
    made = plan_labels(desk.workspace.db, ("r",), "accuracy", "rules", 0.3, "anna")
    assert (made.answers, made.labels, made.has_pilot) == (ITEMS, 0, False)
    # (1.96 * .5 / .3)^2 = 10.7 of 30 answers: 7.9; of any, 10.7
    assert (made.run.needed, made.new.needed) == (8, 11)
    assert made.run.without_judge == made.run.needed
    assert (made.seconds_each, made.is_own_pace) == (SECONDS_EACH, False)
    assert made.minutes(made.run) == pytest.approx(8 * SECONDS_EACH / 60)


def test_a_pilot_says_what_the_judge_saves(desk: Desk) -> None:
    desk.judge("model")
    desk.label_all(count=15)
    good, bad = (
        plan_labels(desk.workspace.db, ("r",), "accuracy", judge, 0.12, "anna")
        for judge in ("model", "rules")
    )
    assert good.has_pilot
    assert good.labels == 15
    assert good.run.needed is not None
    assert good.run.without_judge is not None
    assert bad.run.needed is not None
    assert good.run.needed < good.run.without_judge
    assert good.run.needed < bad.run.needed
    assert bad.run.without_judge == good.run.without_judge
    left = good.minutes(good.run)
    assert left == max(good.run.needed - 15, 0) * good.seconds_each / 60


def test_two_runs_are_planned_together(desk: Desk) -> None:
    desk.answers = [*desk.answers, *desk.answered("s")]
    with desk.workspace.write():
        for at in range(ITEMS, 2 * ITEMS):
            desk.score(desk.rules, at, desk.truth(at))
    for at in range(2 * ITEMS):
        if at % ITEMS < 12:
            desk.label("anna", at, desk.truth(at) if at < ITEMS else (at + (at % 5 == 0)) % 3)
    made = plan_labels(desk.workspace.db, ("r", "s"), "accuracy", "rules", 0.2, "anna")
    assert (made.labels, made.answers, made.has_pilot) == (12, ITEMS, True)
    assert made.seconds_each == 2 * SECONDS_EACH
    assert made.run.needed is not None
    harder = plan_labels(desk.workspace.db, ("r", "s"), "accuracy", "rules", 0.05, "anna")
    assert harder.run.needed is None or harder.run.needed > made.run.needed


def test_what_cannot_be_planned_is_refused(desk: Desk) -> None:
    db = desk.workspace.db
    with pytest.raises(UsageError, match="People do not label 'f1'"):
        plan_labels(db, ("r",), "f1", "rules", 0.1, "anna")
    with pytest.raises(UsageError, match="not above 0 and below 1"):
        plan_labels(db, ("r",), "accuracy", "rules", 1.0, "anna")
    with pytest.raises(NotFound, match="No judge 'x'"):
        plan_labels(db, ("r",), "accuracy", "x", 0.1, "anna")

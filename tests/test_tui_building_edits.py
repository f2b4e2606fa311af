"""Changing a plan: digits on one place are one step, and every step can be taken back and again."""

from __future__ import annotations

from engine.taxonomy.definitions import load_taxonomy
from tui.building.edits import PlanEdits
from tui.building.plan import Plan

HERE, THERE = ("fund", "contrast"), ("fund", "extractive")


def begun() -> PlanEdits:
    edits = PlanEdits()
    edits.begin(Plan("finance", "drafts", load_taxonomy("omnieval"), True, {}))
    return edits


def press(edits: PlanEdits, place: tuple[str, str], digits: str) -> None:
    """Type digits on a place, as the screen does."""
    for digit in digits:
        assert edits.plan is not None
        typed = edits.typed_at(place) + digit
        edits.type(edits.plan.with_target([place[0]], [place[1]], int(typed)), typed)


def targets(edits: PlanEdits) -> tuple[int, int]:
    assert edits.plan is not None
    return edits.plan.target(*HERE), edits.plan.target(*THERE)


def test_digits_on_one_place_are_one_step() -> None:
    edits = begun()
    press(edits, HERE, "12")
    press(edits, THERE, "7")
    assert targets(edits) == (12, 7)
    assert edits.undo()
    assert targets(edits) == (12, 0)
    assert edits.undo()
    assert targets(edits) == (0, 0)
    assert not edits.undo()
    assert edits.redo()
    assert edits.redo()
    assert targets(edits) == (12, 7)
    assert not edits.redo()


def test_a_number_ends_where_one_goes_elsewhere_or_takes_something_back() -> None:
    edits = begun()
    press(edits, HERE, "1")
    assert edits.typed_at(THERE) == ""
    assert edits.typed_at(HERE) == ""
    press(edits, HERE, "2")
    edits.undo()
    press(edits, HERE, "3")
    assert targets(edits) == (3, 0)


def test_a_change_ends_what_could_be_done_again_and_another_plan_what_could_be_undone() -> None:
    edits = begun()
    press(edits, HERE, "5")
    edits.undo()
    assert edits.plan is not None
    edits.change(edits.plan.turn_tasks(["contrast"]))
    assert not edits.redo()
    edits.begin(edits.plan)
    assert not edits.undo()

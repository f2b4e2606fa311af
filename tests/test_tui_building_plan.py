"""What shall be built: targets by cell, row and column, what is left out, other taxonomies."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.taxonomy.definitions import load_taxonomy
from store.datasets.generation_figures import CellProgress
from store.records import UNASSIGNED, Task, Taxonomy, Topic
from tui.building.figures import NOTHING
from tui.building.grid import quota_matrix, tree_rows
from tui.building.plan import USUAL_TARGET, Plan, PlanEdits, as_before, usual_targets

TAXONOMY = Taxonomy(
    "tiny",
    "Tiny",
    (
        Topic("rates", "利率", "Rates", "市场", "Markets"),
        Topic("bonds", "债券", "Bonds", "市场", "Markets"),
        Topic("cards", "银行卡", "Cards", "零售", "Retail"),
    ),
    (Task("fact", "事实", "Fact"), Task("talk", "对话", "Talk")),
)
PLAN = Plan("papers", "drafts", TAXONOMY, True, usual_targets(TAXONOMY))


def test_every_cell_of_a_topic_has_the_usual_target_and_documents_without_one_none() -> None:
    assert len(PLAN.wanted) == 6
    assert {items for _, _, items in PLAN.wanted} == {USUAL_TARGET}
    assert PLAN.target(UNASSIGNED, "fact") == 0


def test_a_number_holds_for_the_cells_named_but_for_those_left_out() -> None:
    plan = PLAN.turn_topics(["cards"]).turn_tasks(["talk"])
    plan = plan.with_target(["rates", "bonds", "cards"], ["fact", "talk"], 7)
    assert plan.wanted == (("rates", "fact", 7), ("bonds", "fact", 7))
    assert plan.turn_topics(["cards"]).target("cards", "fact") == USUAL_TARGET


def test_a_number_on_what_is_left_out_takes_it_in_again() -> None:
    plan = PLAN.turn_topics(["cards"]).with_target(["cards"], ["fact"], 3)
    assert plan.target("cards", "fact") == 3
    assert plan.left_out == frozenset()


def test_a_group_is_left_out_whole_before_it_is_taken_in_again() -> None:
    group = ("rates", "bonds")
    out = PLAN.turn_topics(["rates"]).turn_topics(group)
    assert out.left_out == set(group)
    assert out.turn_topics(group).left_out == frozenset()


def test_the_plan_of_a_generation_leaves_out_what_it_left_alone() -> None:
    plan = as_before("papers", "drafts", TAXONOMY, {("rates", "fact"): 4, ("bonds", "fact"): 2})
    assert plan.wanted == (("rates", "fact", 4), ("bonds", "fact", 2))
    assert (plan.left_out, plan.off) == (frozenset({"cards"}), frozenset({"talk"}))


def test_another_taxonomy_keeps_the_targets_of_what_it_shares() -> None:
    pruned = replace(TAXONOMY, key="mine", topics=(TAXONOMY.topics[0], Topic("new", "新", "New")))
    plan = PLAN.with_target(["rates"], ["fact"], 5).turn_topics(["cards"]).with_taxonomy(pruned)
    assert plan.target("rates", "fact") == 5
    assert plan.target("new", "talk") == USUAL_TARGET
    assert plan.left_out == frozenset()


def test_rows_fold_with_their_group_and_have_names_in_both_languages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = tree_rows(TAXONOMY, {"Markets"})
    assert [row.name for row in rows] == ["Markets", "Retail", "Cards", "no topic"]
    assert rows[0].topics == ("rates", "bonds")
    monkeypatch.setattr("tui.language.choice._chosen", "zh")
    assert [row.name for row in tree_rows(TAXONOMY, {"市场"})][:3] == [
        "市场",
        "零售",
        "银行卡",
    ]


def test_topics_without_groups_have_no_rows_for_groups() -> None:
    flat = replace(TAXONOMY, topics=(Topic("a", "甲", "A"), Topic("b", "乙", "B")))
    assert [row.key for row in tree_rows(flat, set())] == ["a", "b", UNASSIGNED]


def test_cells_say_items_of_target_groups_add_up_and_margins_are_shares() -> None:
    short = CellProgress("bonds", "fact", 20, 5, "exhausted", 9, 0, {"empty": 4}, {"kept": 5}, 8, 4)
    figures = NOTHING._replace(
        documents={"rates": 3, "bonds": 2},
        filled={("rates", "fact"): 30, ("bonds", "fact"): 5},
        cells={("bonds", "fact"): short},
    )
    plan = PLAN.turn_topics(["cards"])
    rows = tree_rows(TAXONOMY, set())
    matrix = quota_matrix(plan, figures, rows, set())
    by_row = {
        heading.label: [cell.text or "-" for cell in cells]
        for heading, cells in zip(matrix.rows, matrix.cells, strict=True)
    }
    assert by_row == {
        "- Markets": ["5", "25/40", "0/40"],
        "  Rates": ["3", "30/20", "0/20"],
        "  Bonds": ["2", "5/20", "0/20"],
        "- Retail": ["0", "-", "-"],
        "x Cards": ["0", "-", "-"],
        "  no topic": ["0", "-", "-"],
    }
    bonds = matrix.cells[2][1]
    assert bonds.mark == "!"
    assert bonds.note == (
        "short: all 8 documents were tried, 4 gave items (9 attempts: 4 gave nothing)"
    )
    assert [cell.text for cell in matrix.column_totals] == ["5", "62%", "0%"]
    assert matrix.total.note == "25 of 80 items"


def test_shipped_taxonomies_have_their_groups_as_rows() -> None:
    rows = tree_rows(load_taxonomy("omnieval"), set())
    assert sum(row.is_group for row in rows) > 1
    assert len({row.key for row in rows}) == len(rows)


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
        edits.type(place, edits.plan.with_target([place[0]], [place[1]], int(typed)), typed)


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
    press(edits, THERE, "4")
    assert edits.typed_at(HERE) == ""
    press(edits, HERE, "2")
    assert targets(edits) == (2, 4)
    edits.undo()
    assert targets(edits) == (1, 4)
    press(edits, HERE, "3")
    assert targets(edits) == (3, 4)


def test_a_change_ends_what_could_be_done_again_and_another_plan_what_could_be_undone() -> None:
    edits = begun()
    press(edits, HERE, "5")
    edits.undo()
    assert edits.plan is not None
    edits.change(edits.plan.turn_tasks(["contrast"]))
    assert not edits.redo()
    edits.begin(edits.plan)
    assert not edits.undo()


def test_a_number_that_was_shortened_to_nothing_is_the_same_step() -> None:
    edits = begun()
    press(edits, HERE, "7")
    assert edits.plan is not None
    edits.type(HERE, edits.plan.with_target(["fund"], ["contrast"], 0), "")
    press(edits, HERE, "8")
    assert targets(edits) == (8, 0)
    edits.undo()
    assert targets(edits) == (0, 0)
    assert not edits.undo()


def test_another_plan_begins_without_the_digits_of_the_one_before() -> None:
    edits = begun()
    press(edits, HERE, "2")
    assert edits.plan is not None
    edits.begin(edits.plan)
    press(edits, HERE, "1")
    assert targets(edits) == (1, 0)
    assert edits.undo()
    assert targets(edits) == (2, 0)

"""Cells are filled evenly, and a cell that stays below its target says why."""

from __future__ import annotations

import pytest

from engine.generate.filling.quota import Lack, QuotaPlan, even_targets

DOCUMENTS = {topic: [f"{topic}{number}" for number in range(4)] for topic in ("fund", "bond")}


def plan(per_cell=2, topics=("fund", "bond"), tasks=("extractive", "contrast"), **options):
    options = {"rounds": dict.fromkeys(tasks, 1), **options}
    return QuotaPlan(even_targets(topics, tasks, per_cell), DOCUMENTS, **options)


def run(made, gives=1):
    attempts = []
    while (attempt := made.next()) is not None:
        attempts.append(attempt)
        made.record(attempt, min(gives, attempt.wanted))
    return attempts


def test_the_emptiest_cell_comes_first_and_targets_are_met():
    made = plan(tasks=("extractive", "long_form"))
    attempts = run(made)
    assert (made.done, made.total) == (8, 8)
    assert made.lacks() == {}
    assert [attempt.cell for attempt in attempts[:4]] == list(
        even_targets(("fund", "bond"), ("extractive", "long_form"), 1)
    )
    assert len(attempts) == 8


def test_a_pair_task_whose_documents_have_no_partner_says_so():
    made = plan(per_cell=3, tasks=("contrast",))
    while (attempt := made.next()) is not None:
        if attempt.document_id == "fund0":
            made.record(attempt, 1)
        else:
            made.skip(attempt)
    assert made.lacks() == {
        ("fund", "contrast"): Lack.EXHAUSTED,
        ("bond", "contrast"): Lack.TOO_FEW_PARTNERS,
    }


def test_a_topic_without_documents_says_so():
    made = plan(topics=("derivatives",), tasks=("extractive",))
    assert made.next() is None
    assert made.lacks() == {("derivatives", "extractive"): Lack.NO_DOCUMENTS}


def test_a_task_that_no_rule_writes_says_so():
    made = plan(topics=("fund",), tasks=("abstractive",), rounds={"abstractive": 0})
    assert made.next() is None
    assert made.lacks() == {("fund", "abstractive"): Lack.NO_WRITER}


def test_documents_that_give_nothing_are_each_tried_once_in_each_way():
    made = plan(tasks=("extractive",), rounds={"extractive": 2})
    attempts = run(made, gives=0)
    every = [document for documents in DOCUMENTS.values() for document in documents]
    assert sorted((found.document_id, found.round) for found in attempts) == sorted(
        (document, number) for document in every for number in (0, 1)
    )
    assert [found.round for found in attempts] == [0] * 8 + [1] * 8


def test_a_document_that_gave_items_has_one_more_turn_after_all_others():
    def rounds(made):
        found = []
        while (attempt := made.next()) is not None:
            found.append((attempt.document_id, attempt.round))
            made.record(attempt, int(attempt.document_id == "fund1"))
        return found

    found = rounds(plan(per_cell=9, topics=("fund",), tasks=("extractive",)))
    assert sorted(found[:4]) == [(f"fund{number}", 0) for number in range(4)]
    assert found[4:] == [("fund1", 1)]
    before = {
        "given": {("fund", "extractive", "fund1"): 1},
        "tried": [("fund", "extractive", document, 0) for document in DOCUMENTS["fund"]],
    }
    resumed = plan(per_cell=9, topics=("fund",), tasks=("extractive",), **before)
    assert rounds(resumed) == [("fund1", 1)]


def test_a_barren_cell_does_not_keep_the_others_waiting():
    made = plan(per_cell=4, tasks=("extractive",), rounds={"extractive": 10})
    tried = []
    while (attempt := made.next()) is not None:
        tried.append(attempt.topic)
        made.record(attempt, int(attempt.topic == "bond"))
    assert tried[:20].count("bond") == 4
    assert tried.count("fund") == 40
    assert made.lacks() == {("fund", "extractive"): Lack.EXHAUSTED}


def test_a_cell_that_gave_nothing_is_exhausted_when_all_was_tried():
    made = plan(tasks=("extractive",), rounds={"extractive": 2})
    run(made, gives=0)
    assert set(made.lacks().values()) == {Lack.EXHAUSTED}


def test_what_a_dataset_holds_counts():
    made = plan(tasks=("extractive",), filled={("fund", "extractive"): 2})
    assert {attempt.topic for attempt in run(made)} == {"bond"}
    assert made.filled(("fund", "extractive")) == 2


def test_a_document_that_gave_items_is_used_later_for_other_cells():
    made = plan(per_cell=1, topics=("fund",), tasks=("extractive", "long_form", "multi_hop"))
    assert len({attempt.document_id for attempt in run(made)}) == 3


def test_tries_under_way_hold_back_what_they_may_give():
    made = plan(per_cell=3, topics=("fund",), tasks=("extractive",), expected={"extractive": 2})
    first, second = made.next(), made.next()
    assert (first.wanted, second.wanted) == (3, 1)
    assert made.next() is None
    made.record(first, 0)
    assert made.next() is not None
    assert made.lacks() == {}


def test_what_was_tried_before_is_not_tried_again():
    before = [("fund", "extractive", document, 0) for document in DOCUMENTS["fund"][:3]]
    made = plan(per_cell=4, topics=("fund",), tasks=("extractive",), tried=before)
    assert [(found.document_id, found.round) for found in run(made)] == [("fund3", 0), ("fund3", 1)]
    assert made.lacks() == {("fund", "extractive"): Lack.EXHAUSTED}


def test_equal_seeds_give_equal_orders():
    orders = [[attempt.document_id for attempt in run(plan(seed=seed))] for seed in (1, 1, 2, 3, 4)]
    assert orders[0] == orders[1]
    assert len({tuple(order) for order in orders}) > 1


def test_wrong_figures_are_refused():
    made = plan()
    attempt = made.next()
    assert attempt is not None
    with pytest.raises(ValueError, match="negative"):
        made.record(attempt, -1)
    with pytest.raises(ValueError, match="per_cell"):
        even_targets(["a"], ["b"], 0)

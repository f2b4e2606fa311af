"""Cells are filled evenly, and a cell that stays below its target says why."""

from __future__ import annotations

import msgspec
import pytest

from engine.generate.quota import Lack, QuotaPlan, even_targets
from engine.generate.records import SourceDocument

DOCUMENTS = [
    SourceDocument(f"{topic}{number}", "", "x", "zh", topic)
    for topic in ("fund", "bond")
    for number in range(4)
]
PARTNERS = {"fund0": [DOCUMENTS[1]]}


def plan(per_cell=2, topics=("fund", "bond"), tasks=("extractive", "contrast"), **options):
    targets = even_targets(topics, tasks, per_cell)
    return QuotaPlan(targets, DOCUMENTS, PARTNERS, pairs_only=frozenset({"contrast"}), **options)


def run(made, gives=1):
    attempts = []
    while (attempt := made.next()) is not None:
        attempts.append(attempt)
        made.record(attempt, min(gives, attempt.wanted))
    return attempts


def test_the_emptiest_cell_comes_first_and_targets_are_met():
    made = plan(tasks=("extractive", "long_form"))
    attempts = run(made)
    assert made.is_full()
    assert made.shortfalls() == ()
    assert [attempt.cell for attempt in attempts[:4]] == list(
        even_targets(("fund", "bond"), ("extractive", "long_form"), 1)
    )
    assert len(attempts) == 8


def test_a_pair_task_tries_only_documents_with_partners_and_names_them():
    made = plan()
    attempts = [attempt for attempt in run(made) if attempt.task == "contrast"]
    assert [(attempt.document_id, attempt.partners) for attempt in attempts] == [
        ("fund0", ("fund1",))
    ]
    reasons = {(lack.topic, lack.task): lack.reason for lack in made.shortfalls()}
    assert reasons == {
        ("fund", "contrast"): Lack.EXHAUSTED,
        ("bond", "contrast"): Lack.TOO_FEW_PARTNERS,
    }


def test_a_topic_without_documents_says_so():
    made = plan(topics=("derivatives",), tasks=("extractive",))
    assert made.next() is None
    (lack,) = made.shortfalls()
    assert (lack.reason, lack.documents, lack.filled) == (Lack.NO_DOCUMENTS, 0, 0)


def test_documents_that_give_nothing_are_each_tried_once():
    made = plan(tasks=("extractive",))
    attempts = run(made, gives=0)
    assert sorted(attempt.document_id for attempt in attempts) == sorted(
        document.document_id for document in DOCUMENTS
    )
    assert {(lack.tried, lack.yielded) for lack in made.shortfalls()} == {(4, 0)}


def test_what_a_dataset_holds_counts():
    made = plan(tasks=("extractive",), filled={("fund", "extractive"): 2})
    assert {attempt.topic for attempt in run(made)} == {"bond"}
    assert made.filled(("fund", "extractive")) == 2


def test_a_document_that_gave_items_is_used_later_for_other_cells():
    made = plan(per_cell=1, topics=("fund",), tasks=("extractive", "long_form", "multi_hop"))
    assert len({attempt.document_id for attempt in run(made)}) == 3


def test_equal_seeds_give_equal_orders():
    orders = [[attempt.document_id for attempt in run(plan(seed=seed))] for seed in (1, 1, 2, 3, 4)]
    assert orders[0] == orders[1]
    assert len({tuple(order) for order in orders}) > 1


def test_wrong_figures_are_refused():
    made = plan()
    attempt = made.next()
    assert attempt is not None
    assert msgspec.json.decode(msgspec.json.encode(attempt))["wanted"] == 2
    with pytest.raises(ValueError, match="negative"):
        made.record(attempt, -1)
    with pytest.raises(ValueError, match="per_cell"):
        even_targets(["a"], ["b"], 0)

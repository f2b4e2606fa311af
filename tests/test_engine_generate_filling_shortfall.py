"""A cell that stays short says why, with the documents and attempts that it took."""

from __future__ import annotations

import pytest

from engine.generate.filling.shortfall import shortfall_text, shortfalls
from store.datasets.generation_figures import CellProgress


def cell(documents, fruitful, task="contrast", lack="exhausted", target=20, **outcomes):
    states = {"empty": documents - fruitful} if documents > fruitful else {}
    return CellProgress(
        "fund", task, target, fruitful, lack, documents, 0, states, outcomes, documents, fruitful
    )


@pytest.mark.parametrize(
    ("short", "said"),
    [
        (cell(30, 5), "all 30 documents were tried, 5 gave items (30 attempts: 25 gave nothing)"),
        (cell(30, 0), "all 30 documents were tried, none gave items"),
        (cell(2, 1), "only 2 documents of this topic can be used, all were tried, 1 gave items"),
        (cell(2, 1, target=4), "all 2 documents were tried"),
        (cell(1, 1), "only 1 document of this topic can be used, and it gave items (1 attempt)"),
        (cell(1, 0), "only 1 document of this topic can be used, and it gave no items"),
        (cell(9, 9, duplicate=3), "3 items like another question"),
        (cell(0, 0, lack="no_documents"), "no document has this topic"),
        (cell(0, 0, lack="too_few_partners"), "which the task needs"),
    ],
)
def test_the_reason_has_its_figures(short, said):
    assert said in shortfall_text(short)


def test_cells_of_one_reason_are_told_together():
    short = [cell(2, 1), cell(2, 1, task="long_form"), cell(2, 2, task="extractive")]
    found = shortfalls(short)
    assert [shortfall.tasks for shortfall in found] == [("contrast", "long_form"), ("extractive",)]
    assert shortfalls([cell(1, 0), cell(1, 0, task="long_form")])[0].tasks == ()

"""Revisions with what is shown beside them, and the history of an item."""

from __future__ import annotations

import pytest
from labelling_workspaces import corrected, make_drafts
from tiny_workspaces import TEXTS

from store.datasets import datasets, revisions
from store.errors import NotFound
from store.hashing import text_id
from store.records import ItemState


def test_a_sheet_holds_the_item_its_cell_and_its_documents(workspace):
    with workspace.write() as db:
        drafts = make_drafts(db, 2)
    sheet = revisions.sheet(workspace.db, drafts.revisions[1])
    assert (sheet.item, sheet.item_key, sheet.dataset) == (drafts.items[1], "i1", "drafts")
    assert (sheet.number, sheet.author, sheet.state) == (1, "model", ItemState.DRAFTED)
    assert sheet.head == sheet.id
    assert sheet.topic is not None
    assert sheet.topic.en == "Rates"
    assert sheet.task is not None
    assert sheet.task.en == "Dialogue"
    document = text_id(TEXTS["en/rates.md"])
    assert list(sheet.documents) == [document]
    assert sheet.documents[document].text == TEXTS["en/rates.md"]


def test_a_sheet_of_nothing_is_refused(workspace):
    with pytest.raises(NotFound, match="no revision with number 5"):
        revisions.sheet(workspace.db, 5)


def test_a_history_goes_from_the_first_text_on(workspace):
    with workspace.write() as db:
        drafts = make_drafts(db, 1)
        (item,), (first,) = drafts.items, drafts.revisions
        second = datasets.revise(db, item, first, corrected(0), author="li", reason="unit missing")
        datasets.move_head(db, item, first, second)
    lines = revisions.history(workspace.db, item)
    assert [(one.id, one.number, one.parent, one.author) for one in lines] == [
        (first, 1, None, "model"),
        (second, 2, first, "li"),
    ]
    assert [one.is_head for one in lines] == [False, True]

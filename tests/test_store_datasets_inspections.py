"""Automatic verdicts: what becomes of an item by each, and the laws they keep."""

from __future__ import annotations

from pathlib import Path

import pytest
from building_workspaces import item, make_building, text
from tiny_workspaces import TAXONOMY, put_text

from engine.taxonomy.stored import save_taxonomy
from store.corpora import corpora, document_topics
from store.datasets import datasets, inspections
from store.datasets.inspections import Inspected, ToInspect
from store.jobs import jobs
from store.records import ItemState
from store.verify import verify
from store.workspace import Workspace, open_workspace


@pytest.fixture
def building(tmp_path: Path):
    """One draft, and a job that inspects it."""
    with open_workspace(make_building(tmp_path / "w", 1)) as workspace:
        with workspace.write() as db:
            jobs.enqueue(db, "inspect", "drafts by m")
            put_text(db, corpora.get(db, "texts"), "9.txt", text(9))
        yield workspace


def judge(workspace: Workspace, state: ItemState, made: Inspected) -> ItemState:
    """What the draft becomes by a verdict while it is in `state`."""
    with workspace.write() as db:
        db.execute("UPDATE item SET state = ?1, checksum = row_sum(item_key, ?1)", (state,))
        head, key = db.execute("SELECT head, item_key FROM item").fetchone()
        one = ToInspect(1, head, state, key, datasets.content(db, head), 0, 0)
        inspections.record(db, 1, one, made)
        (after,) = db.execute("SELECT state FROM item").fetchone()
    return ItemState(after)


@pytest.mark.parametrize(
    ("before", "evaluation", "is_corrected", "after"),
    [
        ("drafted", 2, False, "accepted"),
        ("drafted", 2, True, "accepted"),
        ("drafted", 1, False, "needs_correction"),
        ("drafted", 1, True, "corrected"),
        ("drafted", 0, True, "discarded"),
        ("drafted", None, False, "drafted"),
        ("needs_correction", 2, False, "needs_correction"),
        ("needs_correction", 1, True, "corrected"),
        ("corrected", 2, False, "accepted"),
        ("corrected", 1, True, "corrected"),
        ("corrected", 0, False, "corrected"),
        ("accepted", 0, False, "accepted"),
        ("accepted", 1, True, "accepted"),
        ("discarded", 2, False, "discarded"),
    ],
)
def test_an_item_moves_by_its_verdict_as_its_state_allows(
    building: Workspace, before: str, evaluation: int | None, is_corrected: bool, after: str
):
    made = Inspected(
        0,
        "m",
        "unparsed" if evaluation is None else "parsed",
        evaluation,
        correction=item(9) if is_corrected else None,
    )
    assert judge(building, ItemState(before), made) == after
    (kept,) = inspections.of_item(building.db, 1)
    assert kept.evaluation == evaluation
    assert (kept.correction is not None) == (after == "corrected" and before != "corrected")
    assert verify(building.db).ok


def test_a_text_that_changed_meanwhile_is_not_moved(building: Workspace):
    with building.write() as db:
        head, key = db.execute("SELECT head, item_key FROM item").fetchone()
        content = datasets.content(db, head)
        new = datasets.revise(db, 1, head, item(9), author="a", reason="r")
        datasets.move_head(db, 1, head, new)
        one = ToInspect(1, head, ItemState.DRAFTED, key, content, 0, 0)
        inspections.record(db, 1, one, Inspected(0, "m", "parsed", 0))
        assert db.execute("SELECT state, head FROM item").fetchone() == ("drafted", new)


def test_damage_is_found(building: Workspace):
    judge(building, ItemState.DRAFTED, Inspected(0, "m", "parsed", 1, correction=item(9)))
    with building.write() as db:
        save_taxonomy(db, TAXONOMY, "by hand")
        document_topics.put(db, "tiny", [(1, "rates", None)], "m")
        assert verify(db).ok
        db.execute("UPDATE inspection SET inspector = 'other'")
        db.execute("UPDATE document_topic SET topic = 'gone'")
    failing = {check.name for check in verify(building.db).checks if not check.ok}
    assert failing == {"inspections", "topics", "values of document_topic"}

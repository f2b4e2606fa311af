"""A dataset's split: stored sides that hold while items come."""

from __future__ import annotations

import msgspec
from labelling_workspaces import draft, make_drafts

from engine.splitting.dataset import split_dataset
from store.datasets import datasets, splits
from store.records import ItemState, Turn
from store.workspace import Workspace


def test_items_get_their_side_once(workspace: Workspace):
    with workspace.write() as db:
        drafts = make_drafts(db, 20, state=ItemState.ACCEPTED)
    first = split_dataset(workspace, "drafts", seed=3)
    kept = splits.members(workspace.db, first.split)
    assert (first.added, first.left_out) == (20, ())
    # the drafts' questions differ by a digit, so some are near-duplicates of each other
    assert sum(side.members for side in first.sides) == 20
    with workspace.write() as db:
        for at in range(20, 30):
            turn = Turn(f"{'问题甲乙丙丁戊己庚辛壬癸'[at - 20 :]} {at * 7919}?")
            content = msgspec.structs.replace(draft(at), turns=(turn,))
            datasets.add_item(
                db,
                drafts.dataset,
                f"i{at}",
                f"g{at}",
                content,
                author="a",
                reason="r",
                state=ItemState.ACCEPTED,
            )
    second = split_dataset(workspace, "drafts", seed=99)
    assert second.added == 10
    assert second.split == first.split
    after = {one.member: one for one in splits.members(workspace.db, second.split)}
    assert all(after[one.member] == one for one in kept)
    assert split_dataset(workspace, "drafts").added == 0


def test_items_that_are_not_accepted_have_no_side(workspace: Workspace):
    with workspace.write() as db:
        make_drafts(db)
    report = split_dataset(workspace, "drafts", name="later")
    assert (report.added, report.split.name) == (0, "later")

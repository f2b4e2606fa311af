"""Splitting a dataset's items into train and test, by group, once and for all."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.splitting.sides import TRAIN_TEST, Member, SideCount, counts, extend
from store import datasets, label_candidates, splits
from store.errors import NotFound
from store.records import ItemState
from store.splits import Placed, Side, Split
from store.workspace import Workspace


class SplitReport(Struct, frozen=True):
    split: Split
    added: int
    """Items that got their side now."""
    sides: tuple[SideCount, ...]
    left_out: tuple[Placed, ...]
    """Items that belong to groups of different sides, with the reason."""


def split_dataset(
    workspace: Workspace,
    dataset_name: str,
    *,
    name: str = "",
    sides: Sequence[Side] = TRAIN_TEST,
    seed: int = 0,
) -> SplitReport:
    """Gives every accepted item of a dataset that has none its side.

    `name` is the split's, by default the dataset's; `sides` and `seed` count when it is made, and
    are the stored ones from then on. Members are item keys, strata cells, compared texts the
    questions of all turns.
    """
    with workspace.write(durable=True) as db:
        dataset = datasets.get(db, dataset_name)
        split = _get_or_create(workspace, name or dataset.name, sides, seed)
        rows = label_candidates.revisions(db, dataset, [ItemState.ACCEPTED])
        members = [
            Member(
                row.item_key,
                row.group_key,
                f"{row.topic} x {row.task}",
                "\n".join(turn.question for turn in row.content.turns),
            )
            for row in rows
        ]
        before = splits.members(db, split)
        new = extend(members, before, split.sides, split.seed)
        splits.add(db, split, new)
    placed = [*before, *new]
    left_out = tuple(one for one in placed if one.side is None)
    return SplitReport(split, len(new), tuple(counts(placed, split.sides)), left_out)


def _get_or_create(workspace: Workspace, name: str, sides: Sequence[Side], seed: int) -> Split:
    try:
        return splits.get(workspace.db, name)
    except NotFound:
        return splits.create(workspace.db, name, sides, seed)

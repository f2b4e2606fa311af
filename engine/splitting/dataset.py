"""Splits a dataset's items into train and test, group by group, once and for all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from engine.splitting.sides import (
    TRAIN_TEST,
    Balance,
    Member,
    SideCount,
    balance,
    counts,
    extend,
)
from store.datasets import datasets, splits
from store.datasets.datasets import Release
from store.datasets.splits import Placed, Side, Split
from store.errors import NotFound, UsageError
from store.labels.samples import candidates
from store.records import ItemState
from store.workspace import Workspace

_MOST_VALUES = 20
"""Of a facet whose balance is reported."""


class SplitReport(Struct, frozen=True):
    split: Split
    added: int
    """Items that got their side now."""
    sides: tuple[SideCount, ...]
    left_out: tuple[Placed, ...]
    """Items that belong to groups of different sides, with the reason."""
    balance: tuple[Balance, ...] = ()
    """The distribution of topics, tasks, languages and facets over the sides."""


def release_dataset(
    workspace: Workspace, dataset_name: str, note: str = "", *, unanswered: bool = False
) -> tuple[Release, SplitReport]:
    """Freezes the accepted items as the dataset's next version, and gives each its side; with
    `unanswered` also the questions that wait for their answer.

    Raises NotFound for an unknown dataset and what `datasets.release` raises.
    """
    with workspace.write(durable=True) as db:
        dataset = datasets.get(db, dataset_name)
        release = datasets.release(db, dataset, note, unanswered=unanswered)
    return release, split_dataset(workspace, dataset_name)


def split_dataset(
    workspace: Workspace,
    dataset_name: str,
    *,
    name: str = "",
    sides: Sequence[Side] | None = None,
    seed: int = 0,
) -> SplitReport:
    """Assigns a side to every accepted item of a dataset that has none.

    `name` is the split's, by default the dataset's. It is made with `sides`, by default 30 % train
    and 70 % test, and `seed`, which stay from then on: UsageError for other sides. Members are item
    keys, strata cells, compared texts the questions of all turns.
    """
    with workspace.write(durable=True) as db:
        dataset = datasets.get(db, dataset_name)
        split = _get_or_create(workspace, name or dataset.name, sides, seed)
        rows = candidates.revisions(db, dataset, [ItemState.ACCEPTED])
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
    left_out = tuple(member for member in placed if member.side is None)
    return SplitReport(
        split,
        len(new),
        tuple(counts(placed, split.sides)),
        left_out,
        tuple(balance(placed, _labels(rows))),
    )


def _labels(rows: Sequence[candidates.RevisionRow]) -> dict[str, dict[str, object]]:
    """The labels to balance over the sides, by item; of the facets, those with few values."""
    values: defaultdict[str, set[object]] = defaultdict(set)
    for row in rows:
        for name, value in row.content.facets.items():
            values[name].add(value)
    shown = sorted(name for name, given in values.items() if len(given) <= _MOST_VALUES)
    return {
        row.item_key: {
            "topic": row.topic,
            "task": row.task,
            "lang": row.content.lang,
            **{name: row.content.facets[name] for name in shown if name in row.content.facets},
        }
        for row in rows
    }


def _get_or_create(
    workspace: Workspace, name: str, sides: Sequence[Side] | None, seed: int
) -> Split:
    try:
        split = splits.get(workspace.db, name)
    except NotFound:
        return splits.create(workspace.db, name, sides or TRAIN_TEST, seed)
    if sides is not None and tuple(sides) != split.sides:
        have = " ".join(f"{side.name}={side.share:g}" for side in split.sides)
        raise UsageError(
            f"Split {name!r} has the sides {have}, which stay.",
            "Name no sides, or give the other division a name of its own.",
            "--name SPLIT",
        )
    return split

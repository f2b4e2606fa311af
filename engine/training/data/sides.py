"""Train, validation and test of labelled answers and pairs, 5:1:4 by question, once and for all."""

from __future__ import annotations

from collections.abc import Sequence

from engine.splitting.sides import TRAIN_VALIDATION_TEST, Member, extend
from engine.training.data.cases import LabelledCase
from engine.training.data.pairs import LabelledPair, labelled_pairs
from store.datasets import splits
from store.datasets.splits import Placed, Split
from store.errors import NotFound
from store.workspace import Workspace

SPLIT_NAME = "judge data"
"""By default all labelled answers of a workspace share one split, so that no export and no judge
has in its training what another one tests."""


def assign_sides(
    workspace: Workspace,
    cases: Sequence[LabelledCase],
    *,
    name: str = SPLIT_NAME,
    seed: int = 0,
    keep: bool = True,
) -> dict[str, Placed]:
    """Every case's place by `LabelledCase.name`; those that have none yet get one, and it stays.

    `cases` are all that have labels, not only those that are wanted: newcomers are compared with
    the questions of all others. Pairs that people compared have places too, by
    `LabelledPair.name`, so that a question is on one side whatever was asked about its answers. A
    case whose near-duplicates stand on different sides has side null
    and a reason. `seed` counts when the split is made, and is the stored one from then on. Without
    `keep` nothing is stored: these are the places that they would get now.
    """
    given = [*map(_of_case, cases), *map(_of_pair, labelled_pairs(workspace.db))]
    if not keep:
        return _foreseen(workspace, given, name, seed)
    with workspace.write(durable=True) as db:
        split = _split(workspace, name, seed)
        before = splits.members(db, split)
        new = extend(given, before, split.sides, split.seed)
        splits.add(db, split, new)
    return {member.member: member for member in [*before, *new]}


def _foreseen(
    workspace: Workspace, given: Sequence[Member], name: str, seed: int
) -> dict[str, Placed]:
    try:
        split = splits.get(workspace.db, name)
    except NotFound:
        new = extend(given, [], TRAIN_VALIDATION_TEST, seed)
        return {member.member: member for member in new}
    before = splits.members(workspace.db, split)
    new = extend(given, before, split.sides, split.seed)
    return {member.member: member for member in [*before, *new]}


def _of_case(case: LabelledCase) -> Member:
    asked = _asked(case.case.history, case.case.question)
    return Member(case.name, case.group, f"{case.topic} x {case.task}", asked)


def _of_pair(pair: LabelledPair) -> Member:
    content = pair.a.content
    asked = _asked(pair.history, pair.question)
    return Member(pair.name, pair.group, f"{content.topic} x {content.task}", asked)


def _asked(history: Sequence[tuple[str, str]], question: str) -> str:
    """The question with those before it: a later one of a dialogue is often a few common words."""
    return "\n".join([*(earlier for earlier, _ in history), question])


def _split(workspace: Workspace, name: str, seed: int) -> Split:
    try:
        return splits.get(workspace.db, name)
    except NotFound:
        return splits.create(workspace.db, name, TRAIN_VALIDATION_TEST, seed)

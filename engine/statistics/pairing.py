"""The common set of runs: the turns of items for which every run has a value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from engine.statistics.inference import Cell, TurnState
from store.records import ScoreRow, ScoreState

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CLUSTERS = 4096
"""More groups than these are pooled before they are resampled."""

_Key = tuple[str, int]


class CommonSet(Struct, frozen=True):
    """Values side by side in order of item and turn, independent of the order of the rows."""

    values: NDArray[np.float64]
    """Turns x runs; repeats averaged."""
    group_of: NDArray[np.int64]
    """Each turn's group, numbered in order of the groups' keys."""
    cells: tuple[Cell, ...]
    left_out: dict[tuple[TurnState, ...], int]
    """Turns outside the set, by what each run has for them."""
    turns: tuple[tuple[str, int, int], ...] = ()
    """Item, turn and revision of each turn of a whole set; empty in the set of a cell."""

    def by_cell(self) -> dict[Cell, CommonSet]:
        """One set for each cell, in order of row and column."""
        members: dict[Cell, list[int]] = {cell: [] for cell in sorted(set(self.cells))}
        for place, cell in enumerate(self.cells):
            members[cell].append(place)
        return {
            cell: CommonSet(self.values[places], self.group_of[places], (cell,) * len(places), {})
            for cell, places in members.items()
        }


class Clusters(Struct, frozen=True):
    """The sums that resampling works on, in order of the groups' keys."""

    sums: NDArray[np.float64]
    """Groups x runs: sum of a run's values in a group."""
    sizes: NDArray[np.float64]
    """Turns in each group."""

    def folded(self, seed: int) -> Clusters:
        """At most `MAX_CLUSTERS` clusters, by merging groups at random.

        Any pooling of independent groups that does not look at their values leaves a bootstrap and
        a sign-flip test valid; with so many clusters it costs no precision and bounds the work.
        """
        groups = len(self.sizes)
        if groups <= MAX_CLUSTERS:
            return self
        cluster_of = np.random.default_rng(seed).permutation(groups) % MAX_CLUSTERS
        sums = np.zeros((MAX_CLUSTERS, self.sums.shape[1]))
        np.add.at(sums, cluster_of, self.sums)
        return Clusters(sums, np.bincount(cluster_of, weights=self.sizes).astype(np.float64))


class _Turn(Struct):
    """A run's repeats of one turn."""

    revision_id: int
    group_key: str
    cell: Cell
    states: dict[int, ScoreState | None]
    values: list[float]

    @property
    def side(self) -> TurnState:
        if self.values:
            return TurnState.OK
        state = self.states[min(self.states)]
        return TurnState.PENDING if state is None else TurnState(state.value)


def common_set(runs: Sequence[Iterable[ScoreRow]]) -> CommonSet:
    """Pairs the rows of all runs by item revision and turn.

    A run's value for a turn is the mean over the repeats that have one; it has none when no repeat
    has, for the reason of the first. Raises ValueError for two rows of one repeat, for a value
    that contradicts its state, and for a turn with two groups or cells.
    """
    turns = [_turns(rows) for rows in runs]
    kept: list[list[_Turn]] = []
    places: list[tuple[str, int, int]] = []
    left_out: Counter[tuple[TurnState, ...]] = Counter()
    for key in sorted(set().union(*turns)):
        of_runs = [run.get(key) for run in turns]
        sides = _sides(of_runs)
        if set(sides) == {TurnState.OK}:
            kept.append([turn for turn in of_runs if turn is not None])
            _require_one_place(key, kept[-1])
            places.append((*key, kept[-1][0].revision_id))
        else:
            left_out[sides] += 1
    groups = sorted({row[0].group_key for row in kept})
    number = {group: place for place, group in enumerate(groups)}
    values = [[math.fsum(turn.values) / len(turn.values) for turn in row] for row in kept]
    return CommonSet(
        np.array(values, dtype=np.float64).reshape(len(kept), len(runs)),
        np.array([number[row[0].group_key] for row in kept], dtype=np.int64),
        tuple(row[0].cell for row in kept),
        dict(sorted(left_out.items())),
        tuple(places),
    )


def clusters(common: CommonSet) -> Clusters:
    """Sums and sizes of the groups of a common set."""
    _, group_of, sizes = np.unique(common.group_of, return_inverse=True, return_counts=True)
    sums = np.zeros((len(sizes), common.values.shape[1]))
    np.add.at(sums, group_of, common.values)
    return Clusters(sums, sizes.astype(np.float64))


def _turns(rows: Iterable[ScoreRow]) -> dict[_Key, _Turn]:
    turns: dict[_Key, _Turn] = {}
    for row in rows:
        key = (row.item_key, row.turn)
        cell = (row.row, row.col)
        turn = turns.setdefault(key, _Turn(row.revision_id, row.group_key, cell, {}, []))
        if row.repeat in turn.states or row.revision_id != turn.revision_id:
            raise ValueError(f"item {row.item_key}, turn {row.turn}: two rows for one prediction")
        if (row.group_key, cell) != (turn.group_key, turn.cell):
            raise ValueError(f"item {row.item_key}, turn {row.turn}: two groups or cells")
        if (row.state is ScoreState.OK) != (row.value is not None and math.isfinite(row.value)):
            raise ValueError(
                f"item {row.item_key}, turn {row.turn}: a score in state {row.state} cannot have"
                f" the value {row.value}"
            )
        turn.states[row.repeat] = row.state
        if row.value is not None:
            turn.values.append(row.value)
    return turns


def _sides(of_runs: Sequence[_Turn | None]) -> tuple[TurnState, ...]:
    """Each run's state for a turn; all `revised` when they answered different revisions."""
    if len({turn.revision_id for turn in of_runs if turn is not None}) > 1:
        return tuple(TurnState.ABSENT if turn is None else TurnState.REVISED for turn in of_runs)
    return tuple(TurnState.ABSENT if turn is None else turn.side for turn in of_runs)


def _require_one_place(key: _Key, turns: Sequence[_Turn]) -> None:
    if len({(turn.group_key, turn.cell) for turn in turns}) > 1:
        raise ValueError(f"item {key[0]}, turn {key[1]}: two groups or cells")

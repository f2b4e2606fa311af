"""Runs are paired on the turns that all of them have a value for; the others are counted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.statistics.inference import TurnState
from engine.statistics.pairing import MAX_CLUSTERS, Clusters, clusters, common_set
from store.records import ScoreRow, ScoreState


def score(item, value=None, state=ScoreState.OK, *, turn=0, repeat=0, group="", **other):
    fields = {"revision_id": 1, "row": "topic", "col": "task"} | other
    return ScoreRow(
        item_key=item,
        turn=turn,
        repeat=repeat,
        group_key=group or item,
        state=state,
        value=value,
        **fields,
    )


def test_only_turns_with_a_value_in_every_run_are_kept():
    a = [score("q2", 0.2), score("q1", 0.1), score("q3", 0.3)]
    b = [score("q1", 0.5), score("q2", 0.6), score("q4", 0.7)]
    common = common_set((a, b))
    assert common.values.tolist() == [[0.1, 0.5], [0.2, 0.6]]
    assert common.left_out == {
        (TurnState.ABSENT, TurnState.OK): 1,
        (TurnState.OK, TurnState.ABSENT): 1,
    }


@pytest.mark.parametrize("state", [state for state in ScoreState if state is not ScoreState.OK])
def test_a_score_without_a_value_is_left_out_for_its_state(state):
    common = common_set(([score("q", None, state)], [score("q", 1.0)]))
    assert len(common.values) == 0
    assert common.left_out == {(TurnState(state.value), TurnState.OK): 1}


def test_a_pending_prediction_is_left_out_as_such():
    common = common_set(([score("q", 1.0)], [score("q", None, None)]))
    assert common.left_out == {(TurnState.OK, TurnState.PENDING): 1}


def test_answers_to_different_revisions_are_not_compared():
    a, b = [score("q", 1.0, revision_id=1)], [score("q", 1.0, revision_id=2)]
    assert common_set((a, b)).left_out == {(TurnState.REVISED, TurnState.REVISED): 1}


def test_repeats_are_averaged_before_anything_else():
    a = [score("q", value, repeat=repeat) for repeat, value in enumerate((0.0, 1.0, 0.5))]
    common = common_set((a, [score("q", 1.0)]))
    assert common.values.tolist() == [[0.5, 1.0]]


def test_a_turn_has_a_value_when_any_repeat_has():
    a = [score("q", None, ScoreState.ERROR), score("q", 0.4, repeat=1)]
    assert common_set((a, [score("q", 1.0)])).values.tolist() == [[0.4, 1.0]]


def test_turns_of_an_item_are_paired_separately_within_one_group():
    a = [score("q", 0.1, turn=0), score("q", 0.2, turn=1), score("z", 0.9)]
    common = common_set((a, a[::-1]))
    found = clusters(common)
    assert common.values[:, 0].tolist() == [0.1, 0.2, 0.9]
    assert found.sizes.tolist() == [2, 1]
    np.testing.assert_allclose(found.sums, [[0.3, 0.3], [0.9, 0.9]])


def test_cells_come_in_order_and_keep_their_own_groups():
    rows = [
        score("q1", 0.1, group="g1", row="b", col="x"),
        score("q2", 0.2, group="g2", row="a", col="y"),
        score("q3", 0.3, group="g1", row="a", col="y"),
    ]
    by_cell = common_set((rows, rows)).by_cell()
    assert list(by_cell) == [("a", "y"), ("b", "x")]
    assert len(clusters(by_cell["a", "y"]).sizes) == 2
    assert len(clusters(by_cell["b", "x"]).sizes) == 1


def test_nothing_in_common_is_an_empty_set():
    common = common_set(([], [score("q", 1.0)]))
    assert common.values.shape == (0, 2)
    assert clusters(common).sums.shape == (0, 2)
    assert common.by_cell() == {}


@pytest.mark.parametrize(
    "rows",
    [
        [score("q", 1.0), score("q", 1.0)],
        [score("q", 1.0, revision_id=1), score("q", 1.0, revision_id=2, repeat=1)],
        [score("q", 1.0, group="g"), score("q", 1.0, group="h", repeat=1)],
        [score("q", None)],
        [score("q", math.nan)],
        [score("q", 1.0, ScoreState.NA)],
    ],
)
def test_rows_that_contradict_each_other_are_refused(rows):
    with pytest.raises(ValueError, match="item q, turn 0"):
        common_set((rows, []))


def test_a_turn_in_two_cells_is_refused():
    with pytest.raises(ValueError, match="two groups or cells"):
        common_set(([score("q", 1.0, row="a")], [score("q", 1.0, row="b")]))


def test_folding_keeps_totals_and_bounds_the_number_of_clusters():
    random = np.random.default_rng(0)
    sizes = random.integers(1, 5, size=3 * MAX_CLUSTERS).astype(float)
    whole = Clusters(random.random((len(sizes), 2)), sizes)
    folded = whole.folded(seed=0)
    assert len(folded.sizes) == MAX_CLUSTERS
    assert folded.sizes.sum() == sizes.sum()
    np.testing.assert_allclose(folded.sums.sum(axis=0), whole.sums.sum(axis=0))
    assert folded.folded(seed=0) is folded

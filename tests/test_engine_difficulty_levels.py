"""Easy, medium and hard by terciles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.difficulty.levels import LEVELS, levels


def test_terciles_part_distinct_figures_evenly() -> None:
    assert levels([6, 1, 5, 2, 4, 3]) == ["hard", "easy", "hard", "easy", "medium", "medium"]


def test_many_equal_figures_leave_a_level_empty() -> None:
    assert levels([0, 0, 0, 0, 1]) == ["easy"] * 4 + ["hard"]
    assert levels([]) == []


@given(st.lists(st.integers(0, 9), min_size=1))
def test_equal_figures_share_a_level_and_larger_ones_are_no_easier(figures: list[int]) -> None:
    ranks = [LEVELS.index(level) for level in levels(figures)]
    pairs = sorted(zip(figures, ranks, strict=True))
    assert ranks
    assert [rank for _, rank in pairs] == sorted(ranks)
    assert len(dict(pairs)) == len(set(pairs))

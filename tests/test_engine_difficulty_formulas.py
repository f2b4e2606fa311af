"""RD, GD and RGD against worked examples and their laws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.difficulty.formulas import (
    difficulty,
    generation_difficulty,
    program_length,
    retrieval_difficulty,
)

SIMILARITIES = st.lists(st.floats(-1, 1), min_size=1, max_size=8)


def test_rd_is_the_gap_between_the_nearest_candidate_and_the_mean_of_the_golden_ones() -> None:
    assert retrieval_difficulty([0.9, 0.6, 0.2], [0.6, 0.2]) == pytest.approx(0.5)
    assert retrieval_difficulty([0.9, 0.6], [0.9]) == 0


def test_rd_without_a_golden_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="golden"):
        retrieval_difficulty([0.5], [])


@given(SIMILARITIES, SIMILARITIES)
def test_rd_is_never_negative_where_the_golden_ones_are_candidates(
    others: list[float], golden: list[float]
) -> None:
    assert retrieval_difficulty([*others, *golden], golden) >= 0


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        ("a", 0),
        ("aaa", 0),
        ("ab", math.log(2)),
        ("abc", math.log(3)),
        # two of three key sentences in one reference, as the paper's example has it
        ("aab", 2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3)),
    ],
)
def test_gd_is_the_entropy_of_the_key_sentences(references: str, expected: float) -> None:
    assert generation_difficulty(references) == pytest.approx(expected)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_gd_is_at_most_the_logarithm_of_the_references(references: list[int]) -> None:
    assert 0 <= generation_difficulty(references) <= math.log(len(set(references))) + 1e-12


def test_rgd_weighs_rd_by_lambda() -> None:
    assert difficulty(0.1, 0.7) == pytest.approx(2.7)
    assert difficulty(0.1, 0.7, weight=0) == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("program", "operations"),
    [("206588", 0), ("subtract(206588, 181001)", 1), ("subtract(5.1, 4), divide(#0, 4)", 2)],
)
def test_the_length_of_a_program_counts_its_operations(program: str, operations: int) -> None:
    assert program_length(program) == operations

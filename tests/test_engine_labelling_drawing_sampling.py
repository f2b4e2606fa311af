"""Drawing: quotas filled, strata even, rare values taken, and nothing moves when more is drawn."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.labelling.drawing.sampling import cell_of, draw, shortfall, with_repeats
from store.labels.samples.samples import Candidate

CANDIDATES = st.lists(
    st.builds(
        Candidate,
        subject=st.integers(0, 500).map(str),
        topic=st.sampled_from("ab"),
        task=st.sampled_from("xy"),
        stratum=st.sampled_from(["bm25 0", "bm25 2", "lsa 0"]),
        group_key=st.sampled_from(["", "g1", "g2"]),
    ),
    unique_by=lambda one: one.subject,
    max_size=60,
)


@settings(max_examples=100, deadline=None)
@given(candidates=CANDIDATES, quota=st.integers(1, 12), seed=st.integers(0, 9))
def test_every_cell_is_filled_as_far_as_it_can_be(candidates, quota, seed):
    drawn = draw(candidates, quota, seed)
    have = Counter(cell_of(one) for one in candidates)
    assert Counter(cell_of(one) for one in drawn) == {
        cell: min(quota, count) for cell, count in have.items()
    }
    assert len({one.subject for one in drawn}) == len(drawn)
    assert shortfall(candidates, quota) == {
        cell: quota - count for cell, count in sorted(have.items()) if count < quota
    }


@settings(max_examples=100, deadline=None)
@given(candidates=CANDIDATES, quota=st.integers(1, 12), seed=st.integers(0, 9))
def test_strata_are_as_even_as_the_candidates_allow(candidates, quota, seed):
    drawn = draw(candidates, quota, seed)
    for cell in {cell_of(one) for one in candidates}:
        have = Counter(one.stratum for one in candidates if cell_of(one) == cell)
        took = Counter(one.stratum for one in drawn if cell_of(one) == cell)
        most = max(took[stratum] for stratum in have)
        assert all(took[stratum] >= min(have[stratum], most - 1) for stratum in have)


@settings(max_examples=100, deadline=None)
@given(candidates=CANDIDATES, more=CANDIDATES, seed=st.integers(0, 9))
def test_drawing_further_only_adds(candidates, more, seed):
    first = draw(candidates, 3, seed)
    known = {one.subject for one in candidates}
    every = [*candidates, *(one for one in more if one.subject not in known)]
    second = draw(every, 6, seed, first)
    assert not {one.subject for one in first} & {one.subject for one in second}
    have = Counter(cell_of(one) for one in every)
    assert Counter(cell_of(one) for one in (*first, *second)) == {
        cell: min(6, count) for cell, count in have.items()
    }


def test_the_order_of_the_candidates_does_not_matter_and_the_seed_does():
    candidates = [Candidate(str(number), "a", "x") for number in range(100)]
    assert draw(candidates, 9, 1) == draw(candidates[::-1], 9, 1)
    assert draw(candidates, 9, 1) != draw(candidates, 9, 2)


def test_groups_that_have_none_come_first():
    candidates = [Candidate(str(n), "a", "x", group_key="big") for n in range(50)]
    candidates += [Candidate(f"5{n}0", "a", "x", group_key=f"g{n}") for n in range(3)]
    assert {one.group_key for one in draw(candidates, 4, 0)} == {"big", "g0", "g1", "g2"}


def test_cells_are_dealt_out_in_turn():
    candidates = [Candidate(f"{at}", "a", "xyz"[at % 3]) for at in range(12)]
    assert [one.task for one in draw(candidates, 2, 0)] == ["x", "y", "z"] * 2


def test_repeats_are_a_share_and_name_what_they_repeat():
    drawn = [Candidate(str(number)) for number in range(20)]
    rows = with_repeats(drawn, 2, 0.25, seed=1)
    assert [row.candidate for row in rows[:20]] == drawn
    assert len(rows) == 25
    assert all(row.candidate.subject == f"{row.repeats}#1" for row in rows[20:])
    assert {row.raters_wanted for row in rows} == {2}
    with pytest.raises(ValueError, match="0 to 1"):
        with_repeats(drawn, 1, 1.5, 0)

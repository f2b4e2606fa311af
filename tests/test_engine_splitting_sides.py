"""Splits: groups whole, shares kept, assignments for ever, near-duplicates together."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.splitting.sides import (
    TRAIN_TEST,
    TRAIN_VALIDATION_TEST,
    Balance,
    Member,
    SideCount,
    balance,
    counts,
    extend,
)
from engine.text.duplicates import duplicate_pairs, grams, similarity
from store.datasets.splits import Placed


def members(sizes: list[int], strata: list[str], first: int = 0) -> list[Member]:
    """One group of each size, all of the stratum of its place."""
    return [
        Member(f"m{first + group}-{at}", f"k{first + group}", stratum, "")
        for group, (size, stratum) in enumerate(zip(sizes, strata, strict=True))
        for at in range(size)
    ]


def sides_of(placed):
    return {one.member: one.side for one in placed}


SPLITS = st.sampled_from([TRAIN_TEST, TRAIN_VALIDATION_TEST])
GROUPS = st.lists(st.tuples(st.integers(1, 5), st.sampled_from("abcd")), min_size=1, max_size=60)


@settings(max_examples=150, deadline=None)
@given(groups=GROUPS, sides=SPLITS, seed=st.integers(0, 9))
def test_shares_hold_within_two_groups_and_groups_stay_whole(groups, sides, seed):
    drawn = members([size for size, _ in groups], [stratum for _, stratum in groups])
    placed = extend(drawn, [], sides, seed)
    assert [one.member for one in placed] == sorted(member.name for member in drawn)
    largest = max(size for size, _ in groups)
    for side in counts(placed, sides):
        assert abs(side.members - side.target) <= 2 * largest
    on_sides = defaultdict(set)
    for one in placed:
        on_sides[one.group].add(one.side)
    assert all(len(found) == 1 for found in on_sides.values())
    assert len(on_sides) == len(groups)


@settings(max_examples=80, deadline=None)
@given(groups=st.integers(1, 200), sides=SPLITS, seed=st.integers(0, 99), steps=st.integers(1, 5))
def test_shares_hold_within_two_groups_however_often_more_come(groups, sides, seed, steps):
    draw = random.Random(seed)
    drawn = members([1] * groups, [draw.choice("abcdef") for _ in range(groups)])
    placed: list[Placed] = []
    for step in range(1, steps + 1):
        upto = drawn[: groups * step // steps]
        new = extend(upto, placed, sides, seed)
        assert not {one.member for one in new} & {one.member for one in placed}
        placed = placed + new
        for side in counts(placed, sides):
            assert abs(side.members - side.target) <= 2


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(
        st.text("ab净值", min_size=1, max_size=14), min_size=2, max_size=14, unique=True
    ),
    cut=st.integers(1, 13),
    seed=st.integers(0, 9),
)
def test_no_near_duplicates_are_on_two_sides_and_nothing_moves(texts, cut, seed):
    every = [Member(f"m{at}", f"k{at}", "s", text) for at, text in enumerate(texts)]
    first = extend(every[:cut], [], TRAIN_TEST, seed)
    second = extend(every, first, TRAIN_TEST, seed)
    sides = sides_of([*first, *second])
    assert len(sides) == len(every)
    for i, j in duplicate_pairs(texts):
        assert len({sides[f"m{i}"], sides[f"m{j}"]} - {None}) <= 1


@settings(max_examples=100, deadline=None)
@given(texts=st.lists(st.text("abc 净", max_size=16), max_size=12))
def test_duplicate_pairs_are_those_that_comparing_all_finds(texts):
    sets = [grams(text) for text in texts]
    every = [
        (i, j) for i in range(len(texts)) for j in range(i) if similarity(sets[i], sets[j]) >= 0.8
    ]
    assert list(duplicate_pairs(texts)) == every


LONG = "What was the net interest margin of the bank in the year"


def test_near_duplicates_and_equal_keys_make_one_group():
    every = [
        Member("a", "doc1", "s", LONG),
        Member("b", "doc2", "s", LONG + "?"),
        Member("c", "doc2", "s", "多少"),
        Member("d", "doc3", "s", "多少"),
        Member("e", "", "s", ""),
        Member("f", "", "s", " "),
    ]
    groups = {one.member: one.group for one in extend(every, [], TRAIN_TEST, 1)}
    assert groups == {"a": "a", "b": "a", "c": "a", "d": "a", "e": "e", "f": "f"}


def test_a_newcomer_follows_its_group_through_other_newcomers():
    placed = [Placed("a", "a", "s", "test")]
    every = [
        Member("a", "doc1", "s", LONG),
        Member("b", "doc2", "s", "多少"),
        Member("c", "doc2", "s", LONG + "?"),
    ]
    assert extend(every, placed, TRAIN_TEST, 1) == [
        Placed("b", "a", "s", "test"),
        Placed("c", "a", "s", "test"),
    ]


def test_a_newcomer_that_joins_two_sides_is_left_out_and_says_why():
    placed = [Placed("a", "a", "s", "test"), Placed("b", "b", "s", "train")]
    every = [
        Member("a", "doc1", "s", LONG),
        Member("b", "doc2", "s", "多少"),
        Member("c", "doc2", "s", LONG + "?"),
    ]
    (left_out,) = extend(every, placed, TRAIN_TEST, 1)
    assert left_out.side is None
    assert left_out.reason == "belongs to group a on side test, group b on side train"
    assert extend(every, [*placed, left_out], TRAIN_TEST, 1) == []


def test_strata_are_evened_out():
    drawn = members([1] * 100, ["a"] * 50 + ["b"] * 50)
    placed = extend(drawn, [], TRAIN_TEST, 0)
    in_train = [one.stratum for one in placed if one.side == "train"]
    assert {stratum: in_train.count(stratum) for stratum in "ab"} == {"a": 15, "b": 15}


def test_the_cases_of_the_paper_split_5_1_4_within_two():
    drawn = members([1] * 127, [f"t{at % 16}" for at in range(127)])
    placed = extend(drawn, [], TRAIN_VALIDATION_TEST, 0)
    assert [abs(side.members - side.target) <= 2 for side in counts(placed, TRAIN_VALIDATION_TEST)]
    assert counts(placed, TRAIN_VALIDATION_TEST)[0] == SideCount("train", 64, 64, 63.5)


def test_label_balance_is_counted_by_side():
    placed = [
        Placed("a", "a", "s", "test"),
        Placed("b", "b", "s", "test"),
        Placed("c", "c", "s", None, "left out"),
    ]
    labels = {name: {"accuracy": 2} for name in "abc"}
    assert balance(placed, labels) == [Balance("test", "accuracy", "2", 2)]


def test_members_have_names_of_their_own():
    with pytest.raises(ValueError, match="one name"):
        extend([Member("a", "k", "s", "")] * 2, [], TRAIN_TEST, 0)

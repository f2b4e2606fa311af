"""Sequences between two cells: a terminal ends up where and how it should, by the shortest way."""

from __future__ import annotations

import random

import pyte
import pytest

from tui.painting import pen

STYLES = (
    "",
    "1",
    "2;3",
    "7",
    "4;31",
    "1;4;9;38;2;1;2;3;48;2;4;5;6",
    "38;2;1;2;3;48;2;4;5;6",
    "38;2;9;8;7;48;2;4;5;6",
    "1;38;5;200;48;5;20",
    "97;40",
    "39;49",
    "1;2;5;6;7",
    "53;31",
    "21;32",
)


def attributes(sequence: str) -> pyte.screens.Char:
    """What is drawn with after a sequence."""
    screen = pyte.Screen(2, 1)
    pyte.Stream(screen).feed(sequence)
    return screen.cursor.attrs


@pytest.mark.parametrize("old", STYLES)
@pytest.mark.parametrize("new", STYLES)
def test_after_a_change_of_style_the_new_one_is_on(old: str, new: str) -> None:
    change = pen.change_style(old, new)
    assert attributes(f"\x1b[{old}m{change}") == attributes(f"\x1b[{new}m")
    assert len(change) <= len(f"\x1b[0;{new}m")


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("1;31", "1;31", ""),
        ("1;31;44", "", "\x1b[m"),
        ("", "1;31", "\x1b[1;31m"),
        ("38;2;1;2;3;48;2;4;5;6", "1;38;2;1;2;3;48;2;4;5;6", "\x1b[1m"),
        ("1;38;2;1;2;3;48;2;4;5;6", "38;2;1;2;3;48;2;4;5;6", "\x1b[22m"),
        ("1;2;38;2;1;2;3", "2;38;2;1;2;3", "\x1b[22;2m"),
        ("38;2;1;2;3;48;2;4;5;6", "38;2;7;2;3;48;2;4;5;6", "\x1b[38;2;7;2;3m"),
        ("38;2;1;2;3;48;2;4;5;6", "48;2;4;5;6", "\x1b[39m"),
    ],
)
def test_only_what_differs_is_said(old: str, new: str, change: str) -> None:
    assert pen.change_style(old, new) == change


@pytest.mark.parametrize("style", ["53", "38;9;1", "38;2;1", "48"])
def test_an_unusual_style_is_not_taken_apart(style: str) -> None:
    assert pen.look(style) is None


def test_a_move_ends_at_its_place_and_is_never_longer_than_naming_it() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        old = (rng.randrange(20), rng.randrange(10))
        new = (rng.randrange(20), rng.choice((old[1], rng.randrange(10))))
        screen = pyte.Screen(20, 10)
        stream = pyte.Stream(screen)
        stream.feed(f"\x1b[{old[1] + 1};{old[0] + 1}H")
        move = pen.move(rng.choice((old, None)), new)
        stream.feed(move)
        assert (screen.cursor.x, screen.cursor.y) == new
        assert len(move) <= len(f"\x1b[{new[1] + 1};{new[0] + 1}H")


@pytest.mark.parametrize(
    ("old", "new", "sequence"),
    [
        ((3, 4), (3, 4), ""),
        ((3, 4), (0, 4), "\r"),
        ((3, 4), (2, 4), "\b"),
        ((3, 4), (4, 4), "\x1b[C"),
        ((3, 4), (9, 4), "\x1b[6C"),
        ((9, 4), (3, 4), "\x1b[6D"),
        ((3, 4), (3, 5), "\x1b[B"),
        ((3, 4), (3, 2), "\x1b[2A"),
        (None, (0, 0), "\x1b[H"),
        (None, (0, 7), "\x1b[8H"),
    ],
)
def test_the_shortest_move(old: pen.Place | None, new: pen.Place, sequence: str) -> None:
    assert pen.move(old, new) == sequence


@pytest.mark.parametrize(
    ("top", "bottom", "by", "rows"),
    [
        (1, 3, 1, "acd ef"),
        (1, 3, -1, "a bcef"),
        (0, 5, 2, "cdef  "),
        (2, 5, 1, "abdef "),
        (2, 5, -3, "ab   c"),
    ],
)
def test_a_scroll_moves_rows_and_leaves_the_others(
    top: int, bottom: int, by: int, rows: str
) -> None:
    screen = pyte.Screen(1, 6)
    stream = pyte.Stream(screen)
    stream.feed("".join(f"\x1b[{y}H{letter}" for y, letter in enumerate("abcdef", 1)))
    stream.feed(pen.scroll(top, bottom, by, 5))
    assert "".join(screen.display) == rows
    assert screen.margins in (None, pyte.screens.Margins(0, 5))

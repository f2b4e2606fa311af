"""What a system sees of earlier turns, and what it searches for."""

from __future__ import annotations

import pytest

from engine.answer.history import search_query, visible_history
from store.records import HistoryMode, Turn

TURNS = (
    Turn("利率是多少？", ("3.4%", "百分之三点四")),
    Turn("What about 2024?", ("3.6%",), expansions={"keywords": "rate, 2024"}),
)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (HistoryMode.NONE, ()),
        (HistoryMode.QUESTIONS, (("利率是多少？", ""),)),
        (HistoryMode.GOLD, (("利率是多少？", "3.4%"),)),
        (HistoryMode.PREDICTED, (("利率是多少？", "三个点"),)),
    ],
)
def test_each_mode_shows_its_share_of_the_earlier_turns(mode, expected):
    assert visible_history(TURNS, 1, mode, ("三个点",)) == expected


def test_a_failed_earlier_answer_is_seen_as_empty():
    assert visible_history(TURNS, 1, HistoryMode.PREDICTED, (None,)) == (("利率是多少？", ""),)


def test_the_query_holds_the_earlier_questions_but_no_answer():
    history = visible_history(TURNS, 1, HistoryMode.GOLD, ())
    assert search_query(TURNS[1], history) == "利率是多少？\nWhat about 2024?"


def test_an_expansion_is_added_after_a_blank_line_where_the_turn_has_it():
    assert search_query(TURNS[1], (), "keywords") == "What about 2024?\n\nrate, 2024"
    assert search_query(TURNS[0], (), "keywords") == "利率是多少？"

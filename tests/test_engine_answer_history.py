"""What a system sees of earlier turns."""

from __future__ import annotations

import pytest

from engine.answer.history import visible_history
from store.records import HistoryMode, Turn

TURNS = (
    Turn("利率是多少？", ("3.4%", "百分之三点四")),
    Turn("What about 2024?", ("3.6%",)),
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

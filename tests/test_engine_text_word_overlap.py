"""Texts by the words that they share, the rare ones counting most."""

from __future__ import annotations

import math

import pytest

from engine.text.word_overlap import nearest


def test_similarity_is_the_weighted_share_of_common_words() -> None:
    (near,) = nearest("bond yield", ["bond market"], 5)
    common, alone = math.log(1 + 2 / 2), math.log(1 + 2 / 1)
    assert near.similarity == pytest.approx(common / (common + 2 * alone))


def test_a_rare_word_in_common_counts_more_than_a_frequent_one() -> None:
    others = ["profit fund", "profit loan", "profit bond", "dividend share"]
    found = nearest("profit dividend", others, 2)
    assert found[0].place == 3


def test_equal_texts_come_first_and_texts_without_a_common_word_not_at_all() -> None:
    found = nearest("基金净值上涨", ["保费收入下降", "基金规模上涨", "基金净值上涨"], 5)
    assert [near.place for near in found] == [2, 1]
    assert found[0].similarity == pytest.approx(1)


def test_a_text_without_words_is_like_nothing() -> None:
    assert nearest("？", ["？", "基金"], 5) == []

"""Near-duplicate questions are found as if every pair were compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.duplicates import NearDuplicates, grams, similarity

WORDS = st.lists(
    st.sampled_from(["2024", "年", "期末", "净值", "是多少", "fee", "card", "what ", "？"]),
    max_size=12,
)


def test_width_case_and_white_space_make_no_difference():
    assert grams("ＬＣＲ  是多少？") == grams("lcr 是多少?")
    index: NearDuplicates[str] = NearDuplicates()
    index.add("a", "What was the annual fee of the Heron card in 2024?")
    found = index.find("what was the  annual fee of the heron card in 2024?")
    assert found is not None
    assert (found.key, found.similarity) == ("a", 1.0)


@pytest.mark.parametrize("text", ["", "费", "手续费?"])
def test_texts_shorter_than_a_gram_equal_only_themselves(text):
    index: NearDuplicates[int] = NearDuplicates()
    index.add(1, text)
    assert index.find(text) is not None
    assert index.find(f"{text}又") is None


def test_another_year_is_another_question():
    index: NearDuplicates[int] = NearDuplicates()
    index.add(1, "云帆基金2023年的管理费是多少？")
    assert index.find("云帆基金2024年的托管费率是多少？") is None


@given(st.lists(WORDS.map("".join), max_size=25), WORDS.map("".join))
def test_the_index_agrees_with_comparing_every_pair(texts, asked):
    index: NearDuplicates[int] = NearDuplicates()
    for number, text in enumerate(texts):
        index.add(number, text)
    best = max((similarity(grams(asked), grams(text)) for text in texts), default=0.0)
    found = index.find(asked)
    assert (found.similarity if found else 0.0) == (best if best >= 0.8 else 0.0)
    assert len(index) == len(texts)


def test_the_earliest_of_equals_is_named():
    index: NearDuplicates[str] = NearDuplicates()
    index.add("first", "云帆基金的管理费是多少？")
    index.add("second", "云帆基金的管理费是多少？")
    found = index.find("云帆基金的管理费是多少？")
    assert found is not None
    assert found.key == "first"


def test_a_threshold_out_of_range_is_refused():
    with pytest.raises(ValueError, match="threshold"):
        NearDuplicates(0.0)

"""A quote is found where it stands, and stored in the document's own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.quotes import locate

TEXT = "管理费率为每年 0.60%，\n托管费率为0.15%。The fee is “thirty-six” pounds, see §2 (below)."


def test_a_verbatim_quote_is_exact():
    found = locate("托管费率为0.15%。", TEXT)
    assert found is not None
    assert found.is_exact
    assert TEXT[found.start : found.end] == found.quote == "托管费率为0.15%。"


@pytest.mark.parametrize(
    ("quote", "own"),
    [
        ("管理费率为每年0.60%,托管费率为0.15%", "管理费率为每年 0.60%，\n托管费率为0.15%"),
        ('The fee is "thirty-six" pounds', "The fee is “thirty-six” pounds"),
        ("“托管费率为 0.15 %。”", "托管费率为0.15%。"),
        ("…see §2 （below）...", "see §2 (below)"),
    ],
)
def test_small_changes_give_the_documents_words(quote, own):
    found = locate(quote, TEXT)
    assert found is not None
    assert not found.is_exact
    assert found.quote == own
    assert found.evidence("d").quote == TEXT[found.start : found.end]


@pytest.mark.parametrize("quote", ["", "  ", "托管费率为0.25%", "管理费率……托管费率", "％，"])
def test_other_words_are_not_found(quote):
    assert locate(quote, TEXT) is None


LONG = (
    "The bank charges an annual fee of 36 pounds for the standard card. "
    "A late payment costs 12 pounds each time. 该行对账户每月收取管理费用十二元，逾期另行计算利息。"
)


@pytest.mark.parametrize(
    ("quote", "own"),
    [
        ("The bank charges the yearly fees of 36 pounds for any standard cards.", None),
        (
            "The bank charges an annual fee of 36 pounds for the standard credit card.",
            "The bank charges an annual fee of 36 pounds for the standard card.",
        ),
        ("该行对账户每个月收取管理费用十二元，逾期另行计算利息。",
         "该行对账户每月收取管理费用十二元，逾期另行计算利息。"),
        ("The bank charges an annual fee of 38 pounds for the standard card.", None),
    ],
)  # fmt: skip
def test_a_quote_that_differs_in_a_word_gives_the_documents_words(quote, own):
    found = locate(quote, LONG)
    assert (found.quote if found else None) == own
    assert found is None or LONG[found.start : found.end] == found.quote


def test_a_quote_like_two_places_is_not_placed():
    twice = "The minimum payment of the gold card is due monthly. " * 2
    assert locate("The minimum payment of a gold card is due monthly.", twice) is None


@given(st.text(min_size=1, max_size=60), st.integers(0, 59), st.integers(1, 60))
def test_every_stretch_of_a_text_is_found_in_it(text, start, length):
    quote = text[start : start + length]
    if quote.strip():
        found = locate(quote, text)
        assert found is not None
        assert text[found.start : found.end] == found.quote == quote.strip()

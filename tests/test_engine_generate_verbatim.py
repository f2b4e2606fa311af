"""A quote is found where it stands, and stored in the document's own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.generate.verbatim import locate

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


@given(st.text(min_size=1, max_size=60), st.integers(0, 59), st.integers(1, 60))
def test_every_stretch_of_a_text_is_found_in_it(text, start, length):
    quote = text[start : start + length]
    if quote.strip():
        found = locate(quote, text)
        assert found is not None
        assert text[found.start : found.end] == found.quote == quote.strip()

"""A number agrees with the word for what it counts."""

from __future__ import annotations

import pytest

from store.counted import counted


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0 labels"), (1, "1 label"), (2, "2 labels"), (1200, "1,200 labels")],
)
def test_the_word_follows_the_number(number: int, said: str) -> None:
    assert counted(number, "label") == said


def test_a_name_may_have_a_plural_of_its_own() -> None:
    assert (counted(1, "query", "queries"), counted(3, "query", "queries")) == (
        "1 query",
        "3 queries",
    )

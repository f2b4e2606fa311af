"""What is said of a name that is not there."""

from __future__ import annotations

import pytest

from store.errors import UsageError
from store.messages import choices, listed, nearest, no_such, plural


def test_the_nearest_name_is_asked_about_before_the_list():
    error = no_such("corpus", "smaple", ["finance", "sample"], "Corpora here")
    assert isinstance(error, UsageError)
    assert error.message == "There is no corpus 'smaple'."
    assert error.remedy == "Did you mean 'sample'? Corpora here: finance, sample."


def test_where_no_name_is_near_only_the_list_is_given():
    assert choices("xyz", ["finance", "sample"], "Corpora here") == "Corpora here: finance, sample."
    assert choices("xyz", [], "Corpora here") == "Corpora here: none yet."


@pytest.mark.parametrize(
    ("given", "known", "meant"),
    [
        ("sample@1", ["finance", "sample"], "sample"),
        ("FUND", ["bond", "fund"], "fund"),
        ("基金投资", ["股票市场", "基金投资额"], "基金投资额"),
        ("\uff46\uff55\uff4e\uff44", ["bond", "fund"], "fund"),
        ("12", ["run-1", "run-2"], ""),
        (12, [11, 34], ""),
        (121, [12, 34], "12"),
    ],
)
def test_what_was_meant(given: object, known: list[object], meant: str):
    assert nearest(given, known) == meant


def test_a_short_list_is_whole_and_a_long_one_counts_what_it_leaves_out():
    names = [f"run-{number}" for number in range(1_234)]
    assert listed(names[:20]) == ", ".join(names[:20])
    assert listed(names) == f"{', '.join(names[:10])} and 1,224 more"
    # the nearest is sought among all of them
    assert choices("run-1222x", names, "Runs here").startswith("Did you mean 'run-1222'? Runs here")


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0 labels"), (1, "1 label"), (2, "2 labels"), (1200, "1,200 labels")],
)
def test_the_word_follows_the_number(number: int, said: str) -> None:
    assert plural(number, "label") == said


def test_a_name_may_have_a_plural_of_its_own() -> None:
    assert (plural(1, "query", "queries"), plural(3, "query", "queries")) == (
        "1 query",
        "3 queries",
    )

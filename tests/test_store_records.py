"""A facet that says something of each turn is one text, and is read back turn by turn."""

from __future__ import annotations

from store.records import join_turn_facet, split_turn_facet


def test_a_facet_says_something_of_every_turn():
    for values in (["a"], ['["a"]'], ["a, b", "乙"], ["", "x", ""]):
        assert split_turn_facet(join_turn_facet(values), len(values)) == values
    # a text that is no list is said of every turn, and none of none
    assert split_turn_facet("plain", 2) == ["plain", "plain"]
    assert split_turn_facet('["a"]', 2) == ['["a"]', '["a"]']
    assert split_turn_facet(None, 2) == ["", ""]

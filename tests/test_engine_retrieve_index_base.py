"""What goes into an index, and how its inputs are named."""

from __future__ import annotations

import pytest

from engine.retrieve.index.base import IndexColumns, index_text


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("年报", "营收增长", "年报\n营收增长"),
        ("年报", "年报\n营收增长", "年报\n营收增长"),
        ("", "Revenue rose", "Revenue rose"),
        ("Note 4", "", "Note 4\n"),
    ],
)
def test_a_chunk_is_indexed_with_its_title_once(title, text, expected):
    assert index_text(title, text) == expected


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        IndexColumns(["a", "b"], [0], [1], ["x"])


def test_columns_are_ordered_by_document_and_span():
    columns = IndexColumns(["b", "a", "a", "a"], [0, 5, 0, 0], [1, 9, 7, 3], ["1", "2", "3", "4"])
    assert columns.in_tie_order() == IndexColumns(
        ["a", "a", "a", "b"], [0, 0, 5, 0], [3, 7, 9, 1], ["4", "3", "2", "1"]
    )

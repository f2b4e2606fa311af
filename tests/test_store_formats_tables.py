"""Tables of any shape become pipe tables, numbers as people write them."""

from __future__ import annotations

import pytest

from store.formats.tables import number_text, pipe_table, rows_of_columns


def test_rows_are_padded_and_cells_stay_within_their_line():
    rows = [["", "2019年"], ["a|b\nc", 1.0, None], []]
    assert pipe_table(rows).splitlines() == [
        "|  | 2019年 |  |",
        "| --- | --- | --- |",
        "| a/b c | 1 |  |",
        "|  |  |  |",
    ]
    assert pipe_table([]) == pipe_table([[]]) == ""


def test_columns_become_rows_in_order_of_first_mention():
    columns = {"2019": {"b": 1, "a": 2}, "2018": {"a": 3, "c": 4}}
    assert rows_of_columns(columns) == [
        ["", "2019", "2018"],
        ["b", 1, ""],
        ["a", 2, 3],
        ["c", "", 4],
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2200.0, "2200"),
        (-3.4, "-3.4"),
        (1.42403, "1.42403"),
        (1e15, "1000000000000000"),
        (1e-5, "0.00001"),
    ],
)
def test_numbers_have_no_exponent(value: float, text: str):
    assert number_text(value) == text

"""Tables of cells as pipe tables: one cell a value, one heading, nothing lost."""

from __future__ import annotations

import pytest

from engine.answer.offline.tables import table_rows
from engine.corpus.readers.pipe_table import pipe_table


def lines(rows, heading_rows=None):
    return pipe_table(rows, heading_rows).split("\n")


def test_the_first_row_is_the_heading():
    assert lines([["项目", "2024年"], ["净利润", "300"]]) == [
        "| 项目 | 2024年 |",
        "| --- | --- |",
        "| 净利润 | 300 |",
    ]


def test_a_first_row_with_numbers_gets_an_empty_heading():
    assert lines([["净利润", "300"], ["收入", "900"]])[0] == "|  |  |"


def test_headings_over_several_rows_become_one():
    rows = [["", "Nine Months", "Nine Months"], ["", "2024", "2023"], ["Sales", "5", "4"]]
    assert lines(rows)[0] == "|  | Nine Months 2024 | Nine Months 2023 |"


def test_the_parts_of_a_value_are_joined_and_columns_left_empty_go():
    rows = [
        ["", "2023", "2023", "", "2022", "2022"],
        ["Sales", "$", "1,000", "", "$", "900"],
        ["Loss", "", "(10", ")", "(9", ")"],
    ]
    assert lines(rows)[2:] == ["| Sales | $1,000 |  | $900 |", "| Loss | (10) | (9) |  |"]


def test_a_bar_and_a_line_break_inside_a_cell_do_not_part_it():
    assert lines([["a", "b|c\nd"], ["e", "f"]])[0] == "| a | b｜c d |"


def test_rows_shorter_than_the_table_are_filled():
    assert lines([["a", "b", "c"], ["d"], ["e", "f", "g"]])[2] == "| d |  |  |"


@pytest.mark.parametrize("rows", [[], [[]], [["", " "], [""]]])
def test_a_table_without_text_is_nothing(rows):
    assert pipe_table(rows) == ""


def test_the_answerer_reads_what_is_written():
    (row,) = table_rows(pipe_table([["项目", "2024年"], ["净利润", "300"]]))
    assert (row.label, row.cells[0].text, row.cells[0].header) == ("净利润", "300", "2024年")

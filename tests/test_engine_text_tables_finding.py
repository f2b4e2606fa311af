"""Tables in texts: what they say, and where each character of it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.tables.finding import tables
from engine.text.tables.records import Table

TATQA = Path(__file__).parents[2] / "shared/data/en_tatqa/corpus.jsonl"
MARKDOWN = """Net sales, in millions.

|  | Year ended June 30, |  |
| --- | ---: | ---: |
|  | 2019 | 2018 |
| Net sales: |  |  |
| Services \\| other | $ 2,515 | (1,310) |

All of it was paid."""
CHINESE = (
    "单位：万元\n| 项目 | 2024年 | 2023年 |\n|---|---|---|\n| 净利润 | 300 | 90 |\n以上为合并口径。"
)
CSV = '资产负债表\n项目,2024,2023\n"现金, 存款","1,000",5\n"所谓""商誉""",7,\n完'


def said(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows]


def check_places(text: str, table: Table) -> None:
    """Each character stands where it is said to stand."""
    for row in table.rows:
        assert table.start <= row.start <= row.end <= table.end
        for cell in row.cells:
            assert len(cell.offsets) == len(cell.text)
            assert list(cell.offsets) == sorted(cell.offsets)
            for character, offset in zip(cell.text, cell.offsets, strict=True):
                assert cell.start <= offset < cell.end
                assert text[offset] == character or text[offset] in "&<\n\t\u00a0"


def test_a_markdown_table_with_two_rows_of_headings() -> None:
    (table,) = tables(MARKDOWN)
    assert said(table) == [
        ["", "Year ended June 30,", ""],
        ["", "2019", "2018"],
        ["Net sales:", "", ""],
        ["Services \\| other", "$ 2,515", "(1,310)"],
    ]
    assert table.headings == 2
    assert MARKDOWN[table.start :].startswith("|  | Year")
    assert MARKDOWN[table.end :] == "\n\nAll of it was paid."
    check_places(MARKDOWN, table)


def test_a_chinese_table_between_lines_of_prose() -> None:
    (table,) = tables(CHINESE)
    assert said(table)[1] == ["净利润", "300", "90"]
    assert (table.headings, CHINESE[table.end :]) == (1, "\n以上为合并口径。")
    check_places(CHINESE, table)


def test_a_csv_table_with_quoted_cells_below_its_title() -> None:
    (table,) = tables(CSV)
    assert said(table) == [
        ["项目", "2024", "2023"],
        ["现金, 存款", "1,000", "5"],
        ['所谓"商誉"', "7", ""],
    ]
    assert table.headings == 1
    check_places(CSV, table)


def test_cells_parted_by_tabs_are_a_table() -> None:
    (table,) = tables("item\t2024\nsales\t1,000\ncosts\t900")
    assert said(table)[1] == ["sales", "1,000"]


def test_an_html_table_with_spans_entities_and_markup() -> None:
    text = (
        "before <table class='t'><caption>Sales</caption><thead><tr><th>Item</th>"
        "<th colspan=2>2024 &amp; before</th></tr></thead><tbody>"
        '<tr><td rowspan="2">净<br/>利 润</td><td>1</td><td> <b>2</b>\n 3</td></tr>'
        "<tr><td>4<td>5</tr></tbody></table> after"
    )
    (table,) = tables(text)
    assert said(table) == [
        ["Item", "2024 & before", ""],
        ["净 利 润", "1", "2 3"],
        ["", "4", "5"],
    ]
    assert table.headings == 1
    assert text[: table.start].endswith("</caption>"), "what no cell holds stays in sight"
    assert text[table.end :] == " after"
    check_places(text, table)


def test_rows_and_columns_without_a_word_are_left_out() -> None:
    (table,) = tables("|  |  |  |\n|---|---|---|\n| cash |  | 5 |\n|  |  |  |\n| debt |  | 7 |")
    assert said(table) == [["cash", "5"], ["debt", "7"]]
    assert table.headings == 0


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n| --- | --- |\n| only one |",
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |",
        "| one row | alone |",
        "|\n|\n|",
        "name,2024\nsales,1,2\ncosts,3",
        'name,2024\nsales,"1\ncosts,3',
        "Products 60,584 63,355\nServices 1,584 3,355\nTotal 60,584 63,355",
        "Paris, Rome\nOslo, Bern\nKyiv, Riga",
        "甲公司,成立于2019年。\n乙公司,成立于2020年。\n丙公司,成立于2021年。",
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        "<table><tr><td>a</td></tr>stray<tr><td>b</td></tr></table>",
        "<table><tr><td>never closed",
        "<table></table>",
        "",
    ],
)
def test_what_is_ragged_broken_off_or_prose_is_no_table(text: str) -> None:
    assert tables(text) == ()


def test_of_nested_tables_the_inner_one_is_read() -> None:
    text = "<table><tr><td><table><tr><td>in</td></tr></table></td></tr></table>"
    (table,) = tables(text)
    assert said(table) == [["in"]]


PIECES = st.sampled_from(
    (
        *(
            "|",
            ",",
            "\t",
            "\n",
            "\r\n",
            " ",
            '"',
            "a",
            "净",
            "1,000",
            "---",
            "2024",
            "&amp;",
            "<br>",
        ),
        *("<table>", "</table>", "<tr>", "</tr>", "<td>", "<td colspan=2>", "</td>"),
    )
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_places_are_right_whatever_the_text(text: str) -> None:
    end = 0
    for table in tables(text):
        assert table.start >= end
        assert len({len(row.cells) for row in table.rows}) == 1
        assert table.headings <= len(table.rows)
        check_places(text, table)
        end = table.end


@pytest.mark.skipif(not TATQA.exists(), reason="needs the real data")
def test_every_table_of_tatqa_is_found() -> None:
    lines = TATQA.read_text(encoding="utf-8").splitlines()[:60]
    for line in lines:
        text = json.loads(line)["text"]
        (table,) = tables(text)
        check_places(text, table)

"""Tables in the width that there is: nothing runs over, figures are whole, a pipe gets all."""

from __future__ import annotations

import pytest

from engine.report.text_table import paragraph_lines, sentence_lines, table_lines
from engine.text.wrapping import ELLIPSIS, cell_width

HEADER = ["run", "name", "state", "what happened", "done", "share (of all)"]
ROWS = [
    [
        "1",
        "一个名字很长的运行-流动性覆盖率-2026",
        "done",
        "nothing",
        "272",
        "0.342 to 1.000 (n < 20)",
    ],
    ["2", "closed-book-sample@1", "paused", "金额单位写错了，应为万元 " * 3, "1,000", "-"],
    ["3", "a/long/path/to/some/report-2024.md", "done", "a sentence of words " * 3, "", "0.5"],
]


def test_a_table_that_fits_stands_in_full() -> None:
    lines = table_lines(["name", "n"], [["基金", "7"], ["bank", "1,200"]])
    assert lines == ["name      n", "基金      7", "bank  1,200"]
    assert table_lines(["name", "n"], [["基金", "7"], ["bank", "1,200"]], width=40) == lines


def test_without_a_width_nothing_is_cut() -> None:
    text = "\n".join(table_lines(HEADER, ROWS))
    for row in ROWS:
        for cell in row:
            assert cell.rstrip() in text


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize("grouped", [False, True])
def test_no_line_is_wider_than_asked_and_no_figure_is_cut(width: int, grouped: bool) -> None:
    lines = table_lines(HEADER, ROWS, width=width, keys=2, grouped=grouped)
    assert max(map(cell_width, lines)) <= width
    text = "\n".join(lines)
    for figure in ("272", "1,000", "0.342 to 1.000 (n < 20)", "0.5"):
        assert figure in text


def test_sentences_are_broken_and_names_cut_a_path_at_its_front() -> None:
    text = "word " * 20
    lines = table_lines(["name", "why"], [["x", text], ["y", "z" * 99]], width=40)
    assert " ".join(" ".join(lines).split()).count("word") == 20
    assert lines[-1].endswith("z" + ELLIPSIS)
    (_, line) = table_lines(["rank", "source"], [["1", f"{'deep/' * 20}report.md"]], width=40)
    assert line.endswith("deep/report.md")
    assert ELLIPSIS in line


def test_heads_are_broken_before_anything_else() -> None:
    lines = table_lines(["x", *["score of all"] * 6], [["a", *"123456"]], width=44)
    assert [line.split() for line in lines] == [
        ["score"] * 6,
        ["of"] * 6,
        ["x", *["all"] * 6],
        ["a", *"123456"],
    ]


def test_what_is_left_goes_on_below_beside_its_names() -> None:
    header = ["topic", *(f"column{at}" for at in range(8))]
    rows = [[topic, *["0.123"] * 8] for topic in ("fund", "bank")]
    lines = table_lines(header, rows, width=50)
    assert [line.split()[0] for line in lines if line] == ["topic", "fund", "bank"] * 2
    assert sum(line.count("0.123") for line in lines) == 16


def test_groups_stand_above_their_rows_in_a_narrow_table() -> None:
    header = ["group", "metric", *(f"column{at}" for at in range(4))]
    rows = [[f"a long name of group {at // 2}", "em", *["0.123"] * 4] for at in range(4)]
    lines = table_lines(header, rows, width=60, keys=2, grouped=True)
    assert [line for line in lines if line.startswith("a long")] == [
        "a long name of group 0",
        "a long name of group 1",
    ]
    assert len(table_lines(header, rows, grouped=True)) == 5


def test_a_cell_stays_in_its_line_and_moves_no_cursor() -> None:
    lines = table_lines(["a"], [["one\ntwo\x1b[31m"]])
    assert len(lines) == 2
    assert "\x1b" not in lines[1]


def test_a_table_without_rows_is_its_heads() -> None:
    assert table_lines(["a", "b"], []) == ["a  b"]
    assert table_lines(HEADER, [], width=40)


def test_a_paragraph_is_broken_with_an_indent() -> None:
    assert paragraph_lines("one two three four", 10, indent=2) == ["one two", "  three", "  four"]
    assert sentence_lines("one two", None) == ["one two"]

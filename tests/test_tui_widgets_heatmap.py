"""The heat map: every number readable without colour, at any width."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from tui.widgets.heatmap import HeatMap
from tui.widgets.matrix import (
    Heading,
    HeatCell,
    Matrix,
    Room,
    aligned_cell,
    body_sizes,
    header_lines,
    margin_text,
    measure,
    short_value,
    signed_value,
    without_empty,
)

TOPICS = tuple(Heading(name, name) for name in ("零售银行", "商业银行", "retail credit", "基金"))
TASKS = (
    Heading("extractive", "抽取类问答"),
    Heading("multi_hop", "多跳推理"),
    Heading("contrast", "contrast"),
    Heading("long_form", "long-form answers"),
    Heading("conversational", "conversational"),
)
ROW = (
    HeatCell(0.71, 22, 0.71),
    HeatCell(0.42, 14, 0.42, is_small=True),
    HeatCell(None, 22),
    HeatCell(),
    HeatCell(1.0, 120, 1.0),
)
MARGIN = HeatCell(0.53, 112, 0.53, ends=(0.49, 0.57))
MATRIX = Matrix(TOPICS, TASKS, (ROW,) * 4, (MARGIN,) * 4, (MARGIN,) * 5, MARGIN)


class Showing(App[None]):
    def __init__(self, matrix: Matrix = MATRIX) -> None:
        super().__init__()
        self.map = HeatMap(matrix, empty="No run yet.")
        self.said: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.map

    def on_heat_map_highlighted(self, message: HeatMap.Highlighted) -> None:
        self.said.append((message.row, message.column))

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        self.said.append((message.row, message.column, message.cell.value))


async def test_at_80_columns_all_tasks_and_margins_are_in_view() -> None:
    row = (*ROW[:4], HeatCell(0.99, 20, 0.99))
    app = Showing(Matrix(TOPICS, TASKS, (row,) * 4, (MARGIN,) * 4, (MARGIN,) * 5, MARGIN))
    async with app.run_test(size=(80, 9)) as pilot:
        await pilot.pause()
        assert app.map.lines_as_text() == [
            "               抽取类                        long-form conversat",
            "               问答      多跳推理  contrast  answers   ional     all",
            "零售银行      [ .71  22] (.42) 14   n/a  22     -       .99  20   .53 .49-.57",
            "商业银行        .71  22  (.42) 14   n/a  22     -       .99  20   .53 .49-.57",
            "retail credit   .71  22  (.42) 14   n/a  22     -       .99  20   .53 .49-.57",
            "基金            .71  22  (.42) 14   n/a  22     -       .99  20   .53 .49-.57",
            "all             .53       .53       .53       .53       .53       .53 .49-.57",
            "零售银行 / 抽取类问答   .71   n 22",
            "",
        ]


async def test_small_margins_hide_no_column_that_there_is_room_for() -> None:
    tasks = tuple(
        Heading(name, f"{name}类问答") for name in ("抽取", "推理", "对比", "长答", "对话")
    )
    topics = tuple(Heading(name, f"{name} / 亿元 / 销售") for name in ("智能", "旅游"))
    small = HeatCell(1.0, 2, 1.0, is_small=True, ends=(0.8, 1.0))
    app = Showing(Matrix(topics, tasks, ((small,) * 5,) * 2, (small,) * 2, (small,) * 5, small))
    async with app.run_test(size=(80, 9)) as pilot:
        await pilot.press("down", "down")
        lines = app.map.lines_as_text()
        assert "›" not in lines[0] + lines[1]
        assert lines[3].count("(1.00)") == 5 + 1
        assert "(1.00) .80-1.00" in lines[5], "the line below has the interval"


async def test_headings_stay_whole_where_the_interval_would_cut_them() -> None:
    topics = tuple(Heading(name, name) for name in ("Commercial Banking", "Derivatives Markets"))
    tasks = tuple(Heading(name, name) for name in ("Extractive QA", "Long-form QA", "Contrast QA"))
    small = HeatCell(1.0, 2, 1.0, is_small=True)
    matrix = Matrix(topics, tasks, ((small,) * 3,) * 2, (small,) * 2, (small,) * 3, MARGIN)
    app = Showing(matrix)
    async with app.run_test(size=(60, 9)) as pilot:
        await pilot.pause()
        lines = app.map.lines_as_text()
        assert "⋯" not in "".join(lines)
        assert lines[4].endswith(" .53")


async def test_totals_stand_below_the_values_of_their_column() -> None:
    counts = tuple(HeatCell(float(n), n, text=str(n)) for n in (12, 4000))
    topics = (Heading("debt", "debt"), Heading("fund", "fund"))
    matrix = Matrix(topics, TASKS[:1], ((counts[0],), (counts[1],)), column_totals=counts[:1])
    app = Showing(matrix)
    async with app.run_test(size=(60, 9)) as pilot:
        await pilot.press("down")
        lines = app.map.lines_as_text()
        assert lines[1].index("12") == lines[3].index("12")


async def test_a_narrow_map_scrolls_its_columns_and_keeps_labels_and_margin() -> None:
    app = Showing()
    async with app.run_test(size=(50, 10)) as pilot:
        await pilot.pause()
        assert "2 more ›" in app.map.lines_as_text()[1]
        await pilot.press("l", "l", "l", "l")
        lines = app.map.lines_as_text()
        assert "‹ 2 more" in lines[1]
        assert lines[2].startswith("零售银行")
        assert lines[2].endswith(" .53")
        assert "[ 1.00 " in lines[2]
        assert "n 120" in lines[7], "what has no room beside the value stands below the map"


async def test_a_short_map_scrolls_its_rows_and_keeps_the_totals() -> None:
    app = Showing()
    async with app.run_test(size=(80, 6)) as pilot:
        await pilot.press("j", "j", "j")
        lines = app.map.lines_as_text()
        assert lines[3].startswith("基金")
        assert lines[4].startswith("all")
        await pilot.press("j")
        assert app.map.cursor == (None, "extractive")


async def test_the_cursor_moves_in_two_dimensions_and_enter_chooses() -> None:
    app = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "l", "enter", "end", "enter", "k", "home", "h")
        assert app.said == [
            ("零售银行", "extractive"),
            ("商业银行", "extractive"),
            ("商业银行", "multi_hop"),
            ("商业银行", "multi_hop", 0.42),
            ("商业银行", None),
            ("商业银行", None, 0.53),
            ("零售银行", None),
            ("零售银行", "extractive"),
        ]


async def test_another_matrix_keeps_the_cursor_on_its_row_and_column() -> None:
    app = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "l", "l")
        app.map.show(Matrix(TOPICS[1:], TASKS[1:], (ROW[1:],) * 3), signed_value)
        assert app.map.cursor == ("商业银行", "contrast")
        await pilot.press("end")
        assert app.map.cursor == ("商业银行", "conversational")


async def test_an_empty_map_says_how_to_fill_it() -> None:
    app = Showing(Matrix())
    async with app.run_test(size=(80, 6)) as pilot:
        await pilot.press("down", "enter")
        assert app.map.lines_as_text()[1].strip() == "No run yet."
        app.map.show(Matrix(), empty="No corpus yet. F2 Corpus reads your files into one; " * 2)
        shown = [line.strip() for line in app.map.lines_as_text()]
        assert " ".join(filter(None, shown)).endswith("reads your files into one;")


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (HeatCell(0.71, 22), "  .71   22"),
        (HeatCell(0.71, 9, is_small=True), " (.71)   9"),
        (HeatCell(None, 22), "  n/a   22"),
        (HeatCell(), "    -     "),
    ],
)
def test_a_cell_says_its_value_and_n(cell: HeatCell, text: str) -> None:
    assert aligned_cell(cell, (4, 3), short_value) == text


@pytest.mark.parametrize(
    ("value", "short", "signed"),
    [(0.713, ".71", "+.71"), (1.0, "1.00", "+1.00"), (-0.05, "-.05", "-.05"), (0, ".00", "+.00")],
)
def test_values_are_written_without_the_leading_zero(value: float, short: str, signed: str) -> None:
    assert (short_value(value), signed_value(value)) == (short, signed)


def test_a_margin_says_its_interval() -> None:
    assert margin_text(MARGIN, short_value) == " .53 .49-.57"
    assert margin_text(MARGIN, short_value, Room.VALUE) == " .53"
    assert margin_text(MARGIN._replace(is_small=True), short_value) == "(.53) .49-.57"


@pytest.mark.parametrize(
    ("heading", "width", "lines"),
    [
        (TASKS[0], 10, ["抽取类问答"]),
        (TASKS[0], 8, ["抽取类", "问答"]),
        (TASKS[3], 10, ["long-form", "answers"]),
        (TASKS[4], 10, ["conversati", "onal"]),
        (Heading("x", "衍生品交易与风险对冲策略评估"), 8, ["衍生品交", "易与风⋯"]),
        (Heading("t", "Extractive QA"), 10, ["Extractive", "QA"]),
        (Heading("t", "Extractive QA"), 8, ["Extract⋯", "QA"]),
        (Heading("t", "Multi-hop reasoning"), 8, ["Multi-h⋯", "reasoni⋯"]),
    ],
)
def test_a_heading_is_broken_evenly_or_shortened(
    heading: Heading, width: int, lines: list[str]
) -> None:
    assert list(header_lines(heading, width)) == lines


def test_rows_and_columns_without_anything_can_be_left_out() -> None:
    full, empty = HeatCell(0.5, 3), HeatCell()
    pending = HeatCell(note="2 pending")
    matrix = Matrix(
        TOPICS[:3],
        TASKS[:2],
        ((full, empty), (empty, empty), (pending, empty)),
        (full, empty, pending),
        (full, empty),
        full,
    )
    shown = without_empty(matrix)
    assert [heading.key for heading in shown.rows] == ["零售银行", "retail credit"]
    assert [heading.key for heading in shown.columns] == ["extractive"]
    assert shown.cells == ((full,), (pending,))
    assert (shown.row_totals, shown.column_totals, shown.total) == ((full, pending), (full,), full)


def test_where_a_value_is_a_count_no_n_stands_beside_it() -> None:
    sizes = body_sizes([HeatCell(12.0, 12)], lambda count: f"{count:.0f}", shows_n=False)
    assert aligned_cell(HeatCell(7.0, 7), sizes, lambda count: f"{count:.0f}") == "  7 "


@pytest.mark.parametrize("width", range(40, 160, 7))
def test_what_is_in_view_fits_the_width(width: int) -> None:
    geometry = measure(MATRIX, width, 24, short_value)
    used = geometry.label + geometry.columns * (geometry.column + 1) + geometry.margin + 1
    assert used <= width

"""Tables in texts: aligned, scrolled sideways under headings that stay, marked where they are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from table_texts import wide_text
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from engine.text.wrapping import cell_width
from tui.correction.span_text import SpanText
from tui.widgets.marks import Mark
from tui.widgets.passage import Passage
from tui.widgets.sheet import Block, Sheet, lay_blocks, numbered
from tui.widgets.tables import laid

TEXT = """单位：万元
| 项目 | 2024年 | 比例 |
|---|---|---|
| 归属于母公司股东的净利润 | 1,300.5 | (3)% |
| 营业收入 | 90 | 不适用 |
以上为合并口径。"""


class Showing(App[None]):
    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_mount(self) -> None:
        self.widget.focus()


def shown(text: str, width: int, first: int = 1) -> list[str]:
    lines, grid = laid(text, width)
    return [
        "".join(piece for piece, _ in grid[at].pieces(first)) if at in grid else text[slice(*line)]
        for at, line in enumerate(lines)
    ]


def test_columns_are_aligned_by_cells_and_figures_stand_to_the_right() -> None:
    assert shown(TEXT, 60) == [
        "单位：万元",
        "项目                       2024年    比例",
        "归属于母公司股东的净利润  1,300.5    (3)%",
        "营业收入                       90  不适用",
        "以上为合并口径。",
    ]


def test_a_text_gives_way_before_a_figure_is_out_of_sight() -> None:
    lines = shown(TEXT, 32)
    assert lines[2] == "归属于母公司股   1,300.5    (3)%"
    assert lines[3].strip() == "东的净利润"
    assert all(cell_width(line) <= 32 for line in lines)


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("first", [1, 4, 99])
def test_the_first_column_stays_and_no_figure_is_cut(lang: str, first: int) -> None:
    text = wide_text(lang)
    lines = shown(text, 50, first)
    table = [line for line in lines if "," in line]
    assert len(table) >= 2
    assert all(cell_width(line) <= 50 for line in lines)
    assert table[0].startswith(("营业收入", "Net sales"))
    values = set(text.replace("|", " ").split())
    assert all(figure in values for line in table for figure in line.split() if "," in figure)
    if first == 99:
        assert table[0].endswith("1,240.5"), "the last column is in view"


async def test_the_passage_scrolls_sideways_and_its_headings_stay() -> None:
    passage = Passage()
    passage.show(wide_text("en", rows=30), title="sales")
    app = Showing(passage)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        body = passage.body
        assert "columns 2-4/11" in body.lines_as_text()[0]
        await pilot.press("pagedown", "right", "right", "l", "h")
        lines = body.lines_as_text()
        assert "columns 4-6/11" in lines[0]
        assert lines[1].split() == ["2017", "2018", "2019"], "the headings stay"
        first = lines[2].split()
        await pilot.press("pagedown")
        assert lines[-1] == body.lines_as_text()[2], "a page goes on with the last line"
        await pilot.press("pageup")
        assert body.lines_as_text()[2].split() == first
        await pilot.press(*["right"] * 20)
        assert "11/11" in body.lines_as_text()[0]
        await pilot.press("left")
        assert "11/11" not in body.lines_as_text()[0], "the end is no further than in view"


async def test_going_to_a_mark_brings_its_column_into_view() -> None:
    text = wide_text("zh")
    start = text.index("2,220.5")
    passage = Passage()
    passage.show(text, [Mark(start, start + 7, "evidence")], title="利润")
    app = Showing(passage)
    async with app.run_test(size=(50, 12)) as pilot:
        await pilot.pause()
        assert any("2,220.5" in line for line in passage.body.lines_as_text())
        strips = [passage.body.render_line(y) for y in range(12)]
        marked = [one.text for strip in strips for one in strip if one.style and one.style.bold]
        assert "2,220.5" in marked, "the cell is marked, and no more of its row"


async def test_a_wide_table_is_told_while_it_is_in_view() -> None:
    said: list[bool] = []

    class Telling(Showing):
        def on_scrolling_lines_widened(self, message: SpanText.Widened) -> None:
            said.append(message.is_wide)

    passage = Passage()
    passage.show(wide_text("en") + "\n" * 30, title="sales")
    async with Telling(passage).run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        await pilot.press("end")
        await pilot.pause()
        await pilot.resize_terminal(200, 12)
        await pilot.press("home")
        await pilot.pause()
        assert said == [True, False], "once for each change, and not where all fits"


async def test_a_sheet_shows_tables_beside_labels_and_scrolls_them() -> None:
    sheet = Sheet(title="answer")
    blocks = [Block("answer", "Sales grew.\n" + wide_text("en")), Block("golden", "yes")]
    app = Showing(sheet)
    async with app.run_test(size=(60, 14)) as pilot:
        sheet.show(lambda width: lay_blocks(blocks, width))
        await pilot.press("right")
        lines = sheet.lines_as_text()
        row = next(line for line in lines if "Net sales" in line)
        assert row.split()[2] == "1,160.5"
        assert "1,240.5" in sheet.text, "the whole of it is its text"
        assert any(line.startswith("  golden") for line in lines)


def test_the_number_of_a_table_stands_above_it() -> None:
    assert numbered(2, "text") == "2 text"
    assert numbered(1, TEXT) == f"1 {TEXT}"
    assert numbered(1, TEXT.split("\n", 1)[1]).startswith("1\n| 项目")


@asynccontextmanager
async def spans_of(text: str, width: int = 60) -> AsyncIterator[tuple[SpanText, Pilot[None]]]:
    spans = SpanText()
    async with Showing(spans).run_test(size=(width, 20)) as pilot:
        spans.open(text)
        await pilot.pause()
        yield spans, pilot


async def test_the_cursor_walks_through_cells_and_not_through_the_signs_between() -> None:
    async with spans_of(TEXT) as (spans, _):
        walked = []
        for _ in TEXT:
            spans.action_move("right")
            walked.append(TEXT[spans.cursor])
        assert set("|-") & set(walked) == set()
        assert "".join(walked).count("比例") == 1
        there = spans.cursor
        for _ in range(8):
            spans.action_move("left")
        for _ in range(8):
            spans.action_move("right")
        assert spans.cursor == there
        spans.action_move("first")
        seen = []
        for _ in range(5):
            spans.action_move("down")
            seen.append(TEXT[spans.cursor])
        assert seen == ["项", "归", "营", "以", "以"]


async def test_a_row_that_is_marked_has_the_documents_own_offsets() -> None:
    async with spans_of(wide_text("zh"), 40) as (spans, _):
        text = spans.text
        start = text.index("2,200.5")
        spans.find("2,200.5")
        assert spans.cursor == start
        assert any("2,200.5" in line for line in spans.lines_as_text()), "its column is in view"
        spans.mark_sentences()
        row = next(line for line in text.splitlines() if "2,200.5" in line)
        assert spans.span is not None
        assert text[slice(*spans.span)] == row
        assert any("2,200.5" in line for line in spans.lines_as_text()), "the view stays"


async def test_a_click_on_a_cell_puts_the_cursor_there() -> None:
    async with spans_of(TEXT) as (spans, pilot):
        line = next(y for y, text in enumerate(spans.lines_as_text()) if "1,300.5" in text)
        column = cell_width(spans.lines_as_text()[line].split("1,300.5")[0])
        await pilot.click(spans, offset=(column, line))
        assert TEXT[spans.cursor :].startswith("1,300.5")

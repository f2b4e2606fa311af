"""Sheets of lines, lines that are pressed, and problems over a screen."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widget import Widget

from engine.text.wrapping import cell_width
from tui.widgets.frame import ProblemLines
from tui.widgets.line import TextLines
from tui.widgets.marks import Mark, layered, stretches
from tui.widgets.pressed import PressLine
from tui.widgets.sheet import Block, Sheet, lay_blocks

BLOCKS = (
    Block("问题", "流动性覆盖率的最低监管要求是多少？" * 3),
    Block("answer", "not below 100 percent", marks=(Mark(10, 21, "match"),)),
)


class Showing(App[None]):
    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget
        self.pressed = 0

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_press_line_pressed(self) -> None:
        self.pressed += 1


def text_of(line: list[tuple[str, str]]) -> str:
    return "".join(text for text, _ in line)


def test_blocks_share_a_column_of_labels_and_wrap_beside_it() -> None:
    lines = lay_blocks(BLOCKS, 40)
    labels = [line[0][0] for line in lines]
    assert [label.strip() for label in labels] == ["问题", *[""] * (len(lines) - 2), "answer"]
    assert {cell_width(label) for label in labels} == {8}
    assert all(cell_width(text_of(line)) <= 40 for line in lines)
    assert ("100 percent", "match") in lines[-1]


async def test_what_does_not_fit_begins_where_it_is_told_to() -> None:
    sheet = Sheet(title="Details")
    app = Showing(sheet)
    lines = [[(f"line {number}", "")] for number in range(12)]
    async with app.run_test(size=(30, 5)):
        sheet.show(lambda width: lines, begin=lambda width: 6)
        assert sheet.lines_as_text()[1].strip() == "line 6"
        assert "7-10/12" in sheet.lines_as_text()[0]
        sheet.show(lambda width: lines, begin=lambda width: 11)
        assert sheet.lines_as_text()[-1].strip() == "line 11"
        sheet.show(lambda width: lines[:4], begin=lambda width: 2)
        assert sheet.lines_as_text()[1].strip() == "line 0"


async def test_a_sheet_scrolls_keeps_its_place_and_is_laid_out_for_its_width() -> None:
    sheet = Sheet(title="Details")
    app = Showing(sheet)
    async with app.run_test(size=(30, 5)) as pilot:
        sheet.show(lambda width: lay_blocks(BLOCKS * 4, width))
        sheet.focus()
        await pilot.press("down", "down", "pagedown")
        top = sheet.lines_as_text()[1]
        sheet.show(lambda width: lay_blocks(BLOCKS * 4, width), from_top=False)
        assert sheet.lines_as_text()[1] == top
        sheet.show(lambda width: lay_blocks(BLOCKS, width))
        assert sheet.lines_as_text()[1].strip().startswith("问题")
        await pilot.press("end")
        assert "percent" in sheet.lines_as_text()[-1]
        await pilot.resize_terminal(60, 8)
        assert all(cell_width(line) <= 60 for line in sheet.lines_as_text())


async def test_a_line_that_cannot_be_pressed_says_why() -> None:
    line = PressLine("Start", "in the background")
    app = Showing(line)
    async with app.run_test(size=(40, 3)) as pilot:
        line.focus()
        line.say("Repeats are 1 to 100.")
        await pilot.press("enter")
        assert app.pressed == 0
        assert "Repeats are 1 to 100." in line.lines_as_text()[0]
        line.say("")
        await pilot.press("enter")
        assert app.pressed == 1


async def test_a_problem_wraps_and_says_how_it_is_put_away() -> None:
    problem = ProblemLines()
    app = Showing(problem)
    async with app.run_test(size=(30, 10)) as pilot:
        problem.show("磁盘已满，什么也没有改变。 Free some space and try again.")
        await pilot.pause()
        lines = problem.lines_as_text()
        assert lines[-1].strip() == "Esc closes this"
        assert all(cell_width(line) <= 30 for line in lines)
        problem.show("")
        await pilot.pause()
        assert not problem.display


async def test_only_lines_that_there_is_room_for_are_shown() -> None:
    lines = TextLines(2)
    async with Showing(lines).run_test(size=(20, 4)) as pilot:
        lines.show([[("one", "")], [("two", "")], [("three", "")]])
        await pilot.pause()
        assert [line.strip() for line in lines.lines_as_text()] == ["one", "two"]


def test_a_golden_answer_stands_out_within_its_evidence() -> None:
    assert layered(["match", "evidence"]) == "evidence match"
    evidence, found = Mark(0, 10, "evidence"), Mark(4, 6, "match")
    roles = [part.roles for part in stretches(0, 10, [evidence, found], None)]
    assert roles == ["evidence", "evidence match", "evidence"]
    chosen = [part.roles for part in stretches(0, 10, [evidence, found], evidence)]
    assert chosen == ["evidence chosen", "evidence match chosen", "evidence chosen"]

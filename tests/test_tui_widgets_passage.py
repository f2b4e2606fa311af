"""The passage: marks without colour, steps between them, finding, and resizing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.app import App, ComposeResult

from tui.widgets.marks import Mark, MarkIndex, occurrences, stretches
from tui.widgets.passage import Passage
from tui.widgets.search import Among

TEXT = "第三条 商业银行应当按月报送流动性覆盖率。最低监管要求为不低于百分之一百。\n\n" + "\n".join(
    f"第{number}段 资产规模不足二千亿元的商业银行，适用优质流动性资产充足率。"
    for number in range(30)
)
QUOTE = "最低监管要求为不低于百分之一百"
EVIDENCE = Mark(TEXT.index(QUOTE), TEXT.index(QUOTE) + len(QUOTE), "evidence", "evidence 1")
FAR = Mark(TEXT.index("第20段"), TEXT.index("第20段") + 5, "answer", "answer")


class Reading(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.passage = Passage()
        self.passage.show(TEXT, [FAR, EVIDENCE], title="办法.md §3")
        self.backs = 0

    def compose(self) -> ComposeResult:
        yield self.passage

    def on_mount(self) -> None:
        self.passage.focus()

    def on_key(self, event: events.Key) -> None:
        self.backs += event.key == "escape"


async def test_a_marked_line_has_a_sign_and_the_title_says_which_mark() -> None:
    app = Reading()
    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.pause()
        lines = app.passage.body.lines_as_text()
        assert lines[0].split() == ["❯", "办法.md", "§3", "evidence", "1", "1/2", "marks", "1-7/63"]
        assert lines[1].startswith("❯ 第三条 商业银行应当按月报送流动性覆盖率。最低监管要求")
        assert lines[2].startswith("❯ 低于百分之一百。")
        await pilot.press("n")
        lines = app.passage.body.lines_as_text()
        assert "2/2 marks" in lines[0]
        assert any(line.startswith("❯ 第20段") for line in lines)


async def test_next_and_previous_go_round() -> None:
    app = Reading()
    async with app.run_test() as pilot:
        await pilot.pause()
        seen = [app.passage.body.current]
        for key in "nnN":
            await pilot.press(key)
            seen.append(app.passage.body.current)
        assert seen == [EVIDENCE, FAR, EVIDENCE, FAR]


async def test_finding_starts_with_one_character_and_esc_leaves_it_step_by_step() -> None:
    app = Reading()
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("slash", "亿")
        await pilot.pause()
        assert "1/30 found" in app.passage.body.lines_as_text()[0]
        await pilot.press("enter", "n")
        assert "2/30 found" in app.passage.body.lines_as_text()[0]
        await pilot.press("escape")
        assert app.backs == 0
        assert "2 marks" in app.passage.body.lines_as_text()[0]
        await pilot.press("escape")
        assert app.backs == 1


SHELF = (TEXT, "没有。", "甲行的鑫字，乙行的鑫字。", "丙行的鑫字。")


def show_among(passage: Passage, at: int) -> None:
    names = [f"retrieved {number}/4" for number in range(1, 5)]
    among = Among(names, SHELF, at, lambda number: show_among(passage, number))
    passage.show(SHELF[at], title=names[at], among=among)


async def test_a_search_goes_on_over_the_texts_beside() -> None:
    app = Reading()
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        show_among(app.passage, 0)

        def title() -> str:
            return " ".join(app.passage.body.lines_as_text()[0].split())

        await pilot.press("slash", "鑫")
        await pilot.pause()
        assert "0 here, 3 in 2 others" in title()
        await pilot.press("enter")
        assert title() == "❯ retrieved 3/4 1/2 found, 1 in retrieved 4/4"
        await pilot.press("n", "n")
        assert title() == "❯ retrieved 4/4 1/1 found, 2 in retrieved 3/4"
        await pilot.press("n")
        assert title().startswith("❯ retrieved 3/4 1/2 found"), "round again"
        await pilot.press("N", "N")
        assert title().startswith("❯ retrieved 3/4 2/2 found"), "back to the last in it"
        await pilot.press("escape", "n")
        assert title() == "❯ retrieved 3/4", "without a search the keys stay in the text"


async def test_what_is_not_there_is_said_to_be_not_found() -> None:
    app = Reading()
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("slash", "鑫")
        await pilot.pause()
        assert "none found" in app.passage.body.lines_as_text()[0]


async def test_a_hidden_passage_comes_up_at_its_mark() -> None:
    app = Reading()
    app.passage.display = False
    async with app.run_test(size=(60, 8)) as pilot:
        app.passage.show(TEXT, [FAR])
        await pilot.pause()
        app.passage.display = True
        await pilot.pause()
        assert any(line.startswith("❯ 第20段") for line in app.passage.body.lines_as_text())


async def test_a_resize_keeps_the_first_character_in_view() -> None:
    app = Reading()
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("pagedown", "pagedown", "down")
        before = app.passage.body.top_offset
        await pilot.resize_terminal(33, 12)
        await pilot.pause()
        after = app.passage.body.top_offset
        assert after <= before < after + 33
        assert app.passage.body.lines_as_text()[1].strip()


async def test_an_empty_passage_says_so() -> None:
    app = Reading()
    app.passage = Passage(empty="The evidence is the whole document. 整篇文档。")
    async with app.run_test(size=(60, 5)) as pilot:
        await pilot.pause()
        assert app.passage.body.lines_as_text()[2] == ""
        app.passage.show_loading("Reading the evidence.")
        assert "Reading the evidence." in app.passage.body.lines_as_text()[2]
        app.passage.show("")
        assert "整篇文档" in app.passage.body.lines_as_text()[2]


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("流动性与流动", "流", [(0, 1), (4, 5)]),
        ("ＬＣＲ lcr LCR", "lcr", [(0, 3), (4, 7), (8, 11)]),
        ("１２．５亿", "12.5", [(0, 4)]),
        ("百分比㎡值", "m2值", [(3, 5)]),
        ("Straße", "STRASSE", [(0, 6)]),
        ("甲", "", []),
        ("甲", "乙", []),
    ],
)
def test_finding_ignores_case_and_width(
    text: str, wanted: str, expected: list[tuple[int, int]]
) -> None:
    assert occurrences(text, wanted) == expected


@given(st.text(max_size=40), st.integers(0, 39), st.integers(1, 5))
def test_every_stretch_of_a_text_is_found_in_it(text: str, start: int, length: int) -> None:
    wanted = text[start : start + length]
    found = occurrences(text, wanted)
    assert all(0 <= left < right <= len(text) for left, right in found)
    if wanted and occurrences(wanted, wanted):
        assert found


MARKS = st.lists(
    st.builds(
        lambda start, length, kind: Mark(start, start + length, kind),
        st.integers(0, 50),
        st.integers(1, 20),
        st.sampled_from(["evidence", "answer", "match", "find"]),
    ),
    max_size=8,
)


@given(MARKS, st.integers(0, 60), st.integers(0, 20))
def test_stretches_cover_a_line_and_marks_are_found_by_place(
    marks: list[Mark], start: int, length: int
) -> None:
    end = start + length
    touching = MarkIndex(marks).touching(start, end)
    assert touching == sorted(mark for mark in marks if mark.start < end and mark.end > start)
    parts = stretches(start, end, touching, None)
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]
    assert (parts[0].start, parts[-1].end) == (start, end) if parts else length == 0
    for part in parts:
        is_marked = any(mark.start < part.end and mark.end > part.start for mark in marks)
        assert bool(part.roles) == (is_marked and part.start < part.end)

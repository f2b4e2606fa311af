"""A form of texts: typing, moving between fields, undo, what is drawn and where the cursor is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui.shell.theme import DARK
from tui.widgets.editor import Editor
from tui.widgets.field_lines import Field

FIELDS = (
    Field("q", "question", "基金净值上涨多少？"),
    Field("a", "answer", "", note="type it"),
    Field("t", "topic", "Funds", is_typed=False, is_apart=True),
)


class Bench(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.editor = Editor()
        self.register_theme(DARK)
        self.theme = DARK.name

    def compose(self) -> ComposeResult:
        yield self.editor


@asynccontextmanager
async def bench(
    fields: tuple[Field, ...] = FIELDS, size: tuple[int, int] = (40, 10)
) -> AsyncIterator[tuple[Editor, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=size) as pilot:
        app.editor.show(fields)
        app.editor.focus()
        await pilot.pause()
        yield app.editor, pilot


async def key(pilot: Pilot[None], character: str) -> None:
    """A character as a terminal sends it; `press` drops full-width punctuation."""
    pilot.app.post_message(events.Key("unknown", character))
    await pilot.pause()


async def test_digits_punctuation_and_question_marks_are_text() -> None:
    async with bench() as (editor, pilot):
        await pilot.press("tab", "4", "question_mark", "g", "slash", "space", "1")
        for character in "，“１。":
            await key(pilot, character)
        assert editor.fields[1].text == "4?g/ 1，“１。"


async def test_a_paste_arrives_whole_with_its_lines() -> None:
    async with bench() as (editor, pilot):
        await pilot.press("tab")
        pilot.app.post_message(events.Paste("第一行，\r\n第二行\x1b[31m"))
        await pilot.pause()
        assert editor.fields[1].text == "第一行，\n第二行[31m"
        editor.undo()
        assert editor.fields[1].text == ""


async def test_typing_is_one_step_of_undo_until_the_cursor_moves() -> None:
    async with bench() as (editor, pilot):
        await pilot.press("x", "y", "left", "z")
        assert editor.fields[0].text.endswith("？xzy")
        assert editor.undo()
        assert editor.fields[0].text.endswith("？xy")
        assert editor.undo()
        assert editor.fields == FIELDS
        assert not editor.undo()
        assert editor.redo()
        assert editor.redo()
        assert editor.fields[0].text.endswith("？xzy")
        assert not editor.redo()


async def test_undo_reaches_other_fields_and_takes_the_cursor_there() -> None:
    async with bench() as (editor, pilot):
        await pilot.press("x", "tab", "y")
        assert editor.active == 1
        editor.undo()
        editor.undo()
        assert (editor.active, editor.fields) == (0, FIELDS)


async def test_up_and_down_keep_their_column_from_field_to_field() -> None:
    fields = (Field("a", "a", "中文中文中文"), Field("b", "b", "x"), Field("c", "c", "abcdefghij"))
    async with bench(fields) as (editor, pilot):
        await pilot.press("left", "down", "down")
        assert (editor.active, editor.cursor) == (2, 10)
        await pilot.press("up", "up")
        assert (editor.active, editor.cursor) == (0, 5)


async def test_keys_delete_characters_and_words() -> None:
    async with bench((Field("a", "a", "净利润 rose 3.5%"),)) as (editor, pilot):
        await pilot.press("backspace", "ctrl+w")
        assert editor.field.text == "净利润 rose 3."
        await pilot.press("home", "delete", "enter")
        assert editor.field.text == "\n利润 rose 3."
        await pilot.press("ctrl+right", "ctrl+w")
        assert editor.field.text == "\n rose 3."


async def test_a_row_that_is_chosen_opens_with_enter_or_with_what_is_typed_on_it() -> None:
    async with bench() as (editor, pilot):
        opened: list[tuple[str, str]] = []
        editor.opened = lambda field, text: opened.append((field.key, text))
        await pilot.press("tab", "tab", "enter", "f", "backspace")
        assert opened == [("t", ""), ("t", "f")]
        assert editor.fields == FIELDS


async def test_the_terminal_cursor_stands_where_the_next_character_goes() -> None:
    async with bench() as (editor, pilot):
        await pilot.press("home", "right", "right")
        assert pilot.app.cursor_position == (2 + 8 + 2 + 4, 0)
        await pilot.press("tab")
        assert pilot.app.cursor_position == (2 + 8 + 2, 1)
        assert editor.cursor_screen_offset == pilot.app.cursor_position


async def test_a_long_text_breaks_by_the_chinese_rules_and_stays_in_view() -> None:
    fields = (Field("a", "答案", "净利润上涨，" * 40), Field("b", "理由", ""))
    async with bench(fields, (30, 6)) as (editor, pilot):
        assert all(not line.strip().startswith("，") for line in editor.lines_as_text())
        await pilot.press("tab")
        assert "❯ 理由" in "\n".join(editor.lines_as_text())
        await pilot.press("shift+tab", *["up"] * 30)
        assert editor.cursor < 10
        assert editor.lines_as_text()[0].startswith("❯ 答案  净利润上涨")


@pytest.mark.parametrize("offset", range(10))
async def test_every_cursor_position_is_drawn_once(offset: int) -> None:
    async with bench() as (editor, pilot):
        editor.go_to(0, offset)
        await pilot.pause()
        reverse = [
            segment.text
            for y in range(editor.size.height)
            for segment in editor.render_line(y)
            if segment.style is not None and segment.style.reverse
        ]
        text = FIELDS[0].text
        assert reverse == [text[offset] if offset < len(text) else " "]


async def test_an_error_is_said_below_its_field_until_that_is_edited() -> None:
    async with bench() as (editor, pilot):
        editor.show_errors({"q": "The question is empty."})
        assert "The question is empty." in editor.lines_as_text()[1]
        await pilot.press("x")
        assert "The question is empty." not in "\n".join(editor.lines_as_text())


async def test_the_form_as_it_is_drawn() -> None:
    async with bench() as (editor, _):
        assert editor.lines_as_text()[:4] == [
            "❯ question  基金净值上涨多少？",
            "  answer    type it",
            "",
            "  topic     Funds",
        ]


async def test_down_and_up_leave_a_row_that_takes_several_lines() -> None:
    row = Field("e", "evidence", "净值上涨百分之三，" * 6, is_typed=False)
    async with bench((FIELDS[1], row, FIELDS[2])) as (editor, pilot):
        for presses, field in (("down", 1), ("down", 2), ("up", 1), ("up", 0)):
            await pilot.press(presses)
            assert editor.active == field


async def test_the_edges_of_what_is_in_view_say_how_many_lines_are_beyond() -> None:
    many = tuple(Field(str(n), "f", f"line {n}") for n in range(9))
    async with bench(many, (30, 5)) as (editor, pilot):
        await pilot.press(*["up"] * 9)
        drawn = editor.lines_as_text()
        assert "more" not in drawn[0]
        assert drawn[-1].endswith("4 more")
        await pilot.press(*["down"] * 9)
        drawn = editor.lines_as_text()
        assert drawn[0].endswith("4 more")
        assert "more" not in drawn[-1]

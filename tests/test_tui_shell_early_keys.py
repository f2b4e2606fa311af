"""What is typed while a screen opens comes in its order into the field that it opens with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from desks import PATIENCE, desk, until
from textual import events

from tui.correction.pick import Option
from tui.correction.pick import Pick as ListPick
from tui.label.ask import AskText
from tui.screens.form import Concern, Form, Line, Pick, Values

LONG_ENOUGH = 0.1


class SlowPick(ListPick):
    """Stops before its parts are there."""

    def __init__(self) -> None:
        super().__init__("Topic", (Option("funds", "fund"), Option("rates", "rate")))
        self.may_begin = asyncio.Event()

    async def on_compose(self) -> None:
        await self.may_begin.wait()


def typed(app, text: str) -> None:
    for character in text:
        app.post_message(events.Key(character, character))


async def come(condition: Callable[[], object]) -> None:
    """Until `condition` holds; a pilot would wait for the screen that is held up, too."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.01)


async def test_keys_of_a_screen_that_opens_slowly_keep_their_order(tmp_path: Path) -> None:
    async with desk(tmp_path) as (app, _):
        slow = SlowPick()
        may_go_on = asyncio.Event()
        chosen: list[str | None] = []
        app.push_screen(slow, chosen.append)
        slow.call_later(may_go_on.wait)
        typed(app, "fu")
        await asyncio.sleep(LONG_ENOUGH)
        slow.may_begin.set()
        await come(lambda: slow.is_mounted and slow.focused is slow.wanted)
        typed(app, "nd")
        await asyncio.sleep(LONG_ENOUGH)
        may_go_on.set()
        await come(lambda: len(slow.wanted.value) == 4)
        assert slow.wanted.value == "fund"
        app.post_message(events.Key("enter", None))
        await come(lambda: chosen)
        assert chosen == ["funds"]


async def test_keys_typed_at_once_with_the_key_that_opens_a_screen_reach_it(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as (app, pilot):
        asked = AskText("Note", "", lambda text: None)
        app.push_screen(asked)
        typed(app, "贷款 rate")
        app.post_message(events.Paste(" 3.5"))
        typed(app, " %")
        await until(pilot, lambda: asked.input.value.endswith("%"), "the text")
        assert asked.input.value == "贷款 rate 3.5 %"


async def test_keys_wait_for_no_screen_that_has_gone(tmp_path: Path) -> None:
    async with desk(tmp_path) as (app, pilot):
        slow = SlowPick()
        app.push_screen(slow)
        typed(app, "5")
        await asyncio.sleep(LONG_ENOUGH)
        slow.may_begin.set()
        slow.dismiss(None)
        await pilot.press("f6")
        await until(pilot, lambda: app.place == "results", "Results")


def pressed(app, *keys: str) -> None:
    """Keys and letters that come in one piece, as from somebody far away who types ahead."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


async def test_what_is_typed_ahead_into_a_form_reaches_field_after_field(tmp_path: Path) -> None:
    options = (("bm25", ""), ("dense", ""))
    parts = (Line("name", "Name", "old"), Pick("by", "By", options), Line("seed", "Seed"))
    async with desk(tmp_path) as (app, pilot):
        answers: list[object] = []
        app.push_screen(Form("New", parts, "Begin"), answers.append)
        pressed(app, "ctrl+u", "n", "e", "w", "enter", "down", "enter", "7", "enter", "enter")
        await until(pilot, lambda: answers, "the values")
        assert answers == [{"name": "new", "by": "dense", "seed": "7"}]


async def test_a_text_can_be_replaced_at_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as (app, pilot):
        form = Form("Rename", [Line("to", "Name", "old")], "Rename it")
        app.push_screen(form)
        await until(pilot, lambda: form.focused is form.lines["to"], "the field")
        pressed(app, "ctrl+u", "n", "e", "w", "home", "x")
        await until(pilot, lambda: form.values["to"].startswith("x"), "the text")
        assert form.values["to"] == "xnew"


async def test_a_question_that_a_form_asks_gets_the_key_typed_after_it(tmp_path: Path) -> None:
    class Careful(Form):
        def concerns(self, values: Values) -> list[Concern]:
            return [Concern("Really?", "It costs money.", "start")]

    async with desk(tmp_path) as (app, pilot):
        answers: list[object] = []
        app.push_screen(Careful("New", [Line("name", "Name")], "Begin"), answers.append)
        pressed(app, "a", "enter", "enter", "y")
        await until(pilot, lambda: answers, "the values")
        assert answers == [{"name": "a"}]


async def test_a_list_is_chosen_from_by_what_was_typed_before_enter(tmp_path: Path) -> None:
    async with desk(tmp_path) as (app, pilot):
        chosen: list[str | None] = []
        options = (Option("funds", "fund"), Option("rates", "rate"))
        app.push_screen(ListPick("Topic", options), chosen.append)
        pressed(app, *"rate", "enter")
        await until(pilot, lambda: chosen, "the choice")
        assert chosen == ["rates"]

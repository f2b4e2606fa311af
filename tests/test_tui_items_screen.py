"""The list of items: filtered, compared, acted on as a whole after one question, taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, seen
from labelling_workspaces import make_drafts, new_workspace

from engine.labelling.items.item_lists import ItemRequest
from store.datasets.item_lists import ItemFilter
from store.labels.log.events import Subject
from store.labels.samples import queue
from store.records import ItemState
from store.workspace import open_workspace
from tui.cli.parser import parse
from tui.items.filtering import command_words, request_of
from tui.items.screen import ItemsScreen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with new_workspace(tmp_path / "w") as workspace, workspace.write() as db:
        make_drafts(db)
    return tmp_path / "w"


def states(folder: Path) -> list[str]:
    with open_workspace(folder) as workspace:
        return [state for (state,) in workspace.db.execute("SELECT state FROM item ORDER BY id")]


async def test_what_a_filter_finds_is_scored_and_taken_back(folder: Path) -> None:
    async with desk(folder, SIZES[0]) as (app, pilot):
        await seen(pilot, "What next")
        await pilot.press("dollar_sign")
        await seen(pilot, "8 items   8 drafted")
        await seen(pilot, "text by model")
        await pilot.press("F", *"number 5", "down", "down", "down", *"extractive")
        await seen(pilot, "One of: extractive")
        for _ in range(10):
            await pilot.press("down")
        await pilot.press("enter")
        await seen(pilot, "No item is so")
        await pilot.press("F", "tab", "tab", "tab", *["backspace"] * 10)
        for _ in range(10):
            await pilot.press("down")
        await pilot.press("enter")
        await seen(pilot, "1 item   1 drafted")
        await pilot.press("4")
        text = await seen(pilot, "score 4 (good): 1 item?")
        assert "u takes all of it back" in text
        await pilot.press("y")
        await seen(pilot, "now 1 accepted")
        assert states(folder)[5] == ItemState.ACCEPTED
        await pilot.press("u")
        await seen(pilot, "Took back: score 4 (good)")
        assert isinstance(app.screen, ItemsScreen)
    assert states(folder) == ["drafted"] * 8


async def test_what_is_ticked_alone_is_acted_on(folder: Path) -> None:
    async with desk(folder, SIZES[0]) as (app, pilot):
        app.push_screen(ItemsScreen("drafts"))
        await seen(pilot, "8 drafted")
        # Space goes on to the next row; the third is ticked and cleared again
        await pilot.press("space", "down", "space", "space", "up", "space")
        await seen(pilot, "2 ticked: acts are for these")
        await pilot.press("4")
        await seen(pilot, "score 4 (good): 2 items?")
        await pilot.press("y")
        text = await seen(pilot, "now 2 accepted")
        assert "ticked" not in text
        assert (
            states(folder) == ["accepted", "drafted", "accepted", "accepted"][:3] + ["drafted"] * 5
        )
        await pilot.press("u")
        await seen(pilot, "Took back: score 4 (good)")
    assert states(folder) == ["drafted"] * 8


async def test_escape_at_the_question_does_nothing(folder: Path) -> None:
    async with desk(folder, SIZES[0]) as (app, pilot):
        app.push_screen(ItemsScreen("drafts"))
        await seen(pilot, "8 drafted")
        await pilot.press("1")
        await seen(pilot, "score 1 (bad): 8 items?")
        await pilot.press("escape")
        await seen(pilot, "text by model")
    assert states(folder) == ["drafted"] * 8


async def test_what_another_rater_has_before_them_is_left_out_and_said(folder: Path) -> None:
    with open_workspace(folder) as workspace, workspace.write() as db:
        queue.lease(db, "inspection", Subject("revision", "1"), "li")
    async with desk(folder, SIZES[0]) as (app, pilot):
        app.push_screen(ItemsScreen("drafts"))
        await seen(pilot, "8 drafted")
        await pilot.press("x")
        await seen(pilot, "duplicate of another")
        await pilot.press("down", "enter")
        await seen(pilot, "Left out: 1 before another rater now.")
        await pilot.press("y")
        await seen(pilot, "exclude (duplicate): 7 items")


async def test_what_is_listed_goes_into_a_new_sample(folder: Path) -> None:
    async with desk(folder, SIZES[0]) as (app, pilot):
        app.push_screen(ItemsScreen("drafts"))
        await seen(pilot, "8 drafted")
        await pilot.press("plus", *"second", "enter", "enter")
        await seen(pilot, "add to sample second: 8 items?")
        await pilot.press("y")
        await seen(pilot, "add to sample second: 8 items, now")


@pytest.mark.parametrize("size", SIZES)
async def test_one_key_shows_what_is_alike_with_the_difference_marked(folder: Path, size) -> None:
    async with desk(folder, size) as (app, pilot):
        app.push_screen(ItemsScreen("drafts"))
        await seen(pilot, "text by model")
        await pilot.press("v")
        await seen(pilot, "number [-0-]{+2+}")
        await pilot.press("down")
        await seen(pilot, "[-1")
        await pilot.press("v")
        await seen(pilot, "text by model")


def test_the_command_lists_what_the_screen_does() -> None:
    wanted = ItemRequest(
        "drafts",
        ItemFilter("利率 %", (ItemState.DRAFTED,), ("rates", "funds"), verdicts=(0, 1)),
        run="first",
        metric="f1",
        low=0.5,
        duplicates="later",
    )
    arguments = parse(list(command_words(wanted)))
    assert (arguments.text, arguments.topics) == ("利率 %", ["rates", "funds"])
    assert (arguments.run_name, arguments.low, arguments.verdicts) == ("first", 0.5, [0, 1])
    assert arguments.duplicates == "later"


def test_several_words_are_parted_by_blanks_or_commas() -> None:
    keys = ("text", "states", "topics", "tasks", "verdicts", "authors", "document", "run")
    values = dict.fromkeys((*keys, "metric", "judge", "low", "high", "duplicates"), "")
    wanted = request_of("drafts", {**values, "states": "drafted, accepted", "verdicts": "0 2"})
    assert wanted.filter.states == (ItemState.DRAFTED, ItemState.ACCEPTED)
    assert wanted.filter.verdicts == (0, 2)

"""Splitting a dataset in the app."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import desk, named, screen_text, seen, small_sample_workspace, until
from sample_workspaces import copy_workspace

from store.datasets import splits
from store.datasets.splits import Side
from store.workspace import open_workspace
from tui.building.splits import _sides
from tui.screens.form import Form
from tui.screens.sheet import SheetScreen


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp()


async def test_a_dataset_is_split_and_the_sides_are_shown(base: Path, tmp_path: Path) -> None:
    folder = copy_workspace(small_sample_workspace(base), tmp_path / "w")
    async with desk(folder, (100, 30)) as (app, pilot):
        await named(app, pilot, "split")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question")
        form = app.screen
        assert isinstance(form, Form)
        form.lines["name"].value = "mine"
        form.lines["sides"].value = "train=1 test=1"
        form.start.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SheetScreen), "the sides")
        text = await seen(pilot, "split mine of sample")
        assert "got a side now" in text
        assert "topic" in app.screen.sheet.text
        await pilot.press("escape")
        await named(app, pilot, "show splits")
        await until(pilot, lambda: isinstance(app.screen, SheetScreen), "the splits")
        assert "mine" in screen_text(app)
    with open_workspace(folder) as workspace:
        split = splits.get(workspace.db, "mine")
        assert split.sides == (Side("train", 1), Side("test", 1))
        assert {one.side for one in splits.members(workspace.db, split)} == {"train", "test"}


async def test_sides_of_a_split_stay(base: Path, tmp_path: Path) -> None:
    folder = copy_workspace(small_sample_workspace(base), tmp_path / "w")
    with open_workspace(folder) as workspace, workspace.write() as db:
        splits.create(db, "sample", (Side("a", 1), Side("b", 2)), 0)
    async with desk(folder, (100, 30)) as (app, pilot):
        await named(app, pilot, "split")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question")
        form = app.screen
        assert isinstance(form, Form)
        await until(pilot, lambda: form.lines["sides"].value == "a=1 b=2", "its sides")
        form.lines["sides"].value = "train=1 test=1"
        form.start.focus()
        await pilot.press("enter")
        await seen(pilot, "The sides of sample stay")


def test_sides_are_names_with_shares() -> None:
    assert _sides("train=30, test=70") == (Side("train", 30), Side("test", 70))
    for text in ("", "train", "train=30", "train=0 test=1", "a=1 a=2", "a=x b=1", "=1 b=2"):
        assert _sides(text) == ()

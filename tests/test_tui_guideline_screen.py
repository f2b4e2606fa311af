"""Writing a guideline in the app: reviewed, saved as the next version, never lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, named, screen_text, seen, until
from terminal import open_app

from store.labels import guidelines
from store.runs.runs import Run
from store.workspace import Workspace
from tui.guideline.draft import Draft
from tui.guideline.review import Review, changed_lines
from tui.guideline.screen import GuidelineScreen
from tui.screens.choose import Choose

FORM = "judge_labels"


@pytest.fixture
def written(workspace: Workspace, run: Run) -> Workspace:
    with workspace.write() as db:
        guidelines.put(db, FORM, "# 准确性\n看数字。\n看单位。\n", "lin")
    return workspace


async def opened(app, pilot) -> GuidelineScreen:
    await named(app, pilot, "guideline")
    await until(pilot, lambda: isinstance(app.screen, Choose), "the forms")
    forms = [row.key for row in app.screen._rows]
    await pilot.press(*["down"] * forms.index(FORM), "enter")
    await until(pilot, lambda: isinstance(app.screen, GuidelineScreen), "the guideline")
    return app.screen


@pytest.mark.parametrize("size", SIZES)
async def test_the_next_version_is_reviewed_and_saved(
    written: Workspace, size: tuple[int, int]
) -> None:
    async with desk(written.folder, size, rater="ann") as (app, pilot):
        screen = await opened(app, pilot)
        await seen(pilot, "version 1, by lin")
        await pilot.press("down", "end", *"另看年份", "escape")
        await until(pilot, lambda: isinstance(app.screen, Review), "the review")
        text = await seen(pilot, "+ 看数字。另看年份")
        assert "- 看数字。" in text
        assert "Version 2" in text
        await pilot.press("enter")
        await seen(pilot, "version 2 holds from now on")
        assert not screen.is_attached
    made = guidelines.current(written.db, FORM)
    assert made is not None
    assert (made.version, made.author) == (2, "ann")
    assert "看数字。另看年份" in made.text


async def test_nothing_changed_asks_nothing(written: Workspace) -> None:
    async with desk(written.folder, rater="ann") as (app, pilot):
        await opened(app, pilot)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, GuidelineScreen), "Home")
    assert len(guidelines.versions(written.db, FORM)) == 1


async def test_a_draft_is_there_again_until_it_is_thrown_away(written: Workspace) -> None:
    draft = Draft(written.folder, FORM, "ann")
    draft.keep("Half typed")
    async with desk(written.folder, rater="ann") as (app, pilot):
        await opened(app, pilot)
        await seen(pilot, "your draft")
        assert "Half typed" in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Review), "the review")
        await pilot.press("X")
        await seen(pilot, "Throw this text away?")
        await pilot.press("y")
        await until(pilot, lambda: not isinstance(app.screen, GuidelineScreen), "Home")
    assert draft.read() is None
    assert len(guidelines.versions(written.db, FORM)) == 1


async def test_what_is_typed_is_kept_before_it_is_saved(written: Workspace) -> None:
    draft = Draft(written.folder, FORM, "ann")
    async with desk(written.folder, rater="ann") as (app, pilot):
        await opened(app, pilot)
        await pilot.press(*"Neu")
        await until(pilot, lambda: (draft.read() or "").startswith("Neu"), "the draft")


def test_lines_far_from_a_change_are_left_out() -> None:
    before = "\n".join(f"line {number}" for number in range(20))
    after = before.replace("line 2\n", "line two\n").replace("line 17", "line seventeen")
    lines = changed_lines(before, after)
    assert ("-", "line 2") in lines
    assert ("+", "line seventeen") in lines
    assert ("~", "") in lines
    assert (" ", "line 10") not in lines


def test_ones_own_editor_writes_it(written: Workspace, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho from my editor >> "$1"\n')
    editor.chmod(0o755)
    environ = {"VISUAL": str(editor)}
    with open_app(written.folder, "--rater", "ann", columns=100, lines=30, environ=environ) as app:
        app.wait_for("What next")
        app.press("ctrl+p")
        app.wait_for("a command by its name")
        app.press(*"guideline")
        app.wait_for("Write the guideline of a form")
        app.press("enter")
        app.wait_for("Guideline of which form?")
        app.press(*"jjjjjjjjj")
        app.press("enter")
        app.wait_for("own editor")
        app.send(b"\x07")
        app.wait_for("from my editor")

"""Deleting and restoring in the app."""

from __future__ import annotations

from desks import desk, named, screen_text, seen, until

from store.lifecycle import archiving
from store.runs import runs
from store.runs.runs import Run
from store.workspace import Workspace
from tui.screens.choose import Choose
from tui.screens.form import Form


async def test_what_is_archived_can_be_restored(workspace: Workspace, run: Run) -> None:
    async with desk(workspace.folder) as (app, pilot):
        await named(app, pilot, "delete")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the things")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question how")
        assert "restore brings it back" in screen_text(app)
        await pilot.press("enter", "enter", "enter")
        await seen(pilot, "Archived run 'first'")
        assert runs.listing(workspace.db) == []
        await pilot.press("escape")
        await named(app, pilot, "restore")
        await until(pilot, lambda: isinstance(app.screen, Choose), "what is archived")
        await pilot.press("enter")
        await seen(pilot, "Restored run 'first'.")
        assert [one.name for one in runs.listing(workspace.db)] == ["first"]


async def test_a_removal_takes_the_name_and_says_what_goes(workspace: Workspace, run: Run) -> None:
    async with desk(workspace.folder, (140, 40)) as (app, pilot):
        await named(app, pilot, "delete")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the things")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question how")
        form = app.screen
        assert isinstance(form, Form)
        assert "for good: " in screen_text(app)
        await pilot.press("down", "enter", "enter", "enter")
        await seen(pilot, "Type first to remove it.")
        form.lines["name"].value = "first"
        form.start.focus()
        await pilot.press("enter")
        await seen(pilot, "Removed run 'first'")
    kinds = [thing.kind for thing in archiving.things(workspace.db)]
    assert kinds == ["dataset", "corpus"]


async def test_what_others_need_is_not_removed_but_archived(workspace: Workspace, run: Run) -> None:
    async with desk(workspace.folder, (140, 40)) as (app, pilot):
        await named(app, pilot, "delete")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the things")
        await pilot.press("end", "enter")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question how")
        await pilot.press("down", "enter", "enter", "enter")
        await seen(pilot, "It cannot be removed, as said above")
        assert "datasets gold needs it" in screen_text(app)
        assert isinstance(app.screen, Form)
        assert len(archiving.things(workspace.db)) == 3

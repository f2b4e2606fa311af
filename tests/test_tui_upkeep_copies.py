"""Backing up and verifying in the app, by the words that the palette finds them by."""

from __future__ import annotations

from pathlib import Path

from desks import desk, named, screen_text, seen, until

from store.runs.runs import Run
from store.verify import verify
from store.workspace import Workspace, open_workspace
from tui.app import Ragdesk
from tui.screens.form import Form
from tui.screens.sheet import SheetScreen


async def test_a_backup_is_written_checked_and_said(workspace: Workspace, run: Run) -> None:
    async with desk(workspace.folder) as (app, pilot):
        await named(app, pilot, "back up")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question")
        await pilot.press("enter", "enter")
        await seen(pilot, "Backed up to")
    (made,) = (workspace.folder / "backups").glob("ragdesk-*.sqlite")
    restored = workspace.folder.parent / "restored"
    restored.mkdir()
    made.rename(restored / workspace.file.name)
    with open_workspace(restored) as copy:
        assert verify(copy.db).ok


async def test_a_file_that_is_there_is_no_backups(workspace: Workspace, run: Run) -> None:
    async with desk(workspace.folder) as (app, pilot):
        await named(app, pilot, "back up")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question")
        form = app.screen
        assert isinstance(form, Form)
        form.lines["out"].value = str(workspace.file)
        await pilot.press("enter", "enter")
        await seen(pilot, "exists already; name another file")
        assert app.screen is form


async def test_a_whole_workspace_is_verified(workspace: Workspace, run: Run) -> None:
    async with desk(workspace.folder) as (app, pilot):
        await named(app, pilot, "verify")
        await until(pilot, lambda: isinstance(app.screen, SheetScreen), "the checks")
        await seen(pilot, "the workspace is whole")
        assert "ok   file: ok" in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, SheetScreen), "Home")


async def test_what_is_damaged_stands_first(workspace: Workspace, run: Run) -> None:
    with workspace.write() as db:
        db.execute("UPDATE document SET chars = chars + 1")
    async with desk(workspace.folder, (140, 40)) as (app, pilot):
        await named(app, pilot, "verify")
        await seen(pilot, "the workspace is damaged")
        first = next(line for line in screen_text(app).splitlines() if "FAILED" in line)
        assert "document" in first


async def test_without_a_workspace_nothing_is_asked(tmp_path: Path) -> None:
    async with desk(tmp_path / "none") as (app, pilot):
        await named(app, pilot, "verify")
        await seen(pilot, "There is no workspace yet")
        assert isinstance(app, Ragdesk)

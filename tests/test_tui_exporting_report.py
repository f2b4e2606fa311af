"""A report page on runs, written in the app."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import desk, evaluated_workspace, named, seen, until
from sample_workspaces import copy_workspace

from engine.exporters.report import ReportWanted, report_page
from store.workspace import open_workspace
from tui.screens.form import Form


@pytest.fixture
def scored(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_workspace(evaluated_workspace(tmp_path_factory.getbasetemp()), tmp_path / "w")


async def test_a_page_is_written_once(scored: Path) -> None:
    async with desk(scored, (100, 30)) as (app, pilot):
        await named(app, pilot, "report page")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question")
        form = app.screen
        assert isinstance(form, Form)
        (chosen,) = form.values["runs"].splitlines()
        form.start.focus()
        await pilot.press("enter")
        await seen(pilot, "a browser shows it")
        page = (scored / "exports/report.html").read_text(encoding="utf-8")
        with open_workspace(scored) as opened:
            assert page == report_page(opened, ReportWanted((chosen,))).rstrip("\n") + "\n"
        await pilot.press("escape")
        await named(app, pilot, "report page")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question")
        again = app.screen
        assert isinstance(again, Form)
        again.start.focus()
        await pilot.press("enter")
        await seen(pilot, "report.html exists already")

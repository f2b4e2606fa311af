"""Writing the matrix that is shown to a file, from the app."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from desks import SIZES, desk, evaluated_workspace, screen_text, seen, until
from sample_workspaces import copy_workspace
from textual.pilot import Pilot

from engine.report.run_matrix import RENDERERS, render
from engine.text.wrapping import cell_width
from tui.app import Ragdesk
from tui.results.export import MATRIX_FORMATS
from tui.results.screen import ResultsScreen
from tui.screens.confirm import Confirm
from tui.screens.write_file import EXPORTS, WriteFile


@pytest.fixture
def evaluated(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    held = evaluated_workspace(tmp_path_factory.getbasetemp())
    return copy_workspace(held, tmp_path / "workspace")


async def asked(app: Ragdesk, pilot: Pilot[int]) -> WriteFile:
    await pilot.press("f6")
    await seen(pilot, "coverage 100 %")
    await pilot.press("E")
    await until(pilot, lambda: isinstance(app.screen, WriteFile), "the question")
    screen = app.screen
    assert isinstance(screen, WriteFile)
    return screen


def test_every_format_of_the_reports_is_offered() -> None:
    assert set(MATRIX_FORMATS) == set(RENDERERS)


@pytest.mark.parametrize("size", SIZES)
async def test_the_matrix_is_written_in_the_format_that_was_chosen(
    evaluated: Path, size: tuple[int, int]
) -> None:
    async with desk(evaluated, size) as (app, pilot):
        screen = await asked(app, pilot)
        assert all(cell_width(line) <= size[0] for line in screen_text(app).splitlines())
        await pilot.press("down", "down", "down")
        await until(pilot, lambda: screen.target.suffix == ".svg", "the suffix")
        await pilot.press("enter", "enter", "enter")
        await seen(pilot, "Wrote")
        out = evaluated / EXPORTS / "bm25-sample@1-accuracy.svg"
        results = app.screen
        assert isinstance(results, ResultsScreen)
        assert results.view is not None
        assert out.read_text("utf-8").strip() == render(results.view, "svg").strip()
        ElementTree.parse(out)


async def test_a_file_that_is_there_is_replaced_only_when_that_is_said(evaluated: Path) -> None:
    out = evaluated / EXPORTS / "bm25-sample@1-accuracy.md"
    out.parent.mkdir(exist_ok=True)
    out.write_text("mine", "utf-8")
    async with desk(evaluated) as (app, pilot):
        await asked(app, pilot)
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, WriteFile), "the way back")
        assert out.read_text("utf-8") == "mine"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await pilot.press("y")
        await seen(pilot, "Wrote")
        assert out.read_text("utf-8") != "mine"


async def test_a_path_that_leads_nowhere_is_said_and_not_written(
    evaluated: Path, tmp_path: Path
) -> None:
    async with desk(evaluated) as (app, pilot):
        screen = await asked(app, pilot)
        screen.path.value = str(tmp_path / "missing" / "a.md")
        await seen(pilot, "There is no folder")
        screen.path.value = str(tmp_path)
        await seen(pilot, "This is a folder")
        screen.path.value = " "
        await seen(pilot, "Write the path of a file.")
        screen.write.focus()
        await pilot.press("enter")
        assert isinstance(app.screen, WriteFile)


async def test_a_person_s_own_suffix_is_kept(evaluated: Path, tmp_path: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        screen = await asked(app, pilot)
        screen.path.value = str(tmp_path / "table.txt")
        await pilot.press("down")
        await pilot.pause()
        assert screen.kind == "csv"
        assert screen.target == tmp_path / "table.txt"
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: (tmp_path / "table.txt").exists(), "the file")

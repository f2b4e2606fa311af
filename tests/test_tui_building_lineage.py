"""The lineage screen: every question of a family with its parents, difficulty and fate."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, screen_text, seen, until
from endpoint_workspaces import KEY, VARIABLE, provider_table, write_settings
from evolved_workspaces import asked, make
from evolving_server import evolves
from scripted_server import ScriptedServer
from worker_here import work_here

from engine.jobs.operation import queue
from store.workspace import open_workspace
from tui.building.lineage import LineageScreen
from tui.corpus.document import DocumentScreen
from tui.corpus.entities import EntitiesScreen
from tui.screens.sheet import SheetScreen


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make(tmp_path_factory.mktemp("lineage") / "w")
    with ScriptedServer(reply=evolves) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, KEY)
        write_settings(folder, provider_table("writer", server.base_url))
        with open_workspace(folder) as workspace:
            queue(workspace, asked(model="writer", initial=2))
        work_here(folder)
    return folder


@pytest.mark.parametrize("size", SIZES)
async def test_a_lineage_shows_steps_parents_and_the_question_under_the_cursor(
    evolved: Path, size: tuple[int, int]
) -> None:
    async with desk(evolved, size) as (app, pilot):
        app.push_screen(LineageScreen("harder"))
        await seen(pilot, "2 families")
        text = await seen(pilot, "key sentences")
        assert "entity_query" in text
        assert "RGD" in text
        heading = next(line for line in text.splitlines() if "RGD" in line)
        assert {"became", "question"} <= set(heading.split())
        await pilot.press("down")
        await seen(pilot, "step 1")


async def test_without_evolved_items_build_says_how_to_get_some(evolved: Path) -> None:
    async with desk(evolved, (100, 30)) as (_app, pilot):
        await pilot.press("f3")
        await seen(pilot, "dataset")
        await pilot.press("circumflex_accent")
        await seen(pilot, "was evolved")


@pytest.mark.parametrize("size", SIZES)
async def test_an_entity_shows_its_names_passages_and_items(
    evolved: Path, size: tuple[int, int]
) -> None:
    async with desk(evolved, size) as (app, pilot):
        await pilot.press("f2")
        await seen(pilot, "Documents of birds")
        await pilot.press("tilde")
        await seen(pilot, "Entities of birds")
        assert isinstance(app.screen, EntitiesScreen)
        text = await seen(pilot, "passages")
        assert "Crane Fund" in text
        found = app.screen.details.text.splitlines()
        shown = next(line for line in found if line.startswith("passages"))
        assert "minutes:" not in shown
        await pilot.press("down")
        await seen(pilot, "Heron Bank")


async def test_enter_opens_the_documents_of_an_entity_and_the_question_of_a_step(
    evolved: Path,
) -> None:
    async with desk(evolved) as (app, pilot):
        await pilot.press("f2")
        await seen(pilot, "Documents of birds")
        await pilot.press("tilde")
        await seen(pilot, "passages")
        entity = app.screen.current.name
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DocumentScreen), "a document")
        assert app.screen.search_text == entity
        await pilot.press("escape", "escape")  # out of the search, then out of the document
        await until(pilot, lambda: isinstance(app.screen, EntitiesScreen), "the entities")
        app.push_screen(LineageScreen("harder"))
        await seen(pilot, "key sentences")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SheetScreen), "the question")
        assert "Family" in screen_text(app)

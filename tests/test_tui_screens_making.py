"""The stages that an item was made in: printed by `show`, and over the screens of the item."""

from __future__ import annotations

import json
import os
from pathlib import Path
from unittest.mock import patch

import pytest
import staged_server as staged
from desks import desk, seen, until
from endpoint_workspaces import ENVIRON, provider_table, write_settings
from news_reports import make_news
from sample_workspaces import copy_workspace
from scripted_server import ScriptedServer
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.generate.filling.generate_job import Generate
from engine.jobs import operation
from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from store.datasets import datasets, generations
from store.records import ItemState
from store.workspace import open_workspace
from tui.cli import main
from tui.results.item import ItemScreen
from tui.screens.making import MakingScreen


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A question over two documents and a continuation, accepted, released and answered."""
    folder = make_news(tmp_path_factory.mktemp("made"))
    tasks = ("qa_2doc", "continuation")
    with ScriptedServer(reply=staged.writes) as server:
        write_settings(folder, provider_table("writer", server.base_url))
        with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
            asked = Generate("news", "made", 1, ("unassigned",), tasks, "crud", "writer")
            operation.queue(workspace, asked)
        work_here(folder)
    with open_workspace(folder) as workspace:
        with workspace.write() as db:
            made = datasets.get(db, "made")
            for item in generations.items_after(db, made.id, 0):
                datasets.set_state(db, item.item_id, ItemState.DRAFTED, ItemState.ACCEPTED)
            datasets.release(db, made)
        operation.queue(workspace, Evaluate(NewRun("bm25", "made", name="first")))
    work_here(folder)
    return folder


def key_of(folder: Path, task: str) -> str:
    with open_workspace(folder) as workspace:
        made = datasets.get(workspace.db, "made")
        items = generations.items_after(workspace.db, made.id, 0)
        return next(item.item_key for item in items if item.content.task == task)


def show(folder: Path, *words: str) -> int:
    return main(["--workspace", str(folder), "show", *words])


def test_an_item_is_printed_with_its_stages(folder: Path, capfd: pytest.CaptureFixture[str]):
    assert show(folder, key_of(folder, "qa_2doc"), "--dataset", "made") == 0
    printed = capfd.readouterr().out
    for stage in ("1: connected", "2: common", "3: different", "4: qa_2doc", "5: rewrite"):
        assert f"stage {stage}" in printed
    assert "question: " in printed
    assert show(folder, key_of(folder, "continuation"), "--dataset", "made", "--json") == 0
    item = json.loads(capfd.readouterr().out)
    assert [stage["name"] for stage in item["stages"]] == ["continuation", "related"]
    assert item["content"]["hidden"]


def test_an_item_that_is_not_there_is_refused(folder: Path, capfd: pytest.CaptureFixture[str]):
    assert show(folder, "nobody", "--dataset", "made") != 0
    assert "has no item 'nobody'" in capfd.readouterr().err


async def test_the_stages_stand_over_the_answer_of_an_item(folder: Path) -> None:
    async with desk(folder, (100, 30)) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        await pilot.press("end", "pagedown", "pagedown", "enter")
        await seen(pilot, "2 answers")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ItemScreen), "the item")
        names = set()
        for _ in range(2):
            await pilot.press("M")
            await until(pilot, lambda: isinstance(app.screen, MakingScreen), "the stages")
            screen = app.screen
            assert isinstance(screen, MakingScreen)
            names.add(tuple(stage.name for stage in screen.stages))
            await seen(pilot, screen.stages[0].lines[0][:20])
            await pilot.press("escape", "right_square_bracket")
        assert names == {
            ("connected", "common", "different", "qa_2doc", "rewrite"),
            ("continuation", "related"),
        }


async def test_a_rater_sees_the_stages_once_the_author_is_no_secret(
    folder: Path, tmp_path: Path
) -> None:
    copy = copy_workspace(folder, tmp_path / "copy")
    with open_workspace(copy) as workspace:
        draw_sample(
            workspace, SampleRequest("quick", "reasonable", 1, "made", (ItemState.ACCEPTED,))
        )
    async with desk(copy, (100, 30)) as (app, pilot):
        await pilot.press("f7")
        await seen(pilot, "needs refinement")
        await pilot.press("M")
        await seen(pilot, "label it first")
        await pilot.press("1", "left_square_bracket", "V", "M")
        await until(pilot, lambda: isinstance(app.screen, MakingScreen), "the stages")

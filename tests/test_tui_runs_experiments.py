"""The experiments in the app: arms, marks and recommendations of the one under the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, seen, until
from endpoint_workspaces import make_workspace
from test_engine_experiments import QUESTIONS
from tiny_workspaces import question
from worker_here import work_here

from engine.experiments.design import Design, Factor
from engine.experiments.experiment_job import RunExperiment
from engine.experiments.new_experiment import make_experiment
from engine.jobs.operation import queue
from engine.text.wrapping import cell_width
from store.workspace import open_workspace
from tui.results.screen import ResultsScreen
from tui.runs.experiments import ExperimentsScreen


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = {
        f"q{number:02}": question(text, topic=("rates", "funds")[number % 2])
        for number, text in enumerate(QUESTIONS)
    }
    folder = make_workspace(tmp_path_factory.mktemp("experiments") / "w", items)
    depths = Factor("top_k", ({"top_k": 1}, {"top_k": 2}))
    with open_workspace(folder) as workspace:
        for name in ("later", "depths"):
            design = Design("bm25", {}, (depths,), ("f1", "recall@1"))
            make_experiment(workspace, name, "gold", design)
        queue(workspace, RunExperiment("depths"))
    work_here(folder)
    return folder


@pytest.mark.parametrize("size", SIZES)
async def test_arms_stand_with_their_marks_and_the_recommendation(
    worked: Path, size: tuple[int, int]
) -> None:
    async with desk(worked, size) as (app, pilot):
        await pilot.press("f5", "_")
        text = await seen(pilot, "all items:")
        assert isinstance(app.screen, ExperimentsScreen)
        await pilot.press("b")
        await seen(pilot, "topic rates:")
        starts = [line.strip(" ›❯").split(" ")[0] for line in text.splitlines()]
        assert {"base", "top_k=1", "top_k=2"} <= set(starts)
        assert any(("*" in line and "base" in line) or "*" in line for line in text.splitlines())
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        await pilot.press("down")
        await until(pilot, lambda: app.screen.shown.name == "later", "the other experiment")


async def test_a_run_of_an_arm_is_not_called_imported(worked: Path) -> None:
    async with desk(worked) as (_, pilot):
        await pilot.press("f5")
        text = await seen(pilot, "in an experiment")
        assert "imported" not in text


async def test_judges_name_the_run_of_an_arm_as_it_is_called(worked: Path) -> None:
    async with desk(worked) as (_, pilot):
        await pilot.press("f8", "J")
        await seen(pilot, "on 3 runs")
        await seen(pilot, "top_k=2   rules@")


async def test_an_arm_opens_its_run(worked: Path) -> None:
    async with desk(worked) as (app, pilot):
        await pilot.press("f5", "_")
        await seen(pilot, "all items:")
        await pilot.press("enter", "down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "the matrix")
        await seen(pilot, "depths: top_k=1")

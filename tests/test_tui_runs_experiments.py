"""The experiments in the app: arms, marks and recommendations of the one under the cursor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import scripted_server as scripted
from desks import SIZES, desk, screen_text, seen, until
from endpoint_workspaces import (
    ENVIRON,
    VARIABLE,
    make_workspace,
    provider_table,
    write_settings,
)
from sample_workspaces import copy_workspace
from test_engine_experiments import QUESTIONS
from tiny_workspaces import question
from worker_here import work_here

from engine.experiments.design import Design, Factor
from engine.experiments.experiment_job import RunExperiment
from engine.experiments.new_experiment import make_experiment
from engine.experiments.outcome import outcome
from engine.experiments.recipes import recipe_design
from engine.jobs.operation import queue
from engine.text.wrapping import cell_width
from store.runs import experiments
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.results.screen import ResultsScreen
from tui.runs.experiments import ExperimentsScreen
from tui.runs.new_experiment import JUDGED, YES, ArmsScreen, ExperimentForm, KnownForm, Levels
from tui.screens.choose import Choose
from tui.screens.confirm import Confirm


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
        assert app.screen.arms.size.height == len(app.screen.shown.arms) + 1
        await pilot.press("b")
        await seen(pilot, "topic rates:")
        starts = [line.strip(" ›❯").split(" ")[0] for line in text.splitlines()]
        assert {"base", "top_k=1", "top_k=2"} <= set(starts)
        assert any(("*" in line and "base" in line) or "*" in line for line in text.splitlines())
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        await pilot.press("down")
        await until(pilot, lambda: app.screen.shown.name == "later", "the other experiment")


async def test_an_experiment_is_made_of_factors_that_are_chosen(
    worked: Path, tmp_path: Path
) -> None:
    folder = copy_workspace(worked, tmp_path / "w")
    async with desk(folder) as (app, pilot):
        await pilot.press("f5", "_")
        await seen(pilot, "all items:")
        await pilot.press("plus")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the kinds")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExperimentForm), "the form")
        form = app.screen
        assert isinstance(form, ExperimentForm)
        await seen(pilot, "Name something to change")
        form.lines["name"].value = "retrievers"
        form.lines["factor"].focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose), "what can be changed")
        keys = [row.key for row in app.screen._rows]
        await pilot.press(*["down"] * keys.index("retriever"), "enter")
        await until(pilot, lambda: isinstance(app.screen, Levels), "the values")
        await pilot.press("enter", "down", "down", "enter", "escape")
        await until(pilot, lambda: app.screen is form, "the form again")
        assert form.lines["factor"].value == "retriever=bm25,lsa"
        await seen(pilot, "2 arms")
        form.start.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ArmsScreen), "the arms")
        assert "retriever=lsa" in screen_text(app)
        with open_workspace(folder) as workspace:
            assert len(experiments.listing(workspace.db)) == 2
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExperimentsScreen), "the list")
        await until(pilot, lambda: app.screen.name_here == "retrievers", "the new one")
        await until(pilot, lambda: "done" in _line(app, "retrievers"), "the end")
    with open_workspace(folder) as workspace:
        made = experiments.get(workspace.db, "retrievers")
    assert [arm.run_id is not None for arm in made.arms] == [True, True]


def _line(app: Ragdesk, name: str) -> str:
    return next(line for line in screen_text(app).splitlines() if name in line)


async def test_an_experiment_that_waits_is_started_after_an_estimate(
    worked: Path, tmp_path: Path
) -> None:
    folder = copy_workspace(worked, tmp_path / "w")
    async with desk(folder) as (app, pilot):
        await pilot.press("f5", "_")
        await seen(pilot, "all items:")
        assert "not started" in _line(app, "later")
        await pilot.press("down", "z")
        await until(pilot, lambda: isinstance(app.screen, KnownForm), "the question")
        await seen(pilot, "No model is asked.")
        app.screen.start.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExperimentsScreen), "the list")
        await until(pilot, lambda: "done" in _line(app, "later"), "the end")


@pytest.mark.parametrize("size", SIZES)
async def test_a_papers_advice_stands_beside_the_recommendation(
    worked: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = copy_workspace(worked, tmp_path / "w")
    with open_workspace(folder) as workspace:
        design = recipe_design(folder, "crud-table3")
        make_experiment(workspace, "a-paper", "gold", design)
    async with desk(folder, size) as (app, pilot):
        await pilot.press("f5", "_")
        await until(pilot, lambda: app.screen.shown, "an outcome")
        names = [row.key for row in app.screen.list._source._rows]
        await pilot.press("home", *["down"] * names.index("a-paper"))
        await until(pilot, lambda: app.screen.shown.name == "a-paper", "the paper's")
        await pilot.press("tab", "tab", "end")
        text = await seen(pilot, "GPT-3.5")
        assert all(cell_width(line) <= size[0] for line in text.splitlines())


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
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ExperimentsScreen), "the way back")
        assert app.focused is app.screen.arms
        assert app.screen.arms.cursor == 1


@pytest.fixture
def judged(
    worked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, scripted.ScriptedServer]]:
    """A workspace whose experiment `a-judged` is done, but for what its judge scores."""
    monkeypatch.setenv(VARIABLE, ENVIRON[VARIABLE])
    folder = copy_workspace(worked, tmp_path / "w")
    reply = scripted.answer('{"reason": "so", "value": 1}', tokens_in=90, tokens_out=10)
    with scripted.ScriptedServer(default=reply) as server:
        table = provider_table("p", server.base_url)
        write_settings(folder, table, '[judges.gpt]\nmodel = "p"\nmax_tokens = 64\n')
        depths = Factor("top_k", ({"top_k": 1}, {"top_k": 2}))
        with open_workspace(folder) as workspace:
            design = Design("bm25", {}, (depths,), ("f1", "gpt/accuracy"))
            make_experiment(workspace, "a-judged", "gold", design)
            queue(workspace, RunExperiment("a-judged"))
        work_here(folder)
        yield folder, server


async def test_the_judges_of_its_metrics_score_an_experiment_that_is_done(
    judged: tuple[Path, scripted.ScriptedServer],
) -> None:
    folder, server = judged
    async with desk(folder, (80, 24)) as (app, pilot):
        await pilot.press("f5", "_")
        await until(pilot, lambda: app.screen.shown, "an outcome")
        names = [row.key for row in app.screen.list._source._rows]
        await pilot.press("home", *["down"] * names.index("a-judged"))
        await until(pilot, lambda: app.screen.shown.name == "a-judged", "its outcome")
        await pilot.press("z")
        await until(pilot, lambda: isinstance(app.screen, KnownForm), "the question")
        assert app.screen.values[JUDGED] == YES
        with open_workspace(folder) as workspace:
            arms = len(experiments.get(workspace.db, "a-judged").arms)
        await seen(pilot, f"Judges give {arms * len(QUESTIONS)} scores")
        app.screen.start.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the concern")
        assert server.count == 0
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, ExperimentsScreen), "the list")
        await until(pilot, lambda: _is_judged(folder), "the scores")


def _is_judged(folder: Path) -> bool:
    with open_workspace(folder) as workspace:
        arms = outcome(workspace.db, "a-judged").arms
        return all(arm.values[1] is not None for arm in arms)

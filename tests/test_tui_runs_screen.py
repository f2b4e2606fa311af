"""Runs: launched, paused, resumed and cancelled from the keyboard, with the real worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from desks import (
    NARROW_THEN_WIDE,
    desk,
    evaluated_workspace,
    screen_text,
    seen,
    small_sample_workspace,
    until,
)
from endpoint_workspaces import (
    KEY,
    VARIABLE,
    make_workspace,
    provider_table,
    questions,
    system_table,
    write_settings,
)
from inspection_workspaces import inspection_workspace
from sample_workspaces import copy_workspace
from scripted_server import ScriptedServer, answer
from textual.widgets import Input

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from store.datasets import datasets
from store.jobs import jobs
from store.records import ItemState, JobState, PauseReason
from store.runs import judge_scores, runs
from store.verify import verify
from store.workspace import open_workspace
from tui.results.screen import ResultsScreen
from tui.runs.launch import LaunchScreen
from tui.runs.queries import RunFigures
from tui.runs.screen import RunsScreen
from tui.screens.confirm import Confirm


@pytest.fixture
def sample(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy of the small sample, with nothing evaluated."""
    made = small_sample_workspace(tmp_path_factory.getbasetemp())
    return copy_workspace(made, tmp_path / "workspace")


@pytest.fixture
def queued(tmp_path: Path) -> Path:
    """A few questions, and a run over them in the queue that no worker has begun."""
    folder = make_workspace(tmp_path / "workspace", questions(8))
    with open_workspace(folder) as workspace:
        queue(workspace, Evaluate(NewRun("bm25", "gold")))
    return folder


@pytest.fixture
def forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A run that takes two seconds, most of which a model thinks, and that has been waiting in the
    queue for so long that no worker can be on its way."""
    monkeypatch.setenv(VARIABLE, KEY)
    folder = make_workspace(tmp_path / "workspace", questions(40))
    with ScriptedServer(latency_s=0.1) as server:
        provider = provider_table("local", server.base_url, **{"limits.max_in_flight": 2})
        write_settings(folder, provider, system_table("asks", "local"))
        with open_workspace(folder) as workspace:
            queue(workspace, Evaluate(NewRun("asks", "gold")))
            with workspace.write() as db:
                db.execute("UPDATE job SET created_at = '2026-01-01T00:00:00.000Z'")
        yield folder


def job_state(folder: Path, job_id: int = 1) -> JobState:
    with open_workspace(folder) as workspace:
        return jobs.get(workspace.db, job_id).state


@pytest.mark.parametrize("size", NARROW_THEN_WIDE)
async def test_a_run_is_launched_through_the_dialog_and_seen_to_its_end(
    sample: Path, size: tuple[int, int]
) -> None:
    async with desk(sample, size) as (app, pilot):
        await pilot.press("f5")
        await seen(pilot, "No run yet. + starts one")
        await pilot.press("plus")
        await until(pilot, lambda: isinstance(app.screen, LaunchScreen), "the dialog")
        assert "baseline: BM25" in screen_text(app)
        await pilot.press("down", "down", "down", "enter", "enter")  # closed-book, sample@1
        await pilot.press("backspace", "7", "enter", "enter")  # the seed, one repeat
        await pilot.press("enter", "enter", "enter", "enter")  # no judge, no limits
        await seen(pilot, "59 answers.")
        assert "No model is asked." in screen_text(app)
        await pilot.press("enter")
        await seen(pilot, "closed-book-sample@1")
        await until(pilot, lambda: app.facts.work and app.facts.work[0].status == "done", "the end")
        assert "59/59" in await seen(pilot, "done")
    with open_workspace(sample) as workspace:
        run = runs.get(workspace.db, "closed-book-sample@1")
        assert run.settings.seed == 7
        assert runs.progress(workspace.db, run.id).scored == 59
        assert verify(workspace.db).ok


async def test_a_judge_scores_the_answers_of_a_new_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    folder = make_workspace(tmp_path / "workspace", questions(3))
    with ScriptedServer(default=answer('{"reason": "so", "value": 1}')) as server:
        provider = provider_table("p", server.base_url)
        write_settings(folder, provider, '[judges.gpt]\nmodel = "p"\n')
        async with desk(folder) as (app, pilot):
            await pilot.press("plus")
            await until(pilot, lambda: isinstance(app.screen, LaunchScreen), "the dialog")
            form = app.screen
            assert isinstance(form, LaunchScreen)
            form.lines["judge"].value = "gtp"
            await seen(pilot, "There is no judge 'gtp'. Did you mean 'gpt'?")
            form.lines["judge"].value = "gpt"
            form.lines["metrics"].value = "accuracy hallucination"
            await seen(pilot, "in the place of the run's: 6 calls")
            form.start.focus()
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, Confirm), "what it costs")
            assert "Ask extractive and p?" not in screen_text(app)
            assert "Ask p?" in screen_text(app)
            await pilot.press("y")
            await seen(pilot, "bm25-gold@1")
            await until(pilot, lambda: job_state(folder) is JobState.DONE, "the end")
    with open_workspace(folder) as workspace:
        run = runs.get(workspace.db, "bm25-gold@1")
        (judge,) = [one for one in judge_scores.of_run(workspace.db, run.id) if one.name == "gpt"]
        counts = judge_scores.counts(workspace.db, run.id, judge.id)
    assert {metric: sum(states.values()) for metric, states in counts.items()} == {
        "accuracy": 3,
        "hallucination": 3,
    }


async def test_an_estimate_that_comes_while_a_field_is_empty_changes_nothing(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await pilot.press("plus")
        await until(pilot, lambda: isinstance(app.screen, LaunchScreen), "the dialog")
        form = app.screen
        assert isinstance(form, LaunchScreen)
        with form.prevent(Input.Changed):
            form.lines["seed"].value = ""
        form._begin()
        form._take(form._asked, RunFigures(predictions=1, stands_in=False, at_least=False))
        await seen(pilot, "The seed is a whole number")


async def test_the_dialog_refuses_numbers_that_make_no_sense(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await pilot.press("plus")
        await until(pilot, lambda: isinstance(app.screen, LaunchScreen), "the dialog")
        await pilot.press("enter", "enter", "enter", "backspace", "0", "enter", "enter", "enter")
        await pilot.press("enter", "enter", "enter")
        assert "Repeats are 1 to 100." in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, LaunchScreen), "the end")
    with open_workspace(sample) as workspace:
        assert runs.listing(workspace.db) == []


async def test_a_queued_run_is_paused_resumed_and_cancelled(queued: Path) -> None:
    async with desk(queued) as (app, pilot):
        await pilot.press("f5", "z")
        await until(pilot, lambda: job_state(queued) is JobState.PAUSED, "the pause")
        await seen(pilot, "paused by hand")
        await pilot.press("X")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await pilot.press("enter", "space", "escape")
        await pilot.pause(0.1)
        assert job_state(queued) is JobState.PAUSED
        await pilot.press("X", "y")
        await until(pilot, lambda: job_state(queued) is JobState.CANCELLED, "the cancelling")
        await seen(pilot, "cancelled")
        await pilot.press("X")
        assert "there is nothing to cancel" in screen_text(app)
        await pilot.press("escape", "z")
        await until(pilot, lambda: job_state(queued) is JobState.DONE, "the end")


async def test_a_running_run_is_paused_and_goes_on_to_the_same_end(forgotten: Path) -> None:
    queued = forgotten
    async with desk(queued) as (app, pilot):
        await pilot.press("f5")
        await until(pilot, lambda: app.facts.work[0].status == "no worker", "the missing worker")
        await pilot.press("z")
        await until(pilot, lambda: app.facts.work[0].progress.scored > 3, "work")
        await pilot.press("z")
        await until(pilot, lambda: job_state(queued) is JobState.PAUSED, "the pause")
        await seen(pilot, "paused by hand")
        with open_workspace(queued) as workspace:
            assert runs.progress(workspace.db, 1).scored < 40
        await pilot.press("z")
        await until(pilot, lambda: job_state(queued) is JobState.DONE, "the end")


async def test_a_worker_that_dies_is_noticed_and_its_run_goes_on(forgotten: Path) -> None:
    queued = forgotten
    async with desk(queued) as (app, pilot):
        await pilot.press("f5")
        await until(pilot, lambda: app.facts.work[0].status == "no worker", "the missing worker")
        await pilot.press("z")
        await until(pilot, lambda: app.facts.work[0].progress.scored > 3, "work")
        with open_workspace(queued) as workspace:
            held = jobs.worker(workspace.db)
        assert held is not None
        os.kill(held.pid, signal.SIGKILL)
        await until(pilot, lambda: not Path(f"/proc/{held.pid}").exists(), "its end")
        await seen(pilot, "interrupted")
        assert "z resumes it" in " ".join(screen_text(app).split())
        await pilot.press("f1")
        await seen(pilot, "asks-gold@1 is interrupted")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen), "Runs")
        await pilot.press("z")
        await until(pilot, lambda: job_state(queued) is JobState.DONE, "the end")


async def test_each_paused_run_shows_its_own_reason(queued: Path) -> None:
    with open_workspace(queued) as workspace:
        queue(workspace, Evaluate(NewRun("bm25", "gold", name="refused")))
        with workspace.write() as db:
            assert jobs.become_worker(db, "gone", os.getpid(), "elsewhere")
            full, refused = jobs.claim(db, "gone", 2)
            for job, reason in ((full, PauseReason.DISK_FULL), (refused, PauseReason.ENDPOINT)):
                jobs.settle(db, job.id, "gone", JobState.PAUSED, pause_reason=reason)
    async with desk(queued) as (_, pilot):
        text = await seen(pilot, "is paused: disk full")
        assert "refused is paused: endpoint" in text
        await pilot.press("f5")
        text = await seen(pilot, "paused: disk full")
        assert "paused: endpoint" in text


async def test_what_a_failed_run_says_stays_in_its_details(queued: Path) -> None:
    with open_workspace(queued) as workspace, workspace.write() as db:
        assert jobs.become_worker(db, "gone", os.getpid(), "elsewhere")
        jobs.claim(db, "gone", 1)
        jobs.note(db, 1, "index", "made anew")
        error = "The corpus has changed since the run began."
        jobs.settle(db, 1, "gone", JobState.FAILED, error=error, remedy="Start a new run.")
    async with desk(queued, (140, 40)) as (_, pilot):
        await pilot.press("f5")
        text = await seen(pilot, "The corpus has changed since the run began.")
        assert "Start a new run." in text
        assert "index: made anew" in text
        assert "1 failed" in text.splitlines()[0]


async def test_enter_on_a_run_shows_its_results(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    evaluated = evaluated_workspace(tmp_path_factory.getbasetemp())
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f5", "enter")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "Results")
        await seen(pilot, "closed-book-sample@1")


@pytest.mark.parametrize("over", ["enter", "c enter"])
async def test_enter_on_a_run_shows_its_results_whatever_was_open_there(
    tmp_path_factory: pytest.TempPathFactory, over: str
) -> None:
    evaluated = evaluated_workspace(tmp_path_factory.getbasetemp())
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "bm25-sample@1")
        await seen(pilot, "coverage 100 %")
        for key in over.split():
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: not isinstance(app.screen, ResultsScreen), "Items or Compare")
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen), "Runs")
        await pilot.press("home")
        assert app.facts.work[0].title == "closed-book-sample@1"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "Results")
        text = await seen(pilot, "closed-book-sample@1")
        assert "bm25" not in text


@pytest.fixture
def unreleased(tmp_path: Path) -> Path:
    """Three accepted items and one that is not, in a dataset without a release."""
    made = inspection_workspace(tmp_path / "ws", 4, documents=2, characters=300)
    with made as workspace, workspace.write() as db:
        for (number,) in db.execute("SELECT id FROM item LIMIT 3").fetchall():
            datasets.set_state(db, number, ItemState.DRAFTED, ItemState.ACCEPTED)
    return tmp_path / "ws"


async def test_a_dataset_is_released_in_the_app_and_a_run_starts_on_it(unreleased: Path) -> None:
    async with desk(unreleased) as (app, pilot):
        await seen(pilot, "Dataset zh-finance has no release yet")
        await pilot.press("f5", "plus")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        text = " ".join(screen_text(app).split())
        assert "3 accepted items become a version" in text
        assert "1 other item stays out" in text
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, LaunchScreen), "the dialog")
        assert "zh-finance@1" in screen_text(app)
        await pilot.press("escape")
        await seen(pilot, "Released zh-finance@1 with 3 items.")
        await pilot.press("escape", "f1")
        await seen(pilot, "zh-finance@1 is not evaluated yet")


async def test_home_and_the_palette_release_too(unreleased: Path) -> None:
    async with desk(unreleased) as (app, pilot):
        await seen(pilot, "Dataset zh-finance has no release yet")
        step = next(at for at, key in enumerate(app.screen._steps) if key == "release zh-finance")
        await pilot.press(*["down"] * step, "enter")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await pilot.press("escape")
        await pilot.press("f6", "at")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await pilot.press("y")
        await seen(pilot, "Released zh-finance@1 with 3 items.")
        assert "release" in {action.label for action in app.registry.commands("results")}

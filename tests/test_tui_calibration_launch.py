"""Judges let loose on runs from the app, with estimate and bounds, by the real worker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from asked_judges import AskedJudges
from desks import NARROW_THEN_WIDE, desk, screen_text, seen, until
from endpoint_workspaces import KEY, VARIABLE, questions
from scripted_server import Reply, Request, answer, content_filtered

from engine.jobs.operation import stored_operation
from engine.judge.judge_job import JudgeRun
from store.jobs import jobs
from store.runs import judge_scores, runs
from store.workspace import open_workspace
from tui.calibration.launch import JudgingForm, judging_words
from tui.calibration.queries import JudgingFigures
from tui.runs.screen import RunsScreen
from tui.screens.confirm import Confirm

JUDGE = '[judges.gpt]\nmodel = "p"\nmetrics = ["accuracy", "hallucination"]\nmax_tokens = 64\n'


def good(request: Request) -> Reply:
    return answer(json.dumps({"reason": "so", "value": 1}))


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AskedJudges]:
    monkeypatch.setenv(VARIABLE, KEY)
    answers = {"one": lambda number: f"answer {number}", "two": lambda number: "the same"}
    with AskedJudges(tmp_path / "w", questions(3), answers, good, [JUDGE]) as made:
        yield made


async def opened(app, pilot) -> JudgingForm:
    await pilot.press("f5")
    await seen(pilot, "two")
    await pilot.press("'")
    await until(pilot, lambda: isinstance(app.screen, JudgingForm), "the question")
    form = app.screen
    assert isinstance(form, JudgingForm)
    return form


def job_of(folder: Path, number: int) -> JudgeRun:
    with open_workspace(folder) as workspace:
        operation = stored_operation(jobs.get(workspace.db, number))
    assert isinstance(operation, JudgeRun)
    return operation


@pytest.mark.parametrize("size", NARROW_THEN_WIDE)
async def test_a_judge_scores_several_runs_after_an_estimate(
    asked: AskedJudges, size: tuple[int, int]
) -> None:
    async with desk(asked.folder, size) as (app, pilot):
        form = await opened(app, pilot)
        await seen(pilot, "Nothing is left to judge")  # the rules have scored every run
        await pilot.press("down")
        text = await seen(pilot, "6 calls, 0 of them in the cache.")
        assert "3 answers lack 6 scores." in text
        assert "Cost about" in text
        assert form.lines["metrics"].value == "accuracy hallucination"
        await pilot.press("enter", "home", "space", "down", "space")
        text = await seen(pilot, "12 calls")
        assert "2 jobs; limits are of each." in text
        await pilot.press("enter", *["end", *["backspace"] * len(" hallucination")])
        await seen(pilot, "6 calls")
        await pilot.press("enter", *"5000", "enter", *"2.5", "enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "what it costs")
        assert "Ask p?" in screen_text(app)
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen), "Runs")
        await seen(pilot, "gpt on one")
        await until(
            pilot,
            lambda: [fact.status for fact in app.facts.work if fact.run is None] == ["done"] * 2,
            "the end of both",
        )
    for number, name in ((3, "two"), (4, "one")):
        made = job_of(asked.folder, number)
        assert (made.metrics, made.budget.max_tokens, made.budget.max_cost) == (
            ("accuracy",),
            5000,
            2.5,
        )
        with open_workspace(asked.folder) as workspace:
            run = runs.get(workspace.db, name)
            assert made.of_run == run.id
            counts = judge_scores.counts(workspace.db, run.id, made.stored_judge)
        assert counts == {"accuracy": {"ok": 3}}
    assert asked.server.count == 6


@pytest.fixture
def judged(asked: AskedJudges) -> AskedJudges:
    """The same, where the judge has scored one run."""
    asked.judge("before", "one", "gpt")
    return asked


async def test_only_what_is_missing_is_estimated(judged: AskedJudges) -> None:
    async with desk(judged.folder) as (app, pilot):
        form = await opened(app, pilot)
        form.lists["runs"].move_to([name for name, _ in form.parts["runs"].options].index("one"))
        await pilot.press("down")
        await seen(pilot, "Nothing is left to judge")


@pytest.fixture
def half_judged(asked: AskedJudges) -> AskedJudges:
    """The same, where a filter withheld what the judge says of hallucination; it does no longer."""

    def half(request: Request) -> Reply:
        is_accuracy = "Accuracy" in request.body["messages"][-1]["content"]
        return good(request) if is_accuracy else content_filtered()

    asked.server._reply = half
    asked.judge("before", "one", "gpt")
    asked.server._reply = good
    return asked


async def test_scores_in_error_are_tried_again_with_a_key(half_judged: AskedJudges) -> None:
    before = half_judged.server.count
    async with desk(half_judged.folder) as (app, pilot):
        await pilot.press("f5")
        await seen(pilot, "! done, 3 failed")
        app.screen.list.move_to(2)
        await seen(pilot, "3 failed; z tries these again.")
        await pilot.press("z")
        await until(
            pilot,
            lambda: [fact.lack for fact in app.facts.work if fact.status == "done"] == [""] * 4,
            "the end",
        )
        await pilot.press("z")
        await seen(pilot, "there is nothing to pause or to resume")
    assert half_judged.server.count - before == 3


async def test_what_cannot_be_asked_is_said(asked: AskedJudges) -> None:
    async with desk(asked.folder) as (app, pilot):
        form = await opened(app, pilot)
        form.lines["metrics"].value = "accuracy f1"
        await seen(pilot, "not f1.")
        form.lines["metrics"].value = "accuracy"
        form.lines["max_cost"].value = "-1"
        await seen(pilot, "At most so much money")
        await pilot.press("escape")
    with open_workspace(asked.folder) as workspace:
        assert all(job.kind != "judge" for job in jobs.listing(workspace.db))


async def test_the_palette_finds_it_in_every_place(asked: AskedJudges) -> None:
    async with desk(asked.folder) as (app, pilot):
        await pilot.press("f1", "ctrl+p")
        await pilot.press(*"judge answers")
        await seen(pilot, "judge answers  (')")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, JudgingForm), "the question")


def test_what_is_not_counted_is_said() -> None:
    figures = JudgingFigures(
        runs=1, answers=1, scores=2, at_least=True, same_family=("qwen",), embeds_at="e"
    )
    assert judging_words(figures, "e") == [
        "1 answer lacks 2 scores. Further calls depend on replies, and are not counted."
        " Vectors by e are not counted.",
        "Note: judge and answerer are of one family (qwen).",
        "No model is asked for a reply.",
    ]

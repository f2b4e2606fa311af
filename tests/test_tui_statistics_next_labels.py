"""Answers drawn in the app by chances, with how many labels their question takes beside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from desks import SIZES, desk, seen, until
from judged_workspaces import ITEMS, Desk

from engine.calibration.label_requests import LabelPlan, NextPlan
from engine.calibration.queries import NextAnswer
from engine.statistics.inference import LabelCount
from engine.text.wrapping import cell_width
from store.labels.samples import draws, samples
from tui.statistics.new_sample import NewSample
from tui.statistics.sample_messages import next_texts


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "w")
    made.label_all("tester", 20)
    with made.workspace:
        yield made


@pytest.mark.parametrize("size", SIZES)
async def test_what_a_question_takes_is_said_then_answers_are_drawn(
    made: Desk, size: tuple[int, int]
) -> None:
    async with desk(made.folder, size) as (app, pilot):
        await pilot.press("f7", "plus")
        await until(pilot, lambda: isinstance(app.screen, NewSample), "the question")
        asked = app.screen
        assert isinstance(asked, NewSample)
        await pilot.press(*"learn")
        assert asked.fields["of"].value == "r"
        asked.fields["choose"].value = "precision"
        asked.fields["number"].value = "12"
        text = await seen(pilot, f"12 of {ITEMS} answers would be drawn, all with the same chance")
        assert f"20 of {ITEMS} answers labelled" in text
        assert "this run, 0.05:" in text
        assert "Per cell" not in text
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        asked.fields["choose"].value = "comparison"
        await seen(pilot, "To choose by comparison takes two runs.")
        asked.fields["choose"].value = "agreement"
        await seen(pilot, "12 of")
        asked.draw.focus()
        await pilot.press("enter")
        await seen(pilot, "goal ±.05")
    sample = samples.get(made.workspace.db, "learn")
    assert sample.settings["choose"] == "agreement"
    assert [one.wanted for one in draws.of_sample(made.workspace.db, sample)] == [12]


def plan(runs: tuple[str, ...], new: LabelCount, *, has_pilot: bool = True) -> LabelPlan:
    run = LabelCount("run", 50, 80)
    return LabelPlan(runs, "accuracy", "rules@1", 0.1, 90, 20, has_pilot, run, new, 30.0, False)


def test_a_plan_in_words() -> None:
    drawn = NextPlan(12, 70, False)
    new = LabelCount("new", None, None, 400)
    said = [text for text, _ in next_texts(NextAnswer(drawn, plan(("a",), new)), "precision")]
    assert said == [
        "12 of 70 answers would be drawn, half alike, half where the labels so far show that judge"
        " and people differ",
        "this run, 0.1: 50 answers (80 without the judge), 15 min left",
        "questions like these, 0.1: no number of labels suffices; 400 groups of them do",
        "20 of 90 answers labelled; 30 s each, a guess",
    ]
    without = plan(("a", "b"), LabelCount("new", 60, 60), has_pilot=False)
    said = [text for text, _ in next_texts(NextAnswer(drawn, without), "comparison")]
    assert said[1].startswith("these runs, 0.1: 50 questions")
    assert said[2] == "questions like these, 0.1: 60 questions, 20 min left"
    assert said[4] == "too few labels to plan by: as if the judge said nothing"

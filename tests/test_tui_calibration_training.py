"""Training a light judge in the app."""

from __future__ import annotations

from pathlib import Path

from agreement_workspaces import labelled_desk
from desks import desk, named, screen_text, seen, until
from judged_workspaces import ITEMS, Desk
from planted_judge_cases import planted_cases

from engine.judge.light.folder import write_judge, writing
from engine.judge.registry import judges
from engine.training.light.training import evaluate, learn
from store.datasets import splits
from tui.calibration.training import TeachingQuery, part_report
from tui.screens.form import Form
from tui.screens.sheet import Said, SheetScreen, Table


async def test_a_judge_is_trained_and_its_figures_are_shown(tmp_path: Path) -> None:
    labelled_desk(tmp_path / "w").workspace.close()
    async with desk(tmp_path / "w", (140, 40)) as (app, pilot):
        await named(app, pilot, "train a judge")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question")
        form = app.screen
        assert isinstance(form, Form)
        assert "Labelled answers: " in screen_text(app)
        assert form.values["name"] == "light-1"
        form.start.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SheetScreen), "what came of it")
        text = app.screen.sheet.text
        assert "Judge light-1 learned from 30 answers" in text
        assert "The test side has no answers." in text, "all questions are alike"
    assert judges(tmp_path / "w")["light-1"].kind == "trained"


async def test_too_few_labels_teach_nothing_and_that_is_said(tmp_path: Path) -> None:
    made = Desk(tmp_path / "w")
    made.label_all(count=6)
    made.workspace.close()
    async with desk(tmp_path / "w") as (app, pilot):
        await named(app, pilot, "train a judge")
        await seen(pilot, "it takes 10")
        assert "F7 Label, then +" in screen_text(app)


def test_what_there_is_to_learn_from_is_counted_and_nothing_stored(tmp_path: Path) -> None:
    made = labelled_desk(tmp_path / "w")
    with made.workspace as workspace:
        teaching = TeachingQuery().answer(workspace)
        assert sum(teaching.sides.values()) == ITEMS
        assert teaching.sides["train"] >= teaching.least
        assert splits.listing(workspace.db) == []


def test_a_side_is_shown_beside_the_rules(tmp_path: Path) -> None:
    cases = planted_cases(80, seed=3)
    with writing(tmp_path, "light", replace=False) as draft:
        judge, fitted, _ = learn(cases[:60], ("accuracy",), draft)
        write_judge(draft, [one.model for one in fitted], range(60), "# Judge light\n")
    title, table, *_ = part_report(evaluate("test", cases[60:], judge))
    assert title == Said("On the test side, against people:", "strong")
    assert isinstance(table, Table)
    assert table.rows[0][-2:] == ("rules: accuracy", "kappa")
    assert table.rows[1][:2] == ("all, pooled", "20")

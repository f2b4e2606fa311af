"""Known questions by commands, a training question at the desk, and reliability on Statistics."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, seen
from label_workspaces import label_workspace

from engine.labelling.session import LabelSession
from store.labels.log.events import Subject
from store.labels.samples import known, samples
from store.workspace import open_workspace
from tui.cli import main
from tui.statistics.known import ask_known
from tui.statistics.reliability import ReliabilityScreen

FORM = "preference"
"""Its three fields are always asked."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two pairs of four that two raters differ on, one of them ruled on, and the other two to be
    labelled."""
    with label_workspace(tmp_path / "w", 4, characters=200, form=FORM) as workspace:
        held = samples.get(workspace.db, "first")
        subjects = [Subject("pair", name) for name, _ in samples.subjects(workspace.db, held)]
        for rater, value in (("a", 1), ("b", -1)):
            session = LabelSession(workspace, FORM, rater)
            for subject in subjects[:2]:
                for field in ("correctness", "completeness", "overall"):
                    session.set(subject, field, value)
        judge = LabelSession(workspace, FORM, "judge")
        for field in ("correctness", "completeness", "overall"):
            judge.adjudicate(subjects[0], field, 2, reason="B 没有给出单位")
        with workspace.write() as db:
            db.execute(
                "DELETE FROM assignment WHERE sample_id = ? AND subject IN (?, ?)",
                (held.id, subjects[0].id, subjects[1].id),
            )
    return tmp_path / "w"


@pytest.fixture
def call(folder: Path, capsys):
    def run(line: str, rater: str = "lead"):
        code = main([*line.split(), "--workspace", str(folder), "--rater", rater])
        return code, *capsys.readouterr()

    return run


def mixed(call, purpose: str) -> str:
    assert call(f"known choose --as {purpose} --number 1 --form {FORM}")[0] == 0
    assert call("known mix first --rate 0.5")[:2] == (
        0,
        "sample first: 1 mixed in, 1 known question to 2 subjects\n",
    )
    return call(f"known list --form {FORM}")[1]


def test_questions_are_chosen_mixed_in_and_listed(call) -> None:
    assert "B 没有给出单位" in call(f"known list --candidates --form {FORM}")[1]
    listed = mixed(call, "attention")
    assert "attention  completeness=2 correctness=2 overall=2  adjudicated  lead" in listed
    assert call(f"known list --candidates --form {FORM}")[1] == ""
    assert call("known mix first --rate 0")[0] == 2
    assert call("known mix gone --rate 0.1")[0] == 2
    assert call("known choose --as attention --form gone --number 1")[0] == 2


def test_the_command_tells_a_training_answer_and_an_attention_one_not(folder, call) -> None:
    mixed(call, "training")
    with open_workspace(folder) as workspace:
        (subject,) = known.mixed_into(workspace.db, samples.get(workspace.db, "first"))
    values = "correctness=1 completeness=2 overall=2"
    out = call(f"labels set {subject} {values} --form {FORM}", "c")[1]
    assert "its answer: completeness=2 correctness=2 overall=2" in out
    assert "why: B 没有给出单位" in out
    found = call(f"labels reliability --form {FORM}")[1]
    assert "0.67, n 1" in found
    own = call(f"labels reliability --form {FORM} --by week", "c")
    assert "sees their own figures only" in own[2]
    assert call(f"labels reliability --form {FORM} --raters nobody")[0] == 2


@pytest.mark.parametrize("size", SIZES)
async def test_a_training_question_waits_with_its_answer_until_enter(
    folder: Path, call, size
) -> None:
    mixed(call, "training")
    with open_workspace(folder) as workspace, workspace.write() as db:
        db.execute("UPDATE assignment SET due_after = 0 WHERE due_after IS NOT NULL")
    async with desk(folder, size, rater="c") as (app, pilot):
        await pilot.press("f7")
        await seen(pilot, "correctness")
        await pilot.press("A")
        await seen(pilot, "the next one comes")
        await pilot.press("2", "2", "2")
        await seen(pilot, "A training question. Its answer: correctness")
        await seen(pilot, "B 没有给出单位")
        assert app.screen.opened.subject.is_known
        await pilot.press("enter")
        await seen(pilot, "yours 1/3")
        assert not app.screen.opened.subject.is_known
        assert app.screen.problem.text == ""


@pytest.mark.parametrize("size", SIZES)
async def test_statistics_lead_to_the_reliability_of_raters(folder: Path, call, size) -> None:
    mixed(call, "attention")
    with open_workspace(folder) as workspace:
        (subject,) = known.mixed_into(workspace.db, samples.get(workspace.db, "first"))
        session = LabelSession(workspace, FORM, "c")
        for field in ("correctness", "completeness", "overall"):
            session.set(Subject("pair", subject), field, 2, active_ms=20_000)
    async with desk(folder, size, rater="lead") as (app, pilot):
        app.push_screen(ReliabilityScreen(FORM))
        text = await seen(pilot, "1.00, n 1")
        assert "known answers" in text
        await pilot.press("b", "down", "enter")
        await seen(pilot, "month")


async def test_the_palette_mixes_known_questions_into_a_sample(folder: Path) -> None:
    async with desk(folder, SIZES[0], rater="lead") as (app, pilot):
        await seen(pilot, "What next")
        ask_known(app.screen)
        await seen(pilot, "Mix known questions into a sample")
        await pilot.press("enter", "enter", *["backspace"] * 3, *"2", "enter")
        for _ in range(4):
            await pilot.press("enter")
        await pilot.press("enter")
        await seen(pilot, "The rate is above 0 and at most 1")
        for _ in range(5):
            await pilot.press("up")
        await pilot.press("backspace", *"0.5", "enter", "backspace", "1")
        for _ in range(5):
            await pilot.press("enter")
        await seen(pilot, "Sample first: 1 mixed in, 1 known question to 2 subjects.")

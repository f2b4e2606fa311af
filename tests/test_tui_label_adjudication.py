"""Ruling on conflicts: what each said side by side, a third person, grounds and undo."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from desks import desk, in_sight, seen, until
from inspection_workspaces import inspection_workspace
from textual.pilot import Pilot

from engine.labelling.forms import load_form
from engine.labelling.session import LabelSession
from store.datasets import datasets
from store.labels import consensus
from store.labels.consensus import Settled
from store.labels.log.events import Subject
from store.verify import verify
from store.workspace import Workspace, open_workspace
from tui.app import Ragdesk
from tui.correction.screen import CorrectionScreen
from tui.label import timing
from tui.label.adjudication import AdjudicationScreen

SIZES = ((80, 24), (120, 40))


@pytest.fixture(autouse=True)
def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are pressed faster here than by people."""
    monkeypatch.setattr(timing, "SETTLE_SECONDS", -60.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two raters who differ on a score and on a correction, and agree on a third item."""
    folder = tmp_path / "ws"
    with inspection_workspace(folder, 6, documents=2, characters=400, raters_wanted=2) as workspace:
        subjects = [one.subject for one in LabelSession(workspace, "inspection", "li").upcoming(3)]
        for rater, scores in (("li", (4, 3, 5)), ("wang", (2, 3, 5))):
            session = LabelSession(workspace, "inspection", rater)
            for subject, value in zip(subjects, scores, strict=True):
                session.set(subject, "score", value)
            correct(workspace, session, subjects[1], f"{rater} 的答案")
            session.comment(subjects[0], f"note of {rater}", "score")
    return folder


def correct(workspace: Workspace, session: LabelSession, subject: Subject, answer: str) -> None:
    content = datasets.content(workspace.db, subject.numbers[0])
    turn = msgspec.structs.replace(content.turns[0], golden_answers=(answer,))
    session.propose(subject, msgspec.structs.replace(content, turns=(turn,)), "wrong number")


def settled(folder: Path) -> dict[str, list[Settled]]:
    with open_workspace(folder) as workspace:
        form = LabelSession(workspace, "inspection", "reader").form
        assert verify(workspace.db).ok
        found: dict[str, list[Settled]] = {}
        for one in consensus.settled(workspace.db, form):
            found.setdefault(one.source, []).append(one)
        return found


async def open_conflicts(app: Ragdesk, pilot: Pilot[int]) -> AdjudicationScreen:
    await pilot.press("f4")
    await until(pilot, lambda: getattr(app.screen, "session", None), "Inspect")
    await pilot.press("D")
    await until(pilot, lambda: isinstance(app.screen, AdjudicationScreen), "the conflicts")
    screen = app.screen
    assert isinstance(screen, AdjudicationScreen)
    await until(pilot, lambda: screen.conflicts, "a conflict")
    await in_sight(pilot)
    return screen


@pytest.mark.parametrize("size", SIZES)
async def test_what_each_said_is_shown_and_a_digit_rules(
    folder: Path, size: tuple[int, int]
) -> None:
    async with desk(folder, size) as (app, pilot):
        screen = await open_conflicts(app, pilot)
        text = await seen(pilot, "conflict 1 of 2")
        assert {one.field for one in screen.conflicts} == {"score", "correction"}
        at = [one.field for one in screen.conflicts].index("score")
        await pilot.press(*["right_square_bracket"] * at)
        text = await seen(pilot, "note of wang")
        assert "4 good" in text
        assert "2 poor" in text
        await pilot.press(";", *"unit", "enter")
        await seen(pilot, "reason: unit")
        await pilot.press("2")
        await until(pilot, lambda: len(screen.conflicts) == 1, "the ruling")
        (ruling,) = settled(folder)["adjudicated"]
        assert (ruling.value, ruling.adjudicator, ruling.reason) == (2, "tester", "unit")
        assert [one.rater for one in ruling.raters] == ["li", "wang"]
        await pilot.press("u")
        await seen(pilot, "undone: ruling on score")
        assert "adjudicated" not in settled(folder)


@pytest.mark.parametrize("size", SIZES)
async def test_a_version_is_chosen_by_its_number(folder: Path, size: tuple[int, int]) -> None:
    async with desk(folder, size) as (app, pilot):
        screen = await open_conflicts(app, pilot)
        at = [one.field for one in screen.conflicts].index("correction")
        await pilot.press(*["right_square_bracket"] * at)
        text = await seen(pilot, "version 2")
        for name in ("li", "wang"):
            assert f" {name} " not in text, "who rules is not told whose versions they are"
        wanted = screen.conflicts[at].raters[1].value
        await pilot.press("d")
        await seen(pilot, "version 2 against version 1")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the conflicts")
        await pilot.press("2")
        await until(pilot, lambda: len(screen.conflicts) == 1, "the ruling")
        with open_workspace(folder) as workspace:
            head = workspace.db.execute("SELECT head FROM item WHERE head = ?", (wanted,))
            assert head.fetchone() is not None


async def test_a_ruling_is_given_by_the_mouse(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_conflicts(app, pilot)
        at = [one.field for one in screen.conflicts].index("score")
        await pilot.press(*["right_square_bracket"] * at)
        await seen(pilot, "note of wang")
        line = screen.labels.lines_as_text()[0]
        await pilot.click(screen.labels, offset=(line.index(" 2 ") + 3, 0))
        await until(pilot, lambda: len(screen.conflicts) == 1, "the ruling")
        (ruling,) = settled(folder)["adjudicated"]
        assert ruling.value == 2
        # of a text, the line of a version stands for its number
        wanted = screen.conflicts[0].raters[1].value
        await seen(pilot, "version 2")
        await pilot.click(screen.labels, offset=(12, 2))
        await until(pilot, lambda: not screen.conflicts, "the ruling")
        with open_workspace(folder) as workspace:
            head = workspace.db.execute("SELECT head FROM item WHERE head = ?", (wanted,))
            assert head.fetchone() is not None


async def test_a_version_of_ones_own_can_be_the_ruling(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_conflicts(app, pilot)
        at = [one.field for one in screen.conflicts].index("correction")
        await pilot.press(*["right_square_bracket"] * at)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, CorrectionScreen), "the editor")
        await pilot.press("Z", "escape")
        await seen(pilot, "propose")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen, "the conflicts")
        await until(pilot, lambda: len(screen.conflicts) == 1, "the ruling")
        (ruling,) = settled(folder)["adjudicated"]
        assert ruling.adjudicator == "tester"


async def test_a_rater_of_the_item_does_not_rule(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        app.rater = "li"
        screen = await open_conflicts(app, pilot)
        text = await seen(pilot, "third person: 1 of 2")
        assert "you have labelled it: a third person rules" in text
        assert "your ruling" not in text, "no key rules"
        at = [one.field for one in screen.conflicts].index("score")
        await pilot.press(*["right_square_bracket"] * at, "2")
        await seen(pilot, "no key rules on it for you")
        assert not screen.problem.text
        assert len(screen.conflicts) == 2
        assert "adjudicated" not in settled(folder)


async def test_conflicts_for_a_third_person_come_after_ones_own(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        (score, correction) = sorted(
            consensus.conflicts(workspace.db, load_form("inspection")),
            key=lambda one: one.field == "correction",
        )
        first = min(score, correction, key=lambda one: one.subject.numbers)
        LabelSession(workspace, "inspection", "tester").set(first.subject, "score", 5)
        found = consensus.label_counts(workspace.db, "tester")
    assert [(one.conflicts, one.to_rule) for one in found] == [(2, 1)]
    async with desk(folder) as (app, pilot):
        screen = await open_conflicts(app, pilot)
        text = await seen(pilot, "conflict 1 of 1")
        assert "third person" not in text
        assert screen.conflict is not None
        assert screen.conflict.subject != first.subject
        await pilot.press("right_square_bracket")
        await seen(pilot, "third person: 1 of 1")
        assert screen.conflict.subject == first.subject


async def test_a_key_that_does_nothing_says_why(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_conflicts(app, pilot)
        at = [one.field for one in screen.conflicts].index("score")
        await pilot.press(*["right_square_bracket"] * at, "7")
        await seen(pilot, "score: 1 2 3 4 5")
        assert "d diff" not in await seen(pilot, "G guideline"), "there is nothing to compare"
        await pilot.press("d")
        await seen(pilot, "values have no versions to compare")
        await pilot.press(*["left_square_bracket"] * 2)
        await seen(pilot, "this is the first conflict")
        await pilot.press(*["right_square_bracket"] * 2)
        await seen(pilot, "this is the last conflict")
        text = [one.field for one in screen.conflicts].index("correction")
        await pilot.press(*["left_square_bracket"] * (1 - text), "7")
        assert "d diff" in await seen(pilot, "versions: 1 to 2")
        assert len(screen.conflicts) == 2


async def test_a_second_press_of_the_key_does_not_rule_on_the_next_conflict(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_conflicts(app, pilot)
        at = [one.field for one in screen.conflicts].index("score")
        await pilot.press(*["right_square_bracket"] * at, "2")
        await seen(pilot, "ruled: score 2 poor")
        monkeypatch.setattr(timing, "SETTLE_SECONDS", 3600.0)
        await pilot.press("2")
        await seen(pilot, "typed before this was on the screen: not counted")
        assert [one.field for one in screen.conflicts] == ["correction"]


async def test_a_ruling_on_the_last_conflict_can_be_taken_back(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_conflicts(app, pilot)
        at = [one.field for one in screen.conflicts].index("score")
        await pilot.press(*["right_square_bracket"] * at, "2")
        await until(pilot, lambda: len(screen.conflicts) == 1, "the ruling")
        await seen(pilot, "version 1")
        await pilot.press("9", "1")
        await seen(pilot, "has been ruled on")
        await pilot.press("u")
        await seen(pilot, "undone: ruling on correction")


async def test_without_conflicts_that_is_said(tmp_path: Path) -> None:
    inspection_workspace(tmp_path / "ws", 2, documents=1, characters=300).close()
    async with desk(tmp_path / "ws") as (app, pilot):
        await pilot.press("f4")
        await until(pilot, lambda: getattr(app.screen, "opened", None), "the first item")
        await pilot.press("D")
        await seen(pilot, "No conflicts")
        await pilot.press("escape")
        await seen(pilot, "5 excellent")

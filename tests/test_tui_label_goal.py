"""The desk says after each label how far the question is from its answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import desk, seen, until
from judged_workspaces import Desk
from msgspec import structs

from engine.calibration.calibration_records import LabelGoal
from engine.calibration.label_requests import NextRequest
from engine.calibration.next_labels import draw_next
from engine.report.calibration import goal_text
from engine.statistics.inference import Interval
from store.labels.samples import samples
from tui.label import timing
from tui.label.label_screen import LabelScreen

GOAL = LabelGoal(
    "precision", "accuracy", "rules@1", ("r",), 60, 0.05, Interval("run", "ok", 0.6, 0.8), 33, 0.7
)


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_the_interval_comes_with_the_label(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "SETTLE_SECONDS", -60.0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = Desk(tmp_path / "w")
    with made.workspace:
        request = NextRequest(
            "next", "precision", ("r",), "accuracy", "rules", 30, within=0.4, raters_wanted=1
        )
        draw_next(made.workspace, request)
        taken = samples.taken(made.workspace.db, samples.get(made.workspace.db, "next"))
        for one in taken[:19]:
            at = made.answers.index(int(one.subject))
            made.label("tester", at, made.truth(at))
    async with desk(made.folder, size) as (app, pilot):
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(app.screen, LabelScreen), "Label")
        assert "mean ." in await seen(pilot, ", goal ±.40")
        screen = app.screen
        assert isinstance(screen, LabelScreen)
        assert screen.opened is not None
        before = screen.opened.subject
        for _ in screen.panel.fields:
            await pilot.press("0")
        await until(pilot, lambda: screen.opened and screen.opened.is_done, "a whole label")
        await pilot.press("enter")
        await until(pilot, lambda: screen.opened and screen.opened.subject != before, "the next")
        # with the twentieth label the question is answered
        assert "mean ." in await seen(pilot, ": precise enough")


def test_a_goal_in_words() -> None:
    assert goal_text(GOAL) == "mean .70 ±.10, goal ±.05"
    assert goal_text(structs.replace(GOAL, within=None)) == "mean .70 ±.10"
    assert goal_text(structs.replace(GOAL, is_answered=True)) == "mean .70 ±.10: precise enough"
    none = Interval("run", "too few", reason="too few labels for an interval: 3")
    assert goal_text(structs.replace(GOAL, interval=none, labels=3)) == "3 of 60 labelled"
    against = structs.replace(
        GOAL,
        choose="comparison",
        estimate=-0.12,
        interval=Interval("new", "ok", -0.2, -0.04),
        sequence=Interval("new", "ok", -0.3, 0.06),
    )
    assert goal_text(against) == "A - B -.12 ±.08, while looking ±.18"
    told = structs.replace(against, is_answered=True)
    assert goal_text(told) == "A - B -.12 ±.08: decided, B is higher"
    assert goal_text(structs.replace(GOAL, choose="agreement")).startswith("kappa .70")

"""Whatever a rater has done at the desk, undoing all of it leads back to the start."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from desks import desk, until
from inspection_workspaces import inspection_workspace
from labelling_workspaces import everything_derived
from textual.pilot import Pilot

from store.labels.log import reading
from store.verify import verify
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.correction.review import ReviewScreen
from tui.correction.screen import CorrectionScreen
from tui.label import timing
from tui.label.ask import AskReason, AskText
from tui.label.inspect_screen import InspectScreen

KEYS = (*"12445" * 2, *"toqap" * 2, *"33", *"sfxuU", ";", "enter", "[", "]")
NAMES = {";": "semicolon", "[": "left_square_bracket", "]": "right_square_bracket"}


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are pressed faster here than by people."""
    monkeypatch.setattr(timing, "SETTLE_SECONDS", -60.0)


async def act(app: Ragdesk, pilot: Pilot[int], screen: InspectScreen, draw: random.Random) -> None:
    """A random thing that a rater may do; it leaves the desk on the screen."""
    key = draw.choice(KEYS)
    await pilot.press(NAMES.get(key, key))
    await pilot.pause()
    if isinstance(app.screen, AskText):
        await pilot.press(*draw.choices("abc", k=2), "enter")
    elif isinstance(app.screen, AskReason):
        await pilot.press(draw.choice("12"))
    if isinstance(app.screen, CorrectionScreen):
        correction = app.screen
        correction.form.editor.go_to(0)
        await pilot.press(*draw.choices("xyz", k=3), "escape")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen), "the review")
        await pilot.press(draw.choice(["enter", "enter", "K"]))
    if not isinstance(app.screen, InspectScreen):
        await until(pilot, lambda: app.screen is screen, "the desk")


@pytest.mark.parametrize(
    ("seed", "raters_wanted", "actions"),
    [
        (9, 2, 36),
        pytest.param(2, 2, 70, marks=pytest.mark.slow),
        pytest.param(1, 1, 70, marks=pytest.mark.slow),
        pytest.param(3, 1, 400, marks=pytest.mark.slow),
        pytest.param(4, 2, 400, marks=pytest.mark.slow),
    ],
)
async def test_undoing_everything_leads_back_to_the_start(
    tmp_path: Path, seed: int, raters_wanted: int, actions: int
) -> None:
    folder = tmp_path / "ws"
    made = inspection_workspace(
        folder, 60, documents=4, characters=400, raters_wanted=raters_wanted
    )
    with made as workspace:
        start = everything_derived(workspace.db)
    draw = random.Random(seed)
    async with desk(folder) as (app, pilot):
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, InspectScreen), "Inspect")
        screen = app.screen
        assert isinstance(screen, InspectScreen)
        await until(pilot, lambda: screen.opened is not None, "the first item")
        for _ in range(actions):
            await act(app, pilot, screen, draw)
    with open_workspace(folder) as workspace:
        kinds = {one.kind for one in reading.events(workspace.db, rater="tester")}
        assert everything_derived(workspace.db) != start
    assert {"set", "clear", "comment", "flag", "postpone", "exclude", "undo"} <= kinds, kinds
    assert ("accept" in kinds) == (raters_wanted == 1), (
        "a correction is accepted by one who decides"
    )
    async with desk(folder) as (app, pilot):
        await pilot.press("f4")
        await until(pilot, lambda: app.screen.PLACE in ("inspect", "correction"), "Inspect")  # type: ignore[attr-defined]
        # a draft that was kept opens again with the desk
        while not isinstance(app.screen, InspectScreen):
            await pilot.press("K" if isinstance(app.screen, ReviewScreen) else "escape")
            await pilot.pause()
        desk_screen = app.screen
        await until(pilot, lambda: desk_screen.session is not None, "the session")
        for _ in range(actions * 3):
            await pilot.press("u")
            await pilot.pause()
            if "nothing to undo" in desk_screen.panel.message:
                break
        else:
            pytest.fail("there was always more to undo")
    with open_workspace(folder) as workspace:
        assert everything_derived(workspace.db) == start
        report = verify(workspace.db)
        assert report.ok, report

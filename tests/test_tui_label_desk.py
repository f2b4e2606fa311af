"""The desk with a form of several fields: another form over the same screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import desk, in_sight, seen, until
from inspection_workspaces import inspection_workspace
from textual.events import Key
from textual.pilot import Pilot

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.subject_state import SubjectState
from store.labels.log import reading
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.label import timing
from tui.label.desk import LabelDesk
from tui.label.keys import ACTIONS
from tui.label.subjects.revision_view import RevisionView


class SixQuestions(LabelDesk, actions=ACTIONS):
    """Six fields of 0 and 1 about an item."""

    PLACE = "inspect"

    def __init__(self) -> None:
        super().__init__("six_questions")

    def empty_text(self) -> str:
        return "Nothing is left."


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "SETTLE_SECONDS", -60.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with inspection_workspace(tmp_path / "ws", 4, documents=2, characters=2500) as workspace:
        draw_sample(
            workspace, SampleRequest("six", "six_questions", per_cell=4, dataset="zh-finance")
        )
    return tmp_path / "ws"


async def open_questions(app: Ragdesk, pilot: Pilot[int]) -> SixQuestions:
    screen = SixQuestions()
    await app.push_screen(screen)
    await until(pilot, lambda: screen.opened and screen.panel.has_focus, "the first item")
    await in_sight(pilot)
    return screen


def here(screen: SixQuestions) -> SubjectState:
    assert screen.opened is not None
    return screen.opened


def values(folder: Path) -> list[tuple[str, object]]:
    with open_workspace(folder) as workspace:
        found = reading.events(workspace.db, "six_questions", rater="tester")
        return [(one.field, one.value) for one in found]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_cursor_moves_down_and_enter_goes_on(folder: Path, size: tuple[int, int]) -> None:
    async with desk(folder, size) as (app, pilot):
        screen = await open_questions(app, pilot)
        fields = [one.key for one in screen.form.fields]
        first = here(screen).subject
        await pilot.press("1", "0", "7", "1")
        assert values(folder) == list(zip(fields[:3], (1, 0, 1), strict=True))
        assert screen.panel.shown.focus == fields[3]
        await pilot.press("enter")
        await seen(pilot, "a field is empty")
        await pilot.press("1", "1", "1")
        assert here(screen).subject == first, "Enter says when it is done"
        await pilot.press("enter")
        await until(pilot, lambda: here(screen).subject != first, "the next item")
        assert screen.panel.shown.focus == fields[0]


async def test_a_field_is_gone_back_to_and_said_anew(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_questions(app, pilot)
        fields = [one.key for one in screen.form.fields]
        await pilot.press("1", "1", "up", "up", "0")
        assert values(folder) == [(fields[0], 1), (fields[1], 1), (fields[0], 0)]
        await pilot.press("u")
        await seen(pilot, "undone: ")
        assert here(screen).values == {fields[0]: 1, fields[1]: 1}


async def test_the_next_comes_by_itself_if_one_wishes(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_questions(app, pilot)
        first = here(screen).subject
        await pilot.press("A", *"111111")
        await until(pilot, lambda: here(screen).subject != first, "the next item")
        assert len(values(folder)) == 6


async def test_half_said_is_where_one_begins_again(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_questions(app, pilot)
        first = here(screen).subject
        await pilot.press("1", "0")
    async with desk(folder) as (app, pilot):
        screen = await open_questions(app, pilot)
        assert here(screen).subject == first
        assert screen.panel.shown.focus == screen.form.fields[2].key


async def test_tab_leads_into_the_documents_and_back(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_questions(app, pilot)
        seen_widgets = []
        for _ in range(3):
            await pilot.press("tab")
            await pilot.pause()
            seen_widgets.append(type(app.focused).__name__)
        assert seen_widgets == ["PassageText", "Sheet", "FormPanel"]
        assert isinstance(screen.view, RevisionView)
        await pilot.press("home")
        before = screen.view.passage.body.top_offset
        await pilot.press("end")
        assert screen.view.passage.body.top_offset > before, "the page keys read on from the form"


_MOVED = (("down", None), ("1", "1"), ("up", None), ("up", None))


async def test_keys_typed_ahead_act_in_the_order_in_which_they_were_typed(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_questions(app, pilot)
        first, second = (field.key for field in screen.panel.fields[:2])
        for key, character in (*_MOVED, ("0", "0")):
            app.post_message(Key(key, character))
        await until(pilot, lambda: len(here(screen).values) == 2, "both values")
        assert here(screen).values == {first: 0, second: 1}

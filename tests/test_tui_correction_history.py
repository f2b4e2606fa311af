"""The revisions of an item: a blind form hides who wrote them, Enter says what each changed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from correction_workspaces import CHINESE, ToCorrect, make_to_correct
from desks import SIZES, desk, screen_text, seen

from store.datasets import datasets
from store.workspace import open_workspace
from tui.correction.history import HistoryScreen
from tui.correction.revision_diff import DiffBase, DiffScreen


@pytest.fixture
def made(tmp_path: Path) -> ToCorrect:
    """The Chinese item with a proposal by `tester` and one by `b` on its first text."""
    made = make_to_correct(tmp_path / "workspace")
    with open_workspace(made.folder) as workspace, workspace.write() as db:
        first = int(made.subjects[0].id)
        for author, topic in (("tester", "funds"), ("b", "unassigned")):
            content = msgspec.structs.replace(CHINESE, topic=topic)
            datasets.revise(db, made.items[0], first, content, author=author, reason="主题不符")
    return made


async def test_every_revision_is_listed_with_its_reason_and_the_text_that_stands(
    made: ToCorrect,
) -> None:
    async with desk(made.folder) as (app, pilot):
        await app.push_screen(HistoryScreen(1))
        await pilot.pause()
        lines = [line.split() for line in screen_text(app).splitlines()[2:6]]
        assert [line[:4] for line in lines[1:]] == [
            ["❯", "✓", "1", "model"],
            ["2", "tester", "主题不符", lines[2][3]],
            ["3", "b", "主题不符", lines[3][3]],
        ]


async def test_a_blind_form_hides_authors_and_what_others_have_proposed(made: ToCorrect) -> None:
    async with desk(made.folder) as (app, pilot):
        screen = HistoryScreen(1, hides_author=True, own="tester")
        await app.push_screen(screen)
        await pilot.pause()
        text = screen_text(app)
        assert "model" not in text
        assert "  1  hidden" in text
        assert "  2  tester" in text
        assert [line.author for line in screen.lines] == ["model", "tester"]


async def test_enter_shows_what_a_revision_changed(made: ToCorrect) -> None:
    async with desk(made.folder) as (app, pilot):
        await app.push_screen(HistoryScreen(1))
        await pilot.pause()
        await pilot.press("down", "enter")
        await pilot.pause()
        assert isinstance(app.screen, DiffScreen)
        text = screen_text(app)
        assert "revision 2" in text
        assert "~ topic     [-Rates-]{+Funds+}" in text
        assert "lcr 4-21" in text
        await pilot.press("escape")
        assert isinstance(app.screen, HistoryScreen)
        await pilot.press("up", "enter")
        await pilot.pause()
        assert "Nothing differs." in screen_text(app)
        await pilot.press("escape", "escape")
        assert not isinstance(app.screen, HistoryScreen)


@pytest.mark.parametrize("size", SIZES)
async def test_what_has_changed_is_in_view_however_long_the_item(
    made: ToCorrect, size: tuple[int, int]
) -> None:
    turn = msgspec.structs.replace(CHINESE.turns[0], golden_answers=("答" * 4000, "更好的答案"))
    before = msgspec.structs.replace(CHINESE, turns=(turn,))
    after = msgspec.structs.replace(before, topic="funds")
    async with desk(made.folder, size) as (app, pilot):
        base = DiffBase("against the text before", before)
        await app.push_screen(DiffScreen([base], after, lambda sort, key: key))
        assert "~ topic     [-rates-]{+funds+}" in await seen(pilot, "against the text before")
        # a word in the middle of a long part
        turn = msgspec.structs.replace(turn, golden_answers=("答" * 2000 + "错" + "答" * 2000,))
        answer = msgspec.structs.replace(before, turns=(turn,))
        await app.push_screen(DiffScreen([base], answer, lambda sort, key: key))
        await seen(pilot, "{+错+}")
        # a warning is read first
        flaw = ("! no golden answer", "warn")
        await app.push_screen(DiffScreen([base], after, lambda sort, key: key, notes=[flaw]))
        text = await seen(pilot, "! no golden answer")
        assert "topic" not in text

"""Inspecting items: one key an item, nothing lost, nothing seen that would lead the rater."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from desks import desk, in_sight, screen_text, seen, until
from inspection_workspaces import inspection_workspace
from labelling_workspaces import everything_derived
from textual import events
from textual.pilot import Pilot

from store.labels.log import drafts, reading
from store.labels.log.events import Subject
from store.records import ItemState
from store.verify import verify
from store.workspace import FILE_NAME, open_workspace
from tui.app import Ragdesk
from tui.correction.screen import CorrectionScreen
from tui.label import timing
from tui.label.inspect_screen import InspectScreen

SIZES = ((80, 24), (100, 30), (120, 40), (140, 40))


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are pressed faster here than by people."""
    monkeypatch.setattr(timing, "SETTLE_SECONDS", -60.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Eight Chinese items in six cells, wanting one rater each."""
    inspection_workspace(tmp_path / "ws", 8, documents=3, characters=900).close()
    return tmp_path / "ws"


@pytest.fixture
def locked(folder: Path) -> Iterator[sqlite3.Connection]:
    """Another process' connection, to hold the workspace with."""
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as other:
        yield other


async def open_inspect(app: Ragdesk, pilot: Pilot[int]) -> InspectScreen:
    await pilot.press("f4")
    await until(pilot, lambda: isinstance(app.screen, InspectScreen), "Inspect")
    screen = app.screen
    assert isinstance(screen, InspectScreen)
    await until(pilot, lambda: screen.opened is not None and screen.focused, "the first item")
    await in_sight(pilot)
    return screen


def subject_of(screen: InspectScreen) -> Subject:
    assert screen.opened is not None
    return screen.opened.subject


async def after(pilot: Pilot[int], screen: InspectScreen, before: Subject, *keys: str) -> None:
    """Press keys that lead to another item."""
    await pilot.press(*keys)
    await until(pilot, lambda: screen.opened and subject_of(screen) != before, "the next item")


def said(folder: Path) -> list[tuple[str, object, str]]:
    """The tester's events: field, value, kind."""
    with open_workspace(folder) as workspace:
        found = reading.events(workspace.db, "inspection", rater="tester")
        return [(one.field, one.value, str(one.kind)) for one in found]


def state_of(folder: Path, subject: Subject) -> tuple[str, bool]:
    """The state of a subject's item, and whether the subject is still its text."""
    with open_workspace(folder) as workspace:
        row = workspace.db.execute(
            "SELECT state, head = revision.id FROM revision JOIN item ON item.id = item_id"
            " WHERE revision.id = ?",
            subject.numbers,
        ).fetchone()
        assert verify(workspace.db).ok
    return row[0], bool(row[1])


@pytest.mark.parametrize("size", SIZES)
async def test_an_item_is_read_with_its_evidence_and_the_form(
    folder: Path, size: tuple[int, int]
) -> None:
    async with desk(folder, size) as (app, pilot):
        await open_inspect(app, pilot)
        text = await seen(pilot, "cell 0/")
        for wanted in (
            "question",
            "最低监管要求是多少",
            "answer",
            "1 第",
            "evidence 1/1",
            "cell  ",
        ):
            assert wanted in text, wanted
        for wanted in ("t task", "p passages", "1 bad", "5 excellent", "yours 0/8"):
            assert wanted in text, wanted
        assert "model" not in text, "who wrote the item is hidden"
        body = app.screen.view.passage.body  # type: ignore[attr-defined]
        assert body.current is not None
        assert body.text[body.current.start : body.current.end].startswith("第")
        (title,) = (line for line in text.splitlines() if "evidence 1/1" in line)
        assert title.count("evidence") == 1, title


async def test_one_key_saves_and_opens_the_next(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        first = subject_of(screen)
        await after(pilot, screen, first, "4")
        second = subject_of(screen)
        assert said(folder) == [("score", 4, "set")]
        assert "label 1 saved" in screen_text(app)
        await after(pilot, screen, second, "1")
        assert state_of(folder, first) == (ItemState.ACCEPTED, True)
        assert state_of(folder, second) == (ItemState.DISCARDED, True)


async def test_checks_turn_and_wait_for_the_score(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        await pilot.press("a", "a", "t")
        assert screen.opened is not None
        assert screen.opened.values == {"answer": 1, "task": 0}
        await pilot.press("t", "t")
        assert screen.opened.values == {"answer": 1}
        assert subject_of(screen) == here
        await seen(pilot, "answer ✓")


async def test_a_contradiction_is_said_and_waits_for_enter(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        await pilot.press("q", "5")
        await seen(pilot, "Scored as good although the check of the question fails.")
        assert subject_of(screen) == here
        await after(pilot, screen, here, "enter")


async def test_an_illegal_value_flashes_and_does_nothing(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        await pilot.press("7")
        await seen(pilot, "score: 1 2 3 4 5")
        assert said(folder) == []
        await pilot.press("enter")
        await seen(pilot, "a field is empty")
        assert screen.opened is not None
        assert not screen.opened.values


async def test_full_width_digits_count_and_pasted_text_does_nothing(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        app.post_message(events.Paste("4444 xxx\n5"))
        await pilot.pause()
        assert said(folder) == []
        app.post_message(events.Key("fullwidth_digit_four", "４"))
        await until(pilot, lambda: subject_of(screen) != here, "the next item")
        assert said(folder) == [("score", 4, "set")]
        app.post_message(events.Key("upper_x", "好"))
        await seen(pilot, "an input method is on")


async def test_a_key_that_came_before_the_item_was_seen_does_not_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "SETTLE_SECONDS", 30.0)
    async with desk(folder) as (app, pilot):
        await open_inspect(app, pilot)
        await pilot.press("4")
        await seen(pilot, "typed before this was on the screen")
        assert said(folder) == []


async def test_undo_goes_back_over_items_and_restarts_to_the_start(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        start = everything_derived(workspace.db)
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        first = subject_of(screen)
        await pilot.press("a")
        await after(pilot, screen, first, "2")
        await after(pilot, screen, subject_of(screen), "5")
        await pilot.press("f")
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        await pilot.press("u")
        await seen(pilot, "undone: the flag")
        await pilot.press("u")
        await seen(pilot, "undone: score 5 excellent")
        await pilot.press("u")
        await seen(pilot, "undone: score 2 poor")
        assert subject_of(screen) == first
        await pilot.press("u")
        await seen(pilot, "undone: answer 0 fails")
        await pilot.press("u")
        await seen(pilot, "nothing to undo")
        with open_workspace(folder) as workspace:
            assert everything_derived(workspace.db) == start
        await pilot.press("U", "U")
        await seen(pilot, "again: score 2 poor")
        assert screen.opened is not None
        assert screen.opened.values == {"answer": 0, "score": 2}


async def test_a_locked_workspace_keeps_the_value_and_saves_it_when_it_can(
    folder: Path, locked: sqlite3.Connection
) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        locked.execute("BEGIN IMMEDIATE")
        await pilot.press("4")
        text = await seen(pilot, "Not saved yet")
        assert "4 good!" in text
        assert " saved" not in text.splitlines()[0]
        assert subject_of(screen) == here
        await pilot.press("a")
        await seen(pilot, "score is not saved yet")
        locked.execute("ROLLBACK")
        await until(pilot, lambda: subject_of(screen) != here, "the next item")
        assert "Saved now" in screen_text(app)
        assert said(folder) == [("score", 4, "set")]


async def test_a_full_disk_is_said_until_read_and_enter_tries_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        assert screen.session is not None
        pages = screen.session.read(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
        # SQLite itself refuses to grow: the same error as from a full disk
        screen.session.read(lambda db: db.execute(f"PRAGMA max_page_count = {pages}").fetchone())
        for _ in range(400):
            await pilot.press("f")
            if "disk" in screen.problem.text:
                break
        else:
            pytest.fail("the file never filled")
        count = len(said(folder))
        await pilot.press("escape", "4")
        assert "4 good!" in await seen(pilot, "Not saved.")
        assert subject_of(screen) == here
        screen.session.read(lambda db: db.execute("PRAGMA max_page_count = 1000000").fetchone())
        await pilot.press("escape", "enter")
        await until(pilot, lambda: len(said(folder)) == count + 1, "the value")


async def test_a_three_opens_the_correction_and_the_text_changes(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        await pilot.press("a", "3")
        await until(pilot, lambda: isinstance(app.screen, CorrectionScreen), "the correction")
        assert said(folder)[-1] == ("score", 3, "set")
        await pilot.press("x")
        await pilot.press("escape")
        await seen(pilot, "propose")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen, "Inspect")
        await until(pilot, lambda: subject_of(screen) != here, "the next item")
        assert [kind for _, _, kind in said(folder)[-2:]] == ["set", "accept"]
        assert state_of(folder, here) == (ItemState.ACCEPTED, False)
        await pilot.press("left_square_bracket", "d")
        await seen(pilot, "against version 1")


async def test_with_two_raters_wanted_a_correction_is_a_proposal(tmp_path: Path) -> None:
    folder = tmp_path / "two"
    inspection_workspace(folder, 4, documents=2, characters=300, raters_wanted=2).close()
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        await pilot.press("3")
        await until(pilot, lambda: isinstance(app.screen, CorrectionScreen), "the correction")
        await pilot.press("x", "escape")
        await seen(pilot, "propose")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen, "Inspect")
        await until(pilot, lambda: subject_of(screen) != here, "the next item")
        assert "accept" not in [kind for _, _, kind in said(folder)]
        assert state_of(folder, here) == (ItemState.DRAFTED, True)


async def test_no_correction_leaves_the_score_and_says_how_to_go_on(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        await pilot.press("3")
        await until(pilot, lambda: isinstance(app.screen, CorrectionScreen), "the correction")
        await pilot.press("escape")
        await seen(pilot, "no correction: e opens it again, Enter goes on")
        assert subject_of(screen) == here
        assert state_of(folder, here) == (ItemState.NEEDS_CORRECTION, True)
        await after(pilot, screen, here, "enter")


async def test_what_was_half_typed_is_on_the_screen_again(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        await after(pilot, screen, subject_of(screen), "4")
        here = subject_of(screen)
        await pilot.press("3")
        await until(pilot, lambda: isinstance(app.screen, CorrectionScreen), "the correction")
        await pilot.press("h", "a", "l", "f")
        await until(pilot, lambda: has_draft(folder, here), "the draft")
    async with desk(folder) as (app, pilot):
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, CorrectionScreen), "the correction")
        await seen(pilot, "half")


def has_draft(folder: Path, subject: Subject) -> bool:
    with open_workspace(folder) as workspace:
        return bool(drafts.of(workspace.db, "tester", "inspection", subject))


async def test_who_left_an_item_finds_it_again(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        await after(pilot, screen, subject_of(screen), "right_square_bracket")
        here = subject_of(screen)
    async with desk(folder) as (app, pilot):
        assert subject_of(await open_inspect(app, pilot)) == here


async def test_postponing_excluding_and_flagging(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        first = subject_of(screen)
        await after(pilot, screen, first, "s")
        second = subject_of(screen)
        await pilot.press("x")
        await seen(pilot, "It cannot be labelled, because")
        await pilot.press("9")
        await after(pilot, screen, second, "2")
        await pilot.press("f")
        await seen(pilot, "flagged")
        third = subject_of(screen)
        await pilot.press("F")
        text = await seen(pilot, "postponed by you")
        assert "excluded by you" in text
        await pilot.press("down", "enter")
        await until(pilot, lambda: "flagged by you" in screen_text(app), "the route")
        assert subject_of(screen) == third
        await pilot.press("escape", "left_square_bracket", "left_square_bracket")
        assert said(folder) == [
            ("", True, "postpone"),
            ("", "duplicate", "exclude"),
            ("", True, "flag"),
        ]


async def test_a_cell_can_be_gone_through_alone(folder: Path) -> None:
    async with desk(folder, (120, 40)) as (app, pilot):
        screen = await open_inspect(app, pilot)
        await pilot.press("F")
        await seen(pilot, "the whole queue")
        await pilot.press("end", "enter")
        await until(pilot, lambda: screen.session and screen.session.route.filter.topic, "a cell")
        assert screen.session is not None
        wanted = screen.session.route.filter
        shown = screen.view.shown  # type: ignore[attr-defined]
        assert (shown.sheet.content.topic, shown.sheet.content.task) == (wanted.topic, wanted.task)
        await pilot.press("escape")
        session = screen.session
        await until(pilot, lambda: not session.route.title, "the whole queue")


async def test_a_note_is_kept_while_it_is_typed(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        await pilot.press("semicolon", "4", "o", "k")
        await until(pilot, lambda: has_draft(folder, here), "the draft")
        assert said(folder) == []
        await pilot.press("enter")
        await seen(pilot, "note: 4ok")
        assert said(folder) == [("", "4ok", "comment")]
        assert not has_draft(folder, here)


async def test_what_is_hidden_is_shown_only_after_labelling_and_logged(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        here = subject_of(screen)
        await pilot.press("V")
        await seen(pilot, "label it first")
        assert said(folder) == []
        await after(pilot, screen, here, "4")
        await pilot.press("left_square_bracket", "V")
        await seen(pilot, "written by model")
        assert said(folder)[-1][2] == "reveal"
        await pilot.press("5")
        with open_workspace(folder) as workspace:
            last = list(reading.events(workspace.db, "inspection"))[-1]
        assert (last.value, last.origin) == (5, "human_after_reveal")


async def test_the_time_at_the_keys_is_measured(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        screen._clock.restart(screen._clock._last - 7.0)
        await after(pilot, screen, subject_of(screen), "4")
        with open_workspace(folder) as workspace:
            (event,) = reading.events(workspace.db, "inspection")
        assert event.active_ms is not None
        assert 7000 <= event.active_ms < 15_000


async def test_a_document_is_searched_from_one_character(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        await open_inspect(app, pilot)
        await pilot.press("slash")
        app.post_message(events.Paste("率"))
        await seen(pilot, "found")
        await pilot.press("enter", "4")
        assert said(folder) == [("score", 4, "set")]


async def test_one_pane_can_have_the_screen(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        await open_inspect(app, pilot)
        await pilot.press("w")
        text = screen_text(app)
        assert "evidence 1/1" in text
        assert "最低监管要求是多少" not in text
        await pilot.press("tab")
        await pilot.pause()
        text = screen_text(app)
        assert "最低监管要求是多少" in text
        assert "evidence 1/1" not in text


async def test_the_guideline_stands_beside_the_item(folder: Path) -> None:
    async with desk(folder, (140, 40)) as (app, pilot):
        await open_inspect(app, pilot)
        await pilot.press("G")
        text = await seen(pilot, "Nobody has written")
        assert "question" in text
        await pilot.press("escape")
        await pilot.pause()
        assert "Nobody has written" not in screen_text(app)


async def test_an_empty_queue_says_how_to_fill_it(tmp_path: Path) -> None:
    with open_workspace(tmp_path, create=True):
        pass
    async with desk(tmp_path) as (app, pilot):
        await pilot.press("f4")
        await seen(pilot, "+ draws a sample")
        assert app.screen.opened is None  # type: ignore[attr-defined]


async def test_without_a_workspace_there_is_nothing_to_label_until_there_is_one(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path / "ws") as (_, pilot):
        await pilot.press("f4")
        text = await seen(pilot, "No item waits for you")
        assert "Not saved" not in text
        inspection_workspace(tmp_path / "ws", 8, documents=2, characters=300).close()
        await seen(pilot, "5 excellent")


async def test_a_note_is_typed_with_the_item_in_sight(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        await open_inspect(app, pilot)
        question = screen_text(app).splitlines()[2]
        await pilot.press("semicolon")
        assert question in await seen(pilot, "Enter saves")


async def test_the_last_item_ends_the_queue(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_inspect(app, pilot)
        for _ in range(7):
            await after(pilot, screen, subject_of(screen), "4")
        await pilot.press("4")
        await seen(pilot, "No item waits for you")
        assert len(said(folder)) == 8
        await pilot.press("u")
        await seen(pilot, "undone: score 4 good")
        assert screen.opened is not None

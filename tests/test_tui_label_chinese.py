"""Judging and correcting in Chinese by hand: how lines break, and how text arrives."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from desks import desk, screen_text, seen, until
from inspection_workspaces import inspection_workspace
from scripted_rater import at_work, saved, wait_to_label
from terminal import Terminal
from textual import events

from store.labels.log import reading
from store.workspace import open_workspace
from tui.label.inspect_screen import InspectScreen

NEVER_FIRST = "，。、；：！？）》”’％％"
NEVER_LAST = "（《“‘"
LONG = "（问）“不低于百分之一百”，即《办法》规定的1.62%；其他机构呢？（另有规定的除外）"


def assert_well_broken(text: str) -> None:
    """No row begins or ends with what may not stand there; cursors and numbers aside."""
    for row in text.splitlines():
        line = row.strip().lstrip("❯+123456789 ")
        assert line[:1] not in NEVER_FIRST or not line, row
        assert line[-1:] not in NEVER_LAST or not line, row


# up to here the panes stand one above the other, so that a row of the screen is a line of text
@pytest.mark.parametrize("width", [60, 67, 74, 80, 81])
async def test_lines_break_by_the_rules(tmp_path: Path, width: int) -> None:
    folder = tmp_path / "ws"
    inspection_workspace(folder, 2, documents=2, characters=2000).close()
    async with desk(folder, (width, 24)) as (app, pilot):
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, InspectScreen), "Inspect")
        await seen(pilot, "evidence 1/1")
        texts = [screen_text(app)]
        for _ in range(4):
            await pilot.press("pagedown")
            await pilot.pause()
            texts.append(screen_text(app))
        assert len(set(texts)) > 3
        await pilot.press("e")
        await seen(pilot, "Esc review")
        for number in range(1, 8):
            app.post_message(events.Paste("字" * number + LONG))
            await pilot.pause()
            texts.append(screen_text(app))
        await pilot.press("escape")
        texts.append(await seen(pilot, "propose"))
        for text in texts:
            assert_well_broken(text)


def slowly(terminal: Terminal, text: str) -> None:
    """Byte by byte, as a slow line brings it."""
    for byte in text.encode():
        terminal.send(bytes([byte]))
        time.sleep(0.02)


def test_text_arrives_whole_however_its_bytes_come(tmp_path: Path) -> None:
    inspection_workspace(tmp_path / "ws", 4, documents=2, characters=1500).close()
    with at_work(tmp_path / "ws", (80, 24)) as rater:
        terminal = rater.terminal
        # one character finds, in pieces or pasted
        for come in (slowly, lambda on, text: on.send(f"\x1b[200~{text}\x1b[201~".encode())):
            terminal.press("/")
            terminal.settle()
            come(terminal, "率")
            terminal.wait_for(" found")
            terminal.press("enter")
            terminal.settle()
        # a note, composed in several goes
        terminal.press(";")
        terminal.settle()
        slowly(terminal, "不清楚，")
        terminal.send("\x1b[200~见第3条\x1b[201~。”".encode())
        terminal.wait_for("不清楚，见第3条。”")
        terminal.press("enter")
        terminal.wait_for("note: 不清楚，见第3条。”")
        # digits of an input method are values
        for number, digit in enumerate("４１２５", 2):
            wait_to_label()
            slowly(terminal, digit)
            terminal.wait_for(lambda text, wanted=number: saved(text) == wanted)  # type: ignore[misc]
        terminal.wait_for("No item waits")
    with open_workspace(tmp_path / "ws") as workspace:
        values = [one.value for one in reading.events(workspace.db, rater="r1")]
    assert values == ["不清楚，见第3条。”", 4, 1, 2, 5]

"""A scripted rater at a real terminal: one key an item, and no kill loses what was saved."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from inspection_workspaces import inspection_workspace, seeded_scores
from labelling_workspaces import everything_derived
from terminal import Terminal

from store import labels
from store.verify import verify
from store.workspace import open_workspace
from tui.judging.screen import SETTLE_SECONDS

RAGDESK = (sys.executable, "-c", "from tui.cli import entry; entry()")
ITEMS = 30


def at_work(folder: Path, size: tuple[int, int] = (80, 24)) -> Terminal:
    command = [*RAGDESK, "--workspace", str(folder), "--rater", "r1"]
    return Terminal(command, columns=size[0], lines=size[1])


def saved(text: str) -> int:
    found = re.search(r"saved #(\d+)", text)
    return int(found[1]) if found else -1


def score(terminal: Terminal, key: str) -> int:
    """Press a value as soon as the item may be judged; the number that is then said to be saved."""
    before = saved(terminal.text)
    time.sleep(SETTLE_SECONDS + 0.05)
    terminal.press(key)
    return saved(terminal.wait_for(lambda text: saved(text) > before))


def is_saved(seq: int) -> Callable[[str], bool]:
    return lambda text: saved(text) == seq


def events_of(folder: Path) -> list[tuple[int, object]]:
    with open_workspace(folder) as workspace:
        assert verify(workspace.db).ok
        return [(one.seq, one.value) for one in labels.events(workspace.db, rater="r1")]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_one_key_an_item(tmp_path: Path, size: tuple[int, int]) -> None:
    inspection_workspace(tmp_path / "ws", ITEMS, documents=5).close()
    keys = seeded_scores(ITEMS)
    with at_work(tmp_path / "ws", size) as terminal:
        terminal.wait_for("What next")
        terminal.press("\x1bOS")
        terminal.wait_for("cell 0/")
        assert "最低监管要求" in terminal.text
        shown = [score(terminal, key) for key in keys]
        terminal.wait_for("No item waits for you")
    assert shown == list(range(1, ITEMS + 1))
    assert events_of(tmp_path / "ws") == [(at, int(key)) for at, key in enumerate(keys, 1)]


def test_a_kill_right_after_saved_loses_nothing_and_the_place_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    with inspection_workspace(folder, ITEMS, documents=5) as workspace:
        start = everything_derived(workspace.db)
    for kill, key in enumerate("45124", 1):
        with at_work(folder) as terminal:
            if kill == 1:
                terminal.wait_for("What next")
                terminal.press("\x1bOS")
            # from then on the desk is what the app begins with
            terminal.wait_for("5 excellent")
            assert score(terminal, key) == kill
            terminal.kill()
        assert events_of(folder)[-1] == (kill, int(key))
    with at_work(folder) as terminal:
        terminal.wait_for("5 excellent")
        for _ in range(5):
            before = saved(terminal.text)
            terminal.press("u")
            terminal.wait_for(is_saved(before + 1))
        terminal.press("u")
        terminal.wait_for("nothing to undo")
    with open_workspace(folder) as workspace:
        assert everything_derived(workspace.db) == start

"""Correcting through a real terminal: split characters, paste, bytes a key, and what survives."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from correction_workspaces import ToCorrect, make_to_correct
from terminal import Terminal

from engine.labelling.items.corrections import read_draft
from engine.labelling.session import LabelSession
from store.datasets import datasets
from store.records import ItemContent
from store.verify import verify
from store.workspace import open_workspace

PROCESS = Path(__file__).with_name("correcting_process.py")
READY = "Esc review"
BUDGET = 150
"""Bytes that a typed character may cost at 120 x 40."""


@pytest.fixture
def made(tmp_path: Path) -> ToCorrect:
    return make_to_correct(tmp_path / "workspace")


def correct(made: ToCorrect, at: int = 0, columns: int = 80, lines: int = 24) -> Terminal:
    argv = [sys.executable, str(PROCESS), str(made.folder), made.subjects[at].id, "r1"]
    return Terminal(argv, columns=columns, lines=lines)


def kept(made: ToCorrect, at: int = 0) -> ItemContent | None:
    """The draft on the disk."""
    with open_workspace(made.folder) as workspace:
        drafts = LabelSession(workspace, "inspection", "r1").drafts(made.subjects[at])
    draft = read_draft(drafts.get("correction/content", ""))
    return draft.content if draft is not None else None


def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.02)


def question(made: ToCorrect) -> str:
    content = kept(made)
    return content.turns[0].question if content is not None else ""


def holds(made: ToCorrect, text: str) -> bool:
    return text in question(made)


def test_composed_text_arrives_whole_in_pieces_and_pasted(made: ToCorrect) -> None:
    with correct(made) as terminal:
        terminal.wait_for(READY)
        for byte in "，按月”１".encode():
            terminal.send(bytes([byte]))
            time.sleep(0.03)
        terminal.wait_for("是多少？，按月”１")
        terminal.press("流动性覆盖率指标" * 5)
        terminal.send("\x1b[200~粘贴的第一行，\r第二行。\x1b[201~".encode())
        text = "流动性覆盖率的最低监管要求是多少？，按月”１" + "流动性覆盖率指标" * 5
        wait_until(lambda: question(made) == text + "粘贴的第一行，\n第二行。")


def test_the_cursor_of_the_terminal_is_where_the_text_goes(made: ToCorrect) -> None:
    with correct(made) as terminal:
        terminal.wait_for(READY)
        terminal.settle()
        column = 2 + 8 + 2 + 2 * len("流动性覆盖率的最低监管要求是多少？")
        assert terminal.cursor == (column, 2)
        terminal.press("中")
        terminal.wait_for("？中")
        terminal.settle()
        assert terminal.cursor == (column + 2, 2)
        terminal.press("\t")
        terminal.settle()
        assert terminal.cursor == (12 + len("不低于100%") + 3, 3)


def test_what_is_typed_ahead_goes_where_it_would_have_gone_slowly(made: ToCorrect) -> None:
    with correct(made) as terminal:
        terminal.wait_for(READY)
        # in one piece, as a slow link delivers it: the next field, another answer, its text, on to
        # the topic, its filter
        terminal.send("\t\x0e新的答案\t\t\tfund".encode())
        terminal.wait_for(lambda text: "Funds" in text and "Rates" not in text)
        terminal.send(b"\r")
        terminal.wait_for("❯ topic     Funds")
        terminal.send(b"x")
        terminal.wait_for("Nothing like this.")
        terminal.send(b"\x7f")
        terminal.wait_for("Rates")
        terminal.press("escape")
        terminal.wait_for(READY)
        terminal.send(b"\x1b")
        terminal.wait_for("{+新的答案+}")
        terminal.send(b"\r")
        assert terminal.wait() == 0
    with open_workspace(made.folder) as workspace:
        content = datasets.content(workspace.db, 4)
    assert content.turns[0].golden_answers == ("不低于100%", "新的答案", "100%")
    assert content.topic == "funds"


@pytest.mark.parametrize("at", [0, 2])
def test_a_typed_character_costs_few_bytes(made: ToCorrect, at: int) -> None:
    with correct(made, at, 120, 40) as terminal:
        terminal.wait_for(READY)
        terminal.settle()
        terminal.press("x")
        terminal.settle(0.8)
        # one more would begin another line, which moves all below it
        costs = [len(terminal.measure(key).data) for key in "中a，文1 b"]
        assert max(costs) <= BUDGET, costs


def test_a_draft_survives_a_kill_at_any_moment_after_its_pause(made: ToCorrect) -> None:
    draw = random.Random(7)
    typed = ""
    for _ in range(3):
        with correct(made) as terminal:
            terminal.wait_for(READY)
            more = "".join(draw.choices("净利润上涨", k=3))
            for character in more:
                terminal.press(character)
                time.sleep(draw.uniform(0, 0.02))
            typed += more
            terminal.wait_for(typed)
            wait_until(partial(holds, made, typed))
            terminal.press("末")
            time.sleep(draw.uniform(0, 0.05))
            terminal.kill()
        assert typed in question(made), "what had been kept is still there, or more"
        typed = question(made).partition("？")[2]
    with open_workspace(made.folder) as workspace:
        assert verify(workspace.db).ok


def test_a_line_that_is_cut_loses_no_key(made: ToCorrect) -> None:
    typed = ""
    for number in range(3):
        with correct(made) as terminal:
            terminal.wait_for(READY)
            terminal.press(f"断{number}")
            terminal.wait_for(f"断{number}")
            typed += f"断{number}"
            terminal.hang_up()
            terminal.wait()
        assert question(made).endswith("？" + typed)


def test_after_a_cut_line_the_correction_opens_as_it_was(made: ToCorrect) -> None:
    with correct(made) as terminal:
        terminal.wait_for(READY)
        terminal.press("\t", "半句")
        terminal.wait_for("不低于100%半句")
        terminal.hang_up()
        terminal.wait()
    with correct(made) as terminal:
        terminal.wait_for("draft kept")
        terminal.press("话")
        terminal.wait_for("不低于100%半句话")
        terminal.press("escape")
        terminal.wait_for("{+半句话+}")
        terminal.press("enter")
        assert terminal.wait() == 0
    assert kept(made) is None
    with open_workspace(made.folder) as workspace:
        session = LabelSession(workspace, "inspection", "r1")
        assert session.values(made.subjects[0])["correction"] == 4
        assert verify(workspace.db).ok

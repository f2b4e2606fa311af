"""The app on a real terminal: the same screen as with Textual's own driver, in far fewer bytes."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyte
import pytest
from desks import evaluated_workspace
from inspection_workspaces import inspection_workspace
from sample_workspaces import copy_workspace
from terminal import RAGDESK, Screen, Terminal, changed_bytes, open_app

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from sample_corpus import ROOT
from store.workspace import open_workspace

HERE = Path(__file__).parent
QUIET = 0.06


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, evaluated, and last in its corpus a long document of all kinds of characters."""
    base = tmp_path_factory.mktemp("painting")
    made = copy_workspace(evaluated_workspace(tmp_path_factory.getbasetemp()), base / "workspace")
    texts = [path.read_text("utf-8") for path in sorted(ROOT.glob("documents/*/*.md"))[2:14]]
    # not what terminals and Textual give different widths: there the screens differ, as they should
    marks = "e\u0301cole，か\u3099，✅ 完成，😀；“引号”，Ａ①——。"
    (base / "a.md").write_text("\n\n".join(f"{text}\n\n{marks}" for text in texts), "utf-8")
    with open_workspace(made) as workspace:
        ingest(workspace, "sample", read_paths([base / "a.md"]))
    return made


class Comparison:
    """The app in a terminal, and a second screen that shows what Textual's driver had written."""

    def __init__(
        self, folder: Path, log: Path, size: tuple[int, int], environ: dict[str, str]
    ) -> None:
        self._log, self._read = log, 0
        self._stock = Screen(*size)
        self._stream = pyte.ByteStream(self._stock)
        environ = {
            "TEXTUAL_DRIVER": "both_drivers:BothDrivers",
            "BOTH_DRIVERS_LOG": str(log),
            "PYTHONPATH": os.pathsep.join((str(HERE), str(HERE.parent))),
            **environ,
        }
        argv = [*RAGDESK, "--workspace", str(folder)]
        self.terminal = Terminal(
            argv, columns=size[0], lines=size[1], environ=environ, synchronised=True
        )

    def resize(self, columns: int, lines: int) -> None:
        self.terminal.settle(QUIET)
        self._follow()
        self._stock.resize(lines, columns)
        self.terminal.resize(columns, lines)
        self.terminal.settle(QUIET)

    def check(self, what: object) -> None:
        """Both screens are the same to the cell, once all is written."""
        deadline = time.monotonic() + 60.0
        while (found := self._differences()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not found, f"after {what}: {found[:3]}\n{self.terminal.text}"

    def _differences(self) -> list[object]:
        self._follow()
        return [
            (y, x, ours, self._stock.buffer[y][x])
            for y, row in enumerate(self.terminal.cells)
            for x, ours in enumerate(row)
            if ours != self._stock.buffer[y][x]
        ]

    def _follow(self) -> None:
        if self._log.exists():
            data = self._log.read_bytes()[self._read :]
            self._read += len(data)
            self._stream.feed(data)


MOVES = ("down", "down", "down", "up", "pagedown", "pageup", "end", "home", "left", "right")
KEYS = (
    *MOVES * 2,
    *("tab", "tab", "enter", "enter", "escape", "escape", "escape", "n", "N", "w", "]", "["),
    *("f1", "f2", "f5", "f6", "f6", "g2", "ctrl+t", "?", "ctrl+p", "ctrl+l", "m"),
    *("/", "/", "利率", "行", "a", "，", "e\u0301", "\x7f"),
)
SIZES = ((80, 24), (120, 40), (100, 30), (61, 17), (140, 24))


@pytest.mark.parametrize(
    ("seed", "size", "environ"),
    [
        (1, (120, 40), {}),
        (2, (80, 24), {"NO_COLOR": "1"}),
        pytest.param(
            *(3, (100, 30), {"COLORTERM": "", "TERM": "xterm-256color"}), marks=pytest.mark.slow
        ),
        (5, (120, 40), {"COLORTERM": "", "TERM": "xterm"}),
    ],
)
def test_random_keys_lead_to_the_same_screen(
    folder: Path, tmp_path: Path, seed: int, size: tuple[int, int], environ: dict[str, str]
) -> None:
    press_at_random(Comparison(folder, tmp_path / "written", size, environ), seed, 20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 14))
def test_many_random_keys_lead_to_the_same_screen(folder: Path, tmp_path: Path, seed: int) -> None:
    size = SIZES[seed % len(SIZES)]
    press_at_random(Comparison(folder, tmp_path / "written", size, {}), seed, 200)


JUDGING_KEYS = (
    *"12445toqap" * 2,
    *("3", "3", "e", "e", "f", "u", "U", "s", ";", "x", "V", "A", "G", "F", "D", "H", "d"),
    *("w", "tab", "n", "N", ".", "/", "率", "贷，", "é", "（中文abc）", "４", "\x7f", "\x7f"),
    *("enter", "escape", "escape", "escape", "?", "ctrl+p", "ctrl+l", "f4", "f4"),
    *("\x0f", " ", "=", ")", "l", "\x0e", "\x04", "\x15", "\x19", "v", "K"),
    *MOVES,
)
"""At the desk and in the correction: values, checks, text of all widths, dialogs, and passages that
are marked as evidence."""


@pytest.mark.parametrize(
    ("seed", "size", "count"),
    [
        (21, (120, 40), 20),
        (22, (80, 24), 20),
        *(pytest.param(seed, size, 250, marks=pytest.mark.slow) for seed, size in enumerate(SIZES)),
    ],
)
def test_judging_and_correcting_lead_to_the_same_screen(
    tmp_path: Path, seed: int, size: tuple[int, int], count: int
) -> None:
    inspection_workspace(tmp_path / "ws", 2 * count, documents=8, characters=2000).close()
    both = Comparison(tmp_path / "ws", tmp_path / "written", size, {})
    press_at_random(both, seed, count, ["\x1bOS", "3", "始"], JUDGING_KEYS)


def press_at_random(
    both: Comparison,
    seed: int,
    count: int,
    first: Sequence[str] = ("f2", "tab", "end", "enter", "tab", "down"),
    keys: Sequence[str] = KEYS,
) -> None:
    rng = random.Random(seed)
    with both.terminal as terminal:
        terminal.wait_for("What next")
        pressed: list[object] = []
        for key in [*first, *rng.choices(keys, k=count)]:
            if rng.random() < 0.06:
                size = rng.choice(SIZES)
                pressed.append(size)
                both.resize(*size)
            pressed.append(key)
            terminal.press(key)
            terminal.settle(QUIET)
            both.check(pressed)


def test_after_a_suspension_everything_is_drawn_again(folder: Path) -> None:
    def state() -> str:
        return Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(")")[2].split()[0]

    with open_app(folder, columns=80, lines=24) as terminal:
        before = opened(terminal)
        os.kill(terminal.pid, signal.SIGTSTP)
        wait_until(lambda: state() == "T")
        terminal.clear()
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for(lambda text: text == before)


def test_ctrl_l_draws_what_something_else_has_wiped_out(folder: Path) -> None:
    with open_app(folder, columns=80, lines=24) as terminal:
        before = opened(terminal)
        terminal.clear()
        terminal.press("ctrl+l")
        terminal.wait_for(lambda text: text == before)


def test_a_terminal_that_was_resized_away_and_back_is_drawn_again(folder: Path) -> None:
    with open_app(folder, columns=80, lines=24) as terminal:
        before = opened(terminal)
        for columns, lines in ((40, 10), (80, 24)) * 3:
            terminal.resize(columns, lines)
        terminal.clear()
        terminal.resize(80, 24)
        terminal.wait_for(lambda text: text == before)


def opened(terminal: Terminal) -> str:
    terminal.wait_for("What next")
    terminal.press("f2")
    terminal.wait_for("Documents of sample")
    terminal.settle(0.3)
    return terminal.text


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Bytes


def at_the_documents(terminal: Terminal) -> None:
    opened(terminal)
    terminal.press("tab")
    terminal.settle()


def test_moving_and_scrolling_in_a_list_is_cheap(folder: Path) -> None:
    with open_app(folder) as terminal:
        at_the_documents(terminal)
        costs = []
        for _ in range(45):
            costs.append(len(terminal.measure("down", QUIET).data))
        # the second half scrolls
        assert max(costs) <= 700, costs
        assert min(costs) > 0


def test_scrolling_a_pane_costs_its_text(folder: Path) -> None:
    with open_app(folder) as terminal:
        at_the_documents(terminal)
        terminal.press("end", "enter")
        terminal.wait_for("chunk 1/")
        terminal.settle(0.3)
        if "❯ text" not in terminal.text:
            terminal.press("tab")
            terminal.wait_for("❯ text")
        for _ in range(20):
            before = terminal.cells
            written = terminal.measure("down", QUIET).data
            assert terminal.cells != before
            assert len(written) <= 1.3 * changed_bytes(before, terminal.cells) + 300


def test_a_typed_character_is_cheap(folder: Path) -> None:
    with open_app(folder) as terminal:
        at_the_documents(terminal)
        # nothing is called so, and the suggestions have gone after the first character
        terminal.press("+")
        terminal.settle(0.3)
        terminal.press("z")
        terminal.settle(0.3)
        for character in "q银行，q":
            assert 0 < len(terminal.measure(character).data) <= 150


def test_full_redraw_writes_everything(folder: Path) -> None:
    with open_app(folder, "--full-redraw") as terminal:
        at_the_documents(terminal)
        terminal.press("pagedown")
        terminal.settle()
        assert len(terminal.measure("down").data) > 5000


def test_no_colour_is_left_on_the_terminal(folder: Path) -> None:
    with open_app(folder, columns=80, lines=24) as terminal:
        opened(terminal)
        assert terminal.pen == pyte.screens.Cursor(0, 0).attrs

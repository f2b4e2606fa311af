"""A rater by script, at a real terminal: what each key cost, and what it may cost."""

from __future__ import annotations

import math
import os
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import msgspec
from endpoint_workspaces import ENVIRON, provider_table, questions, system_table, write_settings
from msgspec import Struct
from scripted_server import ScriptedServer
from terminal import PATIENCE, Terminal, changed_bytes, open_app
from tiny_workspaces import make_corpus, make_release

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.start import start
from store.jobs import jobs
from store.runs import runs
from store.workspace import open_workspace
from tui.label.timing import SETTLE_SECONDS

INSPECT = "\x1bOS"
QUIET = 0.2
"""Seconds without a byte after which a key is done: longer than an item may not be labelled."""

VALUE = "a value in an item"
NEXT = "the value that leads to the next item"
PANE = "a scrolled line in the passage"
TYPED = "a typed character in the correction"
WRAPPED = "a typed character that begins a line"
LIST = "a scrolled row in a list"

BYTES: dict[str, Callable[[int], float]] = {
    VALUE: lambda _: 150,
    NEXT: lambda text: 1.3 * text + 600,
    PANE: lambda text: 1.3 * text + 300,
    TYPED: lambda _: 150,
    WRAPPED: lambda text: 1.3 * text + 600,
    LIST: lambda _: 700,
}
"""Most bytes that a key may take, from the UTF-8 bytes of the cells that it changes."""
NOTICE = 150
"""Bytes of the notice that something takes long, which comes and goes on a machine that is busy."""


class Stroke(Struct, frozen=True):
    """A key, what it was pressed for, and what came of it."""

    what: str
    key: str
    written: int
    changed: int
    seconds: float
    data: bytes

    @property
    def excess(self) -> float:
        """Bytes above what it may cost; less than none when it keeps to that."""
        notice = NOTICE if b"working: " in self.data else 0
        return self.written - notice - BYTES[self.what](self.changed)


class Rater:
    """Presses keys, and keeps what each cost."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.strokes: list[Stroke] = []
        self.first_paint = 0.0
        """Seconds from the command to a full picture."""

    def open_inspection(self, began: float) -> None:
        self.terminal.wait_for(lambda text: "What next" in text and "? keys" in text)
        self.first_paint = time.perf_counter() - began
        self.terminal.press(INSPECT)
        self.terminal.wait_for(" 5 excellent")
        self.settle()

    def settle(self) -> None:
        self.terminal.settle(0.5)

    def press(self, what: str, *keys: str) -> None:
        for key in keys:
            before = self.terminal.cells
            answer = self.terminal.measure(key, QUIET)
            changed = changed_bytes(before, self.terminal.cells)
            assert changed, f"{key} did nothing:\n{self.terminal.text}"
            self.strokes.append(
                Stroke(what, key, len(answer.data), changed, answer.seconds, answer.data)
            )

    def score(self, keys: Iterable[str]) -> list[int]:
        """One key an item; the number of each label, as it was said to be saved."""
        numbers = []
        for key in keys:
            before = saved(self.terminal.text)
            self.press(NEXT, key)
            text = self.terminal.wait_for(lambda text, seen=before: saved(text) > seen)
            numbers.append(saved(text))
        return numbers

    def look_around(self, count: int) -> None:
        """All but labelling: checks that are set and taken back, and reading on."""
        self.settle()
        for key in "toqap"[:count]:
            self.press(VALUE, key, key, key)
        self.press(PANE, *["down"] * count, *["up"] * count)

    def correct(self, text: str) -> None:
        """Open the correction, and type; it stays open."""
        self.terminal.press("3")
        self.terminal.wait_for("Esc review")
        # the first character also says that a draft is kept
        self.terminal.press("始")
        self.settle()
        rows = self._used_rows()
        for character in text:
            self.press(TYPED, character)
            if self._used_rows() > rows:
                # all that stands below has moved
                rows = self._used_rows()
                self.strokes[-1] = msgspec.structs.replace(self.strokes[-1], what=WRAPPED)

    def _used_rows(self) -> int:
        """Rows from the top to the reason, the last field of a correction."""
        lines = self.terminal.text.splitlines()
        return next(at for at, line in enumerate(lines) if line.strip().startswith("reason"))

    def scroll_list(self, count: int) -> None:
        self.terminal.press("f2")
        self.terminal.wait_for("Documents of")
        self.settle()
        self.terminal.press("tab", "pagedown")
        self.settle()
        self.press(LIST, *["down"] * count)

    def most(self, what: str) -> Stroke:
        """The key that came nearest to its budget of bytes, or went furthest beyond."""
        return max(self.of(what), key=lambda one: one.excess)

    def of(self, what: str) -> list[Stroke]:
        return [one for one in self.strokes if one.what == what]

    def seconds(self, what: str, share: float) -> float:
        """The time to the last byte that `share` of the keys kept."""
        times = sorted(one.seconds for one in self.of(what))
        return times[min(math.ceil(share * len(times)), len(times)) - 1]


def saved(text: str) -> int:
    """The number of the last label that the top line says is saved; 0 before the first."""
    found = re.search(r"label (\d+) saved", text)
    return int(found[1]) if found else 0


@contextmanager
def at_work(folder: Path, size: tuple[int, int], *options: str) -> Iterator[Rater]:
    """A rater who has opened the inspection."""
    began = time.perf_counter()
    with open_app(folder, "--rater", "r1", *options, columns=size[0], lines=size[1]) as terminal:
        rater = Rater(terminal)
        rater.open_inspection(began)
        yield rater


def wait_to_label() -> None:
    """Until an item that has just come may be labelled."""
    time.sleep(SETTLE_SECONDS + 0.05)


@contextmanager
def evaluation(folder: Path, repeats: int = 100) -> Iterator[Callable[[], int]]:
    """A run of 20 answers a second goes on in the worker; yields what counts them."""
    with ScriptedServer(latency_s=0.1) as server, open_workspace(folder) as workspace:
        with workspace.write() as db:
            make_release(db, make_corpus(db, "slow"), "slow", questions(100))
        write_settings(
            folder,
            provider_table("slow", server.base_url, **{"limits.max_in_flight": 2}),
            system_table("asks", "slow", "bm25"),
        )
        with patch.dict(os.environ, ENVIRON):
            job = start(workspace, Evaluate(NewRun("asks", "slow", repeats=repeats)))
        assert job.run_id is not None
        run_id = job.run_id

        def answered() -> int:
            return runs.progress(workspace.db, run_id).ok

        try:
            wait_until(answered, "the evaluation")
            yield answered
        finally:
            working = jobs.worker(workspace.db)
            if working is not None and working.alive:
                os.kill(working.pid, signal.SIGTERM)
                wait_until(lambda: not working.alive, "the worker's end")


def wait_until(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.02)

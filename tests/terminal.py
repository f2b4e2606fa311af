"""A real terminal for tests: a program on a pty, its keys, and what stands on its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pyte
from process_template import ForkedProcess, can_fork, fork
from wcwidth import wcwidth

ROOT = Path(__file__).parents[1]
PATIENCE = 300.0
"""Seconds; so long that only what hangs exceeds them, on a busy machine too."""

KEYS = {
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "ctrl+q": "\x11",
    "ctrl+p": "\x10",
    "ctrl+l": "\x0c",
    "ctrl+t": "\x14",
}


RAGDESK = (sys.executable, "-c", "from tui.cli import entry; entry()")

Cells = list[list[pyte.screens.Char]]


def open_app(
    folder: Path,
    *options: str,
    columns: int = 120,
    lines: int = 40,
    environ: dict[str, str] | None = None,
) -> Terminal:
    """The app over a workspace, on a terminal that says that it can show a picture at one moment.

    `terminal.measure(key)` is what a key costs; with `changed_bytes(before, terminal.cells)` for
    what it had to cost. `--full-redraw` among the options is Textual's own driver.
    """
    return Terminal(
        [*RAGDESK, "--workspace", str(folder), *options],
        columns=columns,
        lines=lines,
        environ={"PYTHONPATH": str(ROOT), **(environ or {})},
        synchronised=True,
    )


def changed_bytes(before: Cells, after: Cells) -> int:
    """UTF-8 bytes of what stands in the cells that differ, in character or colour."""
    return sum(
        len(new.data.encode())
        for old_row, new_row in zip(before, after, strict=True)
        for old, new in zip(old_row, new_row, strict=True)
        if old != new
    )


class Screen(pyte.Screen):
    """As real terminals do it: half of a wide character cannot stay, and marks join what is there.

    `pyte` leaves the other half alone, and drops what follows a joiner.
    """

    def draw(self, data: str) -> None:
        for character in data:
            width = wcwidth(character)
            row = self.buffer[self.cursor.y]
            if width <= 0:
                x = max(self.cursor.x - 1, 0)
                x -= not row[x].data and x > 0
                row[x] = row[x]._replace(data=row[x].data + character)
                continue
            if self.cursor.x + width > self.columns and pyte.modes.DECAWM in self.mode:
                self.carriage_return()
                self.linefeed()
                row = self.buffer[self.cursor.y]
            x = min(self.cursor.x, self.columns - width)
            end = x + width
            if not row[x].data and x:
                row[x - 1] = row[x - 1]._replace(data=" ")
            if end < self.columns and not row[end].data:
                row[end] = row[end]._replace(data=" ")
            self.cursor.x = x
            super().draw(character)


class Answer(NamedTuple):
    """What a program has written after a key."""

    data: bytes
    seconds: float
    """From the key to the last byte."""


class Terminal:
    """Runs `argv` on a pty of its own; close it when done, or use it as a context.

    `bytes_out` counts everything that the program has written, whatever became of it; `written`
    has it with the time when it came. Nothing is made of it before someone looks at the screen, so
    the program never waits for that.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        columns: int = 80,
        lines: int = 24,
        environ: dict[str, str] | None = None,
        folder: Path | None = None,
        synchronised: bool = False,
    ) -> None:
        """With `synchronised` the terminal says that it can show a picture at one moment."""
        self._screen = Screen(columns, lines)
        self._is_synchronised = synchronised
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self._unread: list[bytes] = []
        self._text: str | None = None
        self.written: list[tuple[float, bytes]] = []
        self.bytes_out = 0
        self.exit_code: int | None = None
        self._is_cut = False
        self._waiting = threading.Lock()
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        given = {**os.environ, **terminal, **(environ or {})}
        self._forked: ForkedProcess | None = None
        if can_fork(argv, given):
            self._master, slave = pty.openpty()
            fds = dict.fromkeys(range(3), slave)
            self._forked = fork(argv, fds, environ=given, folder=folder, terminal=True)
            self.pid = self._forked.pid
            os.close(slave)
        else:
            self.pid, self._master = pty.fork()
            if self.pid == 0:
                if folder is not None:
                    os.chdir(folder)
                os.execvpe(argv[0], list(argv), given)
        self._set_size(columns, lines)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What a person does

    def press(self, *keys: str) -> None:
        """Keys by name, or characters as they are typed."""
        for key in keys:
            os.write(self._master, KEYS.get(key, key).encode())

    def send(self, data: bytes) -> None:
        """Bytes as they are, such as the first half of a character."""
        os.write(self._master, data)

    def hang_up(self) -> None:
        """The line is cut: the program gets SIGHUP, and nobody reads what it writes."""
        self._is_cut = True
        self._reader.join()
        os.close(self._master)

    def resize(self, columns: int, lines: int) -> None:
        with self._lock:
            self._take_in()
            self._screen.resize(lines, columns)
            self._text = None
        self._set_size(columns, lines)
        os.kill(self.pid, signal.SIGWINCH)

    # What a person sees

    @property
    def text(self) -> str:
        with self._lock:
            self._take_in()
            if self._text is None:
                self._text = "\n".join(line.rstrip() for line in self._screen.display)
            return self._text

    @property
    def cells(self) -> Cells:
        """Every cell with its colours."""
        with self._lock:
            self._take_in()
            lines, columns = self._screen.lines, self._screen.columns
            return [[self._screen.buffer[y][x] for x in range(columns)] for y in range(lines)]

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and line of the terminal's own cursor, where an input method opens its window."""
        with self._lock:
            self._take_in()
            return self._screen.cursor.x, self._screen.cursor.y

    @property
    def pen(self) -> pyte.screens.Char:
        """How the next character would be drawn."""
        with self._lock:
            self._take_in()
            return self._screen.cursor.attrs

    def clear(self) -> None:
        """What stands on the screen is lost; the program does not know."""
        with self._lock:
            self._take_in()
            self._screen.reset()
            self._text = None

    def settle(self, quiet: float = 0.15, seconds: float = PATIENCE) -> None:
        """Wait until nothing has been written for `quiet` seconds."""
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            last = max(self.written[-1][0] if self.written else 0.0, began)
            if time.perf_counter() - last >= quiet:
                return
            time.sleep(0.005)
        raise AssertionError(f"still writing after {seconds} s")

    def measure(self, key: str, quiet: float = 0.15, patience: float = PATIENCE) -> Answer:
        """Press a key, by name or as it is typed, and take what comes until it is quiet.

        An answer may take `patience` seconds to begin; then there is none.
        """
        before, began = len(self.written), time.perf_counter()
        self.press(key)
        while len(self.written) == before and time.perf_counter() - began < patience:
            time.sleep(0.002)
        self.settle(quiet)
        answer = self.written[before:]
        seconds = answer[-1][0] - began if answer else 0.0
        return Answer(b"".join(data for _, data in answer), seconds)

    def wait_for(self, wanted: str | Callable[[str], bool], seconds: float = PATIENCE) -> str:
        """The screen, as soon as `wanted` is on it; AssertionError, with the screen, if not."""
        deadline = time.monotonic() + seconds
        while True:
            text = self.text
            if wanted(text) if callable(wanted) else wanted in text:
                return text
            assert time.monotonic() < deadline, f"{wanted!r} did not come:\n{text}"
            if not self.is_running:
                text = self.text
                assert wanted(text) if callable(wanted) else wanted in text, (
                    f"the program has ended:\n{text}"
                )
            time.sleep(0.01)

    # Life

    @property
    def is_running(self) -> bool:
        # the reader's thread asks too, and only one of them is told how the program ended
        with self._waiting:
            if self._forked is not None:
                self.exit_code = self._forked.poll()
            elif self.exit_code is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.exit_code = os.waitstatus_to_exitcode(status)
        return self.exit_code is None

    def wait(self, seconds: float = PATIENCE) -> int:
        """The exit code, once the program has ended."""
        deadline = time.monotonic() + seconds
        while self.is_running:
            assert time.monotonic() < deadline, f"still running:\n{self.text}"
            time.sleep(0.01)
        if not self._is_cut:
            self._reader.join(timeout=2.0)
        assert self.exit_code is not None
        return self.exit_code

    def kill(self) -> None:
        """SIGKILL: no chance to put anything in order."""
        if self.is_running:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()

    def close(self) -> None:
        self.kill()
        if not self._is_cut:
            self._reader.join(timeout=2.0)
            os.close(self._master)

    def _set_size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def _take_in(self) -> None:
        """Show what has come since; held under the lock."""
        if self._unread:
            self._text = None
        for data in self._unread:
            self._stream.feed(data)
        self._unread.clear()

    def _read(self) -> None:
        while not self._is_cut:
            try:
                ready, _, _ = select.select([self._master], [], [], 0.2)
                data = os.read(self._master, 65536) if ready else b""
            except (OSError, ValueError):
                return
            if data:
                with self._lock:
                    self.bytes_out += len(data)
                    self._unread.append(data)
                    self.written.append((time.perf_counter(), data))
                if self._is_synchronised and b"\x1b[?2026$p" in data:
                    os.write(self._master, b"\x1b[?2026;2$y")
            elif ready or not self.is_running:
                return

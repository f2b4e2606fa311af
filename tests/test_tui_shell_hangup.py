"""When the terminal goes away: hooks run, even while the main thread is stuck; then the end."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import RAGDESK

from tui.shell.hangup import EXIT_CODE, before_hangup

PROGRAM = """
import sys, threading, time
from pathlib import Path
from tui.shell.hangup import before_hangup
target = Path(sys.argv[1])
forget = before_hangup(lambda: target.write_text("kept", encoding="utf-8"))
if sys.argv[2] == "forgotten":
    forget()
lock = threading.Lock()
lock.acquire()
print("ready", flush=True)
lock.acquire() if sys.argv[2] == "stuck" else time.sleep(60)
"""


@pytest.mark.parametrize(
    ("how", "code", "is_kept"),
    [
        ("sleeping", EXIT_CODE, True),
        ("stuck", EXIT_CODE, True),
        ("forgotten", -signal.SIGHUP, False),
    ],
)
def test_a_hang_up_runs_the_hooks_and_ends_the_process(
    tmp_path: Path, how: str, code: int, is_kept: bool
) -> None:
    target = tmp_path / "kept"
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(target), how], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"ready\n"
    os.kill(process.pid, signal.SIGHUP)
    assert process.wait(timeout=300) == code
    assert target.exists() == is_kept


def test_the_app_ends_with_a_terminal_that_sends_it_no_signal(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*RAGDESK, "--workspace", str(tmp_path / "work")],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(slave)
    drawn = b""
    while b"F2" not in drawn:
        drawn += os.read(master, 65536)
    os.close(master)
    try:
        assert process.wait(timeout=300) == EXIT_CODE
    finally:
        process.kill()


def test_the_signal_is_as_before_once_nothing_waits_for_it() -> None:
    before = signal.getsignal(signal.SIGHUP)
    forget, forget_too = before_hangup(lambda: None), before_hangup(lambda: None)
    assert signal.getsignal(signal.SIGHUP) != before
    forget()
    assert signal.getsignal(signal.SIGHUP) != before
    forget_too()
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL

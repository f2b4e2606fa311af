"""Calls functions in the host process, within limits of time and memory."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from engine.judge.own.host import LONGEST_REPLY

_HOST = Path(__file__).with_name("host.py")
_KEPT = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR")
"""The variables of the environment that the host has: no keys of providers."""


class CallFailed(Exception):
    """A function gave no result: it raised, took too long, or ended its process."""


class Host:
    """One process for one judge's file, started on first use and again after it was ended."""

    def __init__(self, file: str, source: str, timeout_s: float, memory_mb: int) -> None:
        limits = {"timeout_s": timeout_s, "memory_mb": memory_mb}
        self._load = {"file": file, "source": source, **limits}
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""

    def call(self, case: dict[str, Any]) -> Any:
        """What the function gives for a case. Raises CallFailed with what went wrong."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        return self._ask(case)

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process.stdout.close()
            self._process = None
            self._read = b""

    def _start(self) -> None:
        self.close()
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-B", str(_HOST)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # equal hashes of texts, so that equal cases get equal scores
            env={**kept, "PYTHONHASHSEED": "0"},
        )
        try:
            self._ask(self._load)
        except CallFailed:
            self.close()
            raise

    def _ask(self, request: dict[str, Any]) -> Any:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            line = self._line()
        except BrokenPipeError:
            line = b""
        if not line:
            self.close()
            raise CallFailed("its process ended")
        reply = json.loads(line)
        if "error" in reply:
            raise CallFailed(str(reply["error"]))
        return reply["result"]

    def _line(self) -> bytes:
        """The next line of the process; empty where it has ended. Raises CallFailed when it takes
        too long, and then ends it."""
        assert self._process is not None
        assert self._process.stdout is not None
        number = self._process.stdout.fileno()
        deadline = time.monotonic() + self._timeout_s
        while b"\n" not in self._read:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([number], [], [], left)[0]:
                self.close()
                raise CallFailed(f"no result after {self._timeout_s:g} s")
            data = os.read(number, 65_536)
            if not data or len(self._read) > 8 * LONGEST_REPLY:
                return b""
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return line

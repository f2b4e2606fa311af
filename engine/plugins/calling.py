"""Calls code of users in a process apart, within limits of time, memory and length of the reply.

The process reads a JSON object a line and answers each by one of the same `id`: `result` with what
it gives, or `error` with what went wrong. Whatever else it writes, however late it is and however
it ends is a failure of that call, after which the next one begins a new process.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

_HOST = Path(__file__).with_name("host.py")
_KEPT = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR")
"""The variables of the environment that every process has: no keys of providers."""


class Fault(StrEnum):
    """The way in which a call gave no result."""

    NOT_STARTED = "not_started"
    """The program cannot be started, or the code cannot be loaded: no call will succeed."""
    RAISED = "raised"
    ENDED = "ended"
    LATE = "late"
    UNREADABLE = "unreadable"


class CallFailed(Exception):
    """A call that gave no result; its text says what went wrong."""

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


class CallLimits(Struct, frozen=True):
    """What one call may take."""

    timeout_s: float
    memory_mb: int
    """Of address space, for the whole process."""
    start_s: float | None = None
    """For loading the code; null for `timeout_s`."""
    most_bytes: int = 1024 * 1024
    """The longest reply."""


class Host:
    """One process, started on first use and again after it was ended.

    `load` is said to it first, where it has something to load. `keep` names variables of the
    environment that it is given besides the usual ones, and `descriptors` stay open in it.
    """

    def __init__(
        self,
        command: Sequence[str],
        limits: CallLimits,
        *,
        load: Mapping[str, Any] | None = None,
        folder: Path | None = None,
        keep: Sequence[str] = (),
        descriptors: Sequence[int] = (),
    ) -> None:
        self._command = list(command)
        self._limits = limits
        self._load = load
        self._folder = folder
        self._keep = (*_KEPT, *keep)
        self._descriptors = tuple(descriptors)
        self._process: subprocess.Popen[bytes] | None = None
        self._read = bytearray()
        self._asked = 0

    def call(self, case: Mapping[str, Any]) -> Any:
        """The result for a case. Raises CallFailed with what went wrong."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        return self._ask(case, self._limits.timeout_s)

    def kill(self) -> None:
        """Ends the process at once, from any thread; a call that waits for it fails."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Ends the process and waits for its end."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
            self._process = None
            self._read.clear()

    def _start(self) -> None:
        self.close()
        kept = {name: os.environ[name] for name in self._keep if name in os.environ}
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder,
                # equal hashes of texts, so that equal cases get equal results
                env={**kept, "PYTHONHASHSEED": "0"},
                bufsize=0,
                pass_fds=self._descriptors,
            )
        except OSError as error:
            words = f"{self._command[0]} cannot be started: {error.strerror}"
            raise CallFailed(Fault.NOT_STARTED, words) from error
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        _bound_memory(self._process.pid, self._limits.memory_mb)
        if self._load is None:
            return
        try:
            self._ask(self._load, self._limits.start_s or self._limits.timeout_s)
        except CallFailed as error:
            self.close()
            raise CallFailed(Fault.NOT_STARTED, str(error)) from error

    def _ask(self, request: Mapping[str, Any], seconds: float) -> Any:
        self._asked += 1
        line = self._exchange(json.dumps({**request, "id": self._asked}).encode() + b"\n", seconds)
        try:
            reply = json.loads(line)
            # halves of characters are JSON, but nothing can store them
            json.dumps(reply, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise self._fault(Fault.UNREADABLE, f"its reply is no JSON: {_begin(line)}") from error
        # what it prints besides would shift all answers by one, were it taken for a reply
        if not isinstance(reply, dict) or reply.get("id") != self._asked:
            words = f"its reply is no object with id {self._asked}: {_begin(line)}"
            raise self._fault(Fault.UNREADABLE, words)
        if "error" in reply:
            raise CallFailed(Fault.RAISED, str(reply["error"])[:500])
        if "result" not in reply:
            words = f"its reply has neither result nor error: {_begin(line)}"
            raise self._fault(Fault.UNREADABLE, words)
        return reply["result"]

    def _exchange(self, data: bytes, seconds: float) -> bytes:
        """Sends a line and returns the next one of the process."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        writes, reads = self._process.stdin.fileno(), self._process.stdout.fileno()
        deadline = time.monotonic() + seconds
        searched = 0
        while (end := self._read.find(b"\n", searched)) < 0:
            searched = self._bounded(len(self._read))
            left = deadline - time.monotonic()
            ready, free, _ = select.select([reads], [writes] if data else [], [], max(0.0, left))
            if left <= 0 or not (ready or free):
                raise self._fault(Fault.LATE, f"no result after {seconds:g} s")
            if free:
                try:
                    data = data[os.write(writes, data) :]
                except BrokenPipeError:
                    raise self._ended() from None
            if ready:
                part = os.read(reads, 65_536)
                if not part:
                    raise self._ended()
                self._read += part
        line = bytes(self._read[: self._bounded(end)])
        del self._read[: end + 1]
        return line

    def _bounded(self, length: int) -> int:
        """The length of a reply so far; raises CallFailed for one that is too long."""
        if length > self._limits.most_bytes:
            words = f"its reply is longer than {self._limits.most_bytes:,} bytes"
            raise self._fault(Fault.UNREADABLE, words)
        return length

    def _ended(self) -> CallFailed:
        assert self._process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        status = self._process.returncode
        how = f" by signal {-status}" if status is not None and status < 0 else f", status {status}"
        return self._fault(Fault.ENDED, f"its process ended{how}")

    def _fault(self, fault: Fault, text: str) -> CallFailed:
        """A failure after which the process cannot be relied on."""
        self.close()
        return CallFailed(fault, text)


def python_host(
    load: Mapping[str, Any],
    limits: CallLimits,
    *,
    python: str = sys.executable,
    folder: Path | None = None,
    keep: Sequence[str] = (),
    descriptors: Sequence[int] = (),
) -> Host:
    """A process of an interpreter that calls a function of Python code; see `host.py` for what
    `load` names it by."""
    told = {
        **load,
        "start_s": limits.start_s or limits.timeout_s,
        "timeout_s": limits.timeout_s,
        "most_bytes": limits.most_bytes,
    }
    command = [python, "-s", "-B", str(_HOST)]
    return Host(command, limits, load=told, folder=folder, keep=keep, descriptors=descriptors)


def _bound_memory(pid: int, megabytes: int) -> None:
    """Bounds the memory of a process, for good."""
    size = megabytes * 1024 * 1024
    with contextlib.suppress(ProcessLookupError):  # it has ended, which its first call says
        _, hard = resource.prlimit(pid, resource.RLIMIT_AS)
        size = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.prlimit(pid, resource.RLIMIT_AS, (size, size))


def _begin(line: bytes) -> str:
    return repr(line[:100].decode("utf-8", "replace"))

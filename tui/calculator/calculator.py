"""The app's end of the process that computes results, so that the app stays responsive."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import TypeVar

import msgspec

from store.errors import RagdeskError
from tui.calculator.protocol import Query, Question, Reply, answer_type, receive, send

T = TypeVar("T")


class Calculator:
    """Starts its process on first use and again after it has died. Only `prepare` and `close` may
    be called in the thread of the screens: `ask` waits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Has the process started in a thread, so that the first matrix comes sooner; returns at
        once, whatever is being asked meanwhile."""
        threading.Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        with self._lock:
            self._running()

    def ask(self, query: Query[T]) -> T:
        """Returns the answer; raises RagdeskError with the process's message, or when it has
        died."""
        with self._lock:
            reply = self._send(Question.of(query))
        if reply is None:
            raise RagdeskError(
                "The process that computes results ended abruptly; memory may be short.",
                "Free some memory and try again.",
            )
        if reply.body is None:
            raise RagdeskError(reply.error, reply.remedy)
        return msgspec.msgpack.decode(reply.body, type=answer_type(type(query)))

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.kill()
            process.stdin.close()
            process.wait()

    @classmethod
    def ask_once(cls, folder: Path, query: Query[T]) -> T:
        """Returns the answer of a process that ends with it: for what takes long, so that what is
        asked meanwhile does not wait. Raises RagdeskError as `ask`."""
        calculator = cls(folder)
        try:
            return calculator.ask(query)
        finally:
            calculator.close()

    def _send(self, question: Question) -> Reply | None:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, question)
        except BrokenPipeError:
            return None
        body = receive(process.stdout)
        return None if body is None else msgspec.msgpack.decode(body, type=Reply)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            # -P: a folder called `store` or `engine` where the operator stands is never imported
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tui.calculator_process", str(self._folder.resolve())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._process

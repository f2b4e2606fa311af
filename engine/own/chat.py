"""Asking a system of one's own, as a source of replies like any model."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from engine.models.chat import ChatReply, ChatRequest
from engine.models.endpoints import Endpoints
from engine.models.errors import FailureKind, ModelError
from engine.models.retry import RetryPolicy
from engine.models.wire import place
from engine.own.reply import MOST_BYTES, bad_reply, read_reply
from engine.own.service import Service, check_command, module_hash
from engine.plugins.calling import CallFailed, CallLimits, Fault, Host, python_host
from store.errors import InputError
from store.sharing.modes import is_shared
from store.sharing.rights import hold_code

_KINDS = {
    Fault.NOT_STARTED: FailureKind.NOT_FOUND,
    Fault.RAISED: FailureKind.RAISED,
    Fault.ENDED: FailureKind.PROCESS_ENDED,
    Fault.LATE: FailureKind.TIMEOUT,
    Fault.UNREADABLE: FailureKind.BAD_REPLY,
}
_REMEDIES = {
    FailureKind.NOT_FOUND: "Correct url, command or function, and try the system.",
    FailureKind.TIMEOUT: "Raise timeout_s of the system, or lower its limits.max_in_flight.",
    FailureKind.CONNECTION: "Check url, and that the service is running.",
    FailureKind.RATE_LIMITED: "Lower limits.max_in_flight of the system, or state its limits.rpm;"
    " then resume.",
    FailureKind.BAD_REPLY: "Let it write one JSON object a request and nothing else.",
    FailureKind.BAD_REQUEST: "Correct the system's request; trying the system shows one.",
}


class OwnChat:
    """A `ChatModel` over a system of one's own, within its limits and retries; to be closed.

    `before` is called before each attempt, and may raise what is to end the call. Raises InputError
    where the file of its function has changed since the run began, and what `check_command` raises.
    """

    def __init__(
        self,
        service: Service,
        folder: Path,
        endpoints: Endpoints,
        before: Callable[[], None] = lambda: None,
    ) -> None:
        self._service = service
        self._before = before
        policy = RetryPolicy(attempts=service.attempts)
        self._account = endpoints.account(service, policy)
        self._processes: _Processes | None = None
        if service.kind == "http":
            self._connection = endpoints.connection(service)
            return
        check_command(folder, service)
        here = module_hash(folder, service.base_url, f"System {service.name!r}")
        if service.kind == "python" and here != service.file_hash:
            raise InputError(
                f"System {service.name!r}: the file of {service.base_url} has changed since the run"
                " began.",
                "Start a new run: with another file it is another system.",
            )
        self._processes = _Processes(service, folder)

    async def complete(self, request: ChatRequest, repeat: int = 0) -> ChatReply:
        """The reply, whose text is an `OwnReply`. Raises ModelError."""
        said = json.loads(request.messages[0].content)

        async def attempt() -> ChatReply:
            self._before()
            began = time.perf_counter()
            given = await self._ask(said)
            return read_reply(self._service, given, (time.perf_counter() - began) * 1000)

        try:
            reply, attempts = await self._account.call(attempt)
        except ModelError as error:
            error.remedy = _REMEDIES.get(error.kind, error.remedy)
            raise
        return msgspec.structs.replace(reply, attempts=attempts)

    async def close(self) -> None:
        """Ends the processes."""
        if self._processes is not None:
            await self._processes.close()

    async def _ask(self, said: dict[str, Any]) -> Any:
        if self._processes is not None:
            return await self._processes.ask(said)
        data = await self._connection.post(self._service.base_url, said)
        try:
            return msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            begin = repr(data[:120].decode("utf-8", "replace"))
            raise bad_reply(self._service, f"the reply is no JSON ({error}): {begin}") from None


class _Processes:
    """As many processes of a system as calls may be in flight, each started when it is needed."""

    def __init__(self, service: Service, folder: Path) -> None:
        self._service = service
        self._code: tuple[int, ...] = ()
        if is_shared(folder):
            self._code = (hold_code(folder, f"System {service.name!r}"),)
            # leads to the open folder, also when a member puts another in its place
            folder = Path(f"/proc/self/fd/{self._code[0]}")
        self._free = [
            _host(service, folder, self._code) for _ in range(service.limits.max_in_flight)
        ]
        self._all = tuple(self._free)
        self._threads = ThreadPoolExecutor(len(self._all), f"system-{service.name}")

    async def ask(self, said: dict[str, Any]) -> Any:
        """What the system gives. Raises ModelError."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, self._call, said)
        except CallFailed as error:
            raise ModelError(_KINDS[error.fault], f"{place(self._service)}: {error}.") from None

    async def close(self) -> None:
        for host in self._all:
            host.kill()
        await asyncio.to_thread(self._threads.shutdown, True, cancel_futures=True)
        for host in self._all:
            host.close()
        for held in self._code:
            os.close(held)

    def _call(self, said: dict[str, Any]) -> Any:
        # no more threads than processes, so that one is free
        host = self._free.pop()
        try:
            return host.call(said)
        finally:
            self._free.append(host)


def _host(service: Service, folder: Path, descriptors: tuple[int, ...]) -> Host:
    limits = CallLimits(service.timeout_s, service.memory_mb, service.start_s, MOST_BYTES)
    variables = (*service.env, *([service.api_key_env] if service.api_key_env else []))
    if service.kind == "command":
        return Host(service.command, limits, folder=folder, keep=variables, descriptors=descriptors)
    module, _, name = service.base_url.partition(":")
    load = {"module": module, "name": name, "folder": str(folder)}
    # as seen from the workspace; a link stays one, since it says which environment it belongs to
    python = str(folder / Path(service.python).expanduser()) if service.python else sys.executable
    return python_host(
        load, limits, python=python, folder=folder, keep=variables, descriptors=descriptors
    )

"""A scripted OpenAI-compatible server on loopback: real HTTP, chosen replies, counted requests.

In tests, `with ScriptedServer(...) as server:` runs it in a thread. As a program it answers every
request alike, with faults by chance: `python tests/scripted_server.py --port 8765`.

A reply is chosen, for each request, by the function `reply`; else it is the next one of `script`;
else it is `default`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many"}
_HANG_S = 3600.0


@dataclass(frozen=True)
class Request:
    """A request as it came in. `attempt` counts from 1 how often this very body has come."""

    number: int
    method: str
    path: str
    headers: dict[str, str]
    body: Any
    attempt: int


@dataclass(frozen=True)
class Reply:
    """What to send. `fault` hangs without a word, closes at once, breaks off within the body, or
    stalls there: the connection stays open and nothing more comes.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    latency_s: float | None = None
    fault: Literal["", "hang", "close", "cut", "stall"] = ""

    def encoded(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def answer(
    text: str | None = "The answer.",
    *,
    finish_reason: str | None = "stop",
    tokens_in: int = 10,
    tokens_out: int = 5,
    usage: bool = True,
    refusal: str | None = None,
    latency_s: float | None = None,
) -> Reply:
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
                "finish_reason": finish_reason,
            }
        ],
    }
    if usage:
        total = tokens_in + tokens_out
        body["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": total,
        }
    return Reply(body, latency_s=latency_s)


def error(
    status: int, message: str, code: str | None = None, kind: str | None = None, **headers: str
) -> Reply:
    """An error as OpenAI words it; `headers` are named with `_` for `-`."""
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(body, status, named, latency_s=0.0)


def rate_limited(retry_after: float | None = None, retry_after_ms: float | None = None) -> Reply:
    headers = {}
    if retry_after is not None:
        headers["retry_after"] = f"{retry_after:g}"
    if retry_after_ms is not None:
        headers["retry_after_ms"] = f"{retry_after_ms:g}"
    return error(429, "Rate limit reached", "rate_limit_exceeded", "requests", **headers)


def server_error(status: int = 500) -> Reply:
    return error(status, "The server had an error", kind="server_error")


def insufficient_quota() -> Reply:
    text = "You exceeded your current quota, please check your plan and billing details."
    return error(429, text, "insufficient_quota", "insufficient_quota")


def refused_key(key: str = "") -> Reply:
    text = f"Incorrect API key provided: {key}."
    return error(401, text, "invalid_api_key", "invalid_request_error")


def context_length_exceeded() -> Reply:
    text = "This model's maximum context length is 4096 tokens, however you requested 5000."
    return error(400, text, "context_length_exceeded", "invalid_request_error")


def model_not_found() -> Reply:
    return error(404, "The model `nobody` does not exist", "model_not_found")


def content_filtered() -> Reply:
    return answer(None, finish_reason="content_filter")


def html(status: int = 200, title: str = "Sign in") -> Reply:
    page = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>Hello</body></html>"
    return Reply(page.encode(), status, {"content-type": "text/html"})


def malformed() -> Reply:
    return Reply(b'{"choices": [{"message": {"content": "The ans')


def hang() -> Reply:
    return Reply(fault="hang")


def close_connection() -> Reply:
    return Reply(fault="close")


def stall() -> Reply:
    return Reply(answer().body, fault="stall")


def cut_off() -> Reply:
    return Reply(answer().body, fault="cut")


def embeddings(vectors: list[list[float]], tokens: int = 3) -> Reply:
    data = [
        {"object": "embedding", "index": number, "embedding": vector}
        for number, vector in enumerate(vectors)
    ]
    return Reply({"object": "list", "data": data, "usage": {"prompt_tokens": tokens}})


def models(*names: str) -> Reply:
    return Reply({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


class ScriptedServer:
    """Counts `connections`, `requests`, `statuses` and `peak_in_flight`; stops with the block."""

    def __init__(
        self,
        script: Iterable[Reply] = (),
        *,
        default: Reply | None = None,
        reply: Callable[[Request], Reply | None] | None = None,
        latency_s: float = 0.0,
        keep_requests: bool = True,
        port: int = 0,
    ) -> None:
        self._script = iter(script)
        self._default = default if default is not None else answer()
        self._reply = reply
        self._latency_s = latency_s
        self._keep_requests = keep_requests
        self.port = port
        self.requests: list[Request] = []
        self.count = 0
        self.first_at: float | None = None
        self.connections = 0
        self.statuses: Counter[int] = Counter()
        self.in_flight = 0
        self.peak_in_flight = 0
        self._bodies: Counter[bytes] = Counter()
        self._open: set[_Connection] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._server: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ScriptedServer:
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self, started: threading.Event) -> None:
        loop = self._loop = asyncio.new_event_loop()
        loop.run_until_complete(self.start())
        loop.call_soon(started.set)
        loop.run_forever()
        loop.run_until_complete(self.stop())
        loop.close()

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self.port, backlog=1024
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stops listening and drops all connections."""
        assert self._server is not None
        self._server.close()
        for connection in list(self._open):
            connection.drop()
        await asyncio.sleep(0)

    def stats(self) -> dict[str, Any]:
        return {
            "requests": self.count,
            "first_at": self.first_at,
            "unique_bodies": len(self._bodies),
            "by_status": dict(self.statuses),
            "connections": self.connections,
            "peak_in_flight": self.peak_in_flight,
        }

    def choose(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[Request, Reply]:
        self.count += 1
        self.first_at = self.first_at or time.time()
        self._bodies[body] += 1
        request = Request(
            self.count,
            method,
            path,
            headers,
            json.loads(body) if body else None,
            self._bodies[body],
        )
        if self._keep_requests:
            self.requests.append(request)
        chosen = self._reply(request) if self._reply is not None else None
        if chosen is None:
            chosen = next(self._script, self._default)
        return request, chosen

    def delay(self, reply: Reply) -> float:
        if reply.fault == "hang":
            return _HANG_S
        return self._latency_s if reply.latency_s is None else reply.latency_s


class _Connection(asyncio.Protocol):
    def __init__(self, server: ScriptedServer) -> None:
        self._server = server
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._pending: set[asyncio.TimerHandle] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.connections += 1
        self._server._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._server._open.discard(self)
        self._server.in_flight -= len(self._pending)
        for handle in self._pending:
            handle.cancel()
        self._pending.clear()

    def drop(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            lines = self._buffer[:end].decode("latin-1").split("\r\n")
            headers = {
                name.strip().lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines[1:])
            }
            whole = end + 4 + int(headers.get("content-length", "0"))
            if len(self._buffer) < whole:
                return
            body, self._buffer = self._buffer[end + 4 : whole], self._buffer[whole:]
            method, path, _ = lines[0].split(" ", 2)
            self._answer(method, path.partition("?")[0], headers, body)

    def _answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        server = self._server
        if path == "/stats":
            self._write(Reply(server.stats()))
            return
        _, reply = server.choose(method, path, headers, body)
        server.in_flight += 1
        server.peak_in_flight = max(server.peak_in_flight, server.in_flight)
        delay = server.delay(reply)
        handle = asyncio.get_running_loop().call_later(delay, lambda: self._finish(handle, reply))
        self._pending.add(handle)

    def _finish(self, handle: asyncio.TimerHandle, reply: Reply) -> None:
        self._pending.discard(handle)
        self._server.in_flight -= 1
        if self._transport is None:
            return
        if reply.fault == "close":
            self._transport.close()
            return
        self._server.statuses[reply.status] += 1
        self._write(reply)

    def _write(self, reply: Reply) -> None:
        assert self._transport is not None
        body = reply.encoded()
        headers = {"content-type": "application/json", **reply.headers}
        lines = [
            f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Scripted')}",
            *(f"{name}: {value}" for name, value in headers.items()),
            f"content-length: {len(body)}",
        ]
        sent = body[: len(body) // 2] if reply.fault in ("cut", "stall") else body
        self._transport.write("\r\n".join(lines).encode() + b"\r\n\r\n" + sent)
        if reply.fault == "cut":
            self._transport.close()


def faults_by_chance(
    p429: float, p500: float, retry_after: float | None = None, text: str = "The answer."
) -> Callable[[Request], Reply]:
    """Replies that depend on body and attempt only, so that every run meets the same faults."""

    def reply(request: Request) -> Reply:
        draw = random.Random(f"{request.attempt} {json.dumps(request.body)}").random()
        if draw < p429:
            return rate_limited(retry_after)
        if draw < p429 + p500:
            return server_error()
        if request.path.endswith("/embeddings"):
            return embeddings([[0.6, 0.8]] * len(request.body["input"]))
        if request.path.endswith("/models"):
            return models("scripted")
        return answer(text)

    return reply


async def _serve(server: ScriptedServer) -> None:
    await server.start()
    print(f"scripted server on {server.base_url}", flush=True)
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--latency-ms", type=float, default=50.0)
    parser.add_argument("--p429", type=float, default=0.0)
    parser.add_argument("--p500", type=float, default=0.0)
    parser.add_argument("--retry-after", type=float)
    parser.add_argument("--text", default="The answer.")
    args = parser.parse_args()
    server = ScriptedServer(
        reply=faults_by_chance(args.p429, args.p500, args.retry_after, args.text),
        latency_s=args.latency_ms / 1000,
        keep_requests=False,
        port=args.port,
    )
    try:
        asyncio.run(_serve(server))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()

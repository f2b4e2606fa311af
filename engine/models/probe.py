"""Tests the connection to a provider with one small call and reports it in sentences.

As a program (`python -P -m engine.models.probe`) it reads a provider as JSON from standard input
and writes the result as JSON, so that the app's own process never imports the client.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.models.breaker import Breaker
from engine.models.chat import ChatRequest, Message
from engine.models.connection import Connection
from engine.models.embeddings import EmbeddingModel
from engine.models.endpoints import OpenAIChat
from engine.models.errors import FailureKind, ModelError
from engine.models.limiter import Limiter
from engine.models.retry import ONCE, Account
from engine.models.settings import Provider

Use = Literal["chat", "embeddings"]

_PATIENCE_S = 30.0
_QUESTION = "Reply with the word: ready"
_MODELS_NAMED = 8


class ProbeResult(Struct, frozen=True):
    """The result of a test call; null means that a question stayed open."""

    ok: bool
    reachable: bool | None
    key_accepted: bool | None
    model_known: bool | None
    latency_ms: float | None
    sentences: tuple[str, ...]
    """For a person to read: what was found, then what to do."""


async def probe(
    provider: Provider, use: Use = "chat", environ: Mapping[str, str] = os.environ
) -> ProbeResult:
    """Makes one small call of at most 30 s, without retries. Never raises for a failed call."""
    if provider.kind == "offline":
        return ProbeResult(True, None, None, True, None, ("Built in; nothing to connect to.",))
    brief = replace(provider, timeout_s=min(provider.timeout_s, _PATIENCE_S))
    connection = Connection(brief, environ)
    try:
        latency_ms = await _call(connection, use)
    except ModelError as error:
        return await _failed(connection, error)
    finally:
        await connection.close()
    return _answered(provider, latency_ms, use)


async def _call(connection: Connection, use: Use) -> float:
    account = Account(Limiter(connection.provider.limits), Breaker(), policy=ONCE)
    connection.open()
    began = asyncio.get_running_loop().time()
    if use == "embeddings":
        await EmbeddingModel(connection, account).embed([_QUESTION])
    else:
        request = ChatRequest((Message("user", _QUESTION),), max_tokens=_probe_tokens(connection))
        await OpenAIChat(connection, account).complete(request)
    return (asyncio.get_running_loop().time() - began) * 1000


def _probe_tokens(connection: Connection) -> int | None:
    # a server that wants the bound under another name has it in extra
    return None if "max_completion_tokens" in connection.provider.extra else 16


def _answered(provider: Provider, latency_ms: float, use: Use) -> ProbeResult:
    made = "a vector" if use == "embeddings" else "an answer"
    return ProbeResult(
        True,
        True,
        True,
        True,
        latency_ms,
        (f"{provider.model} at {provider.base_url} gave {made} in {latency_ms:.0f} ms.",),
    )


async def _failed(connection: Connection, error: ModelError) -> ProbeResult:
    kind = error.kind
    if kind is FailureKind.EMPTY_REPLY:
        # sixteen tokens are few for a model that reasons first; the connection is sound
        note = "The server answers; its answer to the test call of 16 tokens was empty."
        return ProbeResult(True, True, True, True, None, (note,))
    replied = error.status is not None or kind in (
        FailureKind.BAD_REPLY,
        FailureKind.CONTENT_FILTER,
    )
    unknown_model = kind is FailureKind.NOT_FOUND
    sentences = [error.message, error.remedy]
    if unknown_model and (names := await _model_names(connection)):
        sentences.append(f"The server offers: {names}.")
    return ProbeResult(
        ok=False,
        reachable=_reachable(kind, replied),
        key_accepted=_key_accepted(kind, replied),
        model_known=False if unknown_model else None,
        latency_ms=None,
        sentences=tuple(filter(None, sentences)),
    )


def _reachable(kind: FailureKind, replied: bool) -> bool | None:
    if replied:
        return True
    return False if kind in (FailureKind.CONNECTION, FailureKind.TIMEOUT) else None


def _key_accepted(kind: FailureKind, replied: bool) -> bool | None:
    if kind is FailureKind.REFUSED_KEY:
        return False
    is_accepted = replied and kind not in (
        FailureKind.SERVER,
        FailureKind.BAD_REPLY,
        FailureKind.NOT_FOUND,
        FailureKind.TIMEOUT,
    )
    return True if is_accepted else None


class _Model(Struct):
    id: str


class _Models(Struct):
    data: list[_Model] = []


async def _model_names(connection: Connection) -> str:
    """Some of the models that the server lists; empty when it lists none."""
    try:
        models = msgspec.json.decode(await connection.get("/models"), type=_Models).data
    except (ModelError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    names = [model.id for model in models]
    more = f" and {len(names) - _MODELS_NAMED} more" if len(names) > _MODELS_NAMED else ""
    return ", ".join(names[:_MODELS_NAMED]) + more


async def probe_apart(provider: Provider) -> ProbeResult:
    """Runs `probe` in a process of its own, so that the app's imports nothing heavy."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "engine.models.probe",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        output, _ = await process.communicate(msgspec.json.encode(provider))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        problem = f"The test call ended with exit code {process.returncode}."
        return ProbeResult(False, None, None, None, None, (problem,))
    return msgspec.json.decode(output, type=ProbeResult)


def main() -> None:
    provider = msgspec.json.decode(sys.stdin.buffer.read(), type=Provider)
    result = asyncio.run(probe(provider))
    sys.stdout.buffer.write(msgspec.json.encode(result))


if __name__ == "__main__":
    main()

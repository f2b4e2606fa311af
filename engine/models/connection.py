"""The HTTP connections of one provider, through the openai client on its aiohttp transport."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from engine.models.classify import classify
from engine.models.errors import FailureKind, ModelError
from engine.models.keys import read_key, scrub
from engine.models.retry import retry_after
from engine.models.settings import Provider
from engine.models.wire import place

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_CONNECT_S = 10.0
_IDLE_S = 15.0
"""Shorter than servers keep an idle connection, so that none is closed under a request."""
_CONNECTIONS = 4096
"""As many as settings may allow in flight; how many there are is the limiter's to say."""
MOST_BYTES = 16_000_000
"""The longest reply that is read, unpacked; a server may send without end."""
_BYTES_A_VECTOR = 256_000
"""What each text of a request to `/embeddings` adds to that."""
_UNSET = (
    "Set it where ragdesk is started, then resume; a worker that is at work already keeps the"
    " environment that it was started in, so let it end first."
)
_OPENAI_HOST = "https://api.openai.com/"
_SELF_DESCRIPTION = ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")


class Connection:
    """Sends requests and returns the bodies of replies; every failure is a ModelError.

    One for each provider and process; the client is made at the first request, in the running
    event loop. The key is read then, held by the client only, and kept out of every message.
    """

    def __init__(self, provider: Provider, environ: Mapping[str, str] = os.environ) -> None:
        self.provider = provider
        self._environ = environ
        self._client: AsyncOpenAI | None = None
        self._key = ""
        self._options: Any = {}

    def __repr__(self) -> str:
        return f"Connection({self.provider.name!r})"

    @property
    def key(self) -> str:
        """The key in use, needed to remove it from texts; empty before the first request."""
        return self._key

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """The body of the reply to `POST base_url/path`, when its status is 2xx."""
        return await self._send("post", path, msgspec.json.encode(body))

    async def get(self, path: str) -> bytes:
        """The body of the reply to `GET base_url/path`, when its status is 2xx."""
        return await self._send("get", path, None)

    async def close(self) -> None:
        """Closes all connections; a later request opens new ones."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _send(self, method: str, path: str, content: bytes | None) -> bytes:
        client = self._client or self.open()
        import aiohttp
        import httpx2
        import openai

        try:
            # the client's own timeouts bound one read at a time, not a reply that trickles
            async with asyncio.timeout(self.provider.timeout_s):
                if content is None:
                    response = await client.get(
                        path, cast_to=httpx2.Response, options=self._options
                    )
                else:
                    response = await client.post(
                        path, cast_to=httpx2.Response, content=content, options=self._options
                    )
                return response.content
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except openai.APIConnectionError as error:
            raise self._unreached(error) from None
        except TimeoutError:
            raise self._timed_out() from None
        except _TooLong as error:
            raise ModelError(
                FailureKind.BAD_REPLY, f"{place(self.provider)}: the reply is {error}."
            ) from None
        except (aiohttp.ClientError, httpx2.HTTPError) as error:
            # what the transport does not translate: a reply that is not HTTP
            raise self._not_http(error) from None

    def open(self) -> AsyncOpenAI:
        """The client, made at the first call. Raises ModelError when the key is missing."""
        if self._client is not None:
            return self._client
        provider = self.provider
        try:
            self._key = (
                read_key(provider.api_key_env, self._environ) if provider.api_key_env else ""
            )
        except (LookupError, ValueError) as error:
            raise ModelError(
                FailureKind.REFUSED_KEY, f"{place(provider)}: {error.args[0]}.", _UNSET
            ) from None
        self._client = _client(provider, self._key)
        self._options = {"headers": _request_headers(self._key)}
        return self._client

    def _refused(self, error: Any) -> ModelError:
        response = error.response
        failure = classify(
            response.status_code,
            response.content,
            where=place(self.provider),
            retry_after_s=retry_after(response.headers),
            key=self._key,
        )
        target = response.headers.get("location")
        if target and 300 <= response.status_code < 400:
            failure.message += f" It redirects to {scrub(target, self._key)}."
        return failure

    def _unreached(self, error: Exception) -> ModelError:
        causes = list(_chain(error))
        if any(isinstance(cause, TimeoutError) for cause in causes):
            return self._timed_out()
        # the transport reports a connection that the server closed as one that timed out
        words = scrub(str(causes[-1]), self._key)[:200].strip() or type(causes[-1]).__name__
        return ModelError(
            FailureKind.CONNECTION, f"{place(self.provider)} cannot be reached: {words}"
        )

    def _timed_out(self) -> ModelError:
        return ModelError(
            FailureKind.TIMEOUT,
            f"{place(self.provider)} did not answer within {self.provider.timeout_s:g} s.",
        )

    def _not_http(self, error: Exception) -> ModelError:
        words = scrub(" ".join(str(error).split()), self._key)[:200]
        return ModelError(
            FailureKind.BAD_REPLY, f"{place(self.provider)}: the reply is not HTTP: {words}"
        )


def _client(provider: Provider, key: str) -> AsyncOpenAI:
    import httpx2
    import openai

    # what the client would tell of this machine, and ids meant for OpenAI alone, stay here
    headers: dict[str, Any] = {f"X-Stainless-{name}": openai.Omit() for name in _SELF_DESCRIPTION}
    if not provider.base_url.startswith(_OPENAI_HOST):
        headers |= {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
    timeout = httpx2.Timeout(provider.timeout_s, connect=min(_CONNECT_S, provider.timeout_s))
    limits = httpx2.Limits(max_connections=_CONNECTIONS, keepalive_expiry=_IDLE_S)
    return openai.AsyncOpenAI(
        api_key=key or "none",
        base_url=provider.base_url,
        max_retries=0,
        timeout=timeout,
        default_headers=headers,
        # a redirect is reported, not followed: the key goes where the settings say
        http_client=openai.DefaultAioHttpClient(
            timeout=timeout,
            limits=limits,
            follow_redirects=False,
            event_hooks={"response": [partial(_bound, provider)]},
        ),
    )


class _TooLong(Exception):
    pass


async def _bound(provider: Provider, response: Any) -> None:
    """Lets the reading of a reply end with `_TooLong` when it is longer than any answer."""
    most = MOST_BYTES
    if response.request.url.path.endswith("/embeddings"):
        most += _BYTES_A_VECTOR * provider.limits.batch
    read = response.aiter_bytes

    async def bounded(chunk_size: int | None = None) -> AsyncIterator[bytes]:
        length = 0
        async with contextlib.aclosing(read(chunk_size)) as parts:
            async for part in parts:
                length += len(part)
                if length > most:
                    raise _TooLong(f"longer than {most:,} bytes")
                yield part

    response.aiter_bytes = bounded


def _request_headers(key: str) -> dict[str, Any]:
    import openai

    headers: dict[str, Any] = {"Content-Type": "application/json"}
    if not key:
        # the client asks that a missing key be meant, at each request
        headers["Authorization"] = openai.Omit()
    return headers


def _chain(error: BaseException) -> list[BaseException]:
    chain = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    return chain

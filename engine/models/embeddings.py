"""Embeddings from the `/embeddings` of an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from engine.models.budget import Spending
from engine.models.classify import classify
from engine.models.connection import Connection
from engine.models.errors import FailureKind, ModelError
from engine.models.retry import Account
from engine.models.wire import bad_reply, place, price, read_usage
from engine.text.tokens import count_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Progress = Callable[[int, int], None]
"""Called with the texts done and the texts in all."""


def no_progress(done: int, total: int) -> None:
    """A progress callback that does nothing."""


class _Vector(msgspec.Struct):
    index: int
    embedding: list[float]


class _Embeddings(msgspec.Struct):
    data: list[_Vector] | None = None
    usage: Any = None
    error: Any = None


_EMBEDDINGS = msgspec.json.Decoder(_Embeddings)


class EmbeddingModel:
    """Vectors of texts; batches keep to the account's limits and retries."""

    def __init__(self, connection: Connection, account: Account) -> None:
        self.provider = connection.provider
        self._connection = connection
        self._account = account
        self._tokens = 0
        self._cost = 0.0

    @property
    def spent(self) -> Spending:
        """Tokens and money that the server has counted so far."""
        return Spending(self._tokens, self._cost)

    async def embed(self, texts: Sequence[str], progress: Progress = no_progress) -> Vectors:
        """One row of float32 for each text, in order, as the server gives them (not normalised).

        Shape (len(texts), dimensions); (0, 0) for no texts. Raises ModelError when a batch fails
        for good, when vectors are missing or differ in length, or hold what is not a number.
        """
        import numpy as np

        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        size = self.provider.limits.batch
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        parts: list[Vectors | None] = [None] * len(batches)
        queue = iter(range(len(batches)))
        done = 0

        async def work() -> None:
            nonlocal done
            for number in queue:
                parts[number] = await self._embed_batch(batches[number])
                done += len(batches[number])
                progress(done, len(texts))

        await _together([work() for _ in range(min(self._width, len(batches)))])
        vectors = [part for part in parts if part is not None]
        if len({part.shape[1] for part in vectors}) > 1:
            raise self._bad(b"", "the vectors differ in length from batch to batch")
        return np.concatenate(vectors)

    @property
    def _width(self) -> int:
        # twice what may be in flight: a batch that waits for a retry holds up no other
        return 2 * self.provider.limits.max_in_flight

    async def _embed_batch(self, texts: Sequence[str]) -> Vectors:
        body = {**self.provider.extra, "model": self.provider.model, "input": list(texts)}

        async def attempt() -> tuple[Vectors, int | None]:
            data = await self._connection.post("/embeddings", body)
            return self._read(data, len(texts))

        tokens = sum(map(count_tokens, texts)) if self.provider.limits.tpm else 0
        (vectors, used), _ = await self._account.call(
            attempt, tokens=tokens, used=lambda result: result[1]
        )
        self._tokens += used or 0
        self._cost += price(self.provider, used, 0)[0] or 0.0
        return vectors

    def _read(self, data: bytes, count: int) -> tuple[Vectors, int | None]:
        import numpy as np

        try:
            reply = _EMBEDDINGS.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._bad(data, str(error)) from None
        if reply.data is None and reply.error is not None:
            raise classify(400, data, where=place(self.provider), key=self._connection.key)
        rows = sorted(reply.data or [], key=lambda row: row.index)
        if [row.index for row in rows] != list(range(count)):
            raise self._bad(data, f"{len(rows)} vectors for {count} texts")
        if len({len(row.embedding) for row in rows}) != 1 or not rows[0].embedding:
            raise self._bad(data, "the vectors differ in length or are empty")
        with np.errstate(over="ignore"):  # what float32 cannot hold is refused just below
            vectors = np.array([row.embedding for row in rows], dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise self._bad(data, "a vector holds what is not a finite number")
        counts = read_usage(self.provider, reply.usage, ("prompt_tokens", "total_tokens"), [])
        return vectors, counts[0] or counts[1]

    def _bad(self, data: bytes, problem: str) -> ModelError:
        if data:
            return bad_reply(self.provider, data, problem, self._connection.key)
        return ModelError(FailureKind.BAD_REPLY, f"{place(self.provider)}: {problem}.")


async def _together(works: list[Coroutine[Any, Any, None]]) -> None:
    """Runs all; the first failure cancels the others and is raised unchanged."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

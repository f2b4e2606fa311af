"""Embeddings for code without an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from engine.models.embeddings import EmbeddingModel, Progress, no_progress
from engine.models.endpoints import Endpoints
from engine.models.settings import Provider

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

T = TypeVar("T")


class BlockingEmbedder:
    """Offers `embed(texts)` to code without an event loop, such as retrievers in child processes.

    A thread of its own runs the loop, so connections stay open from call to call. Limits hold
    within this process only. Close it after use, or use it in a `with` block.
    """

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name=f"embed-{provider.name}", daemon=True
        )
        self._thread.start()
        self._model: EmbeddingModel | None = None
        self._close_model: Callable[[], Coroutine[Any, Any, None]] | None = None

    def embed(self, texts: Sequence[str], progress: Progress = no_progress) -> Vectors:
        """Embeds like `EmbeddingModel.embed`; `progress` is called in the embedder's thread."""
        return self._run(self._embed(texts, progress))

    def close(self) -> None:
        if self._loop.is_closed():
            return
        if self._close_model is not None:
            self._run(self._close_model())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> BlockingEmbedder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _embed(self, texts: Sequence[str], progress: Progress) -> Vectors:
        if self._model is None:
            endpoints = Endpoints()
            self._model = endpoints.embeddings(self.provider)
            self._close_model = endpoints.close
        return await self._model.embed(texts, progress)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

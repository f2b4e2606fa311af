"""Embeddings by the `/embeddings` of a provider."""

from __future__ import annotations

import atexit
from pathlib import Path

from engine.jobs.context import end_with_job
from engine.models.settings import find_provider
from engine.retrieve.index.embedding import PrefixedEmbedder
from store.errors import Conflict
from store.hashing import content_hash
from store.systems import EmbeddingConfig


def endpoint_embedder(config: EmbeddingConfig, folder: Path) -> PrefixedEmbedder:
    """The embedder of `config` over the provider that the settings in `folder` have now.

    Raises NotFound when they have it no more, and Conflict when it stands for another model.
    """
    from engine.models.endpoints import BlockingEmbedder

    provider = find_provider(folder, config.provider)
    if (provider.model, provider.base_url) != (config.model, config.endpoint):
        raise Conflict(
            f"Provider {config.provider!r} is {provider.model} at {provider.base_url} now, and"
            f" {config.model} at {config.endpoint} was asked for.",
            "Give the other model a provider of its own, or start a new run.",
        )
    model = BlockingEmbedder(provider, end_with_job)
    atexit.register(model.close)
    return PrefixedEmbedder(
        model.embed,
        {
            "endpoint": provider.base_url,
            "model": provider.model,
            "extra": content_hash(provider.extra),
        },
        query_instruction=config.query_instruction,
        document_instruction=config.document_instruction,
        part_size=provider.limits.batch * provider.limits.max_in_flight,
    )

"""The forms that `[systems.NAME]` tables may have, with what their fields can refer to."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.models.settings import providers
from engine.retrieve.names import EVERY_CHUNK, RETRIEVERS
from engine.retrieve.refined import CORPUS_STAGES
from engine.retrieve.settings import neural_settings
from engine.retrieve.stage import NamedStage
from engine.retrieve.stages import CONTEXT_STAGES, QUERY_STAGES
from engine.settings.fields import Choices, Field, Variant, fields_of, stage_text


def system_fields(folder: Path, variant: Variant) -> list[Field]:
    """The fields of a system's table. Raises InputError for a broken ragdesk.toml."""
    neural = neural_settings(folder)
    have: Choices = {
        "retrievers": [
            *((name, entry.description) for name, entry in RETRIEVERS.items()),
            *((name, f"embedding {config.model}") for name, config in neural.embeddings.items()),
            *(
                (f"hybrid:bm25+{name}", "both, fused by rank")
                for name in ("lsa", *neural.embeddings)
            ),
            (EVERY_CHUNK.name, EVERY_CHUNK.description),
        ],
        "rerankers": [
            (name, f"{config.kind} {config.model}") for name, config in neural.rerankers.items()
        ],
        "corpus": _stages(CORPUS_STAGES),
        "query": _stages(QUERY_STAGES),
        "context": _stages(CONTEXT_STAGES),
        "generators": [
            ("extractive", "the sentences that answer best, offline"),
            ("closed-book", "the question alone, offline"),
            *(
                (one.name, f"{one.model} at {one.base_url}")
                for one in providers(folder).values()
                if one.kind != "offline"
            ),
        ],
    }
    return fields_of(variant, have)


def _stages(have: Mapping[str, NamedStage[Any]]) -> list[tuple[str, str]]:
    """Each stage with its options, and with what its module says of it."""
    return [
        (
            stage_text(name, stage.options),
            " ".join((sys.modules[stage.options.__module__].__doc__ or "").split()),
        )
        for name, stage in have.items()
    ]

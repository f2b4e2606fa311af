"""Judges of similarity: the `[judges.NAME]` tables with `method = "similarity"`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Struct

from engine.judge.base import JudgeSpec
from engine.judge.embedding import STAND_IN, embedding_config, embedding_of, embeds_at
from engine.judge.settings import JudgeTable, chosen_metrics
from engine.judge.similarity.metrics import METRICS, SENTENCE
from engine.settings.fields import Variant, about
from engine.settings.reader import check_ranges
from store.errors import InputError

KIND = "similarity"
VERSION = 1
"""Raised whenever equal vectors would give other scores."""


class _Table(Struct, forbid_unknown_fields=True):
    embedding: Annotated[str, about("whose vectors are compared", "embeddings")]
    corpus: Annotated[str, about("that the stand-in for an embedding learns from", "corpora")] = ""
    metrics: Annotated[
        tuple[str, ...] | None,
        about("what it scores; empty: all that the embedding can give", "metrics"),
    ] = None
    layer: Annotated[
        int | None, about("hidden states that BERTScore compares; empty: the last layer's")
    ] = None


VARIANTS = (Variant(KIND, "similarity to the golden answer, BERTScore too", _Table),)


def similarity_judge(folder: Path, written: JudgeTable) -> JudgeSpec:
    """The judge that a table defines.

    Raises InputError, naming file and field, for an unknown field, embedding or metric, and for
    BERTScore by what gives no vectors of tokens.
    """
    table = written.named(_Table)
    check_ranges(written.place, (("layer", table.layer, 0, 1000),))
    vectors = embedding_config(folder, table.embedding, table.corpus, written.place)
    config = embedding_of(vectors)
    has_tokens = config is not None and not config.provider
    names = [spec.name for spec in METRICS]
    able = names if has_tokens else [SENTENCE]
    wanted = able if table.metrics is None else table.metrics
    metrics = chosen_metrics(wanted, names, written.place)
    if metrics != (SENTENCE,) and not has_tokens:
        source = "the stand-in" if table.embedding == STAND_IN else "an endpoint"
        raise InputError(
            f"{written.place}.metrics: BERTScore compares the vectors of tokens, and {source} gives"
            " none.",
            f"Name an embedding with weights, or {SENTENCE} only.",
        )
    given = {
        "judge": written.name,
        "kind": KIND,
        "version": VERSION,
        "metrics": list(metrics),
        "layer": table.layer,
        **vectors,
    }
    return JudgeSpec(
        written.name,
        KIND,
        metrics,
        given,
        embeds_at=embeds_at(vectors),
        stands_in=config is None,
    )

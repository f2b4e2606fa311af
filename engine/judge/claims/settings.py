"""Judges of claims: the `[judges.NAME]` tables of method `claims`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Struct

from engine.judge.base import JudgeSpec
from engine.judge.claims.asked import CHECK, LIST
from engine.judge.claims.metrics import METRICS, RAGCHECKER
from engine.judge.embedding import embedding_config, embeds_at
from engine.judge.settings import JudgeTable, PromptedTable, chosen_metrics, prompted_config
from engine.judge.templates import read_named_templates, with_slots
from engine.models.settings import providers
from engine.settings.fields import Variant, about
from engine.settings.reader import check_ranges
from store.errors import InputError

METHOD = "claims"
CLAIMS_VERSION = 1
"""Raised whenever the way of asking, reading, computing or counting changes a score."""

MOST_PER_REQUEST = 50

_SLOTS = {
    LIST: with_slots("question", "text", optional=("history",)),
    CHECK: with_slots("question", "reference", "claims", optional=("history",)),
}


class _AskedTable(PromptedTable):
    metrics: Annotated[tuple[str, ...], about("what it scores", "metrics")] = RAGCHECKER
    prompts: Annotated[str, about("folder of its templates in prompts/LANG/")] = "claims"
    claims_per_request: Annotated[int, about("claims checked by one text at once, 1 to 50")] = 10


class _ComputedTable(Struct, forbid_unknown_fields=True):
    support: Literal["words", "embedding"]
    metrics: Annotated[tuple[str, ...], about("what it scores", "metrics")] = RAGCHECKER
    embedding: Annotated[str, about("whose vectors are compared", "embeddings")] = ""
    corpus: Annotated[str, about("that the stand-in for an embedding learns from", "corpora")] = ""
    least_similarity: Annotated[float, about("from which a text supports a claim, 0 to 1")] = 0.7


_OF_VECTORS = frozenset({"embedding", "corpus", "least_similarity"})
VARIANTS = (
    Variant("claims model", "claims, listed and checked by a model", _AskedTable),
    Variant(
        "claims words",
        "claims checked by shared words, a stand-in",
        _ComputedTable,
        {"support": "words"},
        _OF_VECTORS,
    ),
    Variant(
        "claims embedding",
        "claims checked by vectors, a stand-in",
        _ComputedTable,
        {"support": "embedding"},
    ),
)


def claims_judge(folder: Path, written: JudgeTable) -> JudgeSpec:
    """The judge that a table defines.

    Raises InputError, naming file and field, for a table with neither `model` nor `support`, an
    unknown field or metric, a model that is no provider, and a prompt without its parts.
    """
    if "model" in written.fields:
        return _asked(folder, written)
    if "support" in written.fields:
        return _computed(folder, written)
    raise InputError(
        f"{written.place} has neither `model` nor `support`.",
        'Name a provider as `model`; or write `support = "words"` for the offline stand-in.',
    )


def _asked(folder: Path, written: JudgeTable) -> JudgeSpec:
    table, provider = written.read(_AskedTable, providers(folder))
    check_ranges(
        written.place, (("claims_per_request", table.claims_per_request, 1, MOST_PER_REQUEST),)
    )
    metrics = chosen_metrics(table.metrics, tuple(METRICS), written.place)
    prompts = read_named_templates(folder, table.prompts, table.lang, _SLOTS, written.place)
    config = {
        **_base(written, metrics),
        "claims_per_request": table.claims_per_request,
        **prompted_config(table, provider, prompts),
    }
    if provider.json_schema:
        config["json_schema"] = True
    return JudgeSpec(written.name, METHOD, metrics, config, provider, table.repeats)


def _computed(folder: Path, written: JudgeTable) -> JudgeSpec:
    table = written.named(_ComputedTable)
    metrics = chosen_metrics(table.metrics, tuple(METRICS), written.place)
    config = {**_base(written, metrics), "support": table.support}
    if table.support == "embedding":
        check_ranges(written.place, (("least_similarity", table.least_similarity, 0, 1),))
        vectors = embedding_config(folder, table.embedding, table.corpus, written.place)
        config |= {**vectors, "least_similarity": table.least_similarity}
        at = embeds_at(vectors)
        return JudgeSpec(written.name, METHOD, metrics, config, embeds_at=at, stands_in=True)
    if table.embedding or table.corpus:
        raise InputError(
            f'{written.place}.embedding and corpus go with support = "embedding".', "Remove them."
        )
    return JudgeSpec(written.name, METHOD, metrics, config, stands_in=True)


def _base(written: JudgeTable, metrics: tuple[str, ...]) -> dict[str, Any]:
    return {
        "judge": written.name,
        "kind": METHOD,
        "version": CLAIMS_VERSION,
        "metrics": list(metrics),
    }

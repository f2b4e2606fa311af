"""EKRAG's judges: the `[judges.NAME]` tables with `method = "ekrag"`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct

from engine.judge.base import Judge, JudgeSpec
from engine.judge.ekrag.asking import SLOTS, template_name
from engine.judge.ekrag.metrics import METRICS
from engine.judge.embedding import STAND_IN, embedding_config, embeds_at
from engine.judge.settings import JudgeTable, PromptedTable, chosen_metrics, prompted_config
from engine.judge.templates import read_named_templates, with_slots
from engine.models.settings import providers
from engine.retrieve.neural.weights import declared_weights
from engine.retrieve.settings import DEFAULT_KIND, neural_settings
from engine.settings.fields import Variant, about
from engine.settings.reader import check_ranges
from store.errors import InputError
from store.messages import choices

KIND = "ekrag"
VERSION = 1
"""Raised whenever the way of comparing, asking or reading replies changes what an answer scores."""
MOST_LEVELS = 100
_NAMES = tuple(spec.name for spec in METRICS)


class _EmbeddingTable(Struct, forbid_unknown_fields=True):
    by: str
    embedding: Annotated[str, about("whose vectors are compared", "embeddings")]
    corpus: Annotated[str, about("that the stand-in for an embedding learns from", "corpora")] = ""
    metrics: Annotated[tuple[str, ...], about("what it scores", "metrics")] = _NAMES


class _RerankerTable(Struct, forbid_unknown_fields=True):
    by: str
    reranker: Annotated[str, about("a cross-encoder", "rerankers")]
    metrics: Annotated[tuple[str, ...], about("what it scores", "metrics")] = _NAMES


class _ModelTable(PromptedTable):
    by: Literal["model"] = "model"
    metrics: Annotated[tuple[str, ...], about("what it scores", "metrics")] = _NAMES
    levels: Annotated[int, about("of the model's scale, 2 to 100")] = 5
    prompts: Annotated[str, about("folder of its templates in prompts/LANG/")] = KIND


VARIANTS = (
    Variant("ekrag model", "EKRAG's judge by a model", _ModelTable, {"by": "model"}),
    Variant("ekrag embedding", "EKRAG's by vectors", _EmbeddingTable, {"by": "embedding"}),
    Variant("ekrag reranker", "EKRAG's by a cross-encoder", _RerankerTable, {"by": "reranker"}),
)


def ekrag_judge(folder: Path, written: JudgeTable) -> JudgeSpec:
    """The judge that a table defines.

    Raises InputError, naming file and field, for an unknown `by`, field, metric, embedding or
    reranker, a model that is no provider, and a prompt without its parts or slots.
    """
    by = written.fields.get("by", "model")
    if by not in _READERS:
        raise InputError(f"{written.place}.by is {by!r}.", choices(by, _READERS, "Ways"))
    return _READERS[by](folder, written)


def open_ekrag_judge(folder: Path, spec: JudgeSpec) -> Judge:
    """The judge, from its stored configuration: `by` says which of the three."""
    if spec.config["by"] == "model":
        from engine.judge.ekrag.asking import AskingJudge

        return AskingJudge(spec)
    from engine.judge.ekrag.computing import EmbeddingJudge, RerankerJudge

    kind = EmbeddingJudge if spec.config["by"] == "embedding" else RerankerJudge
    return kind(folder, spec)


def _by_embedding(folder: Path, written: JudgeTable) -> JudgeSpec:
    table = written.named(_EmbeddingTable)
    vectors = embedding_config(folder, table.embedding, table.corpus, written.place)
    return msgspec.structs.replace(
        _spec(written, table.by, table.metrics, vectors),
        embeds_at=embeds_at(vectors),
        stands_in=table.embedding == STAND_IN,
    )


def _by_reranker(folder: Path, written: JudgeTable) -> JudgeSpec:
    table = written.named(_RerankerTable)
    known = neural_settings(folder).rerankers
    if table.reranker not in known or known[table.reranker].kind != DEFAULT_KIND:
        have = [name for name, config in known.items() if config.kind == DEFAULT_KIND]
        raise InputError(
            f"{written.place}.reranker is {table.reranker!r}.",
            choices(table.reranker, have, "Cross-encoders")
            + " Describe one by [rerankers.NAME] with a model; nothing stands in for it.",
        )
    config = known[table.reranker]
    given = {"reranker": msgspec.to_builtins(config), "weights": declared_weights(config)}
    return _spec(written, table.by, table.metrics, given)


def _by_model(folder: Path, written: JudgeTable) -> JudgeSpec:
    table, provider = written.read(_ModelTable, providers(folder))
    check_ranges(written.place, (("levels", table.levels, 2, MOST_LEVELS),))
    metrics = chosen_metrics(table.metrics, _NAMES, written.place)
    names = [template_name(metric) for metric in metrics]
    checks = {name: with_slots(*SLOTS[name], optional=("history",)) for name in names}
    prompts = read_named_templates(folder, table.prompts, table.lang, checks, written.place)
    given = {
        "levels": table.levels,
        **prompted_config(table, provider, prompts),
    }
    found = _spec(written, table.by, metrics, given)
    return msgspec.structs.replace(found, provider=provider, repeats=table.repeats)


def _spec(
    written: JudgeTable, by: str, metrics: Sequence[str], given: Mapping[str, Any]
) -> JudgeSpec:
    chosen = chosen_metrics(metrics, _NAMES, written.place)
    config = {
        "judge": written.name,
        "kind": KIND,
        "by": by,
        "version": VERSION,
        "metrics": list(chosen),
        **given,
    }
    return JudgeSpec(written.name, KIND, chosen, config)


_READERS: dict[str, Callable[[Path, JudgeTable], JudgeSpec]] = {
    "embedding": _by_embedding,
    "reranker": _by_reranker,
    "model": _by_model,
}

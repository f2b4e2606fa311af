"""The forms that `[judges.NAME]` tables may have, with what their fields can refer to."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from engine.judge.claims.settings import VARIANTS as CLAIMS
from engine.judge.ekrag.settings import VARIANTS as EKRAG
from engine.judge.embedding import STAND_IN
from engine.judge.jury.settings import VARIANTS as JURY
from engine.judge.model.settings import VARIANTS as MODEL
from engine.judge.own.settings import VARIANTS as OWN
from engine.judge.ragquesteval.settings import VARIANTS as RAGQUESTEVAL
from engine.judge.registry import METHODS, judges
from engine.judge.settings import MODEL_METHOD
from engine.judge.similarity.settings import VARIANTS as SIMILARITY
from engine.models.settings import providers
from engine.retrieve.settings import neural_settings
from engine.settings.fields import Choices, Field, Variant, fields_of
from store.corpora import corpora
from store.errors import RagdeskError
from store.workspace import open_workspace

VARIANTS: tuple[Variant, ...] = tuple(
    variant
    if method == MODEL_METHOD
    else replace(variant, fixed={"method": method, **variant.fixed})
    for method, variants in {
        MODEL_METHOD: MODEL,
        "claims": CLAIMS,
        "ragquesteval": RAGQUESTEVAL,
        "ekrag": EKRAG,
        "similarity": SIMILARITY,
        "jury": JURY,
        "python": OWN,
    }.items()
    for variant in variants
)
"""The tables of judges, in the order in which they are offered."""


def judge_fields(folder: Path, variant: Variant) -> list[Field]:
    """The fields of a judge's table. Raises InputError for a broken ragdesk.toml."""
    neural = neural_settings(folder)
    method = METHODS[variant.fixed.get("method", MODEL_METHOD)]
    with open_workspace(folder) as workspace:
        corpus_names = [corpus.name for corpus in corpora.listing(workspace.db)]
    have: Choices = {
        "endpoints": [
            (one.name, f"{one.model} at {one.base_url}")
            for one in providers(folder).values()
            if one.kind != "offline"
        ],
        "metrics": [(spec.name, spec.variant) for spec in method.metrics],
        "embeddings": [
            *((name, config.model) for name, config in neural.embeddings.items()),
            (STAND_IN, "latent semantic analysis of a corpus, which needs no model"),
        ],
        "rerankers": [(name, config.model) for name, config in neural.rerankers.items()],
        "corpora": [(name, "") for name in corpus_names],
        "judges": _judges(folder),
    }
    return fields_of(variant, have)


def _judges(folder: Path) -> list[tuple[str, str]]:
    try:
        return [(name, spec.kind) for name, spec in judges(folder).items()]
    except RagdeskError:
        return []  # the table that is broken may be the one that is being mended

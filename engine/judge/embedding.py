"""Texts compared by the cosine of their vectors, for judges: an embedding model of the settings, at
an endpoint or as weights, or the stand-in without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.retrieve.settings import neural_settings
from store.errors import InputError, NotFound
from store.messages import choices
from store.systems import EmbeddingConfig
from store.workspace import open_workspace

if TYPE_CHECKING:
    from engine.retrieve.index.embedding import Embedder
    from engine.retrieve.index.ranking import Vectors

STAND_IN = "lsa-stand-in"
"""In the place of an embedding's name: latent semantic analysis of a corpus, which needs no model
and is a baseline, not an embedding model."""

_MOST_KEPT = 2048
"""Texts whose vectors are kept: golden answers and evidence come again with every system."""


def embedding_config(folder: Path, name: str, corpus: str, place: str) -> dict[str, Any]:
    """The part of a judge's configuration that says what its vectors are.

    Raises InputError, naming the table at `place`, for an unknown name, and for a corpus that is
    missing or not wanted.
    """
    if name == STAND_IN:
        return _stand_in_config(folder, corpus, place)
    if corpus:
        raise InputError(
            f"{place}.corpus goes with embedding = {STAND_IN!r} only.",
            "Remove it: an embedding model needs no corpus.",
        )
    known = neural_settings(folder).embeddings
    if name not in known:
        raise InputError(
            f"{place}.embedding is {name!r}.",
            choices(name, [*known, STAND_IN], "Embeddings")
            + " Describe one by [embeddings.NAME] with a model or a provider.",
        )
    config = known[name]
    return {"embedding": msgspec.to_builtins(config), "weights": _weights(config)}


def embedding_of(config: Mapping[str, Any]) -> EmbeddingConfig | None:
    """The embedding of a stored configuration; null for the stand-in."""
    if config["embedding"] == STAND_IN:
        return None
    return msgspec.convert(config["embedding"], EmbeddingConfig)


def embeds_at(config: Mapping[str, Any]) -> str:
    """The provider that a stored configuration asks for vectors; empty where it asks none."""
    embedding = embedding_of(config)
    return embedding.provider if embedding else ""


class TextVectors:
    """Vectors of length 1, from what a judge's configuration names; opened on first use."""

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        """Raises RagdeskError when the extra `neural` is needed and missing."""
        self._folder = folder
        self._config = config
        embedding = embedding_of(config)
        if embedding is not None and not embedding.provider:
            from engine.retrieve.neural.weights import require_neural

            require_neural()
        self._kept: dict[str, Vectors] = {}
        self.remark = f"stand-in: LSA of corpus {config['corpus']}" if embedding is None else ""
        """What a reader of a score must know of the vectors; mostly nothing."""

    @cached_property
    def _embedder(self) -> Embedder:
        embedding = embedding_of(self._config)
        if embedding is None:
            return _open_stand_in(self._folder, self._config)
        from engine.retrieve.pipeline import open_embedder

        return open_embedder(self._folder, embedding)

    def of(self, texts: Sequence[str]) -> Vectors:
        """A row for each text; of zeros for one that the stand-in knows no word of. Those of the
        last texts are kept: what is wanted later may be asked for at once before."""
        import numpy as np

        from engine.retrieve.index.embedding import finite
        from engine.retrieve.index.vectors import unit

        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if new:
            if len(self._kept) + len(new) > _MOST_KEPT:
                self._kept.clear()
                new = list(dict.fromkeys(texts))
            name = self._config["embedding"]
            shown = name if isinstance(name, str) else name["name"]
            vectors = unit(finite(shown, self._embedder.embed(new, "document")))
            self._kept.update(zip(new, vectors, strict=True))
        return np.stack([self._kept[text] for text in texts])

    def read_as(self, passages: Sequence[str]) -> list[str]:
        """The texts whose vectors stand for passages: all joined by blank lines, or each where the
        model would not read the whole to its end."""
        joined = "\n\n".join(passages)
        fit = self._embedder.fit([joined]) if len(passages) > 1 else None
        return [joined] if fit is None or not fit.cut else list(passages)

    def mean(self, texts: Sequence[str]) -> Vectors:
        """The direction of the mean of the texts' vectors."""
        from engine.retrieve.index.vectors import unit

        row: Vectors = unit(self.of(texts).mean(axis=0, keepdims=True))[0]
        return row

    def cosine(self, text: str, others: Sequence[str]) -> float:
        """Of a text with the nearest of others, in [-1, 1]."""
        vectors = self.of([text, *others])
        # rounding may lead a hair beyond
        return min(1.0, max(-1.0, float(max(vectors[1:] @ vectors[0]))))


def _stand_in_config(folder: Path, name: str, place: str) -> dict[str, Any]:
    from engine.retrieve.index.artefacts import recipe_of
    from engine.retrieve.index.lsa import LsaIndex
    from store.corpora import corpora

    if not name:
        raise InputError(
            f"{place}.embedding is {STAND_IN!r}, and `corpus` is missing.",
            "Name the corpus whose words it shall know.",
        )
    with open_workspace(folder) as workspace:
        try:
            corpus = corpora.get(workspace.db, name)
        except NotFound as error:
            raise InputError(f"{place}.corpus: {error.message}", error.remedy) from error
        fingerprint = corpora.fingerprint(workspace.db, corpus)
    recipe = recipe_of(LsaIndex(), fingerprint).hash()
    return {
        "embedding": STAND_IN,
        "corpus": name,
        "fingerprint": fingerprint,
        "weights": recipe,
    }


def _open_stand_in(folder: Path, config: Mapping[str, Any]) -> Embedder:
    """Raises Conflict when the corpus has changed since the judge was found."""
    from engine.retrieve.index.embedding import PrefixedEmbedder
    from engine.retrieve.index.vectors import VectorRetriever
    from engine.retrieve.pipeline import open_index
    from store.corpora import corpora

    with open_workspace(folder) as workspace:
        corpus = corpora.get(workspace.db, config["corpus"])
        index = open_index(workspace, corpus, "lsa", expected=config["fingerprint"])
    assert isinstance(index, VectorRetriever), "LSA is searched by vectors"
    return PrefixedEmbedder(index.embed, {"lsa": config["weights"]})


def _weights(config: EmbeddingConfig) -> str:
    if config.provider:
        return ""
    from engine.retrieve.neural.weights import declared_weights

    return declared_weights(config)

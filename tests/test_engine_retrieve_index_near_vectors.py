"""Approximate indexes search the vectors of a flat one, and say how much they find."""

from __future__ import annotations

import numpy as np
import pytest

from engine.retrieve.index.artefacts import index_folder, open_or_build
from engine.retrieve.index.base import IndexColumns
from engine.retrieve.index.embedding import EmbeddingIndex, PrefixedEmbedder
from engine.retrieve.index.near_vectors import NearVectors
from engine.retrieve.index.vectors import unit
from engine.retrieve.settings import neural_settings
from store.errors import InputError
from store.records import MixedQuery
from store.systems import EmbeddingConfig

CHUNKS = 600
CONFIG = EmbeddingConfig("vectors", "made")
VECTORS = unit(np.random.default_rng(3).normal(size=(CHUNKS, 16)).astype(np.float32))
QUERIES = [str(row) for row in range(0, CHUNKS, 20)]


def columns():
    ids = [f"d{row:03}" for row in range(CHUNKS)]
    return IndexColumns(ids, [0] * CHUNKS, [9] * CHUNKS, [str(row) for row in range(CHUNKS)])


class Counting:
    """An embedder of numbers, which are the rows of VECTORS; counts what it embeds."""

    def __init__(self):
        self.texts = 0

    def __call__(self, texts):
        self.texts += len(texts)
        return VECTORS[[int(text) for text in texts]]


def opened(folder, kind, embed=None):
    notices = []
    embedder = PrefixedEmbedder(embed or Counting(), {"model": "made"})
    flat_kind = EmbeddingIndex(CONFIG, embedder, notices.append)
    flat = open_or_build(folder, flat_kind, "print", columns)
    near_kind = NearVectors(kind, flat, flat_kind.parameters(), notices.append)
    return flat, open_or_build(folder, near_kind, "print", columns), notices


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_most_of_what_an_exact_search_finds_is_found_with_the_same_scores(tmp_path, kind):
    embed = Counting()
    flat, near, notices = opened(tmp_path, kind, embed)
    assert embed.texts == CHUNKS, "the vectors of the flat index serve both"
    exact = flat.search(QUERIES, 10)
    found = near.search(QUERIES, 10)
    scores = [{hit.chunk_id: hit.score for hit in hits} for hits in flat.search(QUERIES, CHUNKS)]
    shares = []
    for best, hits, own in zip(exact, found, scores, strict=True):
        assert [own[hit.chunk_id] for hit in hits] == pytest.approx(
            [hit.score for hit in hits], abs=2e-6
        )
        shares.append(len({hit.chunk_id for hit in hits} & {hit.chunk_id for hit in best}) / 10)
    assert np.mean(shares) > (0.95 if kind == "hnsw" else 0.3)
    assert any(f"The {kind} index of 'vectors' finds" in notice for notice in notices)
    assert near.search([MixedQuery("0", nearest=tuple(exact[0][:1]))], 1)[0] == exact[0][:1]


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_equal_vectors_give_an_equal_index(tmp_path, kind):
    made = []
    for name in ("a", "b"):
        opened(tmp_path / name, kind)
        (file,) = index_folder(tmp_path / name).glob("*/near.faiss")
        made.append((file.parent.name, file.read_bytes()))
    assert made[0] == made[1]


def test_the_kind_of_index_is_a_setting_of_an_embedding(tmp_path):
    settings = tmp_path / "ragdesk.toml"
    settings.write_text('[embeddings.e]\nmodel = "o/m"\nindex = "hnsw"\n', "utf-8")
    assert neural_settings(tmp_path).embeddings["e"].index == "hnsw"
    settings.write_text('[embeddings.e]\nmodel = "o/m"\nindex = "tree"\n', "utf-8")
    with pytest.raises(InputError, match="tree"):
        neural_settings(tmp_path)

"""Without the extra `neural`, what needs it says so, and all else works."""

from __future__ import annotations

import sys

import pytest

from engine.retrieve.neural.cross_encoder import CrossEncoderReranker
from engine.retrieve.pipeline import open_retriever
from store.errors import RagdeskError
from store.systems import EmbeddingConfig, RerankerConfig, RerankStage, Retrieval

NEEDED = r"need the extra `neural`.*pip install 'ragdesk\[neural\]'"


@pytest.fixture(autouse=True)
def without_the_extra(monkeypatch):
    for name in ("sentence_transformers", "transformers"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize("retriever", ["minilm", "hybrid:bm25+minilm"])
def test_an_embedding_asks_for_it(workspace, corpus, tmp_path, retriever):
    embedding = EmbeddingConfig(name="minilm", model=str(tmp_path))
    with pytest.raises(RagdeskError, match=NEEDED):
        open_retriever(workspace, corpus, Retrieval(retriever, (embedding,)))


def test_a_reranker_asks_for_it(workspace, corpus, tmp_path):
    config = RerankerConfig(name="tiny", model=str(tmp_path))
    with pytest.raises(RagdeskError, match=NEEDED):
        CrossEncoderReranker(config).score("query", ["text"])
    retrieval = Retrieval("bm25", rerank=(RerankStage(config, 5),))
    with pytest.raises(RagdeskError, match=NEEDED):
        open_retriever(workspace, corpus, retrieval).search(["rate"], 2)


def test_fusions_of_what_is_built_in_do_not(workspace, corpus):
    retriever = open_retriever(workspace, corpus, Retrieval("hybrid:bm25+lsa*0.5"))
    assert retriever.search(["利率 rate"], 3)[0]

"""Systems that cut the stored texts their own way: other chunks, the same gold."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_workspaces import make_sample_workspace

from engine.evaluate.systems import find_system
from engine.metrics.evidence import score_evidence
from engine.retrieve.pipeline import open_retriever
from engine.text.tokens import count_tokens
from store.corpora import corpora
from store.datasets import datasets
from store.errors import InputError
from store.records import ChunkingSettings
from store.workspace import open_workspace


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_sample_workspace(tmp_path_factory.mktemp("rechunking") / "workspace")
    (folder / "ragdesk.toml").write_text(
        '[systems.small]\nretriever = "bm25"\nchunk_size = 64\nchunk_overlap = 0\n'
    )
    return folder


def test_a_system_searches_the_chunks_of_its_own_chunking(sample: Path):
    with open_workspace(sample) as workspace:
        corpus = corpora.get(workspace.db, "sample")
        retrieval = find_system(sample, "small").retrieval
        assert retrieval is not None
        assert retrieval.chunking == ChunkingSettings(64, 0)
        before = corpora.counts(workspace.db, corpus)
        hits = open_retriever(workspace, corpus, retrieval).search(["流动性覆盖率 deposit"], 20)[0]
        texts = corpora.documents_by_id(workspace.db, corpus, (hit.document_id for hit in hits))
        assert len(hits) == 20
        for hit in hits:
            assert count_tokens(texts[hit.document_id].text[hit.start : hit.end]) <= 64
        assert corpora.counts(workspace.db, corpus) == before


def test_evidence_is_found_in_chunks_of_any_size(sample: Path):
    with open_workspace(sample) as workspace:
        corpus = corpora.get(workspace.db, "sample")
        release = datasets.find_release(workspace.db, "sample")
        items = list(datasets.released_items(workspace.db, release.id))
        for name in ("bm25", "small"):
            retrieval = find_system(sample, name).retrieval
            assert retrieval is not None
            retriever = open_retriever(workspace, corpus, retrieval)
            found = 0.0
            for item in items:
                turn = item.content.turns[0]
                hits = retriever.search([turn.question], 10)[0]
                found += score_evidence(hits, turn.evidence, ["hit@10"])[0].value or 0.0
            assert found / len(items) > 0.7


def test_an_impossible_chunking_is_refused_with_its_place(tmp_path: Path):
    (tmp_path / "ragdesk.toml").write_text(
        '[systems.x]\nretriever = "bm25"\nchunk_size = 10\nchunk_overlap = 10\n'
    )
    with pytest.raises(InputError, match=r"systems\.x"):
        find_system(tmp_path, "x")

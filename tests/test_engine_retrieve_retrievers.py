"""What holds for every retriever, whatever its scores."""

from __future__ import annotations

import random

import pytest

from engine.retrieve.index.base import IndexColumns, no_progress
from engine.retrieve.index.ranking import ChunkTable
from engine.retrieve.names import RETRIEVERS
from engine.text.segmentation import terms
from store.errors import InputError

ALL = pytest.mark.parametrize("kind", RETRIEVERS)
WORDS = ["银行", "贷款", "利率", "基金", "股票", "债券"]
WORDS += ["revenue", "income", "cash", "loan", "bond", "fund", "risk"]


def build(folder, kind, texts, document_ids=None):
    ids = document_ids or [f"d{row:04}" for row in range(len(texts))]
    given = IndexColumns(ids, [0] * len(texts), [len(text) for text in texts], texts)
    columns = given.in_tie_order()
    index = RETRIEVERS[kind].kind()
    index.build(columns.texts, folder, no_progress)
    ChunkTable.write(folder, columns)
    return index.load(folder, ChunkTable.read(folder))


def random_texts(count, seed=1):
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(1, 12))) for _ in range(count)]


@ALL
def test_the_text_itself_finds_its_chunk(tmp_path, kind):
    texts = ["央行下调贷款利率", "Revenue rose by 12% in 2023", "基金净值下跌", "The bond matured"]
    retriever = build(tmp_path, kind, texts)
    for row, hits in enumerate(retriever.search(texts, 3)):
        assert hits[0].document_id == f"d{row:04}"
        assert (hits[0].start, hits[0].end) == (0, len(texts[row]))


@ALL
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_tiny_corpora_work(tmp_path, kind, size):
    texts = [f"{word} report" for word in WORDS[:size]]
    retriever = build(tmp_path, kind, texts)
    for row, hits in enumerate(retriever.search(WORDS[:size], 10)):
        assert f"d{row:04}" in [hit.document_id for hit in hits]


@ALL
def test_equal_chunks_are_ordered_by_document_id(tmp_path, kind):
    ids = [f"d{row:03}" for row in range(200)]
    random.Random(3).shuffle(ids)
    texts = ["利率 上升"] * 200 + ["基金 净值", "cash flow", "股票"]
    retriever = build(tmp_path, kind, texts, [*ids, "x", "y", "z"])
    for k in (1, 7, 150):
        hits = retriever.search(["利率 上升"], k)[0]
        assert [hit.document_id for hit in hits] == sorted(ids)[:k]


@ALL
def test_a_chunk_that_shares_no_term_is_no_hit(tmp_path, kind):
    retriever = build(tmp_path, kind, ["利率 上升", "cash flow", "cash fund", "！？"])
    assert {hit.document_id for hit in retriever.search(["cash"], 10)[0]} == {"d0001", "d0002"}


@ALL
def test_queries_without_known_words_have_no_hits(tmp_path, kind):
    retriever = build(tmp_path, kind, random_texts(20))
    assert retriever.search(["", "？？", "unheardof", "未登录词语"], 5) == [[], [], [], []]
    assert retriever.search([], 5) == []


@ALL
def test_a_batch_gives_what_single_queries_give(tmp_path, kind):
    retriever = build(tmp_path, kind, random_texts(300))
    queries = random_texts(40, seed=2)
    assert retriever.search(queries, 8) == [retriever.search([query], 8)[0] for query in queries]


@ALL
def test_a_longer_list_begins_with_the_shorter_one(tmp_path, kind):
    retriever = build(tmp_path, kind, random_texts(300))
    queries = random_texts(20, seed=4)
    for short, long in zip(
        retriever.search(queries, 5), retriever.search(queries, 60), strict=True
    ):
        assert long[:5] == short
        assert [hit.score for hit in long] == sorted((hit.score for hit in long), reverse=True)
        assert len({hit.chunk_id + hit.document_id for hit in long}) == len(long)


@ALL
def test_building_twice_gives_the_same_files(tmp_path, kind):
    texts = random_texts(120)
    files = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        build(folder, kind, texts)
        files.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert files[0] == files[1]


@ALL
def test_a_corpus_without_a_word_is_refused(tmp_path, kind):
    with pytest.raises(InputError, match="none of 2 chunks holds a word"):
        build(tmp_path, kind, ["", "——"])


@ALL
def test_k_must_be_positive(tmp_path, kind):
    with pytest.raises(ValueError, match="at least 1"):
        build(tmp_path, kind, ["cash"]).search(["cash"], 0)


@ALL
def test_progress_counts_the_texts(tmp_path, kind):
    seen = []
    texts = random_texts(600)
    RETRIEVERS[kind].kind().build(texts, tmp_path, lambda *step: seen.append(step))
    segmented = [(done, total) for stage, done, total in seen if stage == "terms"]
    assert segmented == sorted(segmented)
    assert segmented[-1] == (600, 600)
    assert [step for step in seen if step[0] == "index"] == [("index", 0, 1), ("index", 1, 1)]


def test_the_random_texts_hold_words():
    assert set(terms(" ".join(WORDS))) >= {"银行", "revenue"}

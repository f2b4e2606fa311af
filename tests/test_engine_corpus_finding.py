"""A document is found by its id, its imported id, or an ending of its path that it alone has."""

from __future__ import annotations

import pytest
from tiny_workspaces import TEXTS, make_corpus, put_text

from engine.corpus.finding import CorpusDocuments, by_ending
from store.corpora.corpora import Corpus
from store.hashing import text_id
from store.records import Evidence, Hit
from store.workspace import Workspace

RATES = TEXTS["en/rates.md"]


@pytest.fixture
def names(workspace: Workspace, corpus: Corpus) -> CorpusDocuments:
    with workspace.write() as db:
        put_text(db, corpus, "beir.jsonl", "An imported text.", locator="7", external_id="7")
    return CorpusDocuments(workspace.db, corpus)


@pytest.mark.parametrize("name", [text_id(RATES), "en/rates.md", "rates.md", "./en/rates.md"])
def test_every_name_of_a_file_finds_it(names: CorpusDocuments, name: str):
    assert names.find(["unheard of", name]) == text_id(RATES)


def test_an_imported_id_finds_its_document_and_its_file_of_many_does_not(names: CorpusDocuments):
    assert names.find(["7"]) == text_id("An imported text.")
    assert names.find(["beir.jsonl"]) is None
    assert names.find(["", "en"]) is None


def test_a_document_is_known_by_its_whole_text_too(names: CorpusDocuments):
    assert names.find(["n-1"], TEXTS["zh/基金.md"] + " \r\n") == text_id(TEXTS["zh/基金.md"])
    assert names.find([], "基金净值上涨") is None


def test_an_ending_that_two_paths_share_finds_neither():
    found = by_ending({"a/x.md": "d1", "b/x.md": "d2"})
    assert found == {("a", "x.md"): "d1", ("b", "x.md"): "d2"}


def test_a_chunk_id_is_a_span_inside_its_document(names: CorpusDocuments):
    document = text_id(RATES)
    assert names.chunk(f"{document}:3-9", 2.0) == Hit(document, 3, 9, 2.0)
    assert names.chunk(f"{document}:9-9") is None
    assert names.chunk(f"{document}:0-{len(RATES) + 1}") is None
    assert names.chunk(document) is None


def test_a_quote_is_located_where_the_document_holds_it_word_for_word(names: CorpusDocuments):
    document, quote = text_id(RATES), "😀 Loans"
    start = RATES.index(quote)
    assert names.quote(document, quote) == Evidence(document, start, start + len(quote), quote)
    assert names.quote(document, "other words") is None
    assert names.quote(document, "") is None


def test_a_corpus_knows_its_own_documents_only(workspace: Workspace, corpus: Corpus):
    with workspace.write() as db:
        other = make_corpus(db, "other", ["zh/基金.md"])
    assert CorpusDocuments(workspace.db, other).find(["en/rates.md"]) is None

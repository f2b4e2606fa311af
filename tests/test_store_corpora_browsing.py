"""A corpus to leaf through: order, lines, chunks, and a search from one character up."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from store.corpora import corpora, document_topics
from store.corpora.browsing import document_lines, document_rows, document_sheet
from store.corpora.corpora import Corpus
from store.errors import NotFound
from store.records import ChunkingSettings
from store.workspace import Workspace, open_workspace

TEXTS = {
    "a.txt": "央行下调利率，ＧＤＰ增长。",
    "b.txt": "The GDP grew by 5% last year_end.",
    "c.txt": "净息差收窄，率先反弹。" * 30,
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    workspace = open_workspace(tmp_path / "workspace", create=True)
    ingest(workspace, "texts", read_paths([folder]), ChunkingSettings(80, 20, "chars"))
    return workspace


@pytest.fixture
def corpus(workspace: Workspace) -> Corpus:
    return corpora.get(workspace.db, "texts")


def names(workspace: Workspace, corpus: Corpus, wanted: str) -> list[str]:
    rows = document_rows(workspace.db, corpus, wanted)
    return [Path(one.path).name for one in document_lines(workspace.db, corpus, rows)]


def test_documents_come_in_the_order_in_which_they_were_read(
    workspace: Workspace, corpus: Corpus
) -> None:
    assert names(workspace, corpus, "") == ["a.txt", "b.txt", "c.txt"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("率", ["a.txt", "c.txt"]),
        ("利率", ["a.txt"]),
        ("gdp", ["a.txt", "b.txt"]),
        ("ＧＤＰ", ["a.txt", "b.txt"]),
        ("5%", ["b.txt"]),
        ("r_e", ["b.txt"]),
        ("%", ["b.txt"]),
        ("没有", []),
    ],
)
def test_a_search_finds_one_character_in_any_width(
    workspace: Workspace, corpus: Corpus, wanted: str, found: list[str]
) -> None:
    assert names(workspace, corpus, wanted) == found


def test_a_line_has_the_latest_topic_whatever_the_clock_says_and_how_the_text_begins(
    workspace: Workspace, corpus: Corpus
) -> None:
    first, *_ = document_rows(workspace.db, corpus)
    with workspace.write() as db:
        document_topics.put(db, "omnieval", [(first, "bonds", 1.0)], "lexical")
        document_topics.put(db, "crud", [(first, "finance", 1.0)], "lexical")
        db.execute("UPDATE document_topic SET at = '2099-01-01T00:00:00.000Z'")
        document_topics.put(db, "omnieval", [(first, "macro", 1.0)], "model")
    (line,) = document_lines(workspace.db, corpus, [first])
    assert (line.topic, line.beginning) == ("macro", TEXTS["a.txt"])
    topics = document_sheet(workspace.db, corpus, first).topics
    assert topics == (("omnieval", "macro", "model"), ("crud", "finance", "lexical"))


def test_a_sheet_has_sources_and_chunks(workspace: Workspace, corpus: Corpus) -> None:
    *_, row = document_rows(workspace.db, corpus)
    sheet = document_sheet(workspace.db, corpus, row)
    assert sheet.text == TEXTS["c.txt"]
    assert [Path(source.path).name for source in sheet.sources] == ["c.txt"]
    assert sheet.chunks[0].start == 0
    assert sheet.chunks[-1].end == len(sheet.text)
    assert sheet.chunks[1].start < sheet.chunks[0].end
    assert sheet.topics == ()


def test_a_document_that_is_not_there_is_said_to_be_missing(
    workspace: Workspace, corpus: Corpus
) -> None:
    with pytest.raises(NotFound, match="no document with number 99"):
        document_sheet(workspace.db, corpus, 99)
    assert document_lines(workspace.db, corpus, [99]) == []

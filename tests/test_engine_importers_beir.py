"""Judged queries become a released dataset, with the corpus or on one that is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_workspaces import TEXTS, put_text

from engine.importers.beir import BeirReport, import_beir, import_qrels
from engine.taxonomy.definitions import load_taxonomy
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.errors import InputError, NotFound, UsageError
from store.hashing import canonical_json, text_id
from store.records import UNASSIGNED, Evidence, ReleasedItem
from store.workspace import Workspace

TAXONOMY = load_taxonomy("omnieval")


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(
        tmp_path,
        "corpus.jsonl",
        [
            {"_id": "d1", "title": "利率", "text": "央行下调了利率。"},
            {"_id": "d2", "title": "Funds", "text": "The fund rose."},
        ],
    )
    write(
        tmp_path,
        "queries.jsonl",
        [
            {"_id": "q1", "text": "谁下调了利率？", "answers": ["央行", ""], "type": "fact"},
            {"_id": "q2", "text": "What rose?"},
            {"_id": "q3", "text": "Nothing judged"},
        ],
    )
    (tmp_path / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t1\nq2\td2\t2\nq2\tgone\t1\nq3\td1\t0\n"
    )
    return tmp_path


def items(workspace: Workspace, report: BeirReport) -> dict[str, ReleasedItem]:
    found = datasets.released_items(workspace.db, report.release.id)
    return {item.item_key: item for item in found}


def test_a_folder_becomes_a_corpus_and_a_release(workspace: Workspace, folder: Path):
    report = import_beir(
        workspace,
        folder,
        corpus_name="c",
        dataset_name="d",
        taxonomy=TAXONOMY,
        task_map={"fact": "extractive"},
        author="test",
    )
    assert (report.release.label, report.documents.added) == ("d@1", 2)
    assert (report.without_gold, report.unknown_documents) == (1, ("gone",))
    gold = items(workspace, report)
    first = gold["q1"].content
    assert (first.task, first.lang, first.facets) == ("extractive", "zh", {"type": "fact"})
    assert first.turns[0].golden_answers == ("央行",)
    # the better grade comes first
    assert gold["q2"].content.turns[0].evidence == (
        Evidence(text_id("The fund rose."), grade=2),
        Evidence(text_id("央行下调了利率。")),
    )
    # a grade of 1 is not stored, so that content keeps the hash that it had before grades
    assert b"grade" not in canonical_json(gold["q1"].content)
    assert (gold["q3"].content.turns[0].evidence, gold["q3"].content.task) == ((), UNASSIGNED)


def test_qrels_judge_the_documents_of_a_corpus_that_is_there(
    workspace: Workspace, corpus: Corpus, tmp_path: Path
):
    queries = write(tmp_path, "topics.jsonl", [{"_id": "1", "text": "What of the rate?"}])
    qrels = tmp_path / "qrels.trec"
    qrels.write_text("1 0 rates.md 1\n1 0 zh/基金.md 1\n1 0 nowhere 1\n")
    report = import_qrels(
        workspace,
        qrels,
        queries=queries,
        corpus_name=corpus.name,
        dataset_name="judged",
        taxonomy=TAXONOMY,
        author="test",
    )
    assert (report.release.label, report.unknown_documents) == ("judged@1", ("nowhere",))
    (item,) = items(workspace, report).values()
    assert item.content.turns[0].evidence == (
        Evidence(text_id(TEXTS["en/rates.md"])),
        Evidence(text_id(TEXTS["zh/基金.md"])),
    )


def test_a_missing_corpus_and_a_taken_name_are_refused(
    workspace: Workspace, corpus: Corpus, folder: Path
):
    def bring_in(corpus_name: str) -> BeirReport:
        return import_qrels(
            workspace,
            folder / "qrels.tsv",
            queries=folder / "queries.jsonl",
            corpus_name=corpus_name,
            dataset_name="judged",
            taxonomy=TAXONOMY,
            author="test",
        )

    with pytest.raises(NotFound, match="no corpus 'nowhere'"):
        bring_in("nowhere")
    bring_in(corpus.name)
    with pytest.raises(UsageError, match="Dataset 'judged' exists already"):
        bring_in(corpus.name)


def test_the_meta_of_a_query_becomes_facets(workspace: Workspace, folder: Path):
    meta = {"answer_from": "table", "hops": 2, "hard": False, "topic": "x", "doc": None, "ids": [1]}
    write(folder, "queries.jsonl", [{"_id": "q1", "text": "谁？", "type": "fact", "meta": meta}])
    report = import_beir(
        workspace, folder, corpus_name="c", dataset_name="d", taxonomy=TAXONOMY, author="test"
    )
    content = items(workspace, report)["q1"].content
    assert content.facets == {"type": "fact", "answer_from": "table", "hops": 2, "hard": False}


def test_files_of_many_documents_are_gold_as_a_whole(
    workspace: Workspace, corpus: Corpus, tmp_path: Path
):
    with workspace.write() as db:
        for page in (1, 2):
            put_text(db, corpus, "in/2023 Q2.pdf", f"page {page}", locator=f"page {page}")
    named = {"source_docs": ["2023 Q2.pdf", "gone.pdf"], "modality": "Text"}
    queries = write(tmp_path, "queries.jsonl", [{"_id": "1", "text": "What?", "meta": named}])
    report = import_qrels(
        workspace,
        None,
        queries=queries,
        corpus_name=corpus.name,
        dataset_name="judged",
        taxonomy=TAXONOMY,
        author="test",
    )
    (item,) = items(workspace, report).values()
    pages = tuple(Evidence(text_id(f"page {page}")) for page in (1, 2))
    assert item.content.turns[0].evidence == pages
    assert item.content.facets == {"modality": "Text"}
    assert report.unknown_documents == ("gone.pdf",)
    write(tmp_path, "queries.jsonl", [{"_id": "1", "text": "What?"}])
    with pytest.raises(InputError, match="source_docs"):
        import_qrels(
            workspace,
            None,
            queries=queries,
            corpus_name=corpus.name,
            dataset_name="other",
            taxonomy=TAXONOMY,
            author="test",
        )

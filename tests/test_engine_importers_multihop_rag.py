"""MultiHop-RAG comes in: articles as documents, queries with their facts where they stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.importers.multihop_rag import MultiHopReport, import_multihop_rag
from engine.taxonomy.definitions import load_taxonomy
from store.corpora import corpora
from store.datasets import datasets
from store.errors import InputError
from store.records import ItemContent
from store.verify import verify
from store.workspace import Workspace

ALPHA = {
    "title": "Bank Alpha grows",
    "author": "Ann",
    "source": "The News",
    "published_at": "2023-10-01T00:00:00+00:00",
    "category": "business",
    "url": "https://news.example/1",
    "body": "Bank Alpha opened ten branches.\n\nIts profit rose by 12% in 2023.",
}
BETA = {"title": "贝塔银行", "author": None, "body": "贝塔银行关闭了三家支行。", "url": None}
QUERIES: list[dict[str, Any]] = [
    {
        "query": "Did both banks open branches? ",
        "answer": "No",
        "question_type": "comparison_query",
        "evidence_list": [
            {
                "title": ALPHA["title"],
                "url": ALPHA["url"],
                "fact": "Bank Alpha opened ten branches. Its profit rose by 12% in 2023.",
            },
            {"title": BETA["title"], "fact": "贝塔银行关闭了三家支行"},
        ],
    },
    {
        "query": "How many branches has Bank Alpha?",
        "answer": "10",
        "question_type": "inference_query",
        "evidence_list": [
            {"title": ALPHA["title"], "url": ALPHA["url"], "fact": "Bank Alpha opened 10 branches"},
            {"title": "Gone", "url": "https://news.example/9", "fact": "It is gone."},
        ],
    },
    {
        "query": "Who bought Bank Gamma?",
        "answer": "Insufficient information.",
        "question_type": "null_query",
        "evidence_list": [],
    },
]


def write(folder: Path, articles: list[Any], queries: list[Any]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "corpus.json").write_text(json.dumps(articles), "utf-8")
    (folder / "MultiHopRAG.json").write_text(json.dumps(queries), "utf-8")
    return folder


def bring_in(workspace: Workspace, *paths: Path, taxonomy: str = "omnieval") -> MultiHopReport:
    return import_multihop_rag(
        workspace,
        paths,
        corpus_name="news",
        dataset_name=f"queries-{taxonomy}",
        taxonomy=load_taxonomy(taxonomy),
        author="test",
    )


def contents(workspace: Workspace, taxonomy: str = "omnieval") -> dict[str, ItemContent]:
    """The items by their questions."""
    dataset = datasets.get(workspace.db, f"queries-{taxonomy}")
    held = datasets.first_contents(workspace.db, dataset).values()
    return {content.turns[0].question: content for content in held}


def test_facts_stand_where_the_articles_hold_them(workspace: Workspace, tmp_path: Path) -> None:
    report = bring_in(workspace, write(tmp_path / "files", [ALPHA, BETA], QUERIES))
    assert (report.documents.added, report.items.added) == (2, 3)
    assert (report.unlocated, report.unknown_documents) == (1, ("https://news.example/9",))
    both = contents(workspace)["Did both banks open branches?"]
    # white space apart, as their own evaluation compares
    assert [unit.quote for unit in both.turns[0].evidence] == [
        ALPHA["body"],
        "贝塔银行关闭了三家支行",
    ]
    assert both.facets == {"question_type": "comparison_query", "hops": 2}
    assert (both.task, both.turns[0].golden_answers) == ("multi_hop", ("No",))
    (whole,) = contents(workspace)["How many branches has Bank Alpha?"].turns[0].evidence
    assert (whole.quote, whole.start) == (None, None)
    assert verify(workspace.db).ok


def test_articles_keep_what_is_known_of_them(workspace: Workspace, tmp_path: Path) -> None:
    bring_in(workspace, write(tmp_path / "files", [ALPHA, BETA], QUERIES))
    rows = workspace.db.execute("SELECT title, external_id, meta FROM source ORDER BY id")
    alpha, beta = rows.fetchall()
    assert alpha[:2] == (ALPHA["title"], ALPHA["url"])
    assert json.loads(alpha[2])["source"] == "The News"
    assert beta == ("贝塔银行", "贝塔银行", "{}")


def test_null_queries_have_no_answer(workspace: Workspace, tmp_path: Path) -> None:
    folder = write(tmp_path / "files", [ALPHA, BETA], QUERIES)
    assert bring_in(workspace, folder, taxonomy="ekrag").unanswered == 1
    null = contents(workspace, "ekrag")["Who bought Bank Gamma?"]
    assert (null.task, null.turns[0].evidence) == ("no_answer", ())
    assert null.turns[0].golden_answers == ("Insufficient information.",)
    bring_in(workspace, folder)
    assert contents(workspace)["Who bought Bank Gamma?"].task == "unassigned"


def test_what_is_there_is_not_added_again(workspace: Workspace, tmp_path: Path) -> None:
    folder = write(tmp_path / "files", [ALPHA, BETA], QUERIES)
    assert bring_in(workspace, folder).items.release is not None
    write(folder, [ALPHA, BETA], [*QUERIES, QUERIES[0]])
    again = bring_in(workspace, folder / "MultiHopRAG.json")
    assert (again.items.added, again.items.known, again.duplicates) == (0, 3, 1)


def test_broken_entries_are_named_and_nothing_is_stored(
    workspace: Workspace, tmp_path: Path
) -> None:
    folder = write(tmp_path / "files", [ALPHA, {**BETA, "url": ALPHA["url"]}], QUERIES)
    with pytest.raises(InputError, match=r"corpus\.json, entry 2: .* stands in .*entry 1 already"):
        bring_in(workspace, folder)
    write(folder, [ALPHA], [{"query": "?"}])
    with pytest.raises(InputError, match=r"MultiHopRAG\.json, entry 1: .*`answer`"):
        bring_in(workspace, folder)
    write(folder, [ALPHA], [])
    with pytest.raises(InputError, match="hold no query"):
        bring_in(workspace, folder)
    assert corpora.find(workspace.db, "news") is None

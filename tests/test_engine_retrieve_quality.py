"""On real documents BM25 is as good as the reference numbers published with them."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from engine.retrieve.index.artefacts import open_or_build
from engine.retrieve.index.base import IndexColumns, index_text

DATA = Path(__file__).parents[2] / "shared" / "data"
TOLERANCE = 0.02


def read_jsonl(path):
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_qrels(path):
    relevant: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if int(row["score"]) > 0:
                relevant.setdefault(row["query_id"], {})[row["corpus_id"]] = int(row["score"])
    return relevant


def whole_documents(folder):
    documents = read_jsonl(folder / "corpus.jsonl")
    return IndexColumns(
        [document["_id"] for document in documents],
        [0] * len(documents),
        [len(document["text"]) for document in documents],
        [index_text(document["title"], document["text"]) for document in documents],
    )


def measures(ranked, grades):
    """nDCG@10 (linear gain), Recall@5 and reciprocal rank of one ranked list of ids."""
    gain = sum(grades.get(name, 0) / math.log2(rank + 2) for rank, name in enumerate(ranked[:10]))
    best = sorted(grades.values(), reverse=True)[:10]
    ideal = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))
    found = len(set(ranked[:5]) & set(grades)) / len(grades)
    first = next((1 / rank for rank, name in enumerate(ranked, 1) if name in grades), 0.0)
    return gain / ideal, found, first


@pytest.mark.parametrize(
    ("name", "reference"),
    [("en_tatqa", (0.699, 0.770, 0.655)), ("zh_disc_fin", (0.847, 0.819, 0.952))],
)
def test_bm25_reaches_the_reference(tmp_path, name, reference):
    folder = DATA / name
    if not folder.exists():
        pytest.skip(f"needs {name}")
    columns = whole_documents(folder)
    retriever = open_or_build(tmp_path, "bm25", "1" * 32, lambda: columns)
    relevant = read_qrels(folder / "qrels.tsv")
    queries = [query for query in read_jsonl(folder / "queries.jsonl") if query["_id"] in relevant]
    found = retriever.search([query["text"] for query in queries], 100)
    values = [
        measures([hit.document_id for hit in hits], relevant[query["_id"]])
        for query, hits in zip(queries, found, strict=True)
    ]
    for published, *measured in zip(reference, *values, strict=True):
        assert sum(measured) / len(measured) >= published - TOLERANCE

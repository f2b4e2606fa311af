"""A dataset in BEIR's layout: documents, queries with their answers, and judgements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.exporters.scope import Scope
from store.formats import beir
from store.formats.folder import ExportFolder
from store.history import exports
from store.history.exports import ExportItem
from store.records import UNASSIGNED, Turn
from store.workspace import Workspace


def write(workspace: Workspace, scope: Scope, folder: ExportFolder) -> dict[str, int]:
    """`corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv` and a file for each kind of given words.

    The judgements stand where the loader of the package `beir` looks for them. A conversation has
    no place in this layout: each turn becomes a query, `KEY#TURN`. So have quotes none: the
    judgements name whole documents, each with the highest grade of its quotes.
    """
    names = exports.document_names(workspace.db, scope.corpus)
    documents = folder.json_lines("corpus.jsonl", _documents(workspace, scope, names))
    queries = folder.json_lines("queries.jsonl", (_query(*one) for one in _turns(scope)))
    judged = folder.tab_separated(
        beir.JUDGEMENTS,
        ("query-id", "corpus-id", "score"),
        (
            (key, names.get(document, document), str(grade))
            for key, _, turn in _turns(scope)
            for document, grade in _grades(turn).items()
        ),
    )
    for name in sorted({name for _, _, turn in _turns(scope) for name in turn.expansions}):
        folder.json_lines(
            f"expansions/{name}.jsonl",
            (
                {"_id": key, "text": f"{turn.question}\n\n{turn.expansions[name]}"}
                for key, _, turn in _turns(scope)
                if name in turn.expansions
            ),
        )
    return {**scope.counts(), "documents": documents, "queries": queries, "judgements": judged}


def recount(folder: Path) -> dict[str, int]:
    """Counts what the files hold, from the files alone."""
    judged = beir.read_qrels(beir.judgements_file(folder))
    return {
        "documents": sum(1 for _ in beir.read_documents(folder)),
        "queries": len(beir.read_queries(folder)),
        "judgements": sum(len(grades) for grades in judged.values()),
    }


def _documents(
    workspace: Workspace, scope: Scope, names: dict[str, str]
) -> Iterator[dict[str, Any]]:
    for row in exports.documents(workspace.db, scope.corpus, scope.documents):
        source, meta, _ = row.first
        yield {
            "_id": names.get(row.document_id, row.document_id),
            "title": source.title,
            "text": row.text,
            "lang": row.lang,
            "meta": meta,
        }


def _turns(scope: Scope) -> Iterator[tuple[str, ExportItem, Turn]]:
    """(query id, item, turn) in order."""
    for item in scope.items:
        turns = item.content.turns
        for at, turn in enumerate(turns):
            yield (item.key if len(turns) == 1 else f"{item.key}#{at}"), item, turn


def _grades(turn: Turn) -> dict[str, int]:
    grades: dict[str, int] = {}
    for unit in turn.evidence:
        grades[unit.document_id] = max(unit.grade, grades.get(unit.document_id, 0))
    return grades


def _query(key: str, item: ExportItem, turn: Turn) -> dict[str, Any]:
    content = item.content
    type = content.task if content.task != UNASSIGNED else content.facets.get("type")
    return {
        "_id": key,
        "text": turn.question,
        "answers": turn.golden_answers,
        "lang": content.lang,
        **({"type": str(type)} if type is not None else {}),
        "meta": {"topic": content.topic, "task": content.task, "facets": content.facets},
    }

"""A dataset as two flat tables in Parquet: a row a turn, and a row a document."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from engine.exporters.scope import Scope
from store.formats import parquet
from store.formats.folder import ExportFolder
from store.history import exports
from store.workspace import Workspace

ITEMS = "items.parquet"
DOCUMENTS = "documents.parquet"


def write(workspace: Workspace, scope: Scope, folder: ExportFolder) -> dict[str, int]:
    """`items.parquet` and `documents.parquet`; the bytes follow from data and pyarrow's version."""
    pa = parquet.library()
    documents = list(_documents(workspace, scope))
    turns = list(_turns(workspace, scope))
    folder.data(ITEMS, _table(pa, turns, item_schema(pa)), len(turns))
    folder.data(DOCUMENTS, _table(pa, documents, document_schema(pa)), len(documents))
    return {**scope.counts(), "documents": len(documents)}


def recount(folder: Path) -> dict[str, int]:
    """Counts what the files hold, from the files alone."""
    turns = parquet.read(folder / ITEMS)
    states = {row["item_id"]: row["state"] for row in turns}
    return {
        "items": len(states),
        "turns": len(turns),
        "documents": len(parquet.read(folder / DOCUMENTS)),
        **{f"status {state}": count for state, count in Counter(states.values()).items()},
    }


def item_schema(pa: Any) -> Any:
    evidence = pa.struct(
        [
            ("document_id", pa.string()),
            ("source", pa.string()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("quote", pa.string()),
            ("grade", pa.int32()),
        ]
    )
    return pa.schema(
        [
            ("item_id", pa.string()),
            ("turn", pa.int32()),
            ("turns", pa.int32()),
            ("question", pa.string()),
            ("golden_answers", pa.list_(pa.string())),
            ("evidence", pa.list_(evidence)),
            ("expansions", pa.map_(pa.string(), pa.string())),
            ("keypoints", pa.list_(pa.string())),
            ("topic", pa.string()),
            ("task", pa.string()),
            ("lang", pa.string()),
            ("facets", pa.string()),
            ("hidden", pa.list_(pa.string())),
            ("group", pa.string()),
            ("state", pa.string()),
            ("split", pa.string()),
            ("revision", pa.int32()),
            ("author", pa.string()),
            ("reason", pa.string()),
            ("revised_at", pa.string()),
            ("evaluation", pa.int8()),
            ("raters", pa.int32()),
        ]
    )


def document_schema(pa: Any) -> Any:
    return pa.schema(
        [
            ("document_id", pa.string()),
            ("source", pa.string()),
            ("locator", pa.string()),
            ("external_id", pa.string()),
            ("title", pa.string()),
            ("text", pa.string()),
            ("lang", pa.string()),
            ("meta", pa.string()),
        ]
    )


def _table(pa: Any, rows: list[dict[str, Any]], schema: Any) -> bytes:
    out = io.BytesIO()
    table = pa.Table.from_pylist(rows, schema=schema)
    pa.parquet.write_table(table, out, compression="zstd")
    return out.getvalue()


def _turns(workspace: Workspace, scope: Scope) -> Iterator[dict[str, Any]]:
    names = exports.document_names(workspace.db, scope.corpus)
    history = scope.history(workspace.db)
    evaluations = {
        row.revision: row.evaluation for row in history.inspections() if row.evaluation is not None
    }
    raters = history.rater_counts()
    for item in scope.items:
        content = item.content
        sides = (member.side for split, member in scope.placed.get(item.key, ()) if member.side)
        for at, turn in enumerate(content.turns):
            yield {
                "item_id": item.key,
                "turn": at,
                "turns": len(content.turns),
                "question": turn.question,
                "golden_answers": list(turn.golden_answers),
                "evidence": [
                    {
                        "document_id": unit.document_id,
                        "source": names.get(unit.document_id, ""),
                        "start": unit.start,
                        "end": unit.end,
                        "quote": unit.quote,
                        "grade": unit.grade,
                    }
                    for unit in turn.evidence
                ],
                "expansions": sorted(turn.expansions.items()),
                "keypoints": list(turn.keypoints),
                "topic": content.topic,
                "task": content.task,
                "lang": content.lang,
                "facets": _json(content.facets),
                "hidden": list(content.hidden),
                "group": item.group,
                "state": str(item.state),
                "split": next(sides, None),
                "revision": item.number,
                "author": scope.names(item.author),
                "reason": item.reason,
                "revised_at": item.revised_at,
                "evaluation": evaluations.get(item.revision),
                "raters": raters.get(item.id, 0),
            }


def _documents(workspace: Workspace, scope: Scope) -> Iterator[dict[str, Any]]:
    for row in exports.documents(workspace.db, scope.corpus, scope.documents):
        source, meta, _ = row.first
        yield {
            "document_id": row.document_id,
            "source": scope.names.path(source.path),
            "locator": source.locator,
            "external_id": source.external_id,
            "title": source.title,
            "text": row.text,
            "lang": row.lang,
            "meta": _json(meta),
        }


def _json(value: Any) -> str:
    return msgspec.json.encode(value, order="sorted").decode()

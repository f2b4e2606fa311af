"""A dataset in the layout of OmniEval's authors: a folder a topic, a file a task, the corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.exporters.scope import Scope
from store.formats import omnieval
from store.formats.folder import ExportFolder
from store.history import exports
from store.history.exports import ExportItem, InspectionRow
from store.records import UNASSIGNED, Taxonomy, Turn, split_turn_facet
from store.workspace import Workspace

_ROOT = "金融"
_NAMES = {"anti_money_laundering": "反洗钱（AML）"}
"""Topics that the authors call otherwise."""


def write(workspace: Workspace, scope: Scope, folder: ExportFolder) -> dict[str, int]:
    """`GROUP/TOPIC/TASK.jsonl` with an item or dialogue a line, and `corpus.jsonl`.

    The layout has no place for an item's key, state and language, for offsets, and for facets
    other than `thought_process` and `evaluation`. A passage that is a whole document is left out
    of `relevant_passage`; its document stands in `relevant_node`.
    """
    names = exports.document_names(workspace.db, scope.corpus)
    documents = folder.json_lines(
        omnieval.CORPUS,
        (
            {
                "id": names.get(row.document_id, row.document_id),
                "title": row.first[0].title,
                "contents": row.text,
            }
            for row in exports.documents(workspace.db, scope.corpus, scope.documents)
        ),
    )
    verdicts = _verdicts(workspace, scope)
    lines: dict[str, list[Any]] = {}
    for item in scope.items:
        topic = topic_path(scope.taxonomy, item.content.topic)
        task = task_name(scope.taxonomy, item.content.task)
        line = _line(item, " - ".join(topic), task, names, verdicts.get(item.revision))
        parts = [*(topic[1:] or topic), f"{task}.jsonl"]
        lines.setdefault("/".join(safe(part) for part in parts), []).append(line)
    for name in sorted(lines):
        folder.json_lines(name, lines[name])
    return {**scope.counts(), "documents": documents}


def recount(folder: Path) -> dict[str, int]:
    """Counts what the files hold, from the files alone."""
    files = sorted(file for file in folder.rglob("*.jsonl") if omnieval.may_hold_items(file))
    items = [line for file in files for _, line in omnieval.read_items(file)]
    return {
        "items": len(items),
        "turns": sum(len(line.turns) for line in items),
        "documents": sum(1 for _ in omnieval.read_corpus(folder / omnieval.CORPUS)),
    }


def _verdicts(workspace: Workspace, scope: Scope) -> dict[int, InspectionRow]:
    """The last verdict on each revision, which counts for a correction that came of it too."""
    by_revision: dict[int, InspectionRow] = {}
    for row in scope.history(workspace.db).inspections():
        if row.evaluation is not None:
            by_revision[row.revision] = row
            if row.correction is not None:
                by_revision.setdefault(row.correction, row)
    return by_revision


def topic_path(taxonomy: Taxonomy, key: str) -> tuple[str, ...]:
    """The names from the root of their tree down."""
    for topic in taxonomy.topics:
        if topic.key == key:
            root = _ROOT if taxonomy.key == "omnieval" else taxonomy.name
            name = _NAMES.get(key, topic.zh) if taxonomy.key == "omnieval" else topic.zh
            return tuple(part for part in (root, topic.group_zh, name) if part)
    return (UNASSIGNED,)


def task_name(taxonomy: Taxonomy, key: str) -> str:
    return next((task.zh for task in taxonomy.tasks if task.key == key), UNASSIGNED)


def _line(
    item: ExportItem, topic: str, task: str, names: dict[str, str], verdict: InspectionRow | None
) -> dict[str, Any] | list[dict[str, Any]]:
    content = item.content
    evaluation = verdict.evaluation if verdict else content.facets.get(omnieval.EVALUATION)
    thoughts = split_turn_facet(content.facets.get(omnieval.THOUGHT), len(content.turns))
    lines = [
        {
            **({omnieval.THOUGHT: thought} if thought else {}),
            "question": turn.question,
            "answer": turn.golden_answers,
            "relevant_passage": [unit.quote for unit in turn.evidence if unit.quote is not None],
            "topic_name": topic,
            "task_name": task,
            "relevant_node": nodes(turn, names),
            **({"evaluation": evaluation} if evaluation is not None else {}),
        }
        for turn, thought in zip(content.turns, thoughts, strict=True)
    ]
    return lines if len(lines) > 1 or task == omnieval.CONVERSATION else lines[0]


def nodes(turn: Turn, names: dict[str, str]) -> list[str]:
    ids = dict.fromkeys(unit.document_id for unit in turn.evidence)
    return [names.get(document, document) for document in ids]


def safe(name: str) -> str:
    """A name as part of a path."""
    return name.replace("/", "／").replace("\\", "＼").lstrip(".") or UNASSIGNED

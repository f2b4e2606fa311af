"""Runs in the layouts that the authors of OmniEval, CRUD-RAG and FinanceRAG read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.exporters.omnieval import nodes, safe, task_name, topic_path
from engine.exporters.runs import RunExport, query_id
from store.errors import InputError
from store.formats import crud_rag, omnieval
from store.formats.folder import ExportFolder

_CRUD_METRICS = {
    "bleu": "bleu-avg",
    "bleu1": "bleu-1",
    "bleu2": "bleu-2",
    "bleu3": "bleu-3",
    "bleu4": "bleu-4",
    "rougeL": "rouge-L",
    "length": "length",
}
"""Our names of the variant `crud` to theirs."""
_CRUD_JUDGED = ("bertScore", "QA_avg_F1", "QA_recall")

FINANCERAG_DEPTH = 10
"""The documents of a query in their `results.csv`."""

Ranked = dict[str, dict[str, float]]
"""The documents of each query with their scores, best first."""


def write(exports: Sequence[RunExport], kind: str, folder: ExportFolder) -> dict[str, int]:
    """Writes the first repeat of every turn, each run into a folder of its own."""
    written = 0
    for one in exports:
        written += _WRITERS[kind](one, folder)
    if kind == "financerag":
        _submission(exports, folder)
    return {"predictions": written}


def recount(folder: Path) -> dict[str, int]:
    """Nothing: these layouts are checked by the hashes of their files."""
    return {}


def _first(one: RunExport) -> Iterator[dict[str, Any]]:
    return (row for row in one.predictions() if row["repeat"] == 0)


def _omnieval(one: RunExport, folder: ExportFolder) -> int:
    """`GROUP - TOPIC - TASK.pred.jsonl`, with the rows of a conversation under one `id`.

    Their code takes every prediction for a text and, unless all are closed-book, asks every row
    for what was retrieved. What is not there is an empty text or list, and said beside it.
    """
    files: dict[str, list[dict[str, Any]]] = {}
    rows = list(_first(one))
    is_closed = all(row["retrieved"] is None for row in rows)
    for row in rows:
        item = one.items[row["item"]]
        turn = item.content.turns[row["turn"]]
        topic = " - ".join(topic_path(one.taxonomy, row["topic"])[-2:])
        name = safe(f"{topic} - {task_name(one.taxonomy, row['task'])}{omnieval.PREDICTIONS}")
        # with a topic of one name theirs needs another part before it
        name = name if name.count(" - ") >= 2 else f"{safe(one.taxonomy.name)} - {name}"
        output: dict[str, Any] = {"pred": row["answer"] or ""}
        if row["answer"] is None:
            output["error"] = row["error_text"] or "there is no answer"
        if not is_closed:
            output["retrieval_result"] = [
                {"id": hit["source"], "title": "", "contents": hit["text"]}
                for hit in row["retrieved"] or ()
            ]
            if row["retrieved"] is None:
                output["retrieval_unknown"] = True
        files.setdefault(name, []).append(
            {
                "id": row["item"],
                "question": row["question"],
                "golden_answers": turn.golden_answers,
                "relevant_passage": [unit.quote for unit in turn.evidence if unit.quote],
                "relevant_node": nodes(turn, one.names),
                "output": output,
            }
        )
    return sum(folder.json_lines(f"{one.folder}/{name}", files[name]) for name in sorted(files))


def _crud(one: RunExport, folder: ExportFolder) -> int:
    """`TASK_MODEL.json` for each of their tasks that the run holds items of.

    Their `compute_overall` needs every metric of every result, and theirs stands at 0 where it was
    not computed.
    """
    every = dict.fromkeys((*_CRUD_METRICS.values(), *_CRUD_JUDGED), 0.0)
    classes = {key: name for name, key in crud_rag.TASKS.items()}
    metrics: dict[int, dict[str, float]] = {}
    for row in one.scores():
        if row["variant"] != "crud":
            continue
        judged = row["metric"] if row["metric"] in _CRUD_JUDGED else None
        name = _CRUD_METRICS.get(row["metric"], judged)
        if name is not None and row["value"] is not None and not row["judge_repeat"]:
            metrics.setdefault(row["prediction_id"], {})[name] = row["value"]
    tasks: dict[str, list[dict[str, Any]]] = {}
    for row in _first(one):
        if row["task"] in classes and row["state"] != "pending":
            golden = one.items[row["item"]].content.turns[row["turn"]].golden_answers
            tasks.setdefault(row["task"], []).append(
                {
                    "id": row["item"].removeprefix(f"{row['task']}/"),
                    "metrics": every | metrics.get(row["prediction_id"], {}),
                    "log": {
                        "generated_text": row["answer"] or "",
                        "ground_truth_text": golden[0] if golden else "",
                        "quest_eval_save": {},
                        "evaluateDatetime": row["finished_at"],
                    },
                    "valid": bool((row["answer"] or "").strip()),
                }
            )
    for task, results in tasks.items():
        valid = [result["metrics"] for result in results if result["valid"]]
        overall = {
            f"avg. {name}": sum(values[name] for values in valid) / len(valid)
            for name in _CRUD_METRICS.values()
            if valid
        }
        folder.json(
            f"{one.folder}/{classes[task]}_{safe(one.run.system.name)}.json",
            {
                "info": {"task": classes[task], "llm": one.run.system.name},
                "overall": {**overall, "num": len(valid)},
                "results": results,
            },
        )
    return sum(map(len, tasks.values()))


def _financerag(one: RunExport, folder: ExportFolder) -> int:
    """`results.csv` (the ten best documents of a query), `results.json` and `output.jsonl`."""
    ranked = _documents(one)
    _results_csv(folder, f"{one.folder}/results.csv", ranked)
    folder.data(f"{one.folder}/results.json", msgspec.json.encode(ranked))
    answers = (
        {"query_id": query_id(row, one.items[row["item"]]), "answer": row["answer"] or ""}
        for row in _first(one)
    )
    return folder.json_lines(f"{one.folder}/output.jsonl", answers)


def _submission(exports: Sequence[RunExport], folder: ExportFolder) -> None:
    """One `results.csv` over all datasets, as the challenge takes it, where there is one run of
    each. Raises InputError for a query id that two datasets have."""
    if len({one.release.dataset_name for one in exports}) < max(len(exports), 2):
        return
    ranked: Ranked = {}
    for one in exports:
        of_one = _documents(one)
        if shared := ranked.keys() & of_one.keys():
            raise InputError(
                f"Query {min(shared)!r} of {one.release.dataset_name} is in another dataset too,"
                " which one results.csv cannot tell apart.",
                "Export the runs one by one.",
            )
        ranked |= of_one
    _results_csv(folder, "results.csv", ranked)


def _documents(one: RunExport) -> Ranked:
    ranked: Ranked = {}
    for row in _first(one):
        query = query_id(row, one.items[row["item"]])
        for hit in row["retrieved"] or ():
            # a document stands where its best passage stands
            ranked.setdefault(query, {}).setdefault(hit["source"], hit["score"])
    return ranked


def _results_csv(folder: ExportFolder, name: str, ranked: Ranked) -> None:
    rows = [
        (query, document) for query in ranked for document in list(ranked[query])[:FINANCERAG_DEPTH]
    ]
    out = io.StringIO(newline="")
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(("query_id", "corpus_id"))
    lines.writerows(rows)
    folder.data(name, out.getvalue().encode(), len(rows))


_WRITERS = {"omnieval": _omnieval, "crud": _crud, "financerag": _financerag}

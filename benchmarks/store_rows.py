"""Rows into the store, as a worker and an ingest write them, against raw executemany.

Ours commits every stage of a prediction by itself, three transactions each, as a worker does when
no two results come at once (others share a transaction). The peer gets the finished rows in lists
and writes them to equal tables of an equal file in one transaction, without foreign keys.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import pairs, texts, workspaces
from engine.corpus.chunking import chunk
from store.corpora import corpora
from store.datasets import datasets
from store.hashing import text_id
from store.records import Chunk, ChunkingSettings, Document, PredictionState, Source
from store.runs import runs, stages
from store.runs.stages import ScoreValue
from store.workspace import FILE_NAME, Workspace, open_workspace

TARGET = 3.0
JUDGE = {"judge": "rules"}
CHUNKING = ChunkingSettings(size=256, overlap=32)

Rows = dict[str, list[Sequence[object]]]
"""The rows of each table, in full."""


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=7)
    parser.add_argument("--predictions", type=int, default=1_000)
    parser.add_argument("--documents", type=int, default=2_000)
    args = parser.parse_args()
    if args.quick:
        args.predictions, args.documents, args.pairs = 20, 20, 2
    with tempfile.TemporaryDirectory() as made:
        base = Path(made) / "base"
        with open_workspace(base, create=True) as workspace, workspace.write() as db:
            workspaces.make_release(db, args.predictions)
        documents = _documents(args.documents)
        lines = [
            _compare(
                "results of a run",
                base,
                work_run,
                ("prediction", "stage_result", "score"),
                args.pairs,
            ),
            _compare(
                "documents of a corpus",
                base,
                lambda one: _ingest(one, documents),
                ("document", "source", "chunk"),
                args.pairs,
            ),
        ]
    pairs.print_table("executemany", lines)


def work_run(workspace: Workspace) -> None:
    """Everything that a worker stores of a run, a transaction a stage."""
    stored = workspaces.results()
    with workspace.write() as db:
        release = datasets.find_release(db, "gold")
        run = workspaces.make_run(db, release, "measured")
        judge_id = stages.put_judge(db, "rules", JUDGE)
    count = len(stored.scores.rule) + len(stored.scores.judged)
    after = -1
    while page := runs.pending_items(workspace.db, run.id, after, 256):
        after = page[-1].last_ordinal
        for item in page:
            prediction = item.turns[0].prediction_id
            with workspace.write() as db:
                stages.put(db, prediction, "retrieve", stored.retrieved, elapsed_ms=1.0)
            with workspace.write() as db:
                stages.finish_prediction(
                    db, prediction, PredictionState.OK, answer=workspaces.ANSWER
                )
                stages.put(db, prediction, "answer", stored.answered, elapsed_ms=1.0)
            with workspace.write() as db:
                stages.put_scores(db, prediction, stored.scores.rule)
                stages.put_scores(db, prediction, stored.scores.judged, judge_id=judge_id)
                stages.put(db, prediction, "score", ScoreValue(count), elapsed_ms=1.0)


def _documents(count: int) -> list[tuple[Document, list[Chunk]]]:
    found = []
    for text in texts.documents(count):
        document = Document(text_id(text), text, "zh", len(text))
        spans = enumerate(chunk(text, CHUNKING))
        found.append((document, [Chunk(document.id, at, *span) for at, span in spans]))
    return found


def _ingest(workspace: Workspace, documents: list[tuple[Document, list[Chunk]]]) -> None:
    with workspace.write() as db:
        corpus = corpora.create(db, "measured", CHUNKING)
    for first in range(0, len(documents), 200):
        with workspace.write() as db:
            for number, (document, chunks) in enumerate(documents[first : first + 200], first):
                row = corpora.put_document(db, document)
                if not corpora.has_chunks(db, corpus, row):
                    corpora.put_chunks(db, corpus, row, chunks)
                source = Source("/data/documents.jsonl", "", f"line {number + 1}")
                corpora.put_source(db, corpus, row, source, {})


def _compare(
    what: str, base: Path, work: Callable[[Workspace], None], tables: Sequence[str], count: int
) -> pairs.Line:
    """`work` on a fresh copy of `base` against writing what it made into another."""
    made: Rows = {}

    def ours(_: int) -> pairs.Cost:
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(base, Path(folder) / "workspace")
            with open_workspace(copy) as workspace:
                cost = pairs.measure(lambda: work(workspace))
                if not made:
                    made.update({table: _rows(workspace.db, table) for table in tables})
        return cost

    def raw(_: int) -> pairs.Cost:
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(base, Path(folder) / "workspace")
            db = sqlite3.connect(copy / FILE_NAME)
            db.execute("PRAGMA synchronous = NORMAL")
            for table in tables:
                db.execute(f"DELETE FROM {table}")
            db.commit()
            cost = pairs.measure(lambda: _write(db, made))
            db.close()
        return cost

    found = pairs.alternate(ours, raw, count)
    rows = sum(map(len, made.values()))
    return pairs.slower_line(f"{what}, {rows:,} rows", found, " a row", rows, TARGET)


def _rows(db: sqlite3.Connection, table: str) -> list[Sequence[object]]:
    return db.execute(f"SELECT * FROM {table}").fetchall()


def _write(db: sqlite3.Connection, rows: Rows) -> None:
    for table, values in rows.items():
        marks = ",".join("?" * len(values[0]))
        db.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
    db.commit()


if __name__ == "__main__":
    main()

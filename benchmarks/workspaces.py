"""Workspaces of any size, made quickly: a release of one-turn items, runs over it, their scores.

Rows go in by the thousand and equal each other but for their numbers; what the store reads and
writes costs the same as with rows made one by one.
"""

from __future__ import annotations

import sqlite3
from functools import lru_cache

from msgspec import Struct

from engine.evaluate.scoring import Scores, score_prediction
from engine.taxonomy.definitions import load_taxonomy
from store.clock import now_text
from store.corpora import corpora, taxonomies
from store.datasets import datasets
from store.datasets.datasets import Release
from store.hashing import canonical_json, text_id
from store.records import (
    Chunk,
    ChunkingSettings,
    Document,
    Evidence,
    Hit,
    ItemContent,
    Source,
    Turn,
)
from store.runs import runs, stages
from store.runs.runs import Run, RunSettings
from store.runs.stages import AnswerValue, RetrieveValue
from store.systems import SystemConfig

TEXT = "2024年末，银行的不良贷款率为1.25%，比上年末下降0.08个百分点。" * 12
ANSWER = "不良贷款率为1.25%，比上年末下降0.08个百分点。"
QUESTION = "2024年末银行的不良贷款率是多少？"
SYSTEM = SystemConfig(name="bm25", retriever="bm25")
HITS = tuple(Hit(text_id(TEXT), start, start + 80, 10.0 - start / 100) for start in (0, 80, 160))


class Results(Struct, frozen=True):
    """What the stages of one prediction store."""

    retrieved: RetrieveValue
    answered: AnswerValue
    scores: Scores


@lru_cache(maxsize=1)
def results() -> Results:
    """Real scores of a real answer: every metric that a run has."""
    content = _content("", "")
    scores = score_prediction(content.turns[0], [], ANSWER, HITS, [], "zh", 5)
    return Results(RetrieveValue(QUESTION, HITS), AnswerValue("the best sentence"), scores)


def make_release(db: sqlite3.Connection, items: int, name: str = "gold") -> Release:
    """`items` accepted items over all cells of the taxonomy `omnieval`, released as version 1."""
    corpus = corpora.create(db, name, ChunkingSettings())
    document = Document(text_id(TEXT), TEXT, "zh", len(TEXT))
    row = corpora.put_document(db, document)
    corpora.put_chunks(db, corpus, row, [Chunk(document.id, 0, 0, len(TEXT), len(TEXT))])
    corpora.put_source(db, corpus, row, Source("report.md", "Report"), {})
    taxonomy = load_taxonomy("omnieval")
    dataset = datasets.create(db, name, corpus.id, taxonomies.put(db, taxonomy))
    cells = [(topic.key, task.key) for topic in taxonomy.topics for task in taxonomy.tasks]
    contents = [canonical_json(_content(topic, task)).decode() for topic, task in cells]
    at = now_text()
    before = db.execute("SELECT coalesce(max(id), 0) FROM item").fetchone()[0]
    numbers = range(before + 1, before + items + 1)
    db.executemany(
        "INSERT INTO item (id, dataset_id, item_key, group_key, state, created_at)"
        " VALUES (?, ?, ?, ?, 'accepted', ?)",
        ((number, dataset.id, f"q{number:07}", f"g{number}", at) for number in numbers),
    )
    db.executemany(
        "INSERT INTO revision VALUES"
        " (?1, ?1, 1, NULL, 'made', 'made', ?2, ?3, ?4, 'zh', 1, ?5, 'b2:' || ?1)",
        (
            (number, at, *cells[number % len(cells)], contents[number % len(cells)])
            for number in numbers
        ),
    )
    db.execute("UPDATE item SET head = id WHERE dataset_id = ?", (dataset.id,))
    return datasets.release(db, dataset)


def make_scored_run(db: sqlite3.Connection, release: Release, name: str, metrics: int) -> Run:
    """A finished run over the release, with `metrics` scores of every prediction."""
    run = make_run(db, release, name)
    stored = results()
    db.execute(
        "UPDATE prediction SET state = 'ok', answer = ?, finished_at = ? WHERE run_id = ?",
        (ANSWER, now_text(), run.id),
    )
    for stage, value in (("retrieve", stored.retrieved), ("answer", stored.answered)):
        _put_stage_of_all(db, run, stage, canonical_json(value).decode())
    _put_stage_of_all(db, run, "score", f'{{"scores":{metrics}}}')
    scores = stored.scores.rule[:metrics]
    rows = db.execute("SELECT id FROM prediction WHERE run_id = ? ORDER BY id", (run.id,))
    for (prediction,) in rows.fetchall():
        stages.put_scores(db, prediction, scores)
    return run


def make_run(db: sqlite3.Connection, release: Release, name: str, repeats: int = 1) -> Run:
    """A run over the release with everything pending."""
    revisions = db.execute(
        "SELECT revision_id FROM release_item WHERE release_id = ?", (release.id,)
    )
    order = [(revision, 1) for (revision,) in revisions]
    return runs.create(db, name, release.id, SYSTEM, RunSettings(repeats=repeats), order)


def _put_stage_of_all(db: sqlite3.Connection, run: Run, stage: str, value: str) -> None:
    db.execute(
        "INSERT INTO stage_result (prediction_id, stage, value, elapsed_ms, finished_at)"
        " SELECT id, ?, ?, 1.0, ? FROM prediction WHERE run_id = ?",
        (stage, value, now_text(), run.id),
    )


def _content(topic: str, task: str) -> ItemContent:
    evidence = Evidence(text_id(TEXT), 0, 40, TEXT[:40])
    return ItemContent((Turn(QUESTION, (ANSWER,), (evidence,)),), topic, task, "zh")

"""Workspaces made from the sample corpus, for tests that need a real one."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from engine.importers.items import import_items
from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.offline_classification import classify_corpus
from sample_corpus import ROOT
from store.corpora import corpora
from store.workspace import FILE_NAME, open_workspace

ITEMS = sorted((ROOT / "items").glob("*.jsonl"))
"""A file of items for each topic: 206 with 272 turns."""


def make_sample_workspace(folder: Path, items: Sequence[Path] = ITEMS) -> Path:
    """The sample corpus, classified, with these items released as `sample@1`; nothing evaluated."""
    taxonomy = load_taxonomy("omnieval")
    with open_workspace(folder, create=True) as workspace:
        ingest(workspace, "sample", read_paths([ROOT / "documents"]))
        corpus = corpora.get(workspace.db, "sample")
        classify_corpus(workspace, corpus, taxonomy)
        import_items(
            workspace,
            items,
            corpus_name="sample",
            dataset_name="sample",
            taxonomy=taxonomy,
            author="test",
        )
    return folder


def copy_workspace(source: Path, target: Path) -> Path:
    """A copy of a closed workspace."""
    shutil.copytree(source, target)
    return target


def all_scores(folder: Path) -> list[tuple[object, ...]]:
    """Every score of every run under names that two workspaces share, in a fixed order."""
    db = sqlite3.connect(folder / FILE_NAME)
    rows = db.execute(
        "SELECT run.name, item_key, turn, prediction.repeat, prediction.state, answer, metric.name,"
        " variant, judge.name, score.state, value, score.reason FROM score"
        " JOIN prediction ON prediction.id = prediction_id JOIN run ON run.id = run_id"
        " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
        " JOIN metric ON metric.id = metric_id JOIN judge ON judge.id = judge_id"
        " ORDER BY run.name, item_key, turn, prediction.repeat, metric.name, variant, judge.name"
    ).fetchall()
    db.close()
    return rows

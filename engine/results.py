"""The results of a run, read from the store and put into a matrix with its caption."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from engine.matrix import Matrix, axis, build_matrix
from engine.metrics.spec import resolve
from store import corpora, datasets, results, runs
from store.errors import NotFound
from store.records import Lang
from store.results import MetricKey
from store.runs import Run


class RunMatrix(Struct, frozen=True):
    run: Run
    release: str
    """`NAME@V`."""
    metric: MetricKey
    matrix: Matrix


def run_matrix(
    db: sqlite3.Connection,
    run_name: str,
    metric: str,
    *,
    variant: str | None = None,
    judge: str | None = None,
    rows: str = "topic",
    cols: str = "task",
    lang: Lang | None = None,
) -> RunMatrix:
    """The matrix of a run for a metric; labels in `lang`, or in the language of most items.

    Raises NotFound for an unknown run, metric or axis, naming those that there are.
    """
    run = runs.get(db, run_name)
    release = datasets.release_by_id(db, run.release_id)
    dataset = datasets.get_by_id(db, release.dataset_id)
    taxonomy = corpora.taxonomy(db, dataset.taxonomy_id)
    have = results.axes(db, run.id)
    for name in (rows, cols):
        if name not in have:
            raise NotFound(f"A matrix has no axis {name!r}.", f"Axes: {', '.join(have)}.")
    key = results.find_metric(db, run.id, metric, variant, judge)
    scores = results.cell_scores(db, run.id, key, rows, cols)
    spoken: Lang = lang or results.main_language(db, run.id)
    matrix = build_matrix(
        scores,
        resolve(key.name, key.variant),
        key.label,
        axis(rows, (score.row for score in scores), taxonomy, spoken),
        axis(cols, (score.col for score in scores), taxonomy, spoken),
    )
    return RunMatrix(run, release.label, key, matrix)

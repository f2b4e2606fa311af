"""The results of a run, read from the store and put into a matrix with its caption."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from msgspec import Struct

from engine.judge.family import models_of, shared_families
from engine.judge.registry import metric_spec
from engine.judge.trust import JudgeTrust
from engine.results import axes as of_run
from engine.results.matrix import RunMatrix, axis, build_matrix
from engine.results.metric_query import MetricQuery
from store.corpora import taxonomies
from store.datasets import datasets
from store.errors import NotFound
from store.jobs import jobs
from store.lifecycle import archiving
from store.messages import choices
from store.records import Lang
from store.runs import experiments, judge_scores, results, runs
from store.runs.results import MetricKey
from store.runs.runs import Run


class RunStatus(Struct, frozen=True):
    """A run in a list: what it ran, how far it has come, the state of its latest job."""

    id: int
    name: str
    system: str
    baseline: bool
    imported: bool
    dataset: str
    """`NAME@V`."""
    job: int | None
    state: str
    total: int
    finished: int
    pending: int
    ok: int
    refused: int
    failed: int
    created_at: str
    archived: bool
    """By itself, or with its dataset or corpus."""


def run_status(db: sqlite3.Connection, run: Run) -> RunStatus:
    progress = runs.progress(db, run.id)
    job = jobs.of_run(db, run.id)
    return RunStatus(
        id=run.id,
        name=run.name,
        system=run.system.name,
        baseline=run.system.baseline,
        imported=run.system.is_imported,
        dataset=datasets.release_by_id(db, run.release_id).label,
        job=job.id if job else None,
        state=job.status if job else experiments.state_without_job(db, run.id),
        total=progress.total,
        finished=progress.finished,
        pending=progress.pending,
        ok=progress.ok,
        refused=progress.refused,
        failed=progress.failed,
        created_at=run.created_at,
        archived=archiving.hidden_by(db, "run", run.id) is not None,
    )


def check_axes(db: sqlite3.Connection, run: Run, *axes: str) -> None:
    """Raises NotFound for what the items of a run cannot be laid out by, whatever the answers."""
    _check(of_run.item_axes(db, run), axes)


def _check(have: Sequence[str], axes: Sequence[str]) -> None:
    for name in axes:
        if name not in have:
            raise NotFound(f"A matrix has no axis {name!r}.", choices(name, have, "Axes"))


def run_matrix(
    db: sqlite3.Connection,
    run_name: str,
    query: MetricQuery,
) -> RunMatrix:
    """The matrix of a run for a metric.

    Raises NotFound for an unknown run, metric or axis, naming those that there are.
    """
    run = runs.get(db, run_name)
    release = datasets.release_by_id(db, run.release_id)
    taxonomy = taxonomies.get(db, datasets.of_release(db, run.release_id).taxonomy_id)
    rows, cols = query.rows, query.cols
    _check(of_run.axes(db, run), (rows, cols))
    key = query.key(db, run.id)
    scores = of_run.score_rows(db, run, key, rows, cols)
    lang: Lang = query.lang or results.main_language(db, run.id)
    matrix = build_matrix(
        scores,
        metric_spec(key.name, key.variant),
        key.label,
        axis(rows, (score.row for score in scores), taxonomy, lang),
        axis(cols, (score.col for score in scores), taxonomy, lang),
    )
    same_family = _same_family(db, run, key)
    return RunMatrix(run, release.label, key, matrix, lang, _trust(db, key), same_family)


def _same_family(db: sqlite3.Connection, run: Run, key: MetricKey) -> tuple[str, ...]:
    if not key.judge_id:
        return ()
    return shared_families(models_of(db, judge_scores.get(db, key.judge_id)), run)


def _trust(db: sqlite3.Connection, key: MetricKey) -> JudgeTrust | None:
    if not key.judge_id:
        return None
    # numpy and the coefficients, which nothing else here needs
    from engine.calibration.calibrate import judge_trust

    return judge_trust(db, key)

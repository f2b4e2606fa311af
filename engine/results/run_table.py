"""Runs as the rows of one table with OmniEval's nine measures, as in its Tables 4 and 5."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from engine.metrics.spec import metric_names, resolve
from engine.results.derived import score_rows
from engine.results.matrix import on_unit_scale
from engine.results.metric_query import MetricQuery
from engine.results.table import RunTable, TableCell, TableRow
from engine.statistics.aggregation import Summary, summarise
from store.datasets import datasets
from store.errors import NotFound, UsageError
from store.messages import choices
from store.runs import judge_scores, results, runs
from store.runs.results import MetricKey
from store.runs.runs import Run

COLUMNS = {
    "MAP": "map",
    "MRR": "mrr",
    "Rouge-L": "rougeL",
    "F1": "f1",
    "ACC": "accuracy",
    "HAL": "hallucination",
    "COM": "completeness",
    "UTL": "utilization",
    "NAC": "numerical_accuracy",
}
"""The metric under each heading, in the paper's order."""


def run_table(
    db: sqlite3.Connection,
    names: Sequence[str],
    *,
    variant: str | None = None,
    judge: str | None = None,
) -> RunTable:
    """The table of some runs of one dataset, in the order given.

    `variant` is for MAP to F1. Raises UsageError for runs of different datasets, when several
    judges scored a run and none is named, and for an unknown variant; NotFound for an unknown run.
    """
    chosen = [runs.get(db, name) for name in names]
    releases = [datasets.release_by_id(db, run.release_id) for run in chosen]
    held = sorted({release.dataset_name for release in releases})
    if len(held) > 1:
        raise UsageError(
            f"The runs answered different datasets: {', '.join(held)}.",
            "Make a table of the runs of one dataset.",
        )
    if variant is not None:
        metric_names(variant)  # refuses an unknown one
    judges: set[str] = set()
    rows = []
    for run, release in zip(chosen, releases, strict=True):
        keys = [_key(db, run, name, variant, judge) for name in COLUMNS.values()]
        judges |= {key.judge for key in keys if key is not None and key.judge}
        system = run.system
        rows.append(
            TableRow(
                run.id,
                run.name,
                system.retriever,
                system.generator,
                system.baseline,
                release.label,
                tuple(TableCell() if key is None else _cell(db, run, key) for key in keys),
            )
        )
    lang = results.main_language(db, chosen[0].id)
    return RunTable(tuple(COLUMNS), tuple(rows), tuple(sorted(judges)), variant or "standard", lang)


def check_judge(db: sqlite3.Connection, names: Sequence[str], name: str) -> None:
    """Raises NotFound for a judge that has scored none of the runs: their cells would be empty."""
    chosen = [runs.get(db, one) for one in names]
    have = [one for run in chosen for one in judge_scores.of_run(db, run.id)]
    if not judge_scores.choose(have, name):
        known = dict.fromkeys(one.name for one in have)
        raise NotFound(
            f"No judge {name!r} has scored these runs.",
            choices(name, known, "These have", none="none"),
        )


def _key(
    db: sqlite3.Connection, run: Run, name: str, variant: str | None, judge: str | None
) -> MetricKey | None:
    """The metric of a run; None where it was not computed, and where the variant lacks it."""
    is_judged = name in list(COLUMNS.values())[4:]
    if not is_judged and name not in metric_names(variant or "standard"):
        return None
    query = (
        MetricQuery(name, None, judge) if is_judged else MetricQuery(name, variant or "standard")
    )
    try:
        return query.key(db, run.id)
    except NotFound:
        return None


def _cell(db: sqlite3.Connection, run: Run, key: MetricKey) -> TableCell:
    spec = resolve(key.name, key.variant)
    scored = [row for row in score_rows(db, run, key, "topic", "task") if row.state is not None]
    summary: Summary = summarise(
        [on_unit_scale(spec, row.value) for row in scored],
        [row.state for row in scored if row.state is not None],
        [row.group_key for row in scored],
    )
    return TableCell(
        summary.mean, summary.low, summary.high, summary.n_ok, summary.groups, summary.coverage
    )

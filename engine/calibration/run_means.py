"""The mean that people would give each run: the judge's, corrected by labels, from the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Mapping, Sequence

from engine.calibration.calibration_records import CellMean, Disputed, RunMean, Truth
from engine.calibration.populations import Design, design_of, hull, population, values_of_run
from engine.judge.base import LABELLED
from engine.statistics.inference import Powered
from engine.statistics.prediction_powered import powered_mean
from store.runs import judged_answers
from store.runs import runs as store_runs
from store.runs.judge_scores import StoredJudge
from store.runs.judged_answers import RunAnswer
from store.runs.results import MetricKey


def run_means(
    db: sqlite3.Connection,
    judge: StoredJudge,
    truths: Sequence[Truth],
    disputed: Sequence[Disputed],
    sample: str | None,
    learned: Container[str],
) -> list[RunMean]:
    """The estimated means of every run and metric with labels; with what conflicts could change.

    `learned` are groups that the judge learned from: `truths` hold none of them.
    """
    means = []
    for run_id in sorted({truth.run_id for truth in truths}):
        mine = [truth for truth in truths if truth.run_id == run_id]
        name = store_runs.get(db, run_id).name
        answers = judged_answers.answers(db, run_id)
        design = design_of(db, run_id, [truth.prediction_id for truth in mine], sample)
        metrics = [metric for metric in LABELLED if any(one.metric == metric for one in mine)]
        values = values_of_run(db, judge.id, answers, run_id, metrics, learned)
        for metric in metrics:
            settled = [truth for truth in mine if truth.metric == metric]
            open_here = [
                one
                for one in disputed
                if (one.lowest.run_id, one.lowest.metric) == (run_id, metric)
                and one.lowest.group_key not in learned
            ]
            key = MetricKey(metric, "standard", judge.id)
            used = judged_answers.answers(db, run_id, key)
            found = _mean(name, metric, used, values[metric], settled, open_here, design)
            if found is not None:
                means.append(found)
    return means


def _mean(
    run: str,
    metric: str,
    answers: Sequence[RunAnswer],
    values: Mapping[int, float],
    settled: Sequence[Truth],
    open_here: Sequence[Disputed],
    design: Design,
) -> RunMean | None:
    """None when none of the answers is labelled, or the judge has judged none."""

    def powered(inside: Sequence[RunAnswer], labels: Sequence[Truth]) -> Powered | None:
        found = population(inside, metric, values, labels, design)
        return None if found is None else powered_mean(found.judge, found.groups, found.labels)

    whole = powered(answers, settled)
    if whole is None:
        return None
    cells: dict[tuple[str, str], list[RunAnswer]] = {}
    for one in answers:
        cells.setdefault((one.topic, one.task), []).append(one)
    by_cell = (
        (cell, powered(inside, settled)) for cell, inside in sorted(cells.items()) if len(cells) > 1
    )
    bounds = {}
    if open_here:
        ways = [
            whole,
            powered(answers, [*settled, *(one.lowest for one in open_here)]),
            powered(answers, [*settled, *(one.highest for one in open_here)]),
        ]
        bounds = {
            "bounds": hull([way.run for way in ways if way is not None]),
            "bounds_new": hull([way.new for way in ways if way is not None]),
        }
    return RunMean(
        run,
        metric,
        design.sample,
        whole,
        tuple(CellMean(*cell, one) for cell, one in by_cell if one and one.run.state != "too few"),
        len(open_here),
        **bounds,
    )

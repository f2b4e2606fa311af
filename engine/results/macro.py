"""Systems over several datasets: the mean of each on each dataset, and the mean of these means."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from engine.judge.registry import metric_spec
from engine.results.comparison import Leaderboard, MacroBoard, MacroRow
from engine.results.leaderboard import leaderboard
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import unit_scores
from store.datasets import datasets
from store.errors import UsageError
from store.runs import runs
from store.runs.runs import Run


def macro_board(db: sqlite3.Connection, names: Sequence[str], query: MetricQuery) -> MacroBoard:
    """The systems of some runs, one run of each system on each dataset.

    Raises UsageError for a second run of a system on a dataset, NotFound for a run or a metric that
    there is not, and InputError where a judge scored runs in several configurations.
    """
    by_dataset: dict[str, dict[str, Run]] = {}
    for name in names:
        run = runs.get(db, name)
        dataset = datasets.release_by_id(db, run.release_id).dataset_name
        other = by_dataset.setdefault(dataset, {}).setdefault(run.system.name, run)
        if other is not run:
            raise UsageError(
                f"System {run.system.name!r} has two runs on dataset {dataset!r}: {other.name},"
                f" {run.name}.",
                "Name one run of a system on each dataset.",
            )
    key = query.key(db, runs.get(db, names[0]).id)
    spec = metric_spec(key.name, key.variant)
    boards = {
        dataset: leaderboard(
            {
                system: unit_scores(db, run, key, "topic", "task")
                for system, run in by_dataset[dataset].items()
            },
            higher_is_better=spec.higher_is_better,
        )
        for dataset in sorted(by_dataset)
    }
    systems = {system for held in by_dataset.values() for system in held}
    rows = [_row(system, boards) for system in sorted(systems)]
    direction = 1 if spec.higher_is_better is False else -1
    rows.sort(key=lambda row: (row.mean is None, direction * (row.mean or 0.0)))
    return MacroBoard(key, boards, tuple(rows))


def _row(system: str, boards: Mapping[str, Leaderboard]) -> MacroRow:
    standings = tuple(
        next((one for one in board.standings if one.run == system), None)
        for board in boards.values()
    )
    means = [one.mean for one in standings if one is not None and one.mean is not None]
    complete = len(means) == len(boards)
    return MacroRow(system, standings, sum(means) / len(means) if complete else None)

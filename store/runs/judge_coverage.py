"""How much of each run its judges have scored, and how often they gave no value."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from store.records import ScoreState
from store.runs.judge_scores import short_hash


class MetricCoverage(Struct, frozen=True):
    """What a judge gave for one metric of a run."""

    metric: str
    scored: int
    """Answers with a first score, whatever its state."""
    states: dict[ScoreState, int]
    """Scores, those of all repeats."""


class JudgeCoverage(Struct, frozen=True):
    """What a configuration of a judge gave for a run."""

    judge: str
    """`NAME@` with the beginning of the hash."""
    run: str
    answers: int
    """That can be judged: all but those that failed or are pending."""
    metrics: tuple[MetricCoverage, ...]

    @property
    def share(self) -> float:
        """Of the answers, 0 to 1, over the metrics that the judge has begun."""
        wanted = self.answers * len(self.metrics)
        return sum(one.scored for one in self.metrics) / wanted if wanted else 0.0

    @property
    def states(self) -> dict[ScoreState, int]:
        """Scores of all metrics and repeats."""
        return {
            state: sum(one.states.get(state, 0) for one in self.metrics) for state in ScoreState
        }


def coverage(db: sqlite3.Connection) -> list[JudgeCoverage]:
    """What every judge gave for every run that it has begun; the newest runs first."""
    rows = db.execute(
        "SELECT run_id, judge_id, metric.name, variant, score.state, count(*),"
        " sum(score.repeat = 0) FROM score JOIN prediction ON prediction.id = prediction_id"
        " JOIN metric ON metric.id = metric_id WHERE judge_id > 0"
        " GROUP BY 1, 2, 3, 4, 5 ORDER BY run_id DESC, judge_id, metric.name, variant"
    )
    given: dict[tuple[int, int], dict[str, dict[ScoreState, tuple[int, int]]]] = {}
    for run, judge, metric, variant, state, count, first in rows:
        name = metric if variant == "standard" else f"{metric} ({variant})"
        states = given.setdefault((run, judge), {}).setdefault(name, {})
        states[ScoreState(state)] = count, first
    runs = {
        run: (name, answers)
        for run, name, answers in db.execute(
            "SELECT run.id, name, count(answer) FROM run JOIN prediction ON run_id = run.id"
            " GROUP BY run.id"
        )
    }
    judges = {
        judge: f"{name}@{short_hash(digest)}"
        for judge, name, digest in db.execute("SELECT id, name, config_hash FROM judge")
    }
    return [
        JudgeCoverage(
            judges[judge],
            *runs[run],
            tuple(
                MetricCoverage(
                    metric,
                    sum(first for _, first in states.values()),
                    {state: count for state, (count, _) in states.items()},
                )
                for metric, states in metrics.items()
            ),
        )
        for (run, judge), metrics in given.items()
    ]

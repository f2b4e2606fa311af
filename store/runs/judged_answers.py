"""The values that judges and people gave to the same answers, as a calibration reads them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from store.records import ScoreState
from store.runs import results
from store.runs.judge_scores import StoredJudge
from store.runs.results import MetricKey

_MANY = 10_000


class AnswerPlace(Struct, frozen=True):
    """The place of an answer: its run, item, group and cell."""

    prediction_id: int
    run_id: int
    item_key: str
    turn: int
    group_key: str
    topic: str
    task: str
    question: str
    answer: str


class RunAnswer(Struct, frozen=True):
    """An answer of a run's first repeat by its place, without its texts."""

    prediction_id: int
    item_key: str
    turn: int
    group_key: str
    topic: str
    task: str


class JudgeScore(Struct, frozen=True):
    prediction_id: int
    metric: str
    repeat: int
    state: ScoreState
    value: float | None


def places(db: sqlite3.Connection, prediction_ids: Iterable[int]) -> dict[int, AnswerPlace]:
    """The places of answers, by number; numbers that no prediction has are left out."""
    by_number: dict[int, AnswerPlace] = {}
    numbers = sorted(set(prediction_ids))
    for start in range(0, len(numbers), _MANY):
        names = msgspec.json.encode(numbers[start : start + _MANY]).decode()
        rows = db.execute(
            "SELECT prediction.id, run_id, item_key, turn, group_key, topic, task,"
            " json_extract(content, '$.turns[' || turn || '].question'), coalesce(answer, '')"
            " FROM prediction JOIN revision ON revision.id = revision_id"
            " JOIN item ON item.id = item_id"
            " WHERE prediction.id IN (SELECT value FROM json_each(?))",
            (names,),
        )
        by_number |= {row[0]: AnswerPlace(*row) for row in rows}
    return by_number


def answers(
    db: sqlite3.Connection, run_id: int, metric: MetricKey | None = None
) -> list[RunAnswer]:
    """The answers of a run's first repeat, in the run's order; given a metric, those of tasks that
    use it."""
    name, variant, judge = (metric.name, metric.variant, metric.judge_id) if metric else ("", "", 0)
    rows = db.execute(
        "SELECT prediction.id, item_key, turn, group_key, topic, task FROM prediction"
        " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
        " WHERE run_id = ? AND prediction.repeat = 0 AND answer IS NOT NULL"
        f" AND (dataset_id, task) NOT IN ({results.UNUSED_TASKS}) ORDER BY ordinal",
        (run_id, name, variant, judge),
    )
    return [RunAnswer(*row) for row in rows]


def judges(db: sqlite3.Connection, prediction_ids: Sequence[int]) -> list[StoredJudge]:
    """The judges that have scored any of these answers, oldest first."""
    names = msgspec.json.encode(list(prediction_ids)).decode()
    rows = db.execute(
        "SELECT id, name, config_hash, config FROM judge WHERE id IN"
        " (SELECT DISTINCT judge_id FROM json_each(?) AS wanted"
        "  JOIN score ON prediction_id = wanted.value WHERE judge_id > 0) ORDER BY id",
        (names,),
    )
    return [
        StoredJudge(id, name, hash, msgspec.json.decode(config)) for id, name, hash, config in rows
    ]


def scores(
    db: sqlite3.Connection,
    judge_id: int,
    metrics: Sequence[str],
    *,
    prediction_ids: Sequence[int] | None = None,
    run_id: int | None = None,
) -> list[JudgeScore]:
    """A judge's scores of some answers, or of a run, in variant `standard`, all repeats."""
    source, params = "prediction WHERE run_id = ?", [run_id]
    if prediction_ids is not None:
        source = "prediction WHERE id IN (SELECT value FROM json_each(?))"
        params = [msgspec.json.encode(list(prediction_ids)).decode()]  # type: ignore[list-item]
    rows = db.execute(
        "SELECT prediction_id, metric.name, score.repeat, score.state, value"
        f" FROM (SELECT id FROM {source}) AS wanted JOIN score ON prediction_id = wanted.id"
        " JOIN metric ON metric.id = metric_id WHERE judge_id = ? AND variant = 'standard'"
        " AND metric.name IN (SELECT value FROM json_each(?))"
        " ORDER BY prediction_id, metric.name, score.repeat",
        (*params, judge_id, msgspec.json.encode(list(metrics)).decode()),
    )
    return [
        JudgeScore(prediction, metric, repeat, ScoreState(state), value)
        for prediction, metric, repeat, state, value in rows
    ]


def probabilities(
    db: sqlite3.Connection, judge_id: int, prediction_ids: Sequence[int]
) -> dict[tuple[int, str], float]:
    """The probability that a judge states of its first value in the score's details, by answer and
    metric; of those that state one."""
    rows = db.execute(
        "SELECT prediction_id, stage, json_extract(stage_result.value, '$.details.probability')"
        " AS stated FROM json_each(?) AS wanted JOIN stage_result ON prediction_id = wanted.value"
        " WHERE stage LIKE ? AND stated BETWEEN 0 AND 1",
        (msgspec.json.encode(list(prediction_ids)).decode(), f"judge/{judge_id}/%/0"),
    )
    return {(prediction, stage.split("/")[2]): float(stated) for prediction, stage, stated in rows}


def has_labels(db: sqlite3.Connection, form_key: str) -> bool:
    """Whether any rater has completed a subject of a form."""
    rows = db.execute(
        "SELECT 1 FROM label_status WHERE form_key = ? AND status = 'complete' LIMIT 1", (form_key,)
    )
    return rows.fetchone() is not None

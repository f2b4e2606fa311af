"""The work of judges on a run: answers still to judge, stored scores and cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from store.errors import NotFound, UsageError
from store.hashing import canonical_json
from store.jobs.model_calls import CallRef
from store.records import MetricScore, ScoreState
from store.runs import stages
from store.runs.results import UNUSED

RETRIED = (ScoreState.ERROR,)
"""The states that `--retry-failed` asks for again; an unreadable reply would be the same again."""


class StoredJudge(Struct, frozen=True):
    """A judge's configuration as it is stored."""

    id: int
    name: str
    hash: str
    config: dict[str, Any]

    @property
    def kind(self) -> str:
        """`rules`, `model`, `trained`, `imported`."""
        if self.config.get("imported"):
            return "imported"
        return str(self.config.get("kind", "rules"))

    @property
    def label(self) -> str:
        """`NAME@` with the beginning of the hash."""
        return f"{self.name}@{short_hash(self.hash)}"


class Unjudged(Struct, frozen=True):
    """An answer that lacks a value of a judge."""

    prediction_id: int
    ordinal: int
    done: frozenset[tuple[str, int]]
    """(metric, repeat) pairs that it has."""


class JudgeValue(Struct, frozen=True, omit_defaults=True):
    """The value of a judge's stage, stored beside its score."""

    prompt: str = ""
    """`LANG/ID` of the template; empty where nothing was asked."""
    prompt_hash: str = ""
    model: str = ""
    calls: tuple[CallRef, ...] = ()
    """In the order asked; the last one is the reply that was read for the score."""
    repaired: bool = False
    """Whether the reply's JSON had to be mended."""
    details: dict[str, Any] | None = None
    """What the score was counted from, as the judge tells it; see `fitting`."""


MOST_DETAIL_BYTES = 256 * 1024
"""Of the details of one score as JSON, so that no judge fills the file."""


def fitting(details: dict[str, Any] | None) -> dict[str, Any] | None:
    """The details of a score; in place of too many of them how many bytes they were."""
    if details is None or (size := len(msgspec.json.encode(details))) <= MOST_DETAIL_BYTES:
        return details
    return {"left_out": f"{size:,} bytes of details, of at most {MOST_DETAIL_BYTES:,}"}


def short_hash(hash: str) -> str:
    """Eight digits of a hash, enough to tell configurations apart."""
    return hash.rpartition(":")[2][:8]


def stage_name(judge_id: int, metric: str, repeat: int) -> str:
    """The stage under which the details of a judgement are stored."""
    return f"judge/{judge_id}/{metric}/{repeat}"


def get(db: sqlite3.Connection, judge_id: int) -> StoredJudge:
    """The judge of that number. Raises NotFound."""
    row = db.execute(
        "SELECT id, name, config_hash, config FROM judge WHERE id = ? AND id > 0", (judge_id,)
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no judge with number {judge_id}.")
    return _judge(row)


def names(db: sqlite3.Connection) -> list[str]:
    """The names of all judges that are stored, those that gave no score yet among them."""
    rows = db.execute("SELECT DISTINCT name FROM judge WHERE id > 0 ORDER BY name")
    return [str(name) for (name,) in rows]


def configs(db: sqlite3.Connection, hashes: Sequence[str]) -> list[dict[str, Any]]:
    """The stored configurations of these hashes."""
    rows = db.execute(
        "SELECT config FROM judge WHERE config_hash IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(list(hashes)).decode(),),
    )
    return [msgspec.json.decode(config) for (config,) in rows]


def number_of(db: sqlite3.Connection, config_hash: str) -> int | None:
    """The number of the judge with this configuration; null where none is stored."""
    row = db.execute("SELECT id FROM judge WHERE config_hash = ?", (config_hash,)).fetchone()
    return None if row is None else int(row[0])


def of_run(db: sqlite3.Connection, run_id: int) -> list[StoredJudge]:
    """The judges that have scored any answer of a run, oldest first."""
    rows = db.execute(
        "SELECT id, name, config_hash, config FROM judge WHERE id > 0 AND EXISTS"
        " (SELECT 1 FROM prediction JOIN score ON prediction_id = prediction.id"
        "  WHERE run_id = ? AND judge_id = judge.id) ORDER BY id",
        (run_id,),
    )
    return [_judge(row) for row in rows]


def total(db: sqlite3.Connection, run_id: int) -> int:
    """Answers of a run that can be judged: all but those that failed or are pending."""
    (count,) = db.execute(
        "SELECT count(*) FROM prediction WHERE run_id = ? AND answer IS NOT NULL", (run_id,)
    ).fetchone()
    return int(count)


_OUTDATED = (
    f"(score.reason = '{UNUSED}' AND NOT EXISTS (SELECT 1 FROM unused_metric AS unused"
    "  JOIN dataset ON dataset.taxonomy_id = unused.taxonomy_id"
    "  JOIN item ON item.dataset_id = dataset.id JOIN revision ON revision.item_id = item.id"
    "   AND revision.task = unused.task JOIN prediction AS judged"
    "   ON judged.revision_id = revision.id"
    "  WHERE judged.id = score.prediction_id AND unused.metric_id = score.metric_id"
    "   AND unused.judge_id = score.judge_id))"
)
"""SQL that is true of a score for a metric that the task did not use when it was judged, and does
by now."""
_HELD = (
    "(SELECT count(*) FROM score JOIN metric ON metric.id = metric_id"
    " WHERE prediction_id = prediction.id AND judge_id = ?"
    " AND score.repeat < ? AND metric.name IN (SELECT value FROM json_each(?))"
    f" AND NOT coalesce({_OUTDATED}, 0))"
)


def forget_outdated(db: sqlite3.Connection, run_id: int, judge_id: int) -> None:
    """Removes what says that a task does not use a metric, where it does by now."""
    db.execute(
        f"DELETE FROM score WHERE judge_id = ? AND {_OUTDATED}"
        " AND prediction_id IN (SELECT id FROM prediction WHERE run_id = ?)",
        (judge_id, run_id),
    )


def unjudged(
    db: sqlite3.Connection,
    run_id: int,
    judge_id: int,
    metrics: Sequence[str],
    repeats: int,
    *,
    after: int = -1,
    limit: int = 64,
) -> list[Unjudged]:
    """The next answers after ordinal `after`, in the run's order, that lack a score."""
    names = msgspec.json.encode(list(metrics)).decode()
    rows = db.execute(
        "SELECT prediction.id, ordinal FROM prediction WHERE run_id = ? AND ordinal > ?"
        f" AND answer IS NOT NULL AND {_HELD} < ? ORDER BY ordinal LIMIT ?",
        (run_id, after, judge_id, repeats, names, len(metrics) * repeats, limit),
    ).fetchall()
    return [
        Unjudged(prediction, ordinal, _done(db, prediction, judge_id))
        for prediction, ordinal in rows
    ]


def remaining(
    db: sqlite3.Connection, run_id: int, judge_id: int, metrics: Sequence[str], repeats: int
) -> int:
    """The number of answers of a run that lack a score of the judge."""
    names = msgspec.json.encode(list(metrics)).decode()
    (count,) = db.execute(
        f"SELECT count(*) FROM prediction WHERE run_id = ? AND answer IS NOT NULL AND {_HELD} < ?",
        (run_id, judge_id, repeats, names, len(metrics) * repeats),
    ).fetchone()
    return int(count)


def put(
    db: sqlite3.Connection,
    prediction_id: int,
    judge_id: int,
    score: MetricScore,
    repeat: int,
    value: JudgeValue | None = None,
    elapsed_ms: float = 0.0,
) -> None:
    """Stores a judge's score, and beside it what it rests on."""
    stages.put_scores(db, prediction_id, [score], judge_id=judge_id, repeat=repeat)
    if value is not None:
        put_value(db, prediction_id, judge_id, score.metric, repeat, value, elapsed_ms)


def put_value(
    db: sqlite3.Connection,
    prediction_id: int,
    judge_id: int,
    metric: str,
    repeat: int,
    value: JudgeValue,
    elapsed_ms: float = 0.0,
) -> None:
    """Stores what a judge's score rests on."""
    stages.put(
        db,
        prediction_id,
        stage_name(judge_id, metric, repeat),
        value,
        elapsed_ms=elapsed_ms,
        call_key=value.calls[-1].key if value.calls else None,
    )


def spent(db: sqlite3.Connection, run_id: int, judge_id: int) -> tuple[int, float]:
    """Tokens and money that a judge's calls about a run used, without those from the cache.

    A call behind several scores counts once.
    """
    tokens, cost = db.execute(
        "SELECT coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),"
        " coalesce(sum(cost), 0.0) FROM model_call WHERE key IN"
        " (SELECT json_extract(call.value, '$.key') FROM prediction JOIN stage_result AS stage"
        "  ON prediction_id = prediction.id AND stage.stage LIKE ?,"
        "  json_each(stage.value, '$.calls') AS call"
        "  WHERE run_id = ? AND NOT coalesce(json_extract(call.value, '$.cached'), 0))",
        (f"judge/{judge_id}/%", run_id),
    ).fetchone()
    return int(tokens), float(cost)


def by_hash(
    db: sqlite3.Connection, prediction_id: int, hashes: Iterable[str]
) -> dict[tuple[str, str], MetricScore]:
    """The first of the repeats' scores that judges of these hashes gave an answer, in variant
    `standard`, by hash and metric."""
    rows = db.execute(
        "SELECT config_hash, metric.name, score.state, value, score.reason FROM score"
        " JOIN judge ON judge.id = judge_id JOIN metric ON metric.id = metric_id"
        " WHERE prediction_id = ? AND score.repeat = 0 AND variant = 'standard'"
        " AND config_hash IN (SELECT value FROM json_each(?))",
        (prediction_id, msgspec.json.encode(list(hashes)).decode()),
    )
    return {
        (digest, metric): MetricScore(metric, "standard", value, ScoreState(state), reason)
        for digest, metric, state, value, reason in rows
    }


def counts(db: sqlite3.Connection, run_id: int, judge_id: int) -> dict[str, dict[ScoreState, int]]:
    """The number of a judge's scores in each state, by metric."""
    rows = db.execute(
        "SELECT metric.name, score.state, count(*) FROM prediction"
        " JOIN score ON prediction_id = prediction.id JOIN metric ON metric.id = metric_id"
        " WHERE run_id = ? AND judge_id = ? GROUP BY 1, 2 ORDER BY 1, 2",
        (run_id, judge_id),
    )
    by_metric: dict[str, dict[ScoreState, int]] = {}
    for metric, state, count in rows:
        by_metric.setdefault(metric, {})[ScoreState(state)] = count
    return by_metric


_FAILED = (
    "FROM prediction JOIN score ON prediction_id = prediction.id"
    " JOIN metric ON metric.id = metric_id WHERE run_id = ? AND judge_id = ?"
    " AND score.state IN (SELECT value FROM json_each(?))"
)


def failed(db: sqlite3.Connection, run_id: int, judge_id: int) -> int:
    """The number of a judge's scores of a run that failed for lack of a reply."""
    retried = canonical_json(RETRIED).decode()
    (count,) = db.execute(f"SELECT count(*) {_FAILED}", (run_id, judge_id, retried)).fetchone()
    return int(count)


def reopen_failed(
    db: sqlite3.Connection, run_id: int, judge_id: int, dependants: Sequence[int] = ()
) -> int:
    """Deletes the scores that failed for lack of a reply, so that they are asked for again, and
    what the judges `dependants` made of them; returns the number of those that failed.
    """
    failed = db.execute(
        f"SELECT prediction_id, metric_id, metric.name, score.repeat {_FAILED}",
        (run_id, judge_id, canonical_json(RETRIED).decode()),
    ).fetchall()
    db.executemany(
        "DELETE FROM score WHERE prediction_id = ? AND metric_id = ? AND judge_id = ?"
        " AND repeat = ?",
        [
            (prediction, metric, judge, repeat)
            for prediction, metric, _, repeat in failed
            for judge in (judge_id, *dependants)
        ],
    )
    db.executemany(
        "DELETE FROM stage_result WHERE prediction_id = ? AND stage = ?",
        [
            (prediction, stage_name(judge, name, repeat))
            for prediction, _, name, repeat in failed
            for judge in (judge_id, *dependants)
        ],
    )
    return len(failed)


def choose(have: Sequence[StoredJudge], wanted: str) -> list[StoredJudge]:
    """The judges that `NAME` or `NAME@HASH` refers to: the newest of several configurations of one
    name, or the one whose hash begins so. Raises UsageError for an ambiguous hash.
    """
    name, at, digits = wanted.rpartition("@")
    if at and name:
        matching = [
            judge for judge in have if judge.name == name and short(judge).startswith(digits)
        ]
        if len(matching) > 1:
            raise UsageError(f"{wanted!r} matches several judges.", "Give more digits of the hash.")
        return matching
    return [judge for judge in have if judge.name == wanted][-1:]


def short(judge: StoredJudge) -> str:
    """The digits of a judge's hash, all of them."""
    return judge.hash.rpartition(":")[2]


def _done(db: sqlite3.Connection, prediction_id: int, judge_id: int) -> frozenset[tuple[str, int]]:
    rows = db.execute(
        "SELECT metric.name, score.repeat FROM score JOIN metric ON metric.id = metric_id"
        f" WHERE prediction_id = ? AND judge_id = ? AND NOT coalesce({_OUTDATED}, 0)",
        (prediction_id, judge_id),
    )
    return frozenset(rows.fetchall())


def _judge(row: tuple[int, str, str, str]) -> StoredJudge:
    id, name, hash, config = row
    return StoredJudge(id, name, hash, msgspec.json.decode(config))


def judged_metrics(db: sqlite3.Connection, run_id: int, judge: str) -> set[str]:
    """Names of the metrics that any judge of that name has given a run."""
    rows = db.execute(
        "SELECT DISTINCT metric.name FROM prediction JOIN score ON prediction_id = prediction.id"
        " JOIN metric ON metric.id = metric_id JOIN judge ON judge.id = judge_id"
        " WHERE run_id = ? AND judge.name = ?",
        (run_id, judge),
    )
    return {name for (name,) in rows}

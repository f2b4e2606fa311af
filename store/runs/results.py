"""Reads the scores of a run: its metrics, its cells, and the items of a cell."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from store.errors import NotFound, UsageError
from store.messages import choices, listed
from store.records import (
    Lang,
    PredictionState,
    ScoreRow,
    ScoreState,
)


class MetricKey(msgspec.Struct, frozen=True, order=True):
    """A metric that a run has scores of."""

    name: str
    variant: str
    judge_id: int = 0
    judge: str = ""
    """Its name; `NAME@` and digits of its hash where a newer judge of that name scored the run."""

    @property
    def label(self) -> str:
        """`rougeL`, `f1 (crud)`, `accuracy (judge rules)`."""
        notes = [self.variant] if self.variant not in ("standard", "") and not self.judge else []
        if self.judge:
            notes.append(f"judge {self.judge}")
        return f"{self.name} ({', '.join(notes)})" if notes else self.name


class PredictionRow(msgspec.Struct, frozen=True):
    """A line in the list of a cell's items."""

    id: int
    item_key: str
    turn: int
    turns: int
    repeat: int
    topic: str
    task: str
    question: str
    answer: str | None
    prediction_state: PredictionState
    state: ScoreState | None
    value: float | None


def metrics(db: sqlite3.Connection, run_id: int) -> list[MetricKey]:
    """The metrics that a run has scores of.

    Read off the first predictions that were scored: every scored prediction has every metric, as
    `na` where it does not apply. A judge's name stands for its newest configuration that scored
    the run; older ones have digits of their hash behind it.
    """
    rows = db.execute(
        "SELECT DISTINCT metric.name, variant, judge_id, judge.name, judge.config_hash FROM score"
        " JOIN metric ON metric.id = metric_id JOIN judge ON judge.id = judge_id"
        " WHERE prediction_id IN (SELECT prediction.id FROM prediction JOIN stage_result"
        "   ON prediction_id = prediction.id AND stage = 'score' WHERE run_id = ?"
        "   ORDER BY ordinal LIMIT 16)",
        (run_id,),
    ).fetchall()
    newest: dict[str, int] = {}
    for _, _, judge_id, judge, _ in rows:
        newest[judge] = max(judge_id, newest.get(judge, 0))
    return sorted(
        MetricKey(
            name,
            variant,
            judge_id,
            judge if judge_id == newest[judge] else f"{judge}@{_digits(hash)[:8]}",
        )
        for name, variant, judge_id, judge, hash in rows
    )


def valued_metrics(db: sqlite3.Connection, run_id: int) -> list[MetricKey]:
    """Those of the metrics of a run that have a value for at least one prediction."""
    rows = db.execute(
        "SELECT DISTINCT metric.name, variant, judge_id FROM prediction"
        " JOIN score ON prediction_id = prediction.id JOIN metric ON metric.id = metric_id"
        " JOIN revision ON revision.id = revision_id"
        " WHERE run_id = ?1 AND score.state = 'ok' AND (task, metric_id, judge_id) NOT IN"
        "  (SELECT task, metric_id, judge_id FROM unused_metric WHERE taxonomy_id ="
        "   (SELECT taxonomy_id FROM run JOIN release ON release.id = release_id"
        "    JOIN dataset ON dataset.id = dataset_id WHERE run.id = ?1))",
        (run_id,),
    )
    valued = set(rows.fetchall())
    return [key for key in metrics(db, run_id) if (key.name, key.variant, key.judge_id) in valued]


def _digits(hash: str) -> str:
    return hash.rpartition(":")[2]


def find_metric(
    db: sqlite3.Connection,
    run_id: int,
    name: str,
    variant: str | None = None,
    judge: str | None = None,
) -> MetricKey:
    """The metric of a run by name. By default the standard variant, computed here rather than
    imported, and the only judge.

    Raises NotFound with the names that there are, UsageError when several judges scored it.
    """
    have = metrics(db, run_id)
    matching = [
        key
        for key in have
        if key.name == name
        and (variant is None or key.variant == variant)
        and (judge is None or _is_meant(db, key, judge))
    ]
    if not matching:
        _refuse_deeper(db, run_id, name, have)
        raise _unscored(db, run_id, name, variant, judge, have)
    standard = [key for key in matching if key.variant == "standard"]
    if len(matching) > 1 and standard:
        matching = standard
    computed = [key for key in matching if not key.judge]
    if len(matching) > 1 and computed:
        matching = computed
    if len(matching) > 1:
        labels = ", ".join(key.label for key in matching)
        raise UsageError(
            f"Several scores are called {name!r}: {labels}.", "Say which.", "--variant, --judge"
        )
    return matching[0]


def _unscored(
    db: sqlite3.Connection,
    run_id: int,
    name: str,
    variant: str | None,
    judge: str | None,
    have: Sequence[MetricKey],
) -> NotFound:
    """The error for a metric that a run has no scores of, at all or as it was asked for."""
    (run,) = db.execute("SELECT name FROM run WHERE id = ?", (run_id,)).fetchone()
    asked = " ".join(filter(None, (variant, judge and f"by judge {judge!r}")))
    others = [key.label for key in have if key.name == name]
    names = dict.fromkeys(key.name for key in have)
    remedy = f"It has: {listed(others)}." if others else choices(name, names, "It has")
    if judge:
        remedy += f" Let judge {judge!r} score it."
    return NotFound(
        f"Run {run!r} has no scores of {name!r}{asked and f' {asked}'}.",
        remedy,
        f"ragdesk judge {run} --judge {judge.partition('@')[0]}" if judge else "",
    )


def _refuse_deeper(
    db: sqlite3.Connection, run_id: int, name: str, have: Sequence[MetricKey]
) -> None:
    """Raises NotFound where the run has the metric at lesser cut-offs than asked for."""
    base, mark, asked = name.partition("@")
    cuts = {
        int(cut)
        for other, at, cut in (key.name.partition("@") for key in have)
        if at and other == base and cut.isdecimal()
    }
    if not mark or not asked.isdecimal() or not cuts or int(asked) <= max(cuts):
        return
    raise too_deep(name, max(cuts), depth(db, run_id))


def depth(db: sqlite3.Connection, run_id: int) -> int:
    """The number of passages that the system of a run retrieves for a question, at most."""
    (top_k,) = db.execute(
        "SELECT coalesce(json_extract(config, '$.top_k'), 5) FROM run"
        " JOIN system ON system.id = system_id WHERE run.id = ?",
        (run_id,),
    ).fetchone()
    return int(top_k)


def too_deep(name: str, deepest: int, top_k: int) -> NotFound:
    """The error for a metric such as `ndcg@10` of a run that retrieved less; `deepest` is the
    largest cut-off that it has."""
    base, _, asked = name.partition("@")
    return NotFound(
        f"The run has no scores of {name!r}: its system retrieves {top_k} passages for a question.",
        f"Take {base}@{deepest}, or evaluate a system with top_k = {asked} in ragdesk.toml;"
        f" an imported run is scored so deep by --k {asked}.",
    )


def _is_meant(db: sqlite3.Connection, key: MetricKey, judge: str) -> bool:
    """Whether `NAME`, or `NAME@` with the beginning of a hash, refers to the judge of a metric."""
    if key.judge == judge:
        return True
    name, at, digits = judge.rpartition("@")
    if not at or key.judge.partition("@")[0] != name or not digits:
        return False
    (hash,) = db.execute("SELECT config_hash FROM judge WHERE id = ?", (key.judge_id,)).fetchone()
    return _digits(hash).startswith(digits)


def axes(db: sqlite3.Connection, run_id: int) -> list[str]:
    """The possible rows or columns of a matrix of this run: topic, task, where the taxonomy groups
    its tasks their group, lang, facets."""
    rows = db.execute(
        "SELECT DISTINCT facet.key FROM prediction JOIN revision ON revision.id = revision_id,"
        " json_each(revision.content, '$.facets') AS facet WHERE run_id = ? ORDER BY 1",
        (run_id,),
    )
    (grouped,) = db.execute(
        "SELECT EXISTS (SELECT 1 FROM run JOIN release ON release.id = release_id"
        " JOIN dataset ON dataset.id = dataset_id JOIN taxonomy ON taxonomy.id = taxonomy_id,"
        " json_each(taxonomy.content, '$.tasks') AS task"
        " WHERE run.id = ? AND json_extract(task.value, '$.group') <> '')",
        (run_id,),
    ).fetchone()
    groups = (TASK_GROUP,) if grouped else ()
    return list(dict.fromkeys([*_FIXED_AXES, *groups, *(key for (key,) in rows)]))


_FIXED_AXES = ("topic", "task", "lang")
TASK_GROUP = "task_group"
"""The axis of what the taxonomy files a task under, such as CRUD-RAG's create and read."""

_GROUP_OF_TASK = (
    "coalesce((SELECT nullif(json_extract(task.value, '$.group'), '') FROM dataset"
    " JOIN taxonomy ON taxonomy.id = taxonomy_id, json_each(taxonomy.content, '$.tasks') AS task"
    " WHERE dataset.id = item.dataset_id"
    " AND json_extract(task.value, '$.key') = revision.task), 'unassigned')"
)

_FACET = (
    "coalesce((SELECT CASE type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'"
    " ELSE CAST(value AS TEXT) END"
    " FROM json_each(revision.content, '$.facets') WHERE key = ?), 'unassigned')"
)
"""As text, whatever it holds. By json_each, since a JSON path cannot name every key."""


def _axis(name: str) -> tuple[str, tuple[str, ...]]:
    """SQL for the value of an axis, and its parameters."""
    if name == TASK_GROUP:
        return _GROUP_OF_TASK, ()
    return (f"revision.{name}", ()) if name in _FIXED_AXES else (_FACET, (name,))


UNUSED = "the task does not use this metric"
"""The reason why a metric does not apply to an item whose task does not list it, though another
task of the taxonomy does. What was scored stays stored, and what others computed stays as it is."""

UNUSED_TASKS = (
    "SELECT DISTINCT dataset.id AS dataset_id, task FROM unused_metric JOIN dataset"
    " ON dataset.taxonomy_id = unused_metric.taxonomy_id"
    " WHERE metric_id = (SELECT id FROM metric WHERE name = ? AND variant = ?) AND judge_id = ?"
)
"""SQL for the tasks of every dataset that do not use a metric: its name, variant and judge."""


def unused_metrics(
    db: sqlite3.Connection, prediction_id: int, metrics: Sequence[str]
) -> frozenset[str]:
    """Those of the metrics that the task of a prediction's item does not use."""
    listed = (
        "EXISTS (SELECT 1 FROM task_metric AS listed WHERE taxonomy_id = dataset.taxonomy_id AND {}"
        " AND metric IN (wanted.value,"
        "  substr(wanted.value, 1, instr(wanted.value, '@')) || 'k'))"
    )
    rows = db.execute(
        "SELECT wanted.value FROM prediction JOIN revision ON revision.id = revision_id"
        " JOIN item ON item.id = item_id JOIN dataset ON dataset.id = dataset_id,"
        " json_each(?) AS wanted WHERE prediction.id = ?"
        # a task that lists none uses all
        " AND EXISTS (SELECT 1 FROM task_metric AS listed"
        "  WHERE taxonomy_id = dataset.taxonomy_id AND listed.task = revision.task)"
        f" AND {listed.format('1')} AND NOT {listed.format('listed.task = revision.task')}",
        (msgspec.json.encode(list(metrics)).decode(), prediction_id),
    )
    return frozenset(name for (name,) in rows)


_SCORES = (
    " FROM prediction JOIN revision ON revision.id = prediction.revision_id"
    " JOIN item ON item.id = revision.item_id"
    f" LEFT JOIN ({UNUSED_TASKS}) AS unused"
    "   ON unused.dataset_id = item.dataset_id AND unused.task = revision.task"
    " LEFT JOIN score ON unused.task IS NULL AND score.prediction_id = prediction.id"
    "   AND score.metric_id = (SELECT id FROM metric WHERE name = ? AND variant = ?)"
    "   AND score.judge_id = ? AND score.repeat = 0"
)
_STATE = "iif(unused.task IS NULL, score.state, 'na')"


def _of_metric(metric: MetricKey) -> tuple[str | int, ...]:
    """The parameters of `_SCORES`."""
    return (metric.name, metric.variant, metric.judge_id) * 2


def score_rows(
    db: sqlite3.Connection, run_id: int, metric: MetricKey, rows: str, cols: str
) -> list[ScoreRow]:
    """Every prediction of the run with its cell and its value of `metric`, in stored order."""
    row_sql, row_params = _axis(rows)
    col_sql, col_params = _axis(cols)
    scores = db.execute(
        "SELECT item.item_key, revision_id, turn, prediction.repeat, item.group_key,"
        f" {row_sql}, {col_sql}, prediction.state, {_STATE}, score.value"
        + _SCORES
        + " WHERE prediction.run_id = ? ORDER BY prediction.ordinal",
        (*row_params, *col_params, *_of_metric(metric), run_id),
    )
    return [
        ScoreRow(key, revision, turn, repeat, group, row, col, _state(prediction, state), value)
        for key, revision, turn, repeat, group, row, col, prediction, state, value in scores
    ]


def cell_prediction_ids(
    db: sqlite3.Connection,
    run_id: int,
    metric: MetricKey,
    *,
    rows: str = "topic",
    cols: str = "task",
    row: str | None = None,
    col: str | None = None,
    worst_is_high: bool = False,
) -> list[int]:
    """Predictions of a cell (or of a row, a column, the whole run), worst value first; those
    without a value come last."""
    row_sql, row_params = _axis(rows)
    col_sql, col_params = _axis(cols)
    where, params = " WHERE prediction.run_id = ?", [run_id]
    extra: list[str] = []
    if row is not None:
        where += f" AND {row_sql} = ?"
        extra += [*row_params, row]
    if col is not None:
        where += f" AND {col_sql} = ?"
        extra += [*col_params, col]
    order = "DESC" if worst_is_high else "ASC"
    predictions = db.execute(
        "SELECT prediction.id" + _SCORES + where + f" ORDER BY score.value IS NULL,"
        f" score.value {order}, item.item_key, prediction.turn, prediction.repeat",
        (*_of_metric(metric), *params, *extra),
    )
    return [prediction for (prediction,) in predictions]


def prediction_rows(
    db: sqlite3.Connection, metric: MetricKey, prediction_ids: Sequence[int]
) -> list[PredictionRow]:
    """The lines for some predictions, in the order given."""
    marks = ",".join("?" * len(prediction_ids))
    predictions = db.execute(
        "SELECT prediction.id, item_key, turn, revision.turns, prediction.repeat, topic,"
        " revision.task, json_extract(content, '$.turns[' || turn || '].question'), answer,"
        f" prediction.state, {_STATE}, score.value"
        + _SCORES
        + f" WHERE prediction.id IN ({marks})",
        (*_of_metric(metric), *prediction_ids),
    )
    by_id = {}
    for (
        id,
        key,
        turn,
        turns,
        repeat,
        topic,
        task,
        question,
        answer,
        done,
        state,
        value,
    ) in predictions:
        by_id[id] = PredictionRow(
            id=id,
            item_key=key,
            turn=turn,
            turns=turns,
            repeat=repeat,
            topic=topic,
            task=task,
            question=question,
            answer=answer,
            prediction_state=PredictionState(done),
            state=_state(done, state),
            value=value,
        )
    return [by_id[prediction] for prediction in prediction_ids]


def main_language(db: sqlite3.Connection, run_id: int) -> Lang:
    """The language of most predictions of a run; English on a draw."""
    rows = db.execute(
        "SELECT lang, count(*) FROM prediction JOIN revision ON revision.id = revision_id"
        " WHERE run_id = ? GROUP BY lang",
        (run_id,),
    )
    counts = dict(rows.fetchall())
    return "zh" if counts.get("zh", 0) > counts.get("en", 0) else "en"


def _state(prediction: str, score: str | None) -> ScoreState | None:
    if prediction == PredictionState.PENDING:
        return None
    return ScoreState.MISSING if score is None else ScoreState(score)

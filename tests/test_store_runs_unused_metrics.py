"""Metrics that the task of an item does not use: they are `na` wherever scores are read."""

from __future__ import annotations

import pytest
from msgspec import structs
from tiny_workspaces import TAXONOMY, answer_and_score, prediction_ids

from store import views
from store.corpora import taxonomies
from store.records import MetricScore, ScoreState, Task
from store.runs import details, judged_answers, results, stages
from store.runs.results import MetricKey
from store.runs.runs import Run
from store.workspace import Workspace

EM, F1, RECALL, OWN = (MetricKey(name, "standard") for name in ("em", "f1", "recall@3", "own"))
REASON = "the task does not use this metric"


def lists(workspace: Workspace, *, extractive: tuple[str, ...], dialogue: tuple[str, ...]) -> None:
    """Gives the two tasks of the taxonomy their lists of metrics."""
    tasks = (
        Task("extractive", "抽取", "Extractive", metrics=extractive),
        Task("conversational", "对话", "Dialogue", metrics=dialogue),
    )
    with workspace.write() as db:
        taxonomies.save(db, structs.replace(TAXONOMY, tasks=tasks), "test")


@pytest.fixture
def scored(workspace: Workspace, run: Run) -> Run:
    """Two extractive items and the first of three turns, each with a value of each metric."""
    with workspace.write() as db:
        judge = stages.put_judge(db, "gpt", {})
        for prediction in prediction_ids(db, run)[:3]:
            own = [MetricScore(key.name, key.variant, 0.5) for key in (EM, F1, RECALL, OWN)]
            answer_and_score(db, prediction, own)
            accuracy = MetricScore("accuracy", "standard", 2.0)
            stages.put_scores(db, prediction, [accuracy], judge_id=judge)
    return run


def states(workspace: Workspace, run: Run, key: MetricKey) -> list[tuple[str | None, float | None]]:
    rows = results.score_rows(workspace.db, run.id, key, "topic", "task")
    return [(row.state and row.state.value, row.value) for row in rows]


OK, NA, PENDING = ("ok", 0.5), ("na", None), (None, None)


def test_a_metric_that_only_other_tasks_use_does_not_apply(
    workspace: Workspace, scored: Run
) -> None:
    lists(workspace, extractive=("em", "f1"), dialogue=("f1", "recall@k"))
    assert states(workspace, scored, F1) == [OK, OK, OK, PENDING, PENDING]
    assert states(workspace, scored, EM) == [OK, OK, NA, PENDING, PENDING]
    assert states(workspace, scored, RECALL) == [NA, NA, OK, PENDING, PENDING]


def test_a_metric_that_no_task_lists_stays(workspace: Workspace, scored: Run) -> None:
    lists(workspace, extractive=("em",), dialogue=("em",))
    assert states(workspace, scored, OWN) == [OK, OK, OK, PENDING, PENDING]


def test_a_task_without_a_list_uses_all(workspace: Workspace, scored: Run) -> None:
    lists(workspace, extractive=("em",), dialogue=())
    assert states(workspace, scored, EM) == [OK, OK, OK, PENDING, PENDING]


def test_judges_of_a_metric_follow_its_name(workspace: Workspace, scored: Run) -> None:
    lists(workspace, extractive=("em",), dialogue=("em", "accuracy"))
    key = results.find_metric(workspace.db, scored.id, "accuracy", judge="gpt")
    assert [row.value for row in results.score_rows(workspace.db, scored.id, key, "topic", "task")][
        :3
    ] == [None, None, 2.0]


def test_what_others_computed_stays_as_it_is(workspace: Workspace, scored: Run) -> None:
    lists(workspace, extractive=("em",), dialogue=("em", "accuracy"))
    first = prediction_ids(workspace.db, scored)[0]
    with workspace.write() as db:
        judge = stages.put_judge(db, "theirs", {"imported": "theirs"})
        accuracy = MetricScore("accuracy", "standard", 1.0)
        stages.put_scores(db, first, [accuracy], judge_id=judge)
    key = results.find_metric(workspace.db, scored.id, "accuracy", judge="theirs")
    assert states(workspace, scored, key)[0] == ("ok", 1.0)
    assert {one.score.value for one in details.scores(workspace.db, first)} == {0.5, None, 1.0}
    (row,) = views.rows(workspace.db, "scores", judge="theirs")
    assert row["value"] == 1.0


def test_items_of_a_cell_and_of_a_prediction_say_the_same(
    workspace: Workspace, scored: Run
) -> None:
    lists(workspace, extractive=("em", "f1"), dialogue=("f1",))
    a, b, c, *_ = prediction_ids(workspace.db, scored)
    rows = results.prediction_rows(workspace.db, EM, [a, c])
    assert [(row.state, row.value) for row in rows] == [(ScoreState.OK, 0.5), (ScoreState.NA, None)]
    with workspace.write() as db:
        answer_and_score(db, b, [MetricScore("em", "standard", 1.0)])
    assert results.cell_prediction_ids(workspace.db, scored.id, EM)[:3] == [a, b, c]
    by_metric = {one.score.metric: one.score for one in details.scores(workspace.db, c)}
    assert by_metric["em"] == MetricScore("em", "standard", None, ScoreState.NA, REASON)
    assert by_metric["f1"].value == 0.5


def test_a_metric_that_no_task_of_the_run_uses_has_no_value(workspace: Workspace, run: Run) -> None:
    lists(workspace, extractive=("f1",), dialogue=("f1", "em"))
    with workspace.write() as db:
        scores = [MetricScore(key.name, key.variant, 0.5) for key in (EM, F1)]
        answer_and_score(db, prediction_ids(db, run)[0], scores)
    assert results.metrics(workspace.db, run.id) == [EM, F1]
    assert results.valued_metrics(workspace.db, run.id) == [F1]


def test_the_documented_view_says_the_same(workspace: Workspace, scored: Run) -> None:
    lists(workspace, extractive=("em", "f1"), dialogue=("f1",))
    rows = views.rows(workspace.db, "scores", metric="em")
    told = [(row["item"], row["state"], row["value"], row["reason"]) for row in rows]
    assert told == [("a", "ok", 0.5, ""), ("b", "ok", 0.5, ""), ("c", "na", None, REASON)]


def test_answers_that_a_metric_is_not_for_are_in_no_population(
    workspace: Workspace, scored: Run
) -> None:
    lists(workspace, extractive=("accuracy",), dialogue=("f1",))
    accuracy = results.find_metric(workspace.db, scored.id, "accuracy")
    held = judged_answers.answers(workspace.db, scored.id, accuracy)
    assert [one.item_key for one in held] == ["a", "b"]
    assert [one.item_key for one in judged_answers.answers(workspace.db, scored.id)] == [
        "a",
        "b",
        "c",
    ]

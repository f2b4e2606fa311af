"""Runs as they are worked: rows in order, paging over what is left, nothing overwritten."""

from __future__ import annotations

import sqlite3

import pytest
from tiny_workspaces import (
    SYSTEM,
    Released,
    answer_and_score,
    f1,
    make_release,
    make_run,
    prediction_ids,
    question,
)

from store.corpora.corpora import Corpus
from store.errors import NotFound, UsageError, WorkspaceError
from store.records import MetricScore, PredictionState, ScoreState
from store.runs import runs, stages
from store.runs.runs import PendingItem, Run, RunProgress, RunSettings
from store.systems import SystemConfig
from store.workspace import Workspace


def keys(workspace: Workspace, items: list[PendingItem]) -> list[tuple[str, int]]:
    """(item key, repeat) of pending items."""
    key = "SELECT item_key FROM item JOIN revision ON item_id = item.id WHERE revision.id = ?"
    return [
        (workspace.db.execute(key, (item.revision_id,)).fetchone()[0], item.repeat)
        for item in items
    ]


def answer(workspace: Workspace, prediction: int, text: str = "yes") -> None:
    with workspace.write() as db:
        stages.finish_prediction(db, prediction, PredictionState.OK, answer=text)


def score(workspace: Workspace, prediction: int) -> None:
    with workspace.write() as db:
        answer_and_score(db, prediction, [f1(0.5)])


# Making and finding


def test_predictions_stand_in_the_order_given_once_a_repeat(
    workspace: Workspace, released: Released
) -> None:
    order = [(released.items[key][1], turns) for key, turns in (("c", 3), ("a", 1), ("b", 1))]
    with workspace.write() as db:
        run = runs.create(
            db, "r", released.release.id, SYSTEM, RunSettings(seed=7, repeats=2), order
        )
    rows = workspace.db.execute(
        "SELECT revision_id, turn, repeat, ordinal, state FROM prediction ORDER BY ordinal"
    ).fetchall()
    once = [(revision, turn) for revision, turns in order for turn in range(turns)]
    assert [row[:2] for row in rows] == once * 2
    assert [row[2:] for row in rows] == [(n // 5, n, "pending") for n in range(10)]
    assert run.settings == RunSettings(seed=7, repeats=2)
    assert run.system == SYSTEM


def test_a_run_is_found_by_name_and_by_number(workspace: Workspace, run: Run) -> None:
    assert runs.get(workspace.db, "first") == run
    assert runs.get(workspace.db, run.id) == runs.get(workspace.db, str(run.id)) == run
    assert runs.listing(workspace.db) == [run]


@pytest.mark.parametrize("name", ["x", "99", "²", "9" * 40, "-1", ""])
def test_an_unknown_run_is_answered_with_those_that_there_are(
    workspace: Workspace, run: Run, name: str
) -> None:
    with pytest.raises(NotFound, match="Runs here: first"):
        runs.get(workspace.db, name)


@pytest.mark.parametrize("name", ["12", "", " "])
def test_a_run_cannot_be_called_by_a_number(
    workspace: Workspace, released: Released, name: str
) -> None:
    with pytest.raises(UsageError, match="cannot name a run"), workspace.write() as db:
        make_run(db, released, name)


def test_a_taken_name_is_refused_and_a_free_one_is_found(
    workspace: Workspace, released: Released, run: Run
) -> None:
    with pytest.raises(UsageError, match="another name"), workspace.write() as db:
        make_run(db, released, "first")
    assert runs.free_name(workspace.db, "second") == "second"
    assert runs.free_name(workspace.db, "first") == "first-2"
    with workspace.write() as db:
        make_run(db, released, "first-2")
    assert runs.free_name(workspace.db, "first") == "first-3"


def test_equal_systems_and_judges_are_stored_once(workspace: Workspace) -> None:
    with workspace.write() as db:
        one = runs.put_system(db, SYSTEM)
        assert runs.put_system(db, SYSTEM) == one
        assert runs.put_system(db, SystemConfig(name="bm25", retriever="bm25", top_k=9)) != one
        judge = stages.put_judge(db, "rules", {"a": 1, "b": 2})
        assert stages.put_judge(db, "rules", {"b": 2, "a": 1}) == judge
        assert stages.put_judge(db, "rules", {"a": 2, "b": 2}) != judge
    assert judge != 0


# What is left


def test_pages_reach_every_item_once(workspace: Workspace, released: Released) -> None:
    with workspace.write() as db:
        run = make_run(db, released, repeats=2)
    after, seen = -1, []
    while page := runs.pending_items(workspace.db, run.id, after, 2):
        assert len(page) <= 2
        seen += page
        after = page[-1].last_ordinal
    assert keys(workspace, seen) == [(key, n) for n in (0, 1) for key in "abc"]
    assert [len(item.turns) for item in seen] == [1, 1, 3] * 2


def test_an_item_is_resumed_in_its_middle_with_its_earlier_answers(
    workspace: Workspace, run: Run
) -> None:
    a, b, *dialogue = prediction_ids(workspace.db, run)
    for prediction in (a, b, dialogue[0]):
        score(workspace, prediction)
    (item,) = runs.pending_items(workspace.db, run.id, -1, 10)
    assert [turn.prediction_id for turn in item.turns] == dialogue
    states = [(turn.state, turn.answer) for turn in item.turns]
    assert states == [
        (PredictionState.OK, "3.5 percent"),
        (PredictionState.PENDING, None),
        (PredictionState.PENDING, None),
    ]


def test_what_is_answered_but_not_scored_is_still_left(workspace: Workspace, run: Run) -> None:
    for prediction in prediction_ids(workspace.db, run):
        score(workspace, prediction)
    assert runs.pending_items(workspace.db, run.id, -1, 10) == []
    last = prediction_ids(workspace.db, run)[-1]
    workspace.db.execute(
        "DELETE FROM stage_result WHERE stage = 'score' AND prediction_id = ?", (last,)
    )
    assert keys(workspace, runs.pending_items(workspace.db, run.id, -1, 10)) == [("c", 0)]


def test_a_failed_turn_needs_no_more_work(workspace: Workspace, run: Run) -> None:
    first = prediction_ids(workspace.db, run)[0]
    with workspace.write() as db:
        stages.finish_prediction(
            db, first, PredictionState.FAILED, error_kind="timeout", error_text="30 s"
        )
    assert keys(workspace, runs.pending_items(workspace.db, run.id, -1, 10)) == [
        ("b", 0),
        ("c", 0),
    ]


def test_a_run_sees_only_its_own_rows(workspace: Workspace, released: Released, run: Run) -> None:
    with workspace.write() as db:
        other = make_run(db, released, "second")
    for prediction in prediction_ids(workspace.db, run):
        score(workspace, prediction)
    assert runs.pending_items(workspace.db, run.id, -1, 10) == []
    assert len(runs.pending_items(workspace.db, other.id, -1, 10)) == 3


def test_a_page_is_read_off_an_index(workspace: Workspace, corpus: Corpus) -> None:
    """However long the run: the rows are reached in order, never sorted, and reading stops."""
    contents = {f"q{number}": question(f"Question {number}?") for number in range(300)}
    with workspace.write() as db:
        run = make_run(db, make_release(db, corpus, "many", contents))
    statements: list[str] = []
    for analyzed in (False, True):
        if analyzed:
            workspace.db.execute("ANALYZE")
        workspace.db.set_trace_callback(statements.append)
        runs.pending_items(workspace.db, run.id, 250, 5)
        workspace.db.set_trace_callback(None)
    assert len(statements) == 12
    for statement in statements:
        plan = " / ".join(row[3] for row in workspace.db.execute("EXPLAIN QUERY PLAN " + statement))
        assert "SCAN" not in plan
        if "LIMIT" in statement:
            assert "(run_id=? AND ordinal>?" in plan
            assert "TEMP B-TREE" not in plan
        else:  # the turns of one item
            assert "(run_id=? AND revision_id=?" in plan


# Storing what came out


def test_an_answer_is_never_overwritten(workspace: Workspace, run: Run) -> None:
    first = prediction_ids(workspace.db, run)[0]
    row = "SELECT state, answer, error_kind, finished_at FROM prediction WHERE id = ?"
    answer(workspace, first, "是")
    before = workspace.db.execute(row, (first,)).fetchone()
    answer(workspace, first, "another")
    with workspace.write() as db:
        stages.finish_prediction(db, first, PredictionState.FAILED, error_kind="late")
    assert workspace.db.execute(row, (first,)).fetchone() == before
    assert before[:3] == ("ok", "是", None)


@pytest.mark.parametrize(
    ("state", "answer", "error"),
    [("ok", None, None), ("refused", None, None), ("failed", None, None), ("failed", "a", "b")],
)
def test_a_final_prediction_has_an_answer_or_a_failure(
    workspace: Workspace, run: Run, state: str, answer: str | None, error: str | None
) -> None:
    first = prediction_ids(workspace.db, run)[0]
    with pytest.raises(WorkspaceError, match="CHECK"), workspace.write() as db:
        stages.finish_prediction(db, first, PredictionState(state), answer=answer, error_kind=error)


def test_a_stage_keeps_its_first_result(workspace: Workspace, run: Run) -> None:
    first = prediction_ids(workspace.db, run)[0]
    with workspace.write() as db:
        stages.put(db, first, "retrieve", {"query": "一"}, elapsed_ms=1)
        stages.put(db, first, "retrieve", {"query": "two"}, elapsed_ms=2)
    assert stages.get(workspace.db, first, "retrieve", dict) == {"query": "一"}
    assert stages.get(workspace.db, first, "answer", dict) is None


def all_scores(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    return db.execute(
        "SELECT prediction_id, name, variant, judge_id, repeat, state, value FROM score"
        " JOIN metric ON metric.id = metric_id ORDER BY 1, 2, 3, 4, 5"
    ).fetchall()


def test_scores_are_stored_once_for_each_key(workspace: Workspace, run: Run) -> None:
    first = prediction_ids(workspace.db, run)[0]
    with workspace.write() as db:
        judge = stages.put_judge(db, "rules", {})
        stages.put_scores(db, first, [f1(0.5), f1(0.25, "crud"), f1(None, "omnieval")])
        stages.put_scores(db, first, [f1(0.75)], judge_id=judge)
        stages.put_scores(db, first, [f1(1.0)], judge_id=judge, repeat=1)
    before = all_scores(workspace.db)
    assert before == [
        (first, "f1", "crud", 0, 0, "ok", 0.25),
        (first, "f1", "omnieval", 0, 0, "na", None),
        (first, "f1", "standard", 0, 0, "ok", 0.5),
        (first, "f1", "standard", judge, 0, "ok", 0.75),
        (first, "f1", "standard", judge, 1, "ok", 1.0),
    ]
    with workspace.write() as db:
        stages.put_scores(db, first, [f1(0.1), f1(0.2, "crud")])
        stages.put_scores(db, first, [])
    assert all_scores(workspace.db) == before


@pytest.mark.parametrize(
    "score",
    [
        MetricScore("f1", "standard", 0.5, ScoreState.NA),
        MetricScore("f1", "standard", None, ScoreState.OK),
        MetricScore("f1", "standard", float("nan"), ScoreState.OK),
    ],
    ids=["value without ok", "ok without value", "not a number"],
)
def test_a_value_is_there_exactly_when_the_score_is_ok(
    workspace: Workspace, run: Run, score: MetricScore
) -> None:
    first = prediction_ids(workspace.db, run)[0]
    with pytest.raises(WorkspaceError, match="CHECK"), workspace.write() as db:
        stages.put_scores(db, first, [score])
    assert all_scores(workspace.db) == []


def test_progress_is_what_the_rows_say(workspace: Workspace, run: Run) -> None:
    assert runs.progress(workspace.db, run.id) == RunProgress(pending=5)
    a, b, c, d, _ = prediction_ids(workspace.db, run)
    score(workspace, a)
    answer(workspace, b)
    with workspace.write() as db:
        stages.finish_prediction(db, c, PredictionState.FAILED, error_kind="timeout")
        stages.finish_prediction(db, d, PredictionState.REFUSED, answer="I do not know")
    found = runs.progress(workspace.db, run.id)
    assert found == RunProgress(pending=1, ok=2, refused=1, failed=1, scored=1)
    assert (found.total, found.finished) == (5, 2)

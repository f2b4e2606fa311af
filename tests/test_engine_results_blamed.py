"""The axis `blame` of a run, from what its stages have stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from asked_judges import item
from endpoint_workspaces import make_workspace
from judged_workspaces import Desk
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.results.axes import axes, cell_prediction_ids
from engine.results.blame import Blame
from engine.results.blamed import blamed_prediction, blamed_run
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import compare_runs
from engine.results.run_matrix import run_matrix
from store.errors import NotFound
from store.records import MetricScore
from store.runs import details, predictions, runs, stages
from store.workspace import Workspace, open_workspace

ITEMS = {
    "q0": item("What did the rate do in March?", ["It fell to 999 percent"]),
    "q1": item("What fell after the rate rose?", ["Bond prices and 77 other things"]),
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = make_workspace(tmp_path_factory.mktemp("blame") / "w", ITEMS)
    with open_workspace(folder) as opened:
        for system in ("bm25", "closed-book"):
            queue(opened, Evaluate(NewRun(system, "gold", name=system)))
    work_here(folder)
    with open_workspace(folder) as opened:
        yield opened


def test_each_wrong_answer_is_blamed_on_a_stage(workspace: Workspace) -> None:
    db = workspace.db
    closed = blamed_run(db, runs.get(db, "closed-book"))
    assert {one.blame for one in closed.values()} == {Blame.RETRIEVAL}
    run = runs.get(db, "bm25")
    found = blamed_run(db, run)
    assert len(found) == len(ITEMS)
    assert {one.blame for one in found.values()} <= {Blame.RETRIEVAL, Blame.CALCULATION}
    for key, one in predictions.by_key(db, run.id).items():
        assert blamed_prediction(db, run, details.prediction(db, one.id)) == found[key]


@pytest.mark.parametrize("sides", [("blame", "task"), ("task", "blame")])
def test_a_matrix_is_laid_out_by_it_and_a_cell_lists_its_answers(
    workspace: Workspace, sides: tuple[str, str]
) -> None:
    db, (rows, cols) = workspace.db, sides
    run = runs.get(db, "bm25")
    view = run_matrix(db, "bm25", MetricQuery("accuracy", rows=rows, cols=cols, lang="zh"))
    axis = view.matrix.rows if rows == "blame" else view.matrix.cols
    totals = view.matrix.row_totals if rows == "blame" else view.matrix.col_totals
    counted = Counter(one.blame.value for one in blamed_run(db, run).values())
    assert dict(zip(axis.keys, (cell.n for cell in totals), strict=True)) == counted
    assert {"检索", "计算"} >= set(axis.labels)
    for kind, count in counted.items():
        at = (kind, None) if rows == "blame" else (None, kind)
        assert len(cell_prediction_ids(db, run, view.metric, rows, cols, *at)) == count
    assert len(cell_prediction_ids(db, run, view.metric, rows, cols, None, None)) == len(ITEMS)


def test_another_judge_who_gives_full_marks_puts_it_down_to_the_judge(
    workspace: Workspace,
) -> None:
    with workspace.write() as db:
        run = runs.get(db, "bm25")
        key, first = next(iter(predictions.by_key(db, run.id).items()))
        judge = stages.put_judge(db, "other", {"judge": "other"})
        score = MetricScore("accuracy", "standard", 2.0)
        stages.put_scores(db, first.id, [score], judge_id=judge)
        found = blamed_run(db, run)[key]
        assert (found.blame, found.reason) == (Blame.JUDGE, "Full marks by other.")
        db.execute("DELETE FROM score WHERE judge_id = ?", (judge,))


def test_runs_are_not_compared_by_it(workspace: Workspace) -> None:
    assert "blame" in axes(workspace.db, runs.get(workspace.db, "bm25"))
    with pytest.raises(NotFound, match="no axis 'blame'"):
        compare_runs(workspace.db, "bm25", "closed-book", MetricQuery("f1", rows="blame"))


def test_peoples_word_goes_before_that_of_judges(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "w")
    desk.judge("model")  # gives the second answer 1, the third 2
    with desk.workspace as opened:
        for at, value in ((0, 2), (1, 1), (2, 0)):
            desk.label("anna", at, value)
        db, run = opened.db, runs.get(opened.db, "r")
        found = blamed_run(db, run)
        of_answer = {one.id: found[key] for key, one in predictions.by_key(db, run.id).items()}
        first, second, third = (of_answer[desk.answers[at]] for at in range(3))
        assert (first.blame, first.reason) == (Blame.JUDGE, "Full marks by people.")
        assert {second.blame, third.blame} == {Blame.RETRIEVAL}
        unlabelled = of_answer[desk.answers[5]]
        assert unlabelled.blame is Blame.RIGHT
        for number in desk.answers[:6]:
            detail = details.prediction(db, number)
            assert blamed_prediction(db, run, detail) == of_answer[number]

"""A judge asks nothing for metrics that an item's task does not use."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

import scripted_server as scripted
from endpoint_workspaces import (
    ENVIRON,
    job_now,
    make_workspace,
    provider_table,
    questions,
    write_settings,
)
from scripted_server import ScriptedServer
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.judge.estimate import JudgeEstimate
from engine.judge.judge_job import JudgeRun
from store.records import JobState
from store.runs import results
from store.workspace import open_workspace

ITEMS = 3


def test_only_the_metrics_that_the_task_uses_by_now_are_asked_for(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "w", questions(ITEMS))
    with open_workspace(folder) as workspace, workspace.write() as db:
        # completeness is of another task than that of the items; nobody lists hallucination
        db.executemany(
            "INSERT INTO task_metric SELECT id, ?, ? FROM taxonomy",
            [("extractive", "accuracy"), ("conversational", "completeness")],
        )
    good = scripted.answer('{"reason": "right", "value": 1}')
    with ScriptedServer(default=good) as server, patch.dict(os.environ, ENVIRON):
        write_settings(
            folder,
            provider_table("p", server.base_url),
            '[judges.j]\nmodel = "p"\nmetrics = ["accuracy", "completeness", "hallucination"]\n',
        )
        with open_workspace(folder) as workspace:
            queue(workspace, Evaluate(NewRun("bm25", "gold", name="r")))
        work_here(folder)
        with open_workspace(folder) as workspace:
            told = JudgeRun("r", "j").estimate(workspace)
            job = queue(workspace, JudgeRun("r", "j"))
        work_here(folder)
        assert (told.calls, server.count) == (2 * ITEMS, 2 * ITEMS)
        assert job_now(folder, job).state is JobState.DONE
        stored, again = states(folder), left(folder)
        with open_workspace(folder) as workspace, workspace.write() as db:
            db.execute(
                "INSERT INTO task_metric SELECT id, 'extractive', 'completeness' FROM taxonomy"
            )
        wanted = left(folder)
        with open_workspace(folder) as workspace:
            queue(workspace, JudgeRun("r", "j"))
        work_here(folder)
        assert server.count == 3 * ITEMS
    assert [(metric, state, count) for metric, state, _, count in stored] == [
        ("accuracy", "ok", ITEMS),
        ("completeness", "na", ITEMS),
        ("hallucination", "ok", ITEMS),
    ]
    assert stored[1][2] == results.UNUSED
    assert (again.answers, again.calls, wanted.calls) == (0, 0, ITEMS)
    assert [state for _, state, _, _ in states(folder)] == ["ok"] * 3


def states(folder: Path) -> list[tuple[str, str, str, int]]:
    """(metric, state, reason, answers) of the judge's scores."""
    with open_workspace(folder) as workspace:
        return workspace.db.execute(
            "SELECT metric, state, reason, count(*) FROM v1_scores WHERE judge = 'j'"
            " GROUP BY metric, state ORDER BY metric"
        ).fetchall()


def left(folder: Path) -> JudgeEstimate:
    with open_workspace(folder) as workspace:
        return JudgeRun("r", "j").estimate(workspace)

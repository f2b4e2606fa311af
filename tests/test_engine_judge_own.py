"""Metrics of one's own: the process that gives them, what is refused, and how they are read."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from asked_judges import item
from endpoint_workspaces import job_now, make_workspace, write_settings
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import dry_run, queue
from engine.judge.judge_job import JudgeRun
from engine.judge.own.judge import read_value
from engine.judge.registry import find_judge, judges, open_judge
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store.errors import InputError
from store.records import JobState
from store.verify import verify
from store.workspace import open_workspace

PAGE = (Path(__file__).parents[1] / "docs/judges.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("given", "state", "value"),
    [
        ({"own_x": 1}, "ok", 1.0),
        ({"own_x": {"value": 0.5, "reason": "half", "details": {"a": 1}}}, "ok", 0.5),
        ({"own_x": None}, "na", None),
        ({"own_x": {"value": None, "reason": "none"}}, "na", None),
        ({"own_x": 1.5}, "out_of_range", None),
        ({"own_x": float("inf")}, "out_of_range", None),
        ({"own_x": 10**400}, "out_of_range", None),
        ({"own_x": float("nan")}, "unparsed", None),
        ({"own_x": True}, "unparsed", None),
        ({"own_x": "1"}, "unparsed", None),
        ({"own_x": {"score": 1}}, "unparsed", None),
        ({"own_x": {"value": 1, "details": [1]}}, "unparsed", None),
        ({"own_y": 1}, "unparsed", None),
        (0.5, "unparsed", None),
    ],
)
def test_what_a_function_gives_has_a_state(given: Any, state: str, value: float | None) -> None:
    score = read_value("own_x", given).score
    assert (score.state.value, score.value) == (state, value)


def settings(folder: Path, table: str, source: str = "def judge(case): return {}") -> Path:
    (folder / "mine.py").write_text(source, "utf-8")
    write_settings(folder, f'[judges.mine]\nmethod = "python"\n{table}')
    return folder


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('file = "mine.py"\nmetrics = ["accuracy"]', "own_"),
        ('file = "mine.py"\nmetrics = []', "own_"),
        ('file = "mine.py"\nmetrics = ["own_x", "own_x"]', "each once"),
        ('file = "none.py"\nmetrics = ["own_x"]', "cannot be read"),
        ('file = "../mine.py"\nmetrics = ["own_x"]', "outside the workspace"),
        ('file = "."\nmetrics = ["own_x"]', "cannot be read"),
        ('file = "mine.py"\nmetrics = ["own_x"]\ntimeout_s = 0', "timeout_s is 0"),
        ('file = "mine.py"\nmetrics = ["own_x"]\nmemory_mb = 1', "memory_mb is 1"),
        ('metrics = ["own_x"]', "file"),
    ],
)
def test_a_table_that_names_no_usable_file_is_refused(
    tmp_path: Path, table: str, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        judges(settings(tmp_path, table))


def test_a_file_that_others_can_write_is_refused(tmp_path: Path) -> None:
    folder = settings(tmp_path, 'file = "mine.py"\nmetrics = ["own_x"]')
    for mode in (0o664, 0o646):
        (folder / "mine.py").chmod(mode)
        with pytest.raises(InputError, match="others can write"):
            judges(folder)
    (folder / "mine.py").chmod(0o644)
    link = folder / "link.py"
    link.symlink_to(os.devnull)
    write_settings(folder, '[judges.m]\nmethod = "python"\nfile = "link.py"\nmetrics = ["own_x"]')
    with pytest.raises(InputError, match="outside the workspace"):
        judges(folder)


def test_the_file_is_part_of_the_judge(tmp_path: Path) -> None:
    table = 'file = "mine.py"\nmetrics = ["own_x"]'
    before = find_judge(settings(tmp_path, table), "mine")
    after = find_judge(settings(tmp_path, table, "def judge(case): return {'own_x': 1}"), "mine")
    assert before.hash != after.hash
    with pytest.raises(InputError, match="has changed"):
        open_judge(tmp_path, before)


def test_the_example_of_the_page_scores_a_run(tmp_path: Path) -> None:
    source, table = (
        re.findall(rf"```{kind}\n(.*?)```", PAGE.partition("## Metrics of your own")[2], re.S)[0]
        for kind in ("python", "toml")
    )
    items = {"q0": item("What was the rate?", ["3.5 percent"])}
    folder = make_workspace(tmp_path / "w", items)
    (folder / "metrics").mkdir()
    (folder / "metrics/mine.py").write_text(source, "utf-8")
    jury = '[judges.jury]\nmethod = "jury"\nmembers = ["mine", "again"]\n'
    write_settings(folder, table, table.replace(".mine]", ".again]"), jury)
    with open_workspace(folder) as workspace:
        for system in ("bm25", "closed-book"):
            queue(workspace, Evaluate(NewRun(system, "gold", name=system)))
    work_here(folder)
    with open_workspace(folder) as workspace:
        assert dry_run(workspace, JudgeRun("bm25", "mine")).calls == 0
        asked = [queue(workspace, JudgeRun(run, "mine")) for run in ("bm25", "closed-book")]
    work_here(folder)
    with open_workspace(folder) as workspace:
        asked.append(queue(workspace, JudgeRun("bm25", "jury", ("own_short",))))
    work_here(folder)
    assert {job_now(folder, job).state for job in asked} == {JobState.DONE}
    with open_workspace(folder) as workspace:
        total = run_matrix(workspace.db, "bm25", MetricQuery("own_quoted", judge="mine"))
        assert total.matrix.total.summary.mean is not None
        assert total.matrix.total.summary.mean > 0
        states = workspace.db.execute(
            "SELECT metric.name, score.state FROM score JOIN metric ON metric.id = metric_id"
            " JOIN prediction ON prediction.id = prediction_id"
            " WHERE run_id = 2 AND metric.name LIKE 'own%' ORDER BY 1"
        ).fetchall()
        shared = run_matrix(workspace.db, "bm25", MetricQuery("own_short", judge="jury"))
        assert shared.matrix.total.summary.mean == 1
        assert states == [("own_quoted", "na"), ("own_short", "unparsed")]
        assert verify(workspace.db).ok

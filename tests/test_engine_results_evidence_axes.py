"""Matrices by modality and hops, of items that say them and of items that do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked_judges import item
from endpoint_workspaces import make_workspace
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.results import axes
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import compare_runs
from engine.results.run_matrix import run_matrix
from store.runs import runs
from store.workspace import open_workspace


@pytest.mark.parametrize(("rows", "cols"), [("modality", "hops"), ("hops", "modality")])
def test_runs_are_laid_out_and_compared_by_them(tmp_path: Path, rows: str, cols: str) -> None:
    said = item("What else fell in March?", ["It"])
    said.facets["hops"] = "inter"
    items = {"q0": item("What did the rate do in March?", ["It fell to 999 percent"]), "q1": said}
    folder = make_workspace(tmp_path / "w", items)
    with open_workspace(folder) as workspace:
        for system in ("bm25", "closed-book"):
            queue(workspace, Evaluate(NewRun(system, "gold", name=system)))
    work_here(folder)
    with open_workspace(folder) as workspace:
        db = workspace.db
        query = MetricQuery("f1", rows=rows, cols=cols)
        view = run_matrix(db, "bm25", query)
        found = {rows: view.matrix.rows, cols: view.matrix.cols}
        assert found["modality"].keys == ("text",)
        assert found["hops"].keys == ("single", "inter")
        assert found["hops"].labels == ("one place", "several documents")
        compared = compare_runs(db, "bm25", "closed-book", query)
        assert {compared.rows.keys, compared.cols.keys} == {("text",), ("single", "inter")}
        run = runs.get(db, "bm25")
        at = {"modality": "text", "hops": "inter"}
        ids = axes.cell_prediction_ids(db, run, view.metric, rows, cols, at[rows], at[cols])
        assert len(ids) == 1

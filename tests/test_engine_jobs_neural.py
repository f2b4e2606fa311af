"""Neural systems run in the worker's children; the process that queues them loads no model."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from neural_models import make_cross_encoder, minilm_folder

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from store.jobs import jobs
from store.records import JobState
from store.runs import runs, stages
from store.runs.stages import RetrieveValue

pytestmark = pytest.mark.neural

OFFLINE = {**os.environ, "HF_HUB_OFFLINE": "1"}


@pytest.fixture
def configured(workspace, tmp_path):
    reranker = make_cross_encoder(tmp_path / "tiny")
    (workspace.folder / "ragdesk.toml").write_text(
        f"""
[embeddings.minilm]
model = "{minilm_folder()}"
dtype = "float32"

[rerankers.tiny]
model = "{reranker}"
dtype = "float32"

[systems.dense]
retriever = "minilm"
top_k = 3

[systems.full]
retriever = "hybrid:bm25+minilm*0.5"
reranker = "tiny"
rerank_depth = 4
top_k = 2
""",
        encoding="utf-8",
    )
    return workspace


def work(workspace):
    subprocess.run(
        [sys.executable, "-P", "-m", "engine.jobs.worker", str(workspace.folder)],
        check=True,
        env=OFFLINE,
        timeout=120,
    )


def stored_hits(workspace, run):
    rows = workspace.db.execute("SELECT id FROM prediction WHERE run_id = ?", (run.id,)).fetchall()
    values = [stages.get(workspace.db, row[0], "retrieve", RetrieveValue) for row in rows]
    return [value.hits for value in values if value is not None]


def test_runs_retrieve_by_vectors_fuse_and_rerank(configured, released):
    queued = [
        queue(configured, Evaluate(NewRun(name, released.release.label)))
        for name in ("dense", "full")
    ]
    work(configured)
    made = [runs.get(configured.db, job.run_id) for job in queued]
    for run, job in zip(made, queued, strict=True):
        found = jobs.get(configured.db, job.id)
        assert (found.state, found.error) == (JobState.DONE, None)
        hits = stored_hits(configured, run)
        assert len(hits) == 5
        assert all(len(row) == run.system.top_k for row in hits)
        assert all(0 <= hit.score <= 1 for row in hits for hit in row)
    dense, full = (stored_hits(configured, run) for run in made)
    assert dense != full


def test_a_model_that_is_gone_fails_the_job_with_its_reason(configured, released):
    job = queue(configured, Evaluate(NewRun("full", released.release.label)))
    for path in (configured.folder.parent / "tiny").iterdir():
        path.unlink()
    work(configured)
    found = jobs.get(configured.db, job.id)
    assert found.state is JobState.FAILED
    assert "'tiny'" in found.error
    assert "cannot be loaded" in found.error


def test_listing_and_queueing_systems_loads_no_model(configured, released):
    code = """
import sys
from pathlib import Path
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.evaluate.systems import find_system
from store import datasets
from store.workspace import open_workspace

with open_workspace(Path(sys.argv[1])) as workspace:
    queue(workspace, Evaluate(NewRun("full", "gold@1")))
print(sorted({"torch", "transformers", "sentence_transformers", "numpy"} & sys.modules.keys()))
"""
    command = [sys.executable, "-c", code, str(configured.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

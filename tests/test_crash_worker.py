"""A worker killed at any moment loses nothing, repeats only what was in flight, alters no score."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from desks import sample_workspace, small_sample_workspace
from sample_workspaces import all_scores, copy_workspace

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.evaluate.run_work import IN_FLIGHT_PER_CHILD
from engine.jobs.operation import queue
from engine.jobs.pool import CpuPool
from store.jobs import jobs
from store.records import JobState
from store.runs import runs
from store.verify import verify
from store.workspace import FILE_NAME, Workspace, open_workspace

SYSTEMS = ("bm25", "closed-book")


@pytest.fixture(scope="module", params=[3, pytest.param(20, marks=pytest.mark.slow)])
def most(request: pytest.FixtureRequest) -> int:
    """How often a worker is killed."""
    return int(request.param)


@pytest.fixture(scope="module")
def sample(most: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lasts until the last of the kills."""
    make = small_sample_workspace if most < 10 else sample_workspace
    return make(tmp_path_factory.getbasetemp())


def queue_all(workspace: Workspace) -> None:
    for name in SYSTEMS:
        queue(workspace, Evaluate(NewRun(name, "sample")))


def start_worker(folder: Path, log: Path) -> subprocess.Popen[bytes]:
    script = Path(__file__).with_name("counting_worker.py")
    return subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        env={**os.environ, "RAGDESK_TEST_LOG": str(log), "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )


def states(folder: Path) -> Counter[str]:
    with open_workspace(folder) as workspace:
        return Counter(job.state for job in jobs.listing(workspace.db))


def scored_rows(folder: Path) -> int:
    db = sqlite3.connect(folder / FILE_NAME)
    (rows,) = db.execute("SELECT count(*) FROM stage_result WHERE stage = 'score'").fetchone()
    db.close()
    return int(rows)


@pytest.fixture(scope="module")
def undisturbed(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_workspace(sample, tmp_path_factory.mktemp("undisturbed") / "workspace")
    with open_workspace(folder) as workspace:
        queue_all(workspace)
    assert start_worker(folder, folder / "log").wait(timeout=300) == 0
    assert states(folder) == {JobState.DONE: len(SYSTEMS)}
    return folder


def test_an_undisturbed_run_computes_every_prediction_once(undisturbed: Path):
    assert len((undisturbed / "log").read_text().splitlines()) == scored_rows(undisturbed)


def test_kills_at_random_moments_change_nothing(
    most: int, sample: Path, undisturbed: Path, tmp_path: Path
):
    folder = copy_workspace(sample, tmp_path / "workspace")
    log = folder / "log"
    with open_workspace(folder) as workspace:
        queue_all(workspace)
    turns = scored_rows(undisturbed) // len(SYSTEMS)
    draw = random.Random(7)
    kills = 0
    while kills < most:
        before = scored_rows(folder)
        worker = start_worker(folder, log)
        # half of the kills come as soon as there is work in flight, so that the run lasts
        deadline = time.monotonic() + 240
        while scored_rows(folder) == before and worker.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(draw.uniform(0, 0.12))
        if worker.poll() is not None:
            break
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        kills += 1
        with open_workspace(folder) as workspace:
            report = verify(workspace.db)
            assert report.ok, report
            for run in runs.listing(workspace.db):
                progress = runs.progress(workspace.db, run.id)
                assert progress.scored <= progress.ok + progress.refused
                assert progress.total == turns
    assert kills >= most // 2, "the runs ended before enough kills; make them longer"
    last = start_worker(folder, log)
    assert last.wait(timeout=300) == 0
    assert states(folder) == {JobState.DONE: len(SYSTEMS)}
    computed = len(log.read_text().splitlines())
    in_flight = CpuPool(folder).size * IN_FLIGHT_PER_CHILD * len(SYSTEMS)
    assert computed - scored_rows(folder) <= kills * in_flight
    scored = scored_rows(folder)
    print(f"\n{kills} kills: {scored} predictions scored, {computed - scored} of them twice")
    assert all_scores(folder) == all_scores(undisturbed)

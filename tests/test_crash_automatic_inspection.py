"""A worker killed while it inspects loses no item, judges none twice, and repeats few calls."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from pathlib import Path
from unittest.mock import patch

from building_workspaces import expected_states, judging, make_building, states
from endpoint_workspaces import ENVIRON, job_now, resume, start_worker, work
from scripted_server import ScriptedServer

from engine.generate.inspection.inspect_job import Inspect
from engine.jobs.operation import queue
from store.datasets import inspections
from store.records import JobState
from store.verify import verify
from store.workspace import FILE_NAME, open_workspace

COUNT = 135
KILLS = 4
IN_FLIGHT = 4


def kept(folder: Path) -> int:
    db = sqlite3.connect(folder / FILE_NAME)
    (rows,) = db.execute("SELECT count(*) FROM inspection").fetchone()
    db.close()
    return int(rows)


def test_kills_at_random_moments_change_no_outcome(tmp_path: Path):
    draw = random.Random(11)
    with ScriptedServer(reply=judging, latency_s=0.04) as server:
        limits = {"limits.max_in_flight": IN_FLIGHT}
        folder = make_building(tmp_path / "w", COUNT, server.base_url, **limits)
        with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
            job = queue(workspace, Inspect("drafts", model="scripted"))
        kills = 0
        while kills < KILLS:
            before = kept(folder)
            worker = start_worker(folder)
            while kept(folder) == before and worker.poll() is None:
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.15))
            if worker.poll() is not None or job_now(folder, job).state is JobState.DONE:
                break
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            kills += 1
            with open_workspace(folder) as workspace:
                assert verify(workspace.db).ok
        assert kills >= KILLS // 2, "the job ended before enough kills; make it longer"
        resume(folder, job)
        work(folder)
        with open_workspace(folder) as workspace:
            db = workspace.db
            (calls,) = db.execute("SELECT count(*) FROM model_call").fetchone()
            twice = db.execute(
                "SELECT revision_id FROM inspection WHERE state = 'parsed' GROUP BY 1"
                " HAVING count(*) > 1"
            ).fetchall()
            counts = inspections.counts(db, job.id)
        # a refusal and a fault of the server come once for each of their items
        faults = 3 * (COUNT // 9)
        assert server.count - calls - faults <= kills * IN_FLIGHT
    assert job_now(folder, job).state is JobState.DONE
    assert states(folder) == expected_states(COUNT)
    assert twice == []
    each = COUNT // 9
    assert counts == {
        "2": 3 * each,
        "1": each,
        "0": each,
        "refused": 2 * each,
        "unparsed": 2 * each,
        "corrected": each,
    }

"""A sweep whose worker is killed with SIGKILL at random moments: nothing stored is made again."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    ENVIRON,
    VARIABLE,
    make_workspace,
    provider_table,
    start_worker,
    system_table,
    write_settings,
)
from scripted_server import ScriptedServer
from test_engine_experiments import QUESTIONS
from tiny_workspaces import question

from engine.experiments.design import Design, Factor
from engine.experiments.experiment_job import RunExperiment
from engine.experiments.new_experiment import make_experiment
from engine.jobs.operation import queue
from store.jobs import jobs
from store.records import JobState
from store.runs import experiments, runs
from store.verify import verify
from store.workspace import open_workspace

IN_FLIGHT = 2
FACTORS = (
    Factor("retriever", ({"retriever": "bm25"}, {"retriever": "lsa"})),
    Factor("top_k", ({"top_k": 1}, {"top_k": 3})),
)


def rows(folder: Path) -> dict[tuple[int, str], tuple[str, str]]:
    """(value, time) of every stage of every prediction."""
    with open_workspace(folder) as workspace:
        found = workspace.db.execute(
            "SELECT prediction_id, stage, value, finished_at FROM stage_result"
        )
        return {(prediction, stage): tuple(rest) for prediction, stage, *rest in found}


@pytest.mark.parametrize("kills", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_a_sweep_goes_on_after_kills_with_all_that_was_stored(tmp_path: Path, kills: int) -> None:
    draw = random.Random(7)
    items = {f"q{number:02}": question(text) for number, text in enumerate(QUESTIONS)}
    folder = make_workspace(tmp_path / "w", items)
    with ScriptedServer(default=scripted.answer("3.5 percent"), latency_s=0.05) as server:
        write_settings(
            folder,
            provider_table("p", server.base_url, **{"limits.max_in_flight": IN_FLIGHT}),
            system_table("model", "p", "bm25"),
        )
        with open_workspace(folder) as workspace, pytest.MonkeyPatch.context() as patch:
            patch.setenv(VARIABLE, ENVIRON[VARIABLE])
            make_experiment(workspace, "sweep", "gold", Design("model", {}, FACTORS, ("f1",)))
            job = queue(workspace, RunExperiment("sweep"))
        done = 0
        for _ in range(kills):
            before = rows(folder)
            worker = start_worker(folder)
            deadline = time.monotonic() + 120
            while len(rows(folder)) < len(before) + 10 and worker.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 0.2))
            if worker.poll() is not None:
                break
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            done += 1
            after = rows(folder)
            assert before.items() <= after.items()
        assert start_worker(folder).wait(timeout=300) == 0
    assert done
    assert after.items() <= rows(folder).items()
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert jobs.get(db, job.id).state is JobState.DONE
        arms = experiments.get(db, "sweep").arms
        assert {runs.progress(db, arm.run_id or 0).scored for arm in arms} == {len(QUESTIONS)}
        (calls,) = db.execute("SELECT count(*) FROM model_call").fetchone()
        assert verify(db).ok
    assert calls <= server.count <= calls + done * IN_FLIGHT

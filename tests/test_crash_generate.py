"""A generation whose worker is killed at any moment loses no item, writes none twice, and repeats
no more calls than were under way."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
import staged_server as staged
import writing_server as writing
from endpoint_workspaces import provider_table, start_worker, write_settings
from news_reports import make_news
from scripted_server import ScriptedServer

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from engine.generate.filling.generate_job import Generate
from engine.jobs.operation import queue
from sample_corpus import ROOT
from store.datasets import generation_figures, generation_steps, generations
from store.jobs import jobs
from store.records import JobState
from store.verify import verify
from store.workspace import open_workspace

KILLS = 3
MANY_KILLS = 12
IN_FLIGHT = 4


def attempts(folder: Path) -> int:
    with open_workspace(folder) as workspace:
        sql = "SELECT count(*) FROM generation_attempt WHERE finished_at IS NOT NULL"
        return int(workspace.db.execute(sql).fetchone()[0])


def check(folder: Path) -> None:
    """Every law holds, and a reply's items are stored with it or not at all."""
    with open_workspace(folder) as workspace:
        assert [law for law in verify(workspace.db).checks if not law.ok] == []
        (strays,) = workspace.db.execute(
            "SELECT count(*) FROM item WHERE id NOT IN (SELECT item_id FROM generation_result"
            " WHERE item_id IS NOT NULL)"
        ).fetchone()
        assert strays == 0


@pytest.mark.parametrize(
    ("model", "most"),
    [
        ("writer", KILLS),
        pytest.param("writer", MANY_KILLS, marks=pytest.mark.slow),
        pytest.param("", MANY_KILLS, marks=pytest.mark.slow),
    ],
)
def test_kills_at_random_moments_lose_nothing(tmp_path: Path, model: str, most: int):
    folder = tmp_path / "workspace"
    with open_workspace(folder, create=True) as workspace:
        ingest(workspace, "sample", read_paths([ROOT / "documents"]))
    draw = random.Random(11)
    kills = 0
    with ScriptedServer(reply=writing.writes_with_faults, latency_s=0.05) as server:
        limits = {"limits.max_in_flight": IN_FLIGHT}
        write_settings(folder, provider_table("writer", server.base_url, api_key_env="", **limits))
        with open_workspace(folder) as workspace:
            job = queue(workspace, Generate("sample", "made", 1 + most // 4, model=model))
        while kills < most:
            before = attempts(folder)
            worker = start_worker(folder)
            deadline = time.monotonic() + 120
            while attempts(folder) == before and worker.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.15))
            if worker.poll() is not None:
                break
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            kills += 1
            check(folder)
        assert start_worker(folder).wait(timeout=300) == 0
    check(folder)
    assert kills >= most // 2, "the job ended before enough kills; make it longer"
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert jobs.get(db, job.id).state is JobState.DONE
        assert generations.pending(db, job.id) == []
        cells = generation_figures.progress(db, job.id)
        assert all((cell.filled >= cell.target) != (cell.lack is not None) for cell in cells)
        (kept,) = db.execute("SELECT count(*) FROM item").fetchone()
        assert kept == sum(cell.outcomes.get("kept", 0) for cell in cells)
        if model:
            answered = sum(cell.attempts for cell in cells)
            again = server.statuses[200] - answered
            assert 0 <= again <= kills * IN_FLIGHT
            print(f"\n{kills} kills: {answered} calls, {again} of them twice; {kept} items")
            (calls,) = db.execute("SELECT count(*) FROM model_call").fetchone()
            assert generations.spent(db, job.id)[0] == 2020 * calls


def steps(folder: Path) -> int:
    with open_workspace(folder) as workspace:
        sql = "SELECT count(*) FROM generation_step WHERE call_key IS NOT NULL"
        return int(workspace.db.execute(sql).fetchone()[0])


def test_kills_between_stages_repeat_no_call_that_was_answered(tmp_path: Path):
    folder = make_news(tmp_path)
    draw = random.Random(5)
    tasks = ("qa_2doc", "qa_3doc", "summarization", "hallucination_fix")
    asked = Generate("news", "made", 2, ("unassigned",), tasks, "crud", "writer")
    kills = 0
    with ScriptedServer(reply=staged.writes, latency_s=0.05) as server:
        limits = {"limits.max_in_flight": IN_FLIGHT}
        write_settings(folder, provider_table("writer", server.base_url, api_key_env="", **limits))
        with open_workspace(folder) as workspace:
            job = queue(workspace, asked)
        while kills < KILLS:
            before = steps(folder)
            worker = start_worker(folder)
            deadline = time.monotonic() + 120
            while steps(folder) == before and worker.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.1))
            if worker.poll() is not None:
                break
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            kills += 1
            check(folder)
        assert start_worker(folder).wait(timeout=300) == 0
    check(folder)
    assert kills, "the job ended before it was killed; make it longer"
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert jobs.get(db, job.id).state is JobState.DONE
        (calls,) = db.execute("SELECT count(*) FROM model_call").fetchone()
        assert 0 <= server.statuses[200] - calls <= kills * IN_FLIGHT
        assert generations.spent(db, job.id)[0] == 2020 * calls
        for item in generations.items_after(db, generations.get(db, job.id).dataset_id, 0):
            named = [step.stage for step in generation_steps.of_item(db, item.item_id)]
            assert len(named) == len(set(named)) == (5 if item.content.task[:3] == "qa_" else 2)

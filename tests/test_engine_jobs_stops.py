"""Pause, cancel and SIGTERM end a job at once, whatever its calls wait for."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import defaultdict
from pathlib import Path

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    job_now,
    make_workspace,
    provider_table,
    questions,
    queue,
    start_worker,
    system_table,
    write_settings,
)
from scripted_server import Reply, Request, ScriptedServer
from worker_here import work_here

from engine.jobs import worker
from store.jobs import jobs
from store.records import JobState, PauseReason
from store.workspace import open_workspace

SOON_S = 5.0
"""Stops take a second and a little; a machine under load is given more."""
LONGER_S = 20.0
IN_FLIGHT = 4

MOODS = {
    "refused": JobState.CANCELLED,
    "far": JobState.PAUSED,
    "silent": JobState.CANCELLED,
    "stalled": JobState.PAUSED,
    "paced": JobState.CANCELLED,
}
"""What every call of a job meets, and what the job is to become."""


class Endpoint:
    """A server with one mood an address, which notes when each request came."""

    def __init__(self) -> None:
        self.server = ScriptedServer(reply=self.reply)
        self.came: dict[str, list[float]] = defaultdict(list)

    def settings(self) -> list[str]:
        tables = []
        for mood in (*MOODS, "closing"):
            url = f"http://127.0.0.1:{self.server.port}/{mood}/v1"
            limits: dict[str, object] = {"limits.max_in_flight": IN_FLIGHT}
            if mood == "paced":
                limits["limits.rpm"] = 20
            tables += [provider_table(mood, url, **limits), system_table(mood, mood)]
        url = f"http://127.0.0.1:{self.server.port}/embedded/v1"
        remote = '[embeddings.remote]\nprovider = "embedder"\n'
        tables += [provider_table("embedder", url), remote]
        return [*tables, system_table("embedding", "refused", "remote")]

    def reply(self, request: Request) -> Reply | None:
        mood = request.path.split("/")[1]
        self.came[mood].append(time.monotonic())
        if mood == "closing":
            return scripted.rate_limited(30 if len(self.came[mood]) < IN_FLIGHT else 31_536_000)
        return {
            "embedded": scripted.rate_limited(1.5),
            "refused": scripted.rate_limited(30),
            "far": scripted.rate_limited(299),
            "silent": scripted.hang(),
            "stalled": scripted.stall(),
        }.get(mood)


@pytest.fixture
def endpoint():
    made = Endpoint()
    with made.server:
        yield made


def make(folder: Path, endpoint: Endpoint) -> Path:
    make_workspace(folder, questions(12))
    write_settings(folder, *endpoint.settings())
    return folder


def wait_until(condition, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


def test_a_stop_wakes_every_call_and_none_begins_after_it(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(tmp_path / "workspace", endpoint)
    queued = {mood: queue(folder, mood) for mood in MOODS}
    monkeypatch.setattr(worker, "MAX_JOBS", len(MOODS))
    stopped_at: list[float] = []
    took: list[float] = []

    def stop_them() -> None:
        with open_workspace(folder) as workspace:
            wait_until(lambda: all(len(endpoint.came[mood]) >= IN_FLIGHT - 2 for mood in MOODS))
            time.sleep(0.3)
            with workspace.write() as db:
                for mood, state in MOODS.items():
                    request = "pause" if state is JobState.PAUSED else "cancel"
                    jobs.ask(db, queued[mood].id, request)
            stopped_at.append(time.monotonic())
            running = "SELECT 1 FROM job WHERE state = 'running'"
            wait_until(lambda: not workspace.db.execute(running).fetchone(), LONGER_S)
            took.append(time.monotonic() - stopped_at[0])

    stopper = threading.Thread(target=stop_them)
    stopper.start()
    with contextlib.suppress(TimeoutError):
        work_here(folder, patience_s=LONGER_S)
    stopper.join()
    assert {mood: job_now(folder, queued[mood]).state for mood in MOODS} == MOODS
    assert took[0] < SOON_S
    # a request that was on its way when the stop was asked for is no new call
    seen = stopped_at[0] + 0.3
    late = {mood: sum(at > seen for at in endpoint.came[mood]) for mood in MOODS}
    assert late == dict.fromkeys(MOODS, 0)


def test_a_wait_beyond_all_patience_pauses_the_job_while_its_other_calls_wait(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    folder = make(tmp_path / "workspace", endpoint)
    job = queue(folder, "closing")
    with contextlib.suppress(TimeoutError):
        work_here(folder, patience_s=LONGER_S)
    paused = job_now(folder, job)
    assert (paused.state, paused.pause_reason) == (JobState.PAUSED, PauseReason.QUOTA)
    assert "it asks to wait 525600 minutes" in str(paused.error)
    assert len(endpoint.came["closing"]) <= 2 * IN_FLIGHT


def test_sigterm_ends_a_worker_whose_calls_all_wait(tmp_path: Path, endpoint: Endpoint) -> None:
    folder = make(tmp_path / "workspace", endpoint)
    job = queue(folder, "refused")
    embedding = queue(folder, "embedding")
    process = start_worker(folder)
    came = endpoint.came["embedded"]
    try:
        wait_until(lambda: len(endpoint.came["refused"]) >= IN_FLIGHT and len(came) > 0)
        with open_workspace(folder) as workspace, workspace.write() as db:
            jobs.ask(db, embedding.id, "cancel")
        seen = len(came)
        wait_until(lambda: job_now(folder, embedding).state is JobState.CANCELLED, SOON_S)
        assert job_now(folder, embedding).state is JobState.CANCELLED
        time.sleep(2)
        assert len(came) == seen
        process.terminate()
        assert process.wait(timeout=LONGER_S) == 0
    finally:
        process.kill()
    assert job_now(folder, job).state is JobState.QUEUED
    assert (folder / "worker.log").read_text() == ""

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

OBEYED_S = 2.0
"""What the documentation says that a stop takes at most."""
LONGER_S = 60.0
"""Far less than what the calls would wait for otherwise."""
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
            return scripted.rate_limited(120 if len(self.came[mood]) < IN_FLIGHT else 31_536_000)
        return {
            "embedded": scripted.rate_limited(1.5),
            "refused": scripted.rate_limited(120),
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
    came_by_then: dict[str, int] = {}

    def stop_them() -> None:
        with open_workspace(folder) as workspace:
            wait_until(lambda: all(len(endpoint.came[mood]) >= IN_FLIGHT - 2 for mood in MOODS))
            time.sleep(0.3)
            with workspace.write() as db:
                for mood, state in MOODS.items():
                    request = "pause" if state is JobState.PAUSED else "cancel"
                    jobs.ask(db, queued[mood].id, request)
            running = "SELECT 1 FROM job WHERE state = 'running'"
            wait_until(lambda: not workspace.db.execute(running).fetchone(), LONGER_S)
            came_by_then.update({mood: len(endpoint.came[mood]) for mood in MOODS})

    stopper = threading.Thread(target=stop_them)
    stopper.start()
    with contextlib.suppress(TimeoutError):
        work_here(folder, patience_s=LONGER_S)
    stopper.join()
    assert {mood: job_now(folder, queued[mood]).state for mood in MOODS} == MOODS
    # a first request that was on its way when the stop was asked for is no new call
    most = {mood: max(IN_FLIGHT, came_by_then[mood]) for mood in MOODS}
    assert all(len(endpoint.came[mood]) <= most[mood] for mood in MOODS), (endpoint.came, most)


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
        wait_until(lambda: job_now(folder, embedding).state is JobState.CANCELLED, LONGER_S)
        assert job_now(folder, embedding).state is JobState.CANCELLED
        seen = len(came)
        time.sleep(2)
        assert len(came) == seen
        process.terminate()
        assert process.wait(timeout=LONGER_S) == 0
    finally:
        process.kill()
    assert job_now(folder, job).state is JobState.QUEUED
    assert (folder / "worker.log").read_text() == ""


STOPS = {"pause": JobState.PAUSED, "cancel": JobState.CANCELLED, "SIGTERM": JobState.QUEUED}


@pytest.mark.slow
def test_every_stop_is_obeyed_within_two_seconds(tmp_path: Path, endpoint: Endpoint) -> None:
    """Each stop of a real worker, five times for all that calls can wait for, one job at a time."""
    folder = make(tmp_path / "workspace", endpoint)
    took: dict[str, list[float]] = defaultdict(list)
    late = 0
    for round in range(5):
        for mood in MOODS:
            for stop in STOPS:
                seconds, after = stopped(folder, endpoint, mood, stop, f"{mood}-{stop}-{round}")
                took[f"{stop}, calls {mood}"].append(seconds)
                late += after
    for what, seconds in took.items():
        print(f"{what}: median {sorted(seconds)[2]:.2f} s, longest {max(seconds):.2f} s")
    print(f"calls begun after {sum(map(len, took.values()))} stops: {late}")
    assert late == 0
    assert max(max(seconds) for seconds in took.values()) < OBEYED_S


def stopped(folder: Path, endpoint: Endpoint, mood: str, stop: str, name: str) -> tuple[float, int]:
    """The seconds until a job whose calls all wait had obeyed a stop, and the calls that came
    after it."""
    endpoint.came[mood].clear()
    # more than the rounds before can have put into the cache
    job = queue(folder, mood, name=name, repeats=40 if mood == "paced" else 1)
    process = start_worker(folder)
    try:
        wait_until(lambda: len(endpoint.came[mood]) >= IN_FLIGHT - 2)
        time.sleep(0.3)
        with open_workspace(folder) as workspace:
            began = time.monotonic()
            if stop == "SIGTERM":
                process.terminate()
            else:
                with workspace.write() as db:
                    jobs.ask(db, job.id, stop)
            wait_until(
                lambda: jobs.get(workspace.db, job.id).state is not JobState.RUNNING, LONGER_S
            )
            took = time.monotonic() - began
            assert jobs.get(workspace.db, job.id).state is STOPS[stop]
            if stop != "SIGTERM":
                process.terminate()
            assert process.wait(timeout=LONGER_S) == 0
            with workspace.write() as db:
                if jobs.get(db, job.id).state is JobState.QUEUED:
                    jobs.ask(db, job.id, "cancel")
    finally:
        process.kill()
    # a request that was on its way when the stop was asked for is no new call
    return took, sum(at > began + 0.3 for at in endpoint.came[mood])

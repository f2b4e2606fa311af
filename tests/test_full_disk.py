"""On a full disk commands still read; jobs pause with the reason, and go on when there is room."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from endpoint_workspaces import (
    ENVIRON,
    job_now,
    make_workspace,
    provider_table,
    questions,
    queue,
    resume,
    start_worker,
    system_table,
    work,
    write_settings,
)
from scripted_server import Reply, Request, ScriptedServer, answer
from small_disk import SmallDisk
from tiny_workspaces import answer_and_score, f1, make_corpus, make_release, make_run

from store.jobs import jobs
from store.records import JobState
from store.sharing.modes import RESERVE
from store.verify import verify
from store.workspace import open_workspace

LONG = "The rate was 3.5 percent. " + "x" * 25_000
"""Takes room, and hardly any time to score."""
READING = (
    ("matrix", "first", "--metric", "f1"),
    ("runs",),
    ("jobs", "list"),
    ("verify",),
    ("backup", "--out", "{elsewhere}/copy.sqlite"),
    ("export", "items", "--dataset", "gold", "--out", "{elsewhere}/exported"),
)


def ragdesk(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from tui.cli import entry; entry()", *arguments],
        env={**os.environ, **ENVIRON, "RAGDESK_WORKSPACE": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("closed", [True, False])
def test_what_only_reads_works_on_a_full_disk(
    disk: SmallDisk, tmp_path: Path, closed: bool
) -> None:
    folder = disk.folder / "ws"
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        run = make_run(db, make_release(db, make_corpus(db)))
        for (number,) in db.execute("SELECT id FROM prediction WHERE run_id = ?", (run.id,)):
            answer_and_score(db, number, [f1(0.5)])
    if not closed:  # as a killed process leaves it: everything stands in the log
        aside = tmp_path / "aside"
        with open_workspace(folder) as workspace:
            with workspace.write() as db:
                jobs.enqueue(db, "run", "of the log")
            shutil.copytree(folder, aside)
        shutil.rmtree(folder)
        shutil.copytree(aside, folder, ignore=lambda *_: ["ragdesk.sqlite-shm"])
        assert (folder / "ragdesk.sqlite-wal").stat().st_size
    disk.fill()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for command in READING:
        done = ragdesk(folder, *(part.format(elsewhere=elsewhere) for part in command))
        assert done.returncode == 0, (command, done.stderr)
    shutil.copy(elsewhere / "copy.sqlite", elsewhere / "ragdesk.sqlite")
    with open_workspace(elsewhere) as copy:
        assert verify(copy.db).ok
        assert bool(jobs.listing(copy.db)) is not closed
    refused = ragdesk(folder, "delete", "run", "first")
    assert refused.returncode == 1
    assert "is full" in refused.stderr
    disk.free()
    assert ragdesk(folder, "delete", "run", "first").returncode == 0


def test_a_full_disk_pauses_the_job_and_the_worker_lives(disk: SmallDisk) -> None:
    folder = make_workspace(disk.folder / "ws", questions(20))
    with ScriptedServer(default=answer(LONG), latency_s=0.02) as server:
        provider = provider_table("p", server.base_url, **{"limits.max_in_flight": 1})
        write_settings(folder, provider, system_table("model", "p"))
        job = queue(folder, "model")
        worker = start_worker(folder)
        with open_workspace(folder) as workspace:
            wait_until(lambda: server.count > 3)
            disk.fill()
            wait_until(lambda: jobs.get(workspace.db, job.id).state is not JobState.RUNNING)
            paused = jobs.get(workspace.db, job.id)
            assert worker.poll() is None or worker.poll() == 0
        assert (paused.state, paused.status) == (JobState.PAUSED, "paused (disk full)"), paused
        assert "is full" in str(paused.error)
        assert "then resume the job" in str(paused.remedy)
        disk.free()
        worker.terminate()
        assert worker.wait(timeout=300) == 0
        resume(folder, job)
        work(folder)
    assert job_now(folder, job).state is JobState.DONE
    with open_workspace(folder) as workspace:
        assert verify(workspace.db).ok
    assert not (folder / RESERVE).exists()


def test_a_full_disk_pauses_the_job_that_needs_room_and_leaves_the_others(disk: SmallDisk) -> None:
    folder = make_workspace(disk.folder / "ws", questions(20))
    there_is_room = threading.Event()
    asked = threading.Event()

    def reply(request: Request) -> Reply:
        asked.set()
        there_is_room.wait(120)
        return answer("3.5 percent")

    long = answer(LONG)
    with (
        ScriptedServer(default=long, latency_s=0.02) as writing,
        ScriptedServer(reply=reply) as slow,
    ):
        tables = []
        for name, server in (("long", writing), ("short", slow)):
            one = provider_table(name, server.base_url, **{"limits.max_in_flight": 1})
            tables += [one, system_table(name, name)]
        write_settings(folder, *tables)
        needs_room, waits = queue(folder, "long"), queue(folder, "short")
        worker = start_worker(folder)
        with open_workspace(folder) as workspace:
            wait_until(lambda: writing.count > 3 and asked.is_set())
            disk.fill()
            wait_until(lambda: jobs.get(workspace.db, needs_room.id).state is JobState.PAUSED)
            states = {job.id: job.status for job in jobs.listing(workspace.db)}
        assert states == {needs_room.id: "paused (disk full)", waits.id: "running"}
        for command in READING[1:4]:
            done = ragdesk(folder, *command)
            assert done.returncode == 0, (command, done.stderr)
        assert "paused (disk full)" in ragdesk(folder, "jobs", "show", str(needs_room.id)).stdout
        disk.free()
        there_is_room.set()
        with open_workspace(folder) as workspace:
            wait_until(lambda: jobs.get(workspace.db, waits.id).state is JobState.DONE)
            states = {job.id: job.status for job in jobs.listing(workspace.db)}
        assert states == {needs_room.id: "paused (disk full)", waits.id: "done"}
        resume(folder, needs_room)
        worker.terminate()
        worker.wait(timeout=300)
        work(folder)
    assert job_now(folder, needs_room).state is JobState.DONE
    with open_workspace(folder) as workspace:
        assert verify(workspace.db).ok


def wait_until(condition, seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)

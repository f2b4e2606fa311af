"""Jobs: their states, the worker's one seat, leases, and what people ask."""

from __future__ import annotations

import multiprocessing
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from store.clock import now_seconds, ticks
from store.errors import Conflict, NotFound
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JOB_TRANSITIONS, JobState, PauseReason
from store.runs.runs import Run
from store.workspace import Workspace, open_workspace

FORK = multiprocessing.get_context("fork")
HOST = socket.gethostname()


def enqueue(workspace: Workspace, count: int = 1) -> list[int]:
    with workspace.write() as db:
        return [jobs.enqueue(db, "run", f"job {n}").id for n in range(count)]


def seat(workspace: Workspace, token: str = "w", *, pid: int | None = None) -> bool:
    with workspace.write() as db:
        return jobs.become_worker(db, token, pid or os.getpid(), HOST)


def claim(workspace: Workspace, token: str = "w", limit: int = 9) -> list[int]:
    with workspace.write() as db:
        return [job.id for job in jobs.claim(db, token, limit)]


def settle(workspace: Workspace, job: int, state: JobState, token: str = "w", **more: str) -> Job:
    reason = PauseReason(more.pop("reason")) if "reason" in more else None
    with workspace.write() as db:
        jobs.settle(db, job, token, state, pause_reason=reason, **more)
    return jobs.get(workspace.db, job)


def ask(workspace: Workspace, job: int, request: str) -> Job:
    with workspace.write() as db:
        return jobs.ask(db, job, request)


def resume(workspace: Workspace, job: int) -> Job:
    with workspace.write() as db:
        return jobs.resume(db, job)


def expire(workspace: Workspace) -> None:
    """The worker has given no sign of life for longer than a lease."""
    workspace.db.execute(
        "UPDATE worker SET lease_until = ?, ticks_until = ?", (now_seconds() - 1, ticks() - 1)
    )


def dead_pid() -> int:
    """The number of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def in_state(workspace: Workspace, state: JobState) -> int:
    """A job that came into `state` the way jobs do."""
    (job,) = enqueue(workspace)
    if state is JobState.QUEUED:
        return job
    seat(workspace)
    claim(workspace)
    if state is JobState.PAUSED:
        ask(workspace, job, "pause")
        settle(workspace, job, state)
    elif state is JobState.CANCELLED:
        ask(workspace, job, "cancel")
        settle(workspace, job, state)
    elif state is not JobState.RUNNING:
        settle(workspace, job, state)
    assert jobs.get(workspace.db, job).state is state
    return job


# States


@pytest.mark.parametrize("state", JobState)
@pytest.mark.parametrize("request_", ["pause", "cancel"])
def test_a_job_obeys_where_the_design_allows_it(
    workspace: Workspace, state: JobState, request_: str
) -> None:
    job = in_state(workspace, state)
    target = {"pause": JobState.PAUSED, "cancel": JobState.CANCELLED}[request_]
    if state is target:
        assert ask(workspace, job, request_).state is target
    elif target not in JOB_TRANSITIONS[state]:
        with pytest.raises(Conflict, match=f"is {state}; it cannot be {target}"):
            ask(workspace, job, request_)
        assert jobs.get(workspace.db, job).state is state
    elif state is JobState.RUNNING:
        asked = ask(workspace, job, request_)
        assert (asked.state, asked.request) == (JobState.RUNNING, request_)
        assert asked.status == {"pause": "pausing", "cancel": "cancelling"}[request_]
        assert jobs.requests(workspace.db, "w") == {job: request_}
        assert settle(workspace, job, target).state is target
    else:
        assert ask(workspace, job, request_).state is target


@pytest.mark.parametrize("state", JobState)
def test_a_job_is_resumed_where_the_design_allows_it(workspace: Workspace, state: JobState) -> None:
    job = in_state(workspace, state)
    if state is JobState.DONE:
        with pytest.raises(Conflict, match="is done; there is nothing to resume"):
            resume(workspace, job)
    elif state is JobState.RUNNING:
        assert resume(workspace, job).state is JobState.RUNNING
    else:
        resumed = resume(workspace, job)
        assert (resumed.state, resumed.finished_at) == (JobState.QUEUED, None)


def test_a_paused_job_says_by_whom(workspace: Workspace) -> None:
    job = in_state(workspace, JobState.RUNNING)
    paused = settle(workspace, job, JobState.PAUSED, reason="budget")
    assert (paused.status, paused.claimed_by) == ("paused (budget)", None)


def test_a_queued_job_obeys_at_once(workspace: Workspace) -> None:
    one, two = enqueue(workspace, 2)
    assert ask(workspace, one, "pause").status == "paused (user)"
    assert ask(workspace, two, "cancel").status == "cancelled"
    seat(workspace)
    assert claim(workspace) == []


def test_a_failure_is_told_until_the_job_is_tried_again(workspace: Workspace) -> None:
    job = in_state(workspace, JobState.RUNNING)
    failed = settle(workspace, job, JobState.FAILED, error="No key.", remedy="Set it.")
    assert (failed.error, failed.remedy, failed.status) == ("No key.", "Set it.", "failed")
    assert failed.finished_at is not None
    resume(workspace, job)
    claim(workspace)
    again = jobs.get(workspace.db, job)
    assert (again.error, again.remedy, again.finished_at) == (None, None, None)
    assert again.started_at == failed.started_at


# Requests that meet the end of the work


@pytest.mark.parametrize("stopped", [JobState.PAUSED, JobState.CANCELLED])
def test_a_request_taken_back_while_the_job_stops_puts_it_back_to_the_queue(
    workspace: Workspace, stopped: JobState
) -> None:
    job = in_state(workspace, JobState.RUNNING)
    ask(workspace, job, "pause" if stopped is JobState.PAUSED else "cancel")
    assert resume(workspace, job).request is None
    assert settle(workspace, job, stopped, reason="user").state is JobState.QUEUED
    assert claim(workspace) == [job]


@pytest.mark.parametrize(
    ("requests", "stopped", "expected"),
    [
        (["pause", "cancel"], JobState.PAUSED, JobState.CANCELLED),
        (["cancel", "pause"], JobState.CANCELLED, JobState.PAUSED),
        (["cancel"], JobState.QUEUED, JobState.CANCELLED),
        (["pause"], JobState.QUEUED, JobState.PAUSED),
        ([], JobState.QUEUED, JobState.QUEUED),
        (["cancel"], JobState.DONE, JobState.DONE),
        (["pause"], JobState.FAILED, JobState.FAILED),
    ],
)
def test_what_was_asked_last_is_what_a_stopped_job_becomes(
    workspace: Workspace, requests: list[str], stopped: JobState, expected: JobState
) -> None:
    job = in_state(workspace, JobState.RUNNING)
    for request in requests:
        ask(workspace, job, request)
    found = settle(workspace, job, stopped)
    assert (found.state, found.request) == (expected, None)


def test_a_budget_pauses_without_being_asked(workspace: Workspace) -> None:
    job = in_state(workspace, JobState.RUNNING)
    ask(workspace, job, "cancel")
    assert settle(workspace, job, JobState.PAUSED, reason="quota").status == "paused (quota)"


def test_a_request_survives_the_death_of_the_worker(workspace: Workspace) -> None:
    job = in_state(workspace, JobState.RUNNING)
    ask(workspace, job, "cancel")
    expire(workspace)
    assert seat(workspace, "next")
    assert claim(workspace, "next") == [job]
    assert jobs.requests(workspace.db, "next") == {job: "cancel"}


# Leases


def test_a_job_without_a_sign_of_life_is_interrupted(workspace: Workspace) -> None:
    job = in_state(workspace, JobState.RUNNING)
    assert jobs.get(workspace.db, job).status == "running"
    expire(workspace)
    found = jobs.get(workspace.db, job)
    assert (found.state, found.status) == (JobState.RUNNING, "interrupted")
    assert resume(workspace, job).state is JobState.QUEUED


@pytest.mark.parametrize("request_", ["pause", "cancel"])
def test_an_interrupted_job_obeys_at_once(workspace: Workspace, request_: str) -> None:
    job = in_state(workspace, JobState.RUNNING)
    expire(workspace)
    assert ask(workspace, job, request_).state is not JobState.RUNNING


def test_a_heartbeat_renews_the_seat_and_the_jobs(workspace: Workspace) -> None:
    job = in_state(workspace, JobState.RUNNING)
    expire(workspace)
    with workspace.write() as db:
        assert jobs.heartbeat(db, "w")
    held = jobs.worker(workspace.db)
    assert held is not None
    assert held.alive
    assert not jobs.get(workspace.db, job).interrupted


def test_a_living_worker_keeps_its_seat(workspace: Workspace) -> None:
    assert jobs.worker(workspace.db) is None
    assert seat(workspace, "one")
    assert not seat(workspace, "two")
    assert seat(workspace, "one")
    held = jobs.worker(workspace.db)
    assert held is not None
    assert held.token == "one"


def test_the_seat_is_free_when_the_lease_has_run_out(workspace: Workspace) -> None:
    assert seat(workspace, "one")
    expire(workspace)
    assert seat(workspace, "two")
    with workspace.write() as db:
        assert not jobs.heartbeat(db, "one")


def test_the_seat_is_free_at_once_when_the_process_is_gone(workspace: Workspace) -> None:
    assert seat(workspace, "one", pid=dead_pid())
    assert seat(workspace, "two")


def test_a_process_on_another_host_is_believed_until_its_lease_ends(workspace: Workspace) -> None:
    with workspace.write() as db:
        assert jobs.become_worker(db, "far", dead_pid(), "another-host")
    assert not seat(workspace, "near")


def test_only_the_seat_gives_work(workspace: Workspace) -> None:
    (job,) = enqueue(workspace)
    assert claim(workspace, "nobody") == []
    seat(workspace, "one")
    assert claim(workspace, "one") == [job]
    expire(workspace)
    seat(workspace, "two")
    assert claim(workspace, "one") == []
    assert jobs.waiting(workspace.db, "two")
    assert claim(workspace, "two") == [job]
    assert not jobs.waiting(workspace.db, "two")


def test_a_worker_that_lost_a_job_does_not_end_it(workspace: Workspace) -> None:
    job = in_state(workspace, JobState.RUNNING)
    expire(workspace)
    seat(workspace, "next")
    claim(workspace, "next")
    assert settle(workspace, job, JobState.FAILED, "w").state is JobState.RUNNING
    assert settle(workspace, job, JobState.DONE, "next").state is JobState.DONE


def test_jobs_are_claimed_oldest_first_as_many_as_there_is_room(workspace: Workspace) -> None:
    made = enqueue(workspace, 5)
    seat(workspace)
    assert claim(workspace, limit=2) == made[:2]
    assert claim(workspace, limit=2) == made[2:4]
    assert claim(workspace, limit=2) == made[4:]


def test_a_worker_stays_while_a_job_waits(workspace: Workspace) -> None:
    seat(workspace)
    enqueue(workspace)
    with workspace.write() as db:
        assert not jobs.leave(db, "w")
    (job,) = claim(workspace)
    settle(workspace, job, JobState.DONE)
    with workspace.write() as db:
        assert jobs.leave(db, "w")
    assert jobs.worker(workspace.db) is None


def test_leaving_does_not_take_the_seat_from_another(workspace: Workspace) -> None:
    seat(workspace, "one")
    expire(workspace)
    seat(workspace, "two")
    with workspace.write() as db:
        assert jobs.leave(db, "one")
    held = jobs.worker(workspace.db)
    assert held is not None
    assert held.token == "two"


# Several processes


def _compete(
    folder: Path, barrier: object, answers: multiprocessing.Queue[tuple[str, list[int]]]
) -> None:
    token = f"worker {os.getpid()}"
    taken: list[int] = []
    barrier.wait()  # type: ignore[attr-defined]
    with open_workspace(folder) as opened:
        for _ in range(20):
            seat(opened, token)
            taken += claim(opened, token, 3)
    answers.put((token, taken))
    barrier.wait()  # type: ignore[attr-defined]


def test_several_workers_never_take_one_job_twice(workspace: Workspace) -> None:
    made = enqueue(workspace, 30)
    processes = 4
    barrier, answers = FORK.Barrier(processes), FORK.Queue()
    children = [
        FORK.Process(target=_compete, args=(workspace.folder, barrier, answers))
        for _ in range(processes)
    ]
    for child in children:
        child.start()
    found = dict(answers.get(timeout=300) for _ in children)
    for child in children:
        child.join()
    held = jobs.worker(workspace.db)
    assert held is not None
    assert found.pop(held.token) == made
    assert list(found.values()) == [[]] * (processes - 1)


# Reading


def test_jobs_are_listed_newest_first(workspace: Workspace, run: Run) -> None:
    made = enqueue(workspace, 3)
    with workspace.write() as db:
        job = jobs.enqueue(db, "run", "评测", run_id=run.id, params={"k": [1, "二"]})
    assert [found.id for found in jobs.listing(workspace.db)] == [job.id, *made[::-1]]
    assert [found.id for found in jobs.listing(workspace.db, 2)] == [job.id, made[-1]]
    assert jobs.of_run(workspace.db, run.id) == job
    assert jobs.of_run(workspace.db, 99) is None
    assert job.params == {"k": [1, "二"]}


def test_what_happened_is_kept_in_order(workspace: Workspace) -> None:
    (job,) = enqueue(workspace)
    with workspace.write() as db:
        jobs.note(db, job, "index", "重建")
        jobs.note(db, job, "retry", "429")
    assert [(event.kind, event.text) for event in jobs.events(workspace.db, job)] == [
        ("index", "重建"),
        ("retry", "429"),
    ]


@pytest.mark.parametrize("number", [0, 99, 10**30])
@pytest.mark.parametrize("act", [jobs.get, jobs.resume, lambda db, job: jobs.ask(db, job, "pause")])
def test_an_unknown_job_names_the_command_that_lists_them(
    workspace: Workspace, number: int, act: Callable[[sqlite3.Connection, int], object]
) -> None:
    with pytest.raises(NotFound, match="There is no job"):
        act(workspace.db, number)


def test_a_process_that_ended_and_was_not_reaped_is_not_alive(workspace: Workspace) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        with workspace.write() as db:
            assert jobs.become_worker(db, "first", child.pid, socket.gethostname())
            assert not jobs.become_worker(db, "second", os.getpid(), socket.gethostname())
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        with workspace.write() as db:
            assert jobs.become_worker(db, "second", os.getpid(), socket.gethostname())
    finally:
        child.communicate()


@pytest.mark.parametrize("set_by", [-86_400 * 365, -3600, 3600, 86_400 * 365])
def test_a_clock_that_is_set_neither_ends_nor_prolongs_a_lease(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, set_by: float
) -> None:
    (job,) = enqueue(workspace)
    seat(workspace)
    claim(workspace)
    monkeypatch.setattr(jobs, "now_seconds", lambda: now_seconds() + set_by)
    assert not jobs.get(workspace.db, job).interrupted
    workspace.db.execute("UPDATE worker SET ticks_until = ?", (ticks() - 1,))
    assert jobs.get(workspace.db, job).interrupted


def test_a_lease_ends_when_the_machine_is_started_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = enqueue(workspace)
    seat(workspace)
    claim(workspace)
    workspace.db.execute("UPDATE worker SET ticks_until = ?", (ticks() + 1e6,))
    monkeypatch.setattr(jobs, "boot", lambda: "another start")
    assert jobs.get(workspace.db, job).interrupted


def test_a_killed_workers_jobs_are_interrupted_at_once(workspace: Workspace) -> None:
    (job,) = enqueue(workspace)
    with workspace.write() as db:
        assert jobs.become_worker(db, "w", dead_pid(), socket.gethostname())
    claim(workspace)
    assert jobs.get(workspace.db, job).status == "interrupted"


def test_a_phase_is_told_beside_the_progress_and_gone_when_the_job_is_taken_anew(
    workspace: Workspace,
) -> None:
    with workspace.write() as db:
        job = jobs.enqueue(db, "evaluate", "a run")
        jobs.set_progress(db, job.id, 3, 10)
        jobs.set_phase(db, job.id, "building the index", 12, 200)
    told = jobs.get(workspace.db, job.id)
    assert (told.phase, told.phase_done, told.phase_total) == ("building the index", 12, 200)
    assert (told.done, told.total) == (3, 10)
    with workspace.write() as db:
        assert jobs.become_worker(db, "w", os.getpid(), socket.gethostname())
        jobs.claim(db, "w", 1)
    assert jobs.get(workspace.db, job.id).phase is None

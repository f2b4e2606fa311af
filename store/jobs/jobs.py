"""The job queue, with the workers' leases and people's requests to pause or cancel."""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from store.clock import boot, now_seconds, now_text, ticks
from store.errors import Conflict, NotFound
from store.hashing import canonical_json
from store.lifecycle import archiving
from store.records import JOB_TRANSITIONS, JobState, PauseReason
from store.sharing.accounts import account

LEASE_SECONDS = 15.0
"""The seconds for which a job stays with a worker that gives no sign of life."""
REQUESTED = {"pause": JobState.PAUSED, "cancel": JobState.CANCELLED}
"""The state that each request asks for."""
WARNING = "warning"
"""The kind of the events that a person who waits for the job is told at its end."""


class Job(msgspec.Struct, frozen=True):
    id: int
    kind: str
    title: str
    run_id: int | None
    params: dict[str, Any]
    state: JobState
    pause_reason: PauseReason | None
    request: str | None
    """The request, `pause` or `cancel`, that the worker has not yet obeyed."""
    error: str | None
    remedy: str | None
    claimed_by: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    done: int
    """Units of work stored so far; for a run its predictions say, see `runs.progress`."""
    total: int | None
    account: str | None = None
    """The account that asked for it; null for a job that came with an archive or from before."""
    phase: str | None = None
    """What it does before or beside what `done` counts, such as `building the index`."""
    phase_done: int = 0
    phase_total: int | None = None
    """None where nobody knows how much there is."""
    interrupted: bool = False
    """Whether the job was running without a living worker when it was read."""

    @property
    def status(self) -> str:
        """The state in one or two words, as every list shows it."""
        if self.interrupted:
            return "interrupted"
        if self.state is JobState.PAUSED:
            return f"paused ({self.pause_reason})"
        if self.request is not None:
            return {"pause": "pausing", "cancel": "cancelling"}[self.request]
        return self.state.value


class JobEvent(msgspec.Struct, frozen=True):
    at: str
    kind: str
    text: str


def process_lives(pid: int) -> bool:
    """Whether a process of this host is at work; one that has ended is not, though its parent may
    not have noticed."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        state = (
            Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
        )
    except (OSError, IndexError):
        return True  # a host that does not say
    return state not in "ZX"


class Worker(msgspec.Struct, frozen=True):
    token: str
    pid: int
    host: str
    started_at: str
    lease_until: float
    """By the date of the host, which can be set; for a host that says no more."""
    boot: str | None = None
    ticks_until: float | None = None
    """By `clock.ticks` since the start `boot` of the machine."""
    account: str | None = None
    """The account that it runs as, and whose keys it has."""

    @property
    def alive(self) -> bool:
        """Whether the worker's lease is valid and, where it can be checked, its process exists.

        The process is looked for too, so that work goes on at once after a crash.
        """
        here = self.host == socket.gethostname()
        if self.boot is not None and self.ticks_until is not None and self.boot == boot():
            holds = self.ticks_until >= ticks()
        elif self.boot is not None and here:
            return False  # the machine has been started again
        else:
            holds = self.lease_until >= now_seconds()
        return holds and (not here or process_lives(self.pid))


_COLUMNS = (
    "id, kind, title, run_id, params, state, pause_reason, request, error, remedy, claimed_by,"
    " created_at, started_at, finished_at, done, total, account,"
    " phase, phase_done, phase_total"
)


def enqueue(
    db: sqlite3.Connection,
    kind: str,
    title: str,
    *,
    params: dict[str, Any] | None = None,
    run_id: int | None = None,
) -> Job:
    """Puts a job into the queue. Raises Conflict if it is about something archived."""
    job_id = db.execute(
        "INSERT INTO job (kind, title, run_id, params, state, created_at, account)"
        " VALUES (?, ?, ?, ?, 'queued', ?, ?)",
        (kind, title, run_id, canonical_json(params or {}).decode(), now_text(), account()),
    ).lastrowid
    assert job_id is not None
    archiving.refuse_hidden_job(db, job_id)
    return get(db, job_id)


def get(db: sqlite3.Connection, job_id: int) -> Job:
    # as text, since a number that a person types may be too long for SQLite's integers
    row = db.execute(f"SELECT {_COLUMNS} FROM job WHERE id = ?", (str(job_id),)).fetchone()
    if row is None:
        raise NotFound(f"There is no job {job_id}.", "Name another.", "ragdesk jobs list")
    return _jobs(db, [row])[0]


def listing(db: sqlite3.Connection, limit: int = 200, *, archived: bool = False) -> list[Job]:
    """The jobs, newest first, without those about something archived; with `archived` all."""
    hidden = set() if archived else archiving.hidden_jobs(db)
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM job WHERE id NOT IN (SELECT value FROM json_each(?))"
        " ORDER BY id DESC LIMIT ?",
        (canonical_json(sorted(hidden)).decode(), limit),
    )
    return _jobs(db, rows)


def of_run(db: sqlite3.Connection, run_id: int) -> Job | None:
    """The latest job of a run, whose state is shown as the state of the run."""
    row = db.execute(
        f"SELECT {_COLUMNS} FROM job WHERE run_id = ? ORDER BY id DESC LIMIT 1", (run_id,)
    ).fetchone()
    return None if row is None else _jobs(db, [row])[0]


def note(db: sqlite3.Connection, job_id: int, kind: str, text: str) -> None:
    """Stores a notable event of a job; progress is never stored this way."""
    db.execute(
        "INSERT INTO job_event (job_id, at, kind, text) VALUES (?, ?, ?, ?)",
        (job_id, now_text(), kind, text),
    )


def events(db: sqlite3.Connection, job_id: int) -> list[JobEvent]:
    rows = db.execute(
        "SELECT at, kind, text FROM job_event WHERE job_id = ? ORDER BY id", (job_id,)
    )
    return [JobEvent(*row) for row in rows]


def ask(db: sqlite3.Connection, job_id: int, request: str) -> Job:
    """Requests `pause` or `cancel`. A job without a worker obeys at once, a running one as soon as
    its worker sees it. Raises Conflict when the job's state does not allow it.
    """
    job = get(db, job_id)
    target = REQUESTED[request]
    if job.state is target:
        return job
    if target not in JOB_TRANSITIONS[job.state]:
        raise Conflict(f"Job {job_id} is {job.status}; it cannot be {target}.")
    if job.state is JobState.RUNNING and not job.interrupted:
        db.execute("UPDATE job SET request = ? WHERE id = ?", (request, job_id))
    else:
        reason = PauseReason.USER if target is JobState.PAUSED else None
        _settle(db, job_id, target, pause_reason=reason)
    return get(db, job_id)


def resume(db: sqlite3.Connection, job_id: int) -> Job:
    """Puts a paused, failed, cancelled or interrupted job back into the queue. Raises Conflict for
    one that has ended, or is about something archived."""
    job = get(db, job_id)
    archiving.refuse_hidden_job(db, job.id)
    if job.request is not None and not job.interrupted:
        db.execute("UPDATE job SET request = NULL WHERE id = ?", (job_id,))
        return get(db, job_id)
    if job.state is JobState.QUEUED or (job.state is JobState.RUNNING and not job.interrupted):
        return job
    if JobState.QUEUED not in JOB_TRANSITIONS[job.state]:
        raise Conflict(f"Job {job_id} is {job.status}; there is nothing to resume.")
    _settle(db, job_id, JobState.QUEUED)
    return get(db, job_id)


def set_progress(db: sqlite3.Connection, job_id: int, done: int, total: int | None) -> None:
    """Stores a job's progress, in the transaction that stores the work it counts."""
    db.execute("UPDATE job SET done = ?, total = ? WHERE id = ?", (done, total, job_id))


def set_phase(
    db: sqlite3.Connection, job_id: int, phase: str | None, done: int = 0, total: int | None = None
) -> None:
    """Stores what a running job does before or beside its own progress; None for nothing else."""
    db.execute(
        "UPDATE job SET phase = ?, phase_done = ?, phase_total = ? WHERE id = ?",
        (phase, done, total, job_id),
    )


def set_params(db: sqlite3.Connection, job_id: int, params: dict[str, Any]) -> None:
    """Replaces a job's parameters, such as its budget; a running job sees them when it resumes."""
    db.execute("UPDATE job SET params = ? WHERE id = ?", (canonical_json(params).decode(), job_id))


def become_worker(db: sqlite3.Connection, token: str, pid: int, host: str) -> bool:
    """Takes the workspace's one worker seat, unless a living worker holds it."""
    held = worker(db)
    if held is not None and held.alive and held.token != token:
        return False
    db.execute(
        "INSERT OR REPLACE INTO worker (id, token, pid, host, started_at, lease_until, boot,"
        " ticks_until, account) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            token,
            pid,
            host,
            now_text(),
            now_seconds() + LEASE_SECONDS,
            boot(),
            ticks() + LEASE_SECONDS,
            account(),
        ),
    )
    return True


def worker(db: sqlite3.Connection) -> Worker | None:
    row = db.execute(
        "SELECT token, pid, host, started_at, lease_until, boot, ticks_until, account FROM worker"
    ).fetchone()
    return None if row is None else Worker(*row)


def waiting(db: sqlite3.Connection, token: str) -> bool:
    """Whether `claim` would take a job; reading is cheaper than taking the write lock."""
    rows = db.execute(
        "SELECT 1 FROM job WHERE state = 'queued' OR (state = 'running' AND claimed_by <> ?)"
        " LIMIT 1",
        (token,),
    )
    return rows.fetchone() is not None


def claim(db: sqlite3.Connection, token: str, limit: int) -> list[Job]:
    """Takes up to `limit` jobs that are queued or were a former worker's, oldest first.

    Nothing unless `token` holds the worker seat: only then is whoever had a job before it dead.
    """
    rows = db.execute(
        "UPDATE job SET state = 'running', claimed_by = ?,"
        " started_at = coalesce(started_at, ?), finished_at = NULL, error = NULL, remedy = NULL,"
        " phase = NULL"
        " WHERE id IN (SELECT id FROM job WHERE state = 'queued' OR (state = 'running'"
        " AND claimed_by <> ?) ORDER BY id LIMIT ?)"
        " AND EXISTS (SELECT 1 FROM worker WHERE token = ?) RETURNING id",
        (token, now_text(), token, limit, token),
    ).fetchall()
    return [get(db, job_id) for (job_id,) in sorted(rows)]


def heartbeat(db: sqlite3.Connection, token: str) -> bool:
    """Renews this worker's lease of its seat and so of its jobs; False when it has lost the seat
    and must stop."""
    kept = db.execute(
        "UPDATE worker SET lease_until = ?, ticks_until = ? WHERE token = ?",
        (now_seconds() + LEASE_SECONDS, ticks() + LEASE_SECONDS, token),
    )
    return kept.rowcount == 1


def requests(db: sqlite3.Connection, token: str) -> dict[int, str]:
    """The requests to this worker's jobs: {job: `pause` or `cancel`}."""
    rows = db.execute(
        "SELECT id, request FROM job WHERE claimed_by = ? AND request IS NOT NULL", (token,)
    )
    return dict(rows.fetchall())


def goes_on(db: sqlite3.Connection, job_id: int) -> bool:
    """Whether a job is at work and nobody has asked it to stop."""
    row = db.execute(
        "SELECT 1 FROM job WHERE id = ? AND state = 'running' AND request IS NULL", (job_id,)
    )
    return row.fetchone() is not None


def settle(
    db: sqlite3.Connection,
    job_id: int,
    token: str,
    state: JobState,
    *,
    pause_reason: PauseReason | None = None,
    error: str | None = None,
    remedy: str | None = None,
) -> None:
    """Ends this worker's hold on a job; without effect when another worker has taken it over.

    A job that stopped half-way because somebody asked becomes what people ask by now: a request
    may have been made, changed or taken back while the last of the work was being stored.
    """
    held = db.execute(
        "SELECT request FROM job WHERE id = ? AND claimed_by = ?", (job_id, token)
    ).fetchone()
    if held is None:
        return
    by_budget = pause_reason not in (None, PauseReason.USER)
    if state in (JobState.QUEUED, JobState.PAUSED, JobState.CANCELLED) and not by_budget:
        state = REQUESTED.get(held[0], JobState.QUEUED)
        pause_reason = PauseReason.USER if state is JobState.PAUSED else None
    _settle(db, job_id, state, pause_reason=pause_reason, error=error, remedy=remedy)


def leave(db: sqlite3.Connection, token: str) -> bool:
    """Gives up the worker seat, unless a job is waiting; True when the worker may end."""
    waiting = db.execute("SELECT 1 FROM job WHERE state = 'queued' LIMIT 1").fetchone()
    if waiting is not None:
        return False
    db.execute("DELETE FROM worker WHERE token = ?", (token,))
    return True


def _settle(
    db: sqlite3.Connection,
    job_id: int,
    state: JobState,
    *,
    pause_reason: PauseReason | None = None,
    error: str | None = None,
    remedy: str | None = None,
) -> None:
    ended = state in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)
    db.execute(
        "UPDATE job SET state = ?, pause_reason = ?, request = NULL, error = ?, remedy = ?,"
        " claimed_by = NULL, finished_at = ? WHERE id = ?",
        (state, pause_reason, error, remedy, now_text() if ended else None, job_id),
    )


def _jobs(db: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> list[Job]:
    read = [_job(row) for row in rows]
    if not any(job.state is JobState.RUNNING for job in read):
        return read
    held = worker(db)
    token = held.token if held is not None and held.alive else None
    return [
        msgspec.structs.replace(job, interrupted=True)
        if job.state is JobState.RUNNING and job.claimed_by != token
        else job
        for job in read
    ]


def _job(row: tuple[Any, ...]) -> Job:
    (id, kind, title, run_id, params, state, pause_reason, *rest) = row
    return Job(
        id,
        kind,
        title,
        run_id,
        msgspec.json.decode(params),
        JobState(state),
        None if pause_reason is None else PauseReason(pause_reason),
        *rest,
    )

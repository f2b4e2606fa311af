"""Reads the state of a workspace file without changing or migrating it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import msgspec

from store import migrations
from store.errors import WorkspaceError
from store.faults import explain, reading_uri, refuse_incomplete
from store.jobs import jobs
from store.jobs.jobs import Worker
from store.workspace import APPLICATION_ID, FILE_NAME


class FileHealth(msgspec.Struct, frozen=True):
    """A summary of a workspace file; `ragdesk verify` checks all of it."""

    bytes: int
    wal_bytes: int
    """Of the write-ahead log that stands beside the file until it is written back."""
    journal_mode: str
    steps_applied: int
    steps_known: int
    """Steps of the schema: fewer applied than known are caught up when the file is opened."""
    jobs: dict[str, int]
    """The number of jobs in each state, an interrupted one counted as `interrupted`."""
    worker: Worker | None


def file_health(folder: Path) -> FileHealth:
    """The state of the file. Raises WorkspaceError if it is missing, foreign, damaged or
    unreadable.
    """
    file = folder / FILE_NAME
    if not file.is_file():
        raise WorkspaceError(f"There is no workspace in {folder} ({FILE_NAME} is missing).")
    refuse_incomplete(file)
    try:
        with contextlib.closing(sqlite3.connect(reading_uri(file), uri=True, timeout=1)) as db:
            return _read(db, file)
    except sqlite3.Error as error:
        raise explain(error, file) from error


def _read(db: sqlite3.Connection, file: Path) -> FileHealth:
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise WorkspaceError(f"{file} is a SQLite file, but not a ragdesk workspace.")
    applied = migrations.applied(db)
    known = [name for name, _ in migrations.STEPS]
    if not set(applied) <= set(known):
        raise WorkspaceError(f"{file} was written by a newer ragdesk.", "Upgrade ragdesk.")
    log = file.with_name(f"{file.name}-wal")
    current = applied == known  # the rows of an older schema are for `open_workspace` to lift
    return FileHealth(
        bytes=file.stat().st_size,
        wal_bytes=log.stat().st_size if log.exists() else 0,
        journal_mode=db.execute("PRAGMA journal_mode").fetchone()[0],
        steps_applied=len(applied),
        steps_known=len(known),
        jobs=_jobs(db) if current else {},
        worker=jobs.worker(db) if current else None,
    )


def _jobs(db: sqlite3.Connection) -> dict[str, int]:
    counts: dict[str, int] = {}
    for job in jobs.listing(db):
        state = "interrupted" if job.interrupted else job.state.value
        counts[state] = counts.get(state, 0) + 1
    return counts

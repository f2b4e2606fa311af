"""More reasons why a job is paused: a full disk, an endpoint that fails, replies without use."""

# SQLite cannot change a CHECK. The table is made anew under its own name, so that what refers to it
# goes on referring to it; the references are checked when the transaction is committed.
SQL = """
PRAGMA defer_foreign_keys = ON;
CREATE TABLE job_before AS SELECT * FROM job;
DROP TABLE job;
CREATE TABLE job (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    run_id INTEGER REFERENCES run (id),
    params TEXT NOT NULL CHECK (json_valid(params)),
    state TEXT NOT NULL CHECK (state IN
        ('queued', 'running', 'paused', 'done', 'failed', 'cancelled')),
    pause_reason TEXT CHECK (pause_reason IN
        ('user', 'budget', 'quota', 'disk full', 'endpoint', 'replies')),
    request TEXT CHECK (request IN ('pause', 'cancel')),
    error TEXT,
    remedy TEXT,
    claimed_by TEXT,
    lease_until REAL,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    done INTEGER NOT NULL DEFAULT 0,
    total INTEGER,
    CHECK ((state = 'paused') = (pause_reason IS NOT NULL)),
    CHECK ((state = 'running') = (claimed_by IS NOT NULL))
) STRICT;
INSERT INTO job (id, kind, title, run_id, params, state, pause_reason, request, error, remedy,
    claimed_by, lease_until, created_at, started_at, finished_at, done, total)
SELECT id, kind, title, run_id, params, state, pause_reason, request, error, remedy,
    claimed_by, lease_until, created_at, started_at, finished_at, done, total FROM job_before;
DROP TABLE job_before;
CREATE INDEX job_open ON job (state) WHERE state IN ('queued', 'running', 'paused');
CREATE INDEX job_run ON job (run_id);
"""

"""Keeps what each stage of an attempt at generating gave, where an attempt has several."""

SQL = """
-- A reply of a model as it was read, or what a search chose: then without a call. A reply that
-- could not be used is a row as well, since it was paid for.
CREATE TABLE generation_step (
    id INTEGER PRIMARY KEY,
    attempt_id INTEGER NOT NULL REFERENCES generation_attempt (id),
    stage TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('parsed', 'refused', 'unparsed')),
    value TEXT NOT NULL CHECK (json_valid(value)),
    reason TEXT NOT NULL,
    call_key TEXT,
    cached INTEGER NOT NULL CHECK (cached IN (0, 1)),
    at TEXT NOT NULL
) STRICT;
CREATE INDEX generation_step_attempt ON generation_step (attempt_id);
CREATE INDEX generation_step_call ON generation_step (call_key) WHERE call_key IS NOT NULL;
"""

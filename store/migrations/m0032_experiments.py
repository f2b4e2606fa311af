"""Keeps experiments: a base system, what is changed about it, and the run of each arm."""

SQL = """
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    release_id INTEGER NOT NULL REFERENCES release (id) ON DELETE CASCADE,
    split_id INTEGER NOT NULL REFERENCES split (id) ON DELETE CASCADE,
    design TEXT NOT NULL CHECK (json_valid(design)),
    created_at TEXT NOT NULL
) STRICT;
CREATE TABLE experiment_arm (
    experiment_id INTEGER NOT NULL REFERENCES experiment (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    levels TEXT NOT NULL CHECK (json_valid(levels)),
    -- null until its first item is worked, and where the run was purged
    run_id INTEGER REFERENCES run (id) ON DELETE SET NULL,
    PRIMARY KEY (experiment_id, ordinal),
    UNIQUE (experiment_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX experiment_arm_run ON experiment_arm (run_id) WHERE run_id IS NOT NULL;
"""

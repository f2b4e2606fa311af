"""Keeps how items were evolved: every question that was made, from which, how hard, what became of
it."""

SQL = """
-- settings: what was frozen when the job was queued
CREATE TABLE evolution (
    job_id INTEGER PRIMARY KEY REFERENCES job (id),
    dataset_id INTEGER NOT NULL REFERENCES dataset (id),
    settings TEXT NOT NULL CHECK (json_valid(settings))
) STRICT;
CREATE INDEX evolution_dataset ON evolution (dataset_id);

-- A family is one initial question with what was made to evolve it; parents are numbers within it.
-- content is null for what could not be written.
CREATE TABLE qra (
    job_id INTEGER NOT NULL REFERENCES evolution (job_id),
    family INTEGER NOT NULL,
    number INTEGER NOT NULL,
    operation TEXT NOT NULL,
    entity TEXT NOT NULL,
    parents TEXT NOT NULL CHECK (json_valid(parents)),
    round INTEGER NOT NULL,
    content TEXT CHECK (content IS NULL OR json_valid(content)),
    rd REAL,
    gd REAL,
    outcome TEXT NOT NULL CHECK (outcome IN ('initial', 'partner', 'kept', 'dropped', 'rejected')),
    reason TEXT NOT NULL,
    item_id INTEGER REFERENCES item (id),
    PRIMARY KEY (job_id, family, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX qra_item ON qra (item_id) WHERE item_id IS NOT NULL;

CREATE TABLE evolution_call (
    job_id INTEGER NOT NULL REFERENCES evolution (job_id),
    call_key TEXT NOT NULL,
    cached INTEGER NOT NULL CHECK (cached IN (0, 1)),
    PRIMARY KEY (job_id, call_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX evolution_call_key ON evolution_call (call_key);
"""

"""What a generation set out to make, every attempt at it, and what became of each item written."""

SQL = """
-- The text of a prompt, once, however many attempts were made with it.
CREATE TABLE prompt (
    hash TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    lang TEXT NOT NULL CHECK (lang IN ('zh', 'en')),
    text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- settings: what was frozen when the job was queued, the model's settings among it, never a key.
CREATE TABLE generation (
    job_id INTEGER PRIMARY KEY REFERENCES job (id),
    dataset_id INTEGER NOT NULL REFERENCES dataset (id),
    settings TEXT NOT NULL CHECK (json_valid(settings))
) STRICT;
CREATE INDEX generation_dataset ON generation (dataset_id);

-- target counts all items of the cell in the dataset. lack: why the target was not reached, null
-- while it may be or is.
CREATE TABLE generation_cell (
    job_id INTEGER NOT NULL REFERENCES generation (job_id),
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    target INTEGER NOT NULL CHECK (target > 0),
    lack TEXT,
    PRIMARY KEY (job_id, topic, task)
) STRICT, WITHOUT ROWID;

-- One call (or one drafting by rule): for a cell, from some documents, the first of which is the
-- one whose turn it was. The row is there before the call is made, so that a killed worker's
-- successor makes exactly that call again. round counts the ways of using one document, repeat the
-- calls for one request.
CREATE TABLE generation_attempt (
    id INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL,
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    document_id TEXT NOT NULL,
    round INTEGER NOT NULL CHECK (round >= 0),
    repeat INTEGER NOT NULL CHECK (repeat >= 0),
    documents TEXT NOT NULL CHECK (json_valid(documents)),
    model TEXT NOT NULL,
    prompt_id TEXT NOT NULL,
    prompt_hash TEXT REFERENCES prompt (hash),
    state TEXT NOT NULL CHECK (state IN
        ('pending', 'parsed', 'empty', 'refused', 'unparsed', 'failed')),
    reason TEXT NOT NULL,
    call_key TEXT,
    cached INTEGER NOT NULL DEFAULT 0 CHECK (cached IN (0, 1)),
    written INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    finished_at TEXT,
    UNIQUE (job_id, topic, task, document_id, round, repeat),
    FOREIGN KEY (job_id, topic, task) REFERENCES generation_cell (job_id, topic, task),
    CHECK ((state = 'pending') = (finished_at IS NULL))
) STRICT;
CREATE INDEX generation_attempt_call ON generation_attempt (call_key) WHERE call_key IS NOT NULL;

-- Each item of a reply, in its order: kept as an item of the dataset, or why it was not.
CREATE TABLE generation_result (
    attempt_id INTEGER NOT NULL REFERENCES generation_attempt (id),
    ordinal INTEGER NOT NULL,
    item_id INTEGER UNIQUE REFERENCES item (id),
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (attempt_id, ordinal),
    CHECK ((outcome = 'kept') = (item_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
"""

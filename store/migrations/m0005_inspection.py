"""Taxonomies of one's own, what models said of documents and items, and the verdicts on items."""

SQL = """
-- Which content a name stands for in this workspace; earlier contents stay in `taxonomy`.
-- origin: who made it, in words.
CREATE TABLE taxonomy_name (
    name TEXT PRIMARY KEY,
    taxonomy_id INTEGER NOT NULL REFERENCES taxonomy (id),
    origin TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Every answer to the question for a document's topic, and every call that gave none.
-- repeat counts the calls for one request. What holds now is in `document_topic`.
CREATE TABLE topic_reply (
    id INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL REFERENCES job (id),
    taxonomy_id INTEGER NOT NULL REFERENCES taxonomy (id),
    document INTEGER NOT NULL REFERENCES document (id),
    repeat INTEGER NOT NULL CHECK (repeat >= 0),
    model TEXT NOT NULL,
    prompt_hash TEXT NOT NULL REFERENCES prompt (hash),
    state TEXT NOT NULL CHECK (state IN ('parsed', 'refused', 'unparsed', 'failed')),
    topic TEXT,
    reason TEXT NOT NULL,
    call_key TEXT,
    cached INTEGER NOT NULL CHECK (cached IN (0, 1)),
    at TEXT NOT NULL,
    UNIQUE (job_id, document, repeat),
    CHECK ((state = 'parsed') = (topic IS NOT NULL))
) STRICT;
CREATE INDEX topic_reply_document ON topic_reply (document);

-- Every automatic verdict on an item's text, by a model or by rule (`offline`, without a prompt),
-- and every call that gave none. correction: the revision that the inspector wrote of it.
CREATE TABLE inspection (
    id INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL REFERENCES job (id),
    revision_id INTEGER NOT NULL REFERENCES revision (id),
    repeat INTEGER NOT NULL CHECK (repeat >= 0),
    inspector TEXT NOT NULL,
    prompt_hash TEXT REFERENCES prompt (hash),
    state TEXT NOT NULL CHECK (state IN ('parsed', 'refused', 'unparsed', 'failed')),
    evaluation INTEGER CHECK (evaluation IN (0, 1, 2)),
    reason TEXT NOT NULL,
    checks TEXT NOT NULL CHECK (json_valid(checks)),
    correction INTEGER REFERENCES revision (id),
    call_key TEXT,
    cached INTEGER NOT NULL CHECK (cached IN (0, 1)),
    at TEXT NOT NULL,
    UNIQUE (job_id, revision_id, repeat),
    CHECK ((state = 'parsed') = (evaluation IS NOT NULL)),
    CHECK (correction IS NULL OR evaluation = 1)
) STRICT;
CREATE INDEX inspection_revision ON inspection (revision_id);
CREATE INDEX inspection_correction ON inspection (correction) WHERE correction IS NOT NULL;
"""

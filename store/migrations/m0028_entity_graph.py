"""Keeps the entities that the chunks of a corpus name, and which chunks share one."""

SQL = """
-- recipe: who names the entities and how names are linked; linked_at: null while chunks are left
CREATE TABLE graph (
    id INTEGER PRIMARY KEY,
    corpus_id INTEGER NOT NULL REFERENCES corpus (id),
    fingerprint TEXT NOT NULL,
    method TEXT NOT NULL,
    recipe TEXT NOT NULL CHECK (json_valid(recipe)),
    recipe_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    linked_at TEXT,
    UNIQUE (corpus_id, fingerprint, recipe_hash)
) STRICT;

-- What a chunk names, as it was said; there is no row for a chunk that is still to be looked at.
CREATE TABLE graph_chunk (
    graph_id INTEGER NOT NULL REFERENCES graph (id),
    document_id TEXT NOT NULL REFERENCES document (document_id),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('parsed', 'empty', 'refused', 'unparsed', 'failed')),
    reason TEXT NOT NULL,
    names TEXT NOT NULL CHECK (json_valid(names)),
    call_key TEXT,
    cached INTEGER NOT NULL DEFAULT 0 CHECK (cached IN (0, 1)),
    PRIMARY KEY (graph_id, document_id, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX graph_chunk_call ON graph_chunk (call_key) WHERE call_key IS NOT NULL;
CREATE INDEX graph_chunk_document ON graph_chunk (document_id);

-- aliases: all its names, name among them
CREATE TABLE entity (
    id INTEGER PRIMARY KEY,
    graph_id INTEGER NOT NULL REFERENCES graph (id),
    name TEXT NOT NULL,
    aliases TEXT NOT NULL CHECK (json_valid(aliases)),
    UNIQUE (graph_id, name)
) STRICT;

CREATE TABLE entity_mention (
    entity_id INTEGER NOT NULL REFERENCES entity (id),
    document_id TEXT NOT NULL REFERENCES document (document_id),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    PRIMARY KEY (entity_id, document_id, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_mention_document ON entity_mention (document_id);
"""

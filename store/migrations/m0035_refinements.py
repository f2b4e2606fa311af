"""Keeps the texts that a model made of a corpus' chunks, with what was asked for them."""

SQL = """
-- fingerprint: of the chunks; stages: those of a system, with a hash of what each asks;
-- finished_at: null while chunks are left
CREATE TABLE refinement (
    id INTEGER PRIMARY KEY,
    corpus_id INTEGER NOT NULL REFERENCES corpus (id),
    fingerprint TEXT NOT NULL,
    stages TEXT NOT NULL CHECK (json_valid(stages)),
    created_at TEXT NOT NULL,
    finished_at TEXT,
    UNIQUE (corpus_id, fingerprint, stages)
) STRICT;

-- What a chunk is indexed by, without its document's title. unusable: stages that left the text as
-- it was, for want of a usable reply; job_id: who paid, null once that job was purged.
CREATE TABLE refined_chunk (
    refinement_id INTEGER NOT NULL REFERENCES refinement (id),
    document_id TEXT NOT NULL REFERENCES document (document_id),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    text TEXT NOT NULL,
    unusable INTEGER NOT NULL,
    calls TEXT NOT NULL CHECK (json_valid(calls)),
    job_id INTEGER REFERENCES job (id) ON DELETE SET NULL,
    PRIMARY KEY (refinement_id, document_id, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX refined_chunk_document ON refined_chunk (document_id);
CREATE INDEX refined_chunk_job ON refined_chunk (job_id) WHERE job_id IS NOT NULL;
"""

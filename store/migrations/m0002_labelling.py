"""Current labels, what became of judged items, drafts, leases, guidelines, samples and splits."""

SQL = """
-- undoing looks an event's undoers up, and a rater's latest event
CREATE INDEX label_event_undoes ON label_event (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX label_event_rater ON label_event (rater, seq);

-- The events that count: an undo takes one away, a redo takes the undo away.
CREATE VIEW label_effective AS
SELECT event.seq, event.at, event.rater, event.form_id, form.key AS form_key, event.subject_kind,
    event.subject, event.field, event.value, event.kind, event.origin, event.active_ms,
    event.guideline,
    CASE WHEN event.kind IN ('set', 'clear', 'import') THEN 'value' ELSE event.kind END AS aspect
FROM label_event AS event JOIN form ON form.id = event.form_id
WHERE event.kind NOT IN ('undo', 'redo') AND NOT EXISTS (
    SELECT 1 FROM label_event AS undo WHERE undo.undoes = event.seq AND undo.kind = 'undo'
    AND NOT EXISTS (SELECT 1 FROM label_event AS redo
        WHERE redo.undoes = undo.seq AND redo.kind = 'redo'));

-- What each rater says now. With max(), SQLite takes the other columns from the row that has it.
CREATE VIEW label_current AS
SELECT * FROM (
    SELECT form_key, subject_kind, subject, rater, field, aspect, value, kind, max(seq) AS seq, at,
        form_id, origin, guideline
    FROM label_effective GROUP BY form_key, subject_kind, subject, rater, field, aspect)
WHERE value IS NOT NULL;

-- How far a rater is with a subject: derived from the events in the transaction that appends one,
-- so that a queue of many thousands is answered at once. No row: untouched.
CREATE TABLE label_status (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    rater TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('partial', 'postponed', 'complete', 'excluded')),
    seq INTEGER NOT NULL REFERENCES label_event (seq),
    at TEXT NOT NULL,
    PRIMARY KEY (form_key, subject_kind, subject, rater)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_status_rater ON label_status (form_key, rater, seq);

-- Where an item stood before a person judged it: to this it returns when all is undone.
-- An item follows the judgement of its latest row. quorum: how many raters decide on it.
CREATE TABLE judgement (
    id INTEGER PRIMARY KEY,
    revision_id INTEGER NOT NULL UNIQUE REFERENCES revision (id),
    item_id INTEGER NOT NULL REFERENCES item (id),
    form_key TEXT NOT NULL,
    state_before TEXT NOT NULL,
    head_before INTEGER NOT NULL REFERENCES revision (id),
    quorum INTEGER NOT NULL CHECK (quorum > 0)
) STRICT;
CREATE INDEX judgement_item ON judgement (item_id);

-- The labels that lay before an adjudicator: whose, which, and when are read off the events.
CREATE TABLE adjudication_basis (
    seq INTEGER NOT NULL REFERENCES label_event (seq),
    weighed INTEGER NOT NULL REFERENCES label_event (seq),
    PRIMARY KEY (seq, weighed)
) STRICT, WITHOUT ROWID;

-- Half-typed text. Deleted when it is committed as a label, or discarded.
CREATE TABLE draft (
    rater TEXT NOT NULL,
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    field TEXT NOT NULL,
    text TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (rater, form_key, subject_kind, subject, field)
) STRICT, WITHOUT ROWID;

-- Who has a subject before them, in seconds since the epoch: no second rater is given it meanwhile.
CREATE TABLE lease (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    rater TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (form_key, subject_kind, subject, rater)
) STRICT, WITHOUT ROWID;

CREATE TABLE guideline (
    form_key TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    author TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (form_key, version)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER guideline_is_final BEFORE UPDATE ON guideline
BEGIN SELECT RAISE(ABORT, 'a guideline is never changed; write a new version'); END;

-- raters: the names that it is for; empty for whoever comes.
CREATE TABLE sample (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL CHECK (subject_kind IN ('revision', 'prediction', 'pair')),
    raters TEXT NOT NULL CHECK (json_valid(raters)),
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    created_at TEXT NOT NULL,
    closed_at TEXT
) STRICT;

-- What is to be labelled, how often. A row keeps its place: drawing more only adds.
-- topic and task repeat what the subject's revision says, so that a queue reads one table.
CREATE TABLE assignment (
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    ordinal INTEGER NOT NULL,
    subject TEXT NOT NULL,
    repeats TEXT,
    raters_wanted INTEGER NOT NULL CHECK (raters_wanted > 0),
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    stratum TEXT NOT NULL,
    group_key TEXT NOT NULL,
    not_applicable TEXT NOT NULL CHECK (json_valid(not_applicable)),
    PRIMARY KEY (sample_id, ordinal),
    UNIQUE (sample_id, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX assignment_subject ON assignment (subject);

-- A division into sides, by group. What is assigned never changes.
CREATE TABLE split (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    sides TEXT NOT NULL CHECK (json_valid(sides)),
    seed INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

-- side is null for a member that joins groups of different sides: it is on none, and listed.
CREATE TABLE split_member (
    split_id INTEGER NOT NULL REFERENCES split (id),
    member TEXT NOT NULL,
    split_group TEXT NOT NULL,
    stratum TEXT NOT NULL,
    side TEXT,
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (split_id, member)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER split_member_stays BEFORE UPDATE ON split_member
BEGIN SELECT RAISE(ABORT, 'an assignment to a side is never changed'); END;
"""

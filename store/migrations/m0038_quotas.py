"""Adds quotas of raters in samples, messages to the team, and who has seen what is new."""

SQL = """
-- How many subjects of a sample a rater is given at most, hidden repeats apart.
CREATE TABLE sample_quota (
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    rater TEXT NOT NULL,
    most INTEGER NOT NULL CHECK (most > 0),
    PRIMARY KEY (sample_id, rater)
) STRICT, WITHOUT ROWID;

-- The open samples that are for the rater who asks.
CREATE VIEW named_sample AS
SELECT asking.json AS rater_json, asking.value AS rater, sample.id, sample.name, sample.form_key,
    sample.subject_kind
FROM json_each AS asking CROSS JOIN sample
WHERE closed_at IS NULL
    AND (raters = '[]' OR asking.value IN (SELECT value FROM json_each(sample.raters)));

-- Those of which the rater is still given something: no quota is full.
DROP VIEW open_sample;
CREATE VIEW open_sample AS
SELECT named.* FROM named_sample AS named
WHERE NOT EXISTS (SELECT 1 FROM sample_quota AS quota
    WHERE quota.sample_id = named.id AND quota.rater = named.rater
    AND quota.most <= (SELECT coalesce(sum(tally.subjects), 0) FROM assignment_tally AS tally
        WHERE tally.sample_id = named.id AND instr(tally.done_by, named.rater_json) > 0));

-- What the lead tells everybody; the last one holds, an empty one ends it.
CREATE TABLE team_message (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    account TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE TRIGGER team_message_is_final BEFORE UPDATE ON team_message
BEGIN SELECT RAISE(ABORT, 'a message is never changed; write another'); END;

-- Who has seen what, first at which time. what: `message`, or the key of a form whose guideline it
-- is; version: the message's id, or the guideline's version.
CREATE TABLE news_seen (
    what TEXT NOT NULL,
    version INTEGER NOT NULL,
    rater TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (what, version, rater)
) STRICT, WITHOUT ROWID;
"""

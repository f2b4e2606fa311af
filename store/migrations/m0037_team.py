"""Adds the roles of accounts, with their log, and the account behind jobs, workers and labels."""

SQL = """
-- What changed about the team, and who did it. Nothing here is ever changed.
-- kind role: `about` is an account, `value` its role from then on, null for none.
CREATE TABLE team_event (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    account TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('share', 'unshare', 'role', 'act')),
    about TEXT NOT NULL,
    value TEXT,
    CHECK (kind <> 'role' OR value IS NULL
        OR value IN ('reader', 'rater', 'adjudicator', 'operator'))
) STRICT;
CREATE TRIGGER team_event_is_final BEFORE UPDATE ON team_event
BEGIN SELECT RAISE(ABORT, 'the log of the team is never changed'); END;
CREATE TRIGGER team_event_stays BEFORE DELETE ON team_event
BEGIN SELECT RAISE(ABORT, 'the log of the team is never deleted from'); END;

CREATE VIEW team_member AS
SELECT about AS account, value AS role, at AS since, event.account AS by FROM team_event AS event
WHERE id IN (SELECT max(id) FROM team_event WHERE kind = 'role' GROUP BY about)
    AND value IS NOT NULL;

-- The account that asked for a job; null for those of before.
ALTER TABLE job ADD COLUMN account TEXT;
-- The account that the worker runs as, whose keys it has.
ALTER TABLE worker ADD COLUMN account TEXT;
-- Who gave a label in the name of its rater in a shared workspace; null for the rater.
ALTER TABLE label_event ADD COLUMN account TEXT;
"""

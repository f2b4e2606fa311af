"""Adds acts: what a person did with many items at once, so that it can be taken back at once."""

SQL = """
-- what: the act in words; wanted: which items were meant, as the filter that found them.
CREATE TABLE act (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    rater TEXT NOT NULL,
    form_key TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what <> ''),
    wanted TEXT NOT NULL CHECK (json_valid(wanted))
) STRICT;
CREATE INDEX act_rater ON act (rater, id);

-- The label events of an act, with those that took them back and brought them back.
CREATE TABLE act_event (
    seq INTEGER PRIMARY KEY REFERENCES label_event (seq),
    act_id INTEGER NOT NULL REFERENCES act (id)
) STRICT;
CREATE INDEX act_event_act ON act_event (act_id);

-- What an act added to a sample; taking the act back takes it out where nobody has begun it.
CREATE TABLE act_assignment (
    act_id INTEGER NOT NULL REFERENCES act (id),
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    subject TEXT NOT NULL,
    PRIMARY KEY (act_id, sample_id, subject)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER act_is_final BEFORE UPDATE ON act
BEGIN SELECT RAISE(ABORT, 'an act is never changed; it is taken back by events'); END;
CREATE TRIGGER act_event_is_final BEFORE UPDATE ON act_event
BEGIN SELECT RAISE(ABORT, 'an event stays with its act'); END;
CREATE TRIGGER act_assignment_is_final BEFORE UPDATE ON act_assignment
BEGIN SELECT RAISE(ABORT, 'an act is never changed; it is taken back'); END;

CREATE TRIGGER assignment_ends AFTER DELETE ON assignment WHEN OLD.repeats IS NULL BEGIN
    UPDATE assignment_tally SET subjects = subjects - 1 WHERE sample_id = OLD.sample_id
        AND topic = OLD.topic AND task = OLD.task AND raters_wanted = OLD.raters_wanted
        AND done_by = OLD.done_by;
END;
"""

"""Keeps what judges said of answers that were changed for an audit, and the audits themselves."""

SQL = """
-- change: what was done to the case, with its version, as padded/1; 'same/1' is nothing.
-- calls: the replies that the value rests on, as in the stage of a judged score.
CREATE TABLE probe_score (
    judge_id INTEGER NOT NULL REFERENCES judge (id),
    prediction_id INTEGER NOT NULL REFERENCES prediction (id),
    change TEXT NOT NULL,
    metric TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    state TEXT NOT NULL,
    value REAL CHECK ((state = 'ok') = (value IS NOT NULL)),
    reason TEXT NOT NULL,
    calls TEXT NOT NULL CHECK (json_valid(calls)),
    PRIMARY KEY (judge_id, prediction_id, change, metric, repeat)
) STRICT, WITHOUT ROWID;
CREATE INDEX probe_score_prediction ON probe_score (prediction_id);

CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    judge_id INTEGER NOT NULL REFERENCES judge (id),
    verdict TEXT NOT NULL,
    report TEXT NOT NULL CHECK (json_valid(report)),
    made_at TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'an audit is never changed; audit again'); END;
"""

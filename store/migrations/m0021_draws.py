"""Keeps the chances that candidates of a sample had of being drawn, known before their labels."""

SQL = """
CREATE TABLE draw (
    id INTEGER PRIMARY KEY,
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    number INTEGER NOT NULL,
    -- units that came, at once
    wanted INTEGER NOT NULL CHECK (wanted > 0),
    seed INTEGER NOT NULL,
    -- what the chances follow from: what for, metric, judges and their hashes, shares
    rule TEXT NOT NULL CHECK (json_valid(rule)),
    -- of all candidates with their groups, chances and uncertainties
    frame_hash TEXT NOT NULL,
    drawn_at TEXT NOT NULL,
    UNIQUE (sample_id, number)
) STRICT;

-- unit: the number of an answer, or of two answers to one question as 12:345.
-- place: where it came in the draw; null for a candidate that was not drawn.
CREATE TABLE draw_chance (
    draw_id INTEGER NOT NULL REFERENCES draw (id),
    unit TEXT NOT NULL,
    group_key TEXT NOT NULL,
    chance REAL NOT NULL CHECK (chance > 0 AND chance <= 1),
    uncertainty REAL NOT NULL CHECK (uncertainty >= 0),
    verdict REAL,
    place INTEGER,
    PRIMARY KEY (draw_id, unit)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER draw_is_final BEFORE UPDATE ON draw
BEGIN SELECT RAISE(ABORT, 'a draw is never changed; draw further'); END;
CREATE TRIGGER draw_chance_is_final BEFORE UPDATE ON draw_chance
BEGIN SELECT RAISE(ABORT, 'a chance is never changed: it was known before the label'); END;
"""

"""Keeps that the test side of a split was asked about a version of a judge, and what it said."""

SQL = """
CREATE TABLE side_reading (
    id INTEGER PRIMARY KEY,
    judge_id INTEGER NOT NULL REFERENCES judge (id),
    split_id INTEGER NOT NULL REFERENCES split (id),
    side TEXT NOT NULL,
    figures TEXT NOT NULL CHECK (json_valid(figures)),
    read_at TEXT NOT NULL,
    UNIQUE (judge_id, split_id, side)
) STRICT;

CREATE TRIGGER side_reading_is_final BEFORE UPDATE ON side_reading
BEGIN SELECT RAISE(ABORT, 'a side is asked once about a version of a judge'); END;
"""

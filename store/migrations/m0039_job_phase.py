"""Adds the phase that a job is in, such as the building of an index, with how far that is."""

SQL = """
-- What a running job does before or beside what its own progress counts; null for nothing else.
ALTER TABLE job ADD COLUMN phase TEXT;
ALTER TABLE job ADD COLUMN phase_done INTEGER NOT NULL DEFAULT 0;
-- Null where nobody knows.
ALTER TABLE job ADD COLUMN phase_total INTEGER;
"""

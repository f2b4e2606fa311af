"""Keeps where the log ended when a release was made, so that no clock says what belongs to it."""

SQL = """
-- The last revision, label and inspection before the release; null in one that came in with an
-- archive or was made before these were kept, where the time of the release tells.
ALTER TABLE release ADD COLUMN last_revision INTEGER;
ALTER TABLE release ADD COLUMN last_label INTEGER;
ALTER TABLE release ADD COLUMN last_inspection INTEGER;
"""

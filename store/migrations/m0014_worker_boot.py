"""A worker's lease by a clock that nobody can set: the seconds since the machine was started."""

SQL = """
-- which start of the machine; null where the host does not say
ALTER TABLE worker ADD COLUMN boot TEXT;
ALTER TABLE worker ADD COLUMN ticks_until REAL;
"""

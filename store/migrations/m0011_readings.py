"""Numbers the readings of files into a corpus.

A source that its file no longer holds was told by the time it was last seen, so that a clock set
back kept it for good. It is told by the number of the reading instead.
"""

SQL = """
ALTER TABLE corpus ADD COLUMN readings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE source ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;
"""

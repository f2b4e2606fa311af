"""How far a job has come that is not a run: counted in the transaction that stores the work."""

SQL = """
ALTER TABLE job ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
-- null where nobody can say how much there will be
ALTER TABLE job ADD COLUMN total INTEGER;
"""

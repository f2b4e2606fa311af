"""Which model a reply came from, as the server named it: it may be another than was asked for."""

SQL = """
-- null for replies without a name, and for those stored before this step
ALTER TABLE model_call ADD COLUMN reply_model TEXT;
"""

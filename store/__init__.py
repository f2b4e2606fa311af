"""The workspace: one SQLite file that holds the truth, and the formats it reads and writes."""

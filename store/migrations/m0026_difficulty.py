"""Keeps how hard items are to retrieve for and to answer, by the embedding that it was measured
with."""

SQL = """
-- recipe: the embedding, the corpus and the candidates, all that the figures depend on
CREATE TABLE difficulty_measure (
    id INTEGER PRIMARY KEY,
    dataset_id INTEGER NOT NULL REFERENCES dataset (id),
    embedding TEXT NOT NULL,
    recipe TEXT NOT NULL CHECK (json_valid(recipe)),
    recipe_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (dataset_id, recipe_hash)
) STRICT;

-- rd, gd and distance are null for a turn without evidence that a system can find.
CREATE TABLE difficulty (
    measure_id INTEGER NOT NULL REFERENCES difficulty_measure (id),
    revision_id INTEGER NOT NULL REFERENCES revision (id),
    turn INTEGER NOT NULL CHECK (turn >= 0),
    rd REAL,
    gd REAL,
    distance REAL,
    PRIMARY KEY (measure_id, revision_id, turn),
    CHECK ((rd IS NULL) = (gd IS NULL) AND (rd IS NULL) = (distance IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX difficulty_revision ON difficulty (revision_id);
"""

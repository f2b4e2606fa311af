"""Keeps the question sets that judges ask answers: made from an item's golden answer."""

SQL = """
CREATE TABLE question_set (
    -- of the sets that were imported together, as a judge's settings name them
    name TEXT NOT NULL,
    item_id INTEGER NOT NULL REFERENCES item (id),
    -- of the golden answer that the questions were made from
    golden_id TEXT NOT NULL,
    content TEXT NOT NULL CHECK (json_valid(content)),
    PRIMARY KEY (name, item_id)
) STRICT;

CREATE INDEX question_set_item ON question_set (item_id);
"""

"""Keeps the files of trained judges, which nothing else can make again."""

SQL = """
CREATE TABLE trained_file (
    judge TEXT NOT NULL,
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    -- BLAKE2b-128 of the content, hexadecimal
    hash TEXT NOT NULL,
    PRIMARY KEY (judge, name)
) STRICT;
"""

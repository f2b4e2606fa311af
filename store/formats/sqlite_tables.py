"""Writes tables as an SQLite file, for programs that read such files."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any


def table_file(
    columns: Mapping[str, Mapping[str, str]], rows: Mapping[str, Sequence[Sequence[Any]]]
) -> bytes:
    """A file with a table for each entry of `columns` (the type of each column by its name), which
    holds its `rows`. Equal rows give equal bytes with one version of SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tables.sqlite"
        with closing(sqlite3.connect(file)) as db, db:
            for table, types in columns.items():
                declared = ", ".join(f'"{name}" {type}' for name, type in types.items())
                db.execute(f'CREATE TABLE "{table}" ({declared}) STRICT')
                marks = ", ".join("?" * len(types))
                db.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows[table])
        return file.read_bytes()

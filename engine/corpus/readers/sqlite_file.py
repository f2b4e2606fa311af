"""Reads a SQLite database without changing it, one document for each row of each table."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from engine.corpus.decoding import decode
from engine.corpus.readers.contract import (
    LARGEST_DOCUMENT,
    Read,
    ReadDocument,
    ReadOptions,
    Refusal,
)
from engine.corpus.readers.json_record import to_document
from store.errors import InputError

_MAGIC = b"SQLite format 3\0"
_HEADER = 100
_WRITES_AHEAD = 2
"""The value of bytes 18 and 19 of the header of a database with a write-ahead log."""
_FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""The errors of a broken database; the second where the names that errors quote are broken."""
_BATCH = 1000
_LOWEST_ROW = -(2**63) + 1


class _Table(Struct, frozen=True):
    name: str
    columns: list[str]
    key: list[str]
    """Columns of the primary key, in its order."""
    has_rowid: bool


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields each row, located as `table NAME, row KEY` by primary key, else by row number.

    A row becomes the document of an object of its columns: without a text column it is written
    out as `column: value` lines. Nulls and binary values are left out. Views, virtual tables and
    the tables that belong to those are passed over, since they repeat what other tables hold.
    """
    with _opened(path) as database:
        try:
            tables = _tables(database)
        except _FAULTS as error:
            raise InputError(f"the database cannot be read: {error}") from error
        if options.text_field is not None:
            with_field = [table for table in tables if options.text_field in table.columns]
            if tables and not with_field:
                names = ", ".join(table.name for table in tables)
                raise InputError(f"no column {options.text_field!r} in any of its tables: {names}")
            tables = with_field
        for table in tables:
            yield from _rows(database, table, given, options)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that reads `path` and leaves it and its write-ahead log unchanged."""
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if not header:
        raise InputError("the file is empty")
    if not header.startswith(_MAGIC) or len(header) < _HEADER:
        raise InputError("the file is not a SQLite database, or an encrypted one")
    with ExitStack() as stack:
        mode = "mode=ro"
        if _WRITES_AHEAD in header[18:20] and not Path(f"{path}-shm").exists():
            log = Path(f"{path}-wal")
            if log.exists() and log.stat().st_size:
                folder = stack.enter_context(TemporaryDirectory(prefix="ragdesk-"))
                path = _copied(path, log, Path(folder))
            else:
                mode += "&immutable=1"
        database = stack.enter_context(closing(_connected(path, mode)))
        yield database


def _copied(path: Path, log: Path, folder: Path) -> Path:
    """A copy with its log: nobody has the database open, and reading its log in place would
    leave a file beside it."""
    copy = folder / "copy.sqlite"
    shutil.copyfile(path, copy)
    shutil.copyfile(log, f"{copy}-wal")
    return copy


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(os.fsencode(path.absolute()))}?{mode}"
    try:
        database = sqlite3.connect(address, uri=True, check_same_thread=False)
    except sqlite3.Error as error:
        raise InputError(f"the database cannot be opened: {error}") from error
    database.text_factory = _text
    database.execute("PRAGMA query_only = ON")
    database.execute("PRAGMA trusted_schema = OFF")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_DOCUMENT)
    return database


def _text(data: bytes) -> str:
    return decode(data).text


def _tables(database: sqlite3.Connection) -> list[_Table]:
    tables = database.execute(
        "SELECT name, sql FROM sqlite_master"
        " WHERE type = 'table' AND typeof(name) = 'text' AND typeof(sql) = 'text'"
        " AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
    ).fetchall()
    virtual = [name for name, sql in tables if _is_virtual(sql)]
    return [
        _described(database, name)
        for name, sql in tables
        if not _is_virtual(sql) and not any(name.startswith(f"{each}_") for each in virtual)
    ]


def _is_virtual(sql: str | None) -> bool:
    return (sql or "").lstrip().upper().startswith("CREATE VIRTUAL")


def _described(database: sqlite3.Connection, name: str) -> _Table:
    facts = database.execute("SELECT name, pk FROM pragma_table_info(?)", (name,)).fetchall()
    key = [column for column, place in sorted(facts, key=lambda fact: fact[1]) if place]
    return _Table(name, [column for column, _ in facts], key, _has_rowid(database, name))


def _has_rowid(database: sqlite3.Connection, name: str) -> bool:
    try:
        database.execute(f"SELECT rowid FROM {_quoted(name)} LIMIT 0")
    except sqlite3.OperationalError:
        return False
    return True


def _rows(
    database: sqlite3.Connection, table: _Table, given: str, options: ReadOptions
) -> Iterator[Read]:
    place = f"table {table.name}"
    last = "its beginning"
    try:
        for identity, row in _select(database, table):
            last = f"row {identity}"
            locator = f"{place}, {last}"
            if row is None:
                reason = f"the row is longer than {LARGEST_DOCUMENT:,} bytes"
                yield Refusal(given, locator, reason)
            else:
                yield _without_number(to_document(row, given, locator, options))
    except _FAULTS as error:
        yield Refusal(given, place, f"cannot be read after {last}: {error}")


def _select(
    database: sqlite3.Connection, table: _Table
) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """The rows with their names; null for a row that is too large to hold."""
    # a value's type is known without loading it, so binary ones are never held
    values = ", ".join(
        f"CASE typeof({column}) WHEN 'blob' THEN NULL ELSE {column} END"
        for column in map(_quoted, table.columns)
    )
    query = f"SELECT {values} FROM {_quoted(table.name)}"
    if not table.has_rowid:
        for row in database.execute(f"{query} ORDER BY {', '.join(map(_quoted, table.key))}"):
            yield _named(table, row, 0)
        return
    # asked for one by one: a cursor that fails on a row has by then dropped the one before it
    for number in _row_numbers(database, table):
        try:
            row = database.execute(f"{query} WHERE rowid = ?", (number,)).fetchone()
        except sqlite3.DataError:
            yield str(number), None
        else:
            # a row may be deleted meanwhile
            if row is not None:
                yield _named(table, row, number)


def _row_numbers(database: sqlite3.Connection, table: _Table) -> Iterator[int]:
    query = f"SELECT rowid FROM {_quoted(table.name)} WHERE rowid > ? ORDER BY rowid LIMIT {_BATCH}"
    last = _LOWEST_ROW - 1
    while batch := database.execute(query, (last,)).fetchall():
        for (number,) in batch:
            if number <= last:
                raise sqlite3.DatabaseError("its rows are out of order")
            last = number
            yield number


def _named(table: _Table, row: tuple[Any, ...], number: int) -> tuple[str, dict[str, Any]]:
    """The name of a row, and its values by column without nulls."""
    named = dict(zip(table.columns, row, strict=True))
    key = [named[column] for column in table.key]
    identity = str(number) if not key or None in key else ", ".join(map(str, key))
    return identity, {name: value for name, value in named.items() if value is not None}


def _without_number(document: Read) -> Read:
    """The document without an external id that is only a row number, as other tables share it."""
    if isinstance(document, ReadDocument) and document.source.external_id.isdecimal():
        return replace(document, source=replace(document.source, external_id=""))
    return document


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

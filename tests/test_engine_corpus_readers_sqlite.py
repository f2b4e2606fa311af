"""Reading SQLite databases: each row of each table a document, the files left as they were."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.corpus.readers import ReadDocument, ReadOptions, Refusal, read_paths, sqlite_file
from store.records import Source
from store.workspace import open_workspace


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(script, name="a.db"):
    with closing(sqlite3.connect(name)) as database:
        database.executescript(script)
        database.commit()
    return name


def read(name, **options):
    return list(read_paths([name], ReadOptions(**options)))


def reason(found):
    (refusal,) = found
    assert isinstance(refusal, Refusal)
    return refusal.reason


def state():
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in Path().iterdir()}


# Rows


def test_a_row_is_written_out_by_column_and_located_by_its_key(folder):
    make(
        "CREATE TABLE 公司 (代码 INTEGER PRIMARY KEY, 名称 TEXT, note TEXT, logo BLOB, rate REAL);"
        "INSERT INTO 公司 VALUES (600000, '浦发银行', NULL, x'00ff', 1.5);"
    )
    assert read("a.db") == [
        ReadDocument(
            "代码: 600000\n名称: 浦发银行\nrate: 1.5",
            Source("a.db", locator="table 公司, row 600000"),
        )
    ]


def test_a_text_column_is_the_text_and_the_others_are_facts(folder):
    make(
        "CREATE TABLE t (id TEXT PRIMARY KEY, title TEXT, text TEXT, year INT);"
        "INSERT INTO t VALUES ('d-7', 'Report', 'The text.', 2024);"
    )
    source = Source("a.db", title="Report", locator="table t, row d-7", external_id="d-7")
    assert read("a.db") == [ReadDocument("The text.", source, {"year": 2024})]


def test_rows_without_a_key_and_with_a_key_of_several_columns_are_told_apart(folder):
    make(
        'CREATE TABLE "o ""dd" (v); INSERT INTO "o ""dd" VALUES (\'x\'), (\'y\');'
        "CREATE TABLE w (a, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID;"
        "INSERT INTO w VALUES ('1', '2', 'three');"
    )
    assert [(found.source.locator, found.text) for found in read("a.db")] == [
        ('table o "dd, row 1', "v: x"),
        ('table o "dd, row 2', "v: y"),
        ("table w, row 2, 1", "a: 1\nb: 2\nc: three"),
    ]


def test_views_and_virtual_tables_repeat_nothing(folder):
    make(
        "CREATE TABLE t (text TEXT); INSERT INTO t VALUES ('once');"
        "CREATE VIEW v AS SELECT text FROM t;"
        "CREATE VIRTUAL TABLE f USING fts5(text); INSERT INTO f VALUES ('once');"
    )
    assert [found.source.locator for found in read("a.db")] == ["table t, row 1"]


def test_text_in_another_encoding_is_read(folder):
    make("CREATE TABLE t (text TEXT)")
    with closing(sqlite3.connect("a.db")) as database:
        broken = "净利润同比增长".encode("gb18030")
        database.execute("INSERT INTO t VALUES (CAST(? AS TEXT))", (broken,))
        database.commit()
    (found,) = read("a.db")
    assert found.text == "净利润同比增长"


def test_a_named_column_chooses_the_tables_that_have_it(folder):
    make(
        "CREATE TABLE a (abstract TEXT, text TEXT); INSERT INTO a VALUES ('this', 'not this');"
        "CREATE TABLE b (text TEXT); INSERT INTO b VALUES ('nor this');"
    )
    assert [found.text for found in read("a.db", text_field="abstract")] == ["this"]
    assert reason(read("a.db", text_field="body")) == "no column 'body' in any of its tables: a, b"


def test_a_workspace_is_refused_since_reading_it_would_let_go_of_its_locks(folder):
    open_workspace(Path("w"), create=True).close()
    (refused,) = read("w/ragdesk.sqlite")
    assert isinstance(refused, Refusal)
    assert "workspace" in refused.reason


# The files stay as they are


def test_a_database_in_use_is_read_with_its_log_and_left_alone(folder):
    with closing(sqlite3.connect("a.db")) as database:
        database.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (text TEXT);")
        database.execute("INSERT INTO t VALUES ('in the log')")
        database.commit()
        log = Path("a.db-wal").read_bytes()
        (found,) = read("a.db")
        assert Path("a.db-wal").read_bytes() == log
    assert found.text == "in the log"


@pytest.mark.parametrize("with_log", [True, False])
def test_a_copied_database_is_read_and_nothing_appears_beside_it(folder, with_log):
    with closing(sqlite3.connect("live.db")) as database:
        database.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (text TEXT);")
        database.execute("INSERT INTO t VALUES ('text')")
        database.commit()
        if not with_log:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for ending in ("", "-wal") if with_log else ("",):
            shutil.copy(f"live.db{ending}", f"copy.db{ending}")
    before = state()
    assert [found.text for found in read("copy.db")] == ["text"]
    assert state() == before


# What cannot be read


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "the file is empty"),
        (b"Only text", "not a SQLite database"),
        (b"SQLite format 3\0", "not a SQLite database"),
        (b"SQLite format 3\0" + bytes(5000), "cannot be read"),
    ],
)
def test_a_file_that_is_no_database_is_refused(folder, content, expected):
    Path("a.sqlite").write_bytes(content)
    assert expected in reason(read("a.sqlite"))


def test_a_database_cut_short_is_refused(folder):
    make("CREATE TABLE t (text TEXT); INSERT INTO t VALUES ('text');")
    content = Path("a.db").read_bytes()
    Path("a.db").write_bytes(content[: len(content) // 2])
    assert "malformed" in reason(read("a.db"))


def test_a_broken_table_is_refused_alone(folder):
    make(
        "PRAGMA page_size = 512; CREATE TABLE a (text TEXT); CREATE TABLE b (text TEXT);"
        "INSERT INTO a VALUES ('one'); INSERT INTO b VALUES ('two');"
    )
    content = bytearray(Path("a.db").read_bytes())
    content[512:1024] = b"\xff" * 512
    Path("a.db").write_bytes(content)
    refused, found = read("a.db")
    assert isinstance(refused, Refusal)
    assert refused.locator == "table a"
    assert found.text == "two"


def test_a_row_too_large_to_hold_is_refused_alone(folder, monkeypatch):
    monkeypatch.setattr(sqlite_file, "LARGEST_DOCUMENT", 1000)
    make("CREATE TABLE t (text TEXT)")
    with closing(sqlite3.connect("a.db")) as database:
        rows = [("one",), ("x" * 2000,), ("three",)]
        database.executemany("INSERT INTO t VALUES (?)", rows)
        database.commit()
    one, refused, three = read("a.db")
    assert (one.text, three.text) == ("one", "three")
    assert refused == Refusal("a.db", "table t, row 2", "the row is longer than 1,000 bytes")


def test_a_database_without_rows_is_refused(folder):
    make("CREATE TABLE t (text TEXT)")
    assert reason(read("a.db")) == "the file holds no document"

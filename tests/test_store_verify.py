"""Verifying: a sound workspace passes, and each kind of planted damage is found."""

from __future__ import annotations

import sqlite3

import pytest
from tiny_workspaces import answer_and_score, f1, prediction_ids

from store.runs.runs import Run
from store.verify import verify
from store.workspace import Workspace


def failing(db: sqlite3.Connection) -> set[str]:
    return {check.name for check in verify(db).checks if not check.ok}


@pytest.fixture
def db(workspace: Workspace, run: Run) -> sqlite3.Connection:
    """A store with a run half done, and every guard that SQLite can lower lowered."""
    with workspace.write() as db:
        for prediction in prediction_ids(db, run)[:3]:
            answer_and_score(db, prediction, [f1(0.5), f1(0.5, "crud")])
    workspace.db.execute("PRAGMA foreign_keys = OFF")
    workspace.db.execute("PRAGMA ignore_check_constraints = ON")
    workspace.db.execute("DROP TRIGGER revision_is_final")
    return workspace.db


def test_a_new_workspace_is_whole(workspace: Workspace) -> None:
    assert verify(workspace.db).ok


def test_a_workspace_at_work_is_whole(db: sqlite3.Connection) -> None:
    report = verify(db)
    assert report.ok, report
    assert "5 quotes verbatim" in {check.detail for check in report.checks}


REPLACE = "UPDATE revision SET content = replace(content, "


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("DELETE FROM revision WHERE id = 1", {"references", "items", "runs"}),
        ("DELETE FROM document WHERE text LIKE '%Bond%'", {"references"}),
        ("UPDATE document SET text = replace(text, 'Bond', 'Fund')", {"documents"}),
        ("UPDATE document SET text = 'x' || text WHERE lang = 'en'", {"documents", "evidence"}),
        ("UPDATE document SET chars = chars + 1 WHERE lang = 'zh'", {"documents"}),
        (REPLACE + "'What is', 'What was')", {"revisions"}),
        (REPLACE + "'3.5 percent\"', '3.6 percent\"')", {"revisions", "evidence"}),
        (REPLACE + "'\"start\":', '\"start\":1')", {"revisions", "evidence"}),
        ("UPDATE revision SET content = '{\"turns\":3}' WHERE id = 1", {"revisions"}),
        ("UPDATE revision SET content = '{broken' WHERE id = 1", {"file", "revisions", "evidence"}),
        ("UPDATE revision SET topic = 'funds' WHERE id = 1", {"revisions"}),
        ("UPDATE revision SET content_hash = 'b2:0' WHERE id = 2", {"revisions"}),
        ("UPDATE chunk SET end = end + 99 WHERE ordinal = 0", {"chunks"}),
        ("UPDATE item SET head = 2 WHERE id = 1", {"items"}),
        ("UPDATE item SET head = NULL WHERE id = 1", {"items"}),
        ("UPDATE release_item SET revision_id = 2 WHERE item_id = 1", {"items"}),
        ("UPDATE prediction SET answer = NULL WHERE id = 1", {"file", "predictions"}),
        ("UPDATE prediction SET state = 'failed' WHERE id = 1", {"file", "predictions"}),
        ("UPDATE prediction SET state = 'pending' WHERE id = 1", {"file", "predictions"}),
        ("DELETE FROM score WHERE prediction_id = 2 AND metric_id = 1", {"scores"}),
        ("DELETE FROM prediction WHERE id = 5", {"runs"}),
        ("DELETE FROM release_item WHERE item_id = 3", {"runs"}),
        ("UPDATE dataset SET corpus_id = 99", {"references"}),
    ],
)
def test_damage_is_found_where_it_is(db: sqlite3.Connection, damage: str, found: set[str]) -> None:
    assert db.execute(damage).rowcount > 0
    db.execute("PRAGMA ignore_check_constraints = OFF")
    assert failing(db) == found


def test_damaged_pages_are_found(workspace: Workspace, run: Run) -> None:
    workspace.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    page = workspace.db.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'prediction'"
    ).fetchone()[0]
    size = workspace.db.execute("PRAGMA page_size").fetchone()[0]
    workspace.close()
    content = bytearray(workspace.file.read_bytes())
    content[(page - 1) * size : page * size] = b"\xaa" * size
    workspace.file.write_bytes(content)
    with sqlite3.connect(workspace.file) as db:
        report = verify(db)
    db.close()
    assert {"file", "predictions"} <= {check.name for check in report.checks if not check.ok}
    assert all(check.detail for check in report.checks)


def test_verifying_writes_nothing(workspace: Workspace, run: Run) -> None:
    before = workspace.db.total_changes
    workspace.db.execute("PRAGMA query_only = ON")
    assert verify(workspace.db).ok
    assert workspace.db.total_changes == before

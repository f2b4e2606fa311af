"""Guidelines: every change is a version, and versions are final."""

from __future__ import annotations

import sqlite3

import pytest

from store.errors import InputError, NotFound
from store.labels import guidelines
from store.workspace import Workspace


def test_a_changed_text_is_a_new_version(workspace: Workspace):
    with workspace.write() as db:
        assert guidelines.current(db, "inspection") is None
        assert guidelines.current_version(db, "inspection") == ""
        first = guidelines.put(db, "inspection", "先读证据。", "lead")
        again = guidelines.put(db, "inspection", "先读证据。", "other")
        second = guidelines.put(db, "inspection", "Read the evidence first.", "lead")
    assert again == first
    assert guidelines.versions(workspace.db, "inspection") == [first, second]
    assert guidelines.current(workspace.db, "inspection") == second
    assert guidelines.current_version(workspace.db, "inspection") == "2"
    assert guidelines.get(workspace.db, "inspection", 1) == first
    assert guidelines.current(workspace.db, "preference") is None


def test_a_version_is_final(workspace: Workspace):
    with workspace.write() as db:
        guidelines.put(db, "inspection", "x", "lead")
    with pytest.raises(sqlite3.IntegrityError, match="never changed"):
        workspace.db.execute("UPDATE guideline SET text = 'y'")


def test_blank_texts_and_unknown_versions_are_refused(workspace: Workspace):
    with workspace.write() as db, pytest.raises(InputError, match="is empty"):
        guidelines.put(db, "inspection", " \n", "lead")
    with pytest.raises(NotFound, match="It has none"):
        guidelines.get(workspace.db, "inspection", 1)

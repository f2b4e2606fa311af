"""Replaying the log: what was tampered with is found, and where."""

from __future__ import annotations

import pytest
from labelling_workspaces import corrected, make_drafts, register, score

from store.datasets import datasets
from store.labels.log import log
from store.labels.replay import problems
from store.verify import verify
from store.workspace import Workspace


@pytest.fixture
def db(workspace: Workspace):
    """Two raters' labels with an undo, and every guard that SQLite can lower lowered."""
    with workspace.write() as db:
        drafts, form = make_drafts(db), register(db)
        score(db, form, "a", drafts.subject(0), 4)
        score(db, form, "a", drafts.subject(1), 1)
        score(db, form, "b", drafts.subject(2), 3)
        score(db, form, "a", drafts.subject(3), 5)
        log.undo(db, "a", "inspection")
    workspace.db.execute("PRAGMA foreign_keys = OFF")
    for trigger in ("label_event_is_final", "label_event_stays"):
        workspace.db.execute(f"DROP TRIGGER {trigger}")
    return workspace.db


def test_a_whole_log_says_how_much_it_holds(db):
    (check,) = [check for check in verify(db).checks if check.name == "labels"]
    assert check.ok
    assert check.detail == "5 events replayed lead to the labels and items held"


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("UPDATE label_event SET value = '2' WHERE seq = 1", ["item 1 is accepted, not discarded"]),
        (
            "DELETE FROM label_event WHERE seq = 1",
            ["status of a on revision 1 (inspection)"],
        ),
        ("UPDATE label_event SET undoes = 3 WHERE seq = 5", ["event 5 undoes what it cannot"]),
        ("UPDATE label_event SET undoes = 99 WHERE seq = 5", ["event 5 undoes what it cannot"]),
        ("DELETE FROM label_status WHERE rater = 'b'", ["status of b on revision 3 (inspection)"]),
        (
            "UPDATE label_status SET status = 'partial' WHERE subject = '2'",
            ["status of a on revision 2 (inspection)"],
        ),
        ("UPDATE item SET state = 'drafted' WHERE id = 2", ["item 2 is drafted, not discarded"]),
        ("UPDATE form SET content = '{}'", ["form inspection version 1"]),
        (
            "INSERT INTO adjudication_reason VALUES (1, 'because')",
            ["reason of event 1, which is no ruling"],
        ),
        (
            'UPDATE form SET content = replace(content, \'"en":"bad"\', \'"en":"good"\')',
            ["form inspection version 1"],
        ),
    ],
)
def test_damage_is_named(db, damage, found):
    assert db.execute(damage).rowcount > 0
    assert found[0] in list(problems(db))
    assert "labels" in {check.name for check in verify(db).checks if not check.ok}


def test_an_item_that_a_program_rewrote_is_free_of_its_judgement(workspace: Workspace):
    with workspace.write() as db:
        drafts = make_drafts(db)
        score(db, register(db), "a", drafts.subject(0), 4)
        written = datasets.revise(
            db, drafts.items[0], drafts.revisions[0], corrected(0), author="evolve", reason="x"
        )
        datasets.move_head(db, drafts.items[0], drafts.revisions[0], written)
    assert list(problems(workspace.db)) == []

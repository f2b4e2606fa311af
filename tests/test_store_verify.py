"""Verifying: a sound workspace passes, and each kind of planted damage is found."""

from __future__ import annotations

import itertools
import random
import sqlite3
import threading
import time

import pytest
from labelling_workspaces import make_drafts, register, score
from tiny_workspaces import Released, answer_and_score, f1, make_run, prediction_ids

from store.corpora import document_topics
from store.runs.runs import Run
from store.verify import verify
from store.workspace import Workspace, open_workspace


def failing(db: sqlite3.Connection) -> set[str]:
    return {check.name for check in verify(db).checks if not check.ok}


def count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.fixture
def db(workspace: Workspace, run: Run) -> sqlite3.Connection:
    """A store with a run half done, and every guard that SQLite can lower lowered."""
    with workspace.write() as db:
        for prediction in prediction_ids(db, run)[:3]:
            answer_and_score(db, prediction, [f1(0.5), f1(0.5, "crud")])
    workspace.db.execute("PRAGMA foreign_keys = OFF")
    workspace.db.execute("PRAGMA ignore_check_constraints = ON")
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
        ("DELETE FROM revision WHERE id = 1", {"references", "items", "tallies", "runs"}),
        ("INSERT INTO task_metric VALUES (1, 'extractive', 'em')", {"task metrics"}),
        ("DELETE FROM document WHERE text LIKE '%Bond%'", {"references"}),
        ("UPDATE document SET text = replace(text, 'Bond', 'Fund')", {"documents"}),
        (
            "UPDATE document SET text = 'x' || text WHERE lang = 'en'",
            {"documents", "coverage", "evidence"},
        ),
        ("UPDATE document SET chars = chars + 1 WHERE lang = 'zh'", {"documents"}),
        (REPLACE + "'What is', 'What was')", {"revisions"}),
        (REPLACE + "'3.5 percent\"', '3.6 percent\"')", {"revisions", "evidence"}),
        (REPLACE + "'\"start\":', '\"start\":1')", {"revisions", "evidence"}),
        ("UPDATE revision SET content = '{\"turns\":3}' WHERE id = 1", {"revisions"}),
        ("UPDATE revision SET content = '{broken' WHERE id = 1", {"file", "revisions", "evidence"}),
        ("UPDATE revision SET topic = 'funds' WHERE id = 1", {"revisions", "tallies"}),
        ("UPDATE revision SET content_hash = 'b2:0' WHERE id = 2", {"revisions"}),
        ("UPDATE chunk SET end = end + 99 WHERE ordinal = 0", {"chunks", "coverage"}),
        ("DELETE FROM chunk WHERE document = 1", {"coverage"}),
        ("DELETE FROM chunk", {"coverage"}),
        ("DELETE FROM source WHERE id = 1", {"sources"}),
        ("DELETE FROM source", {"sources"}),
        ("UPDATE source SET superseded_at = '2026' WHERE id = 1", {"values of source"}),
        ("DELETE FROM chunk WHERE document = 1 AND ordinal = 0", {"coverage"}),
        (
            "DELETE FROM chunk WHERE document = 1 AND ordinal ="
            " (SELECT max(ordinal) FROM chunk WHERE document = 1)",
            {"coverage"},
        ),
        (
            "UPDATE score SET value = 0.123 WHERE prediction_id = 1 AND metric_id = 1",
            {"values of score"},
        ),
        ("UPDATE score SET state = 'na', value = NULL WHERE metric_id = 2", {"values of score"}),
        ("UPDATE prediction SET answer = 'tampered' WHERE id = 1", {"values of prediction"}),
        (
            "UPDATE prediction SET state = 'failed', error_kind = 'server', answer = NULL"
            " WHERE id = 2",
            {"values of prediction"},
        ),
        (
            "UPDATE stage_result SET value = json_set(value, '$.scores', 1)"
            " WHERE prediction_id = 1 AND stage = 'score'",
            {"values of stage_result"},
        ),
        ("UPDATE item SET state = 'discarded' WHERE id = 1", {"values of item"}),
        ("UPDATE release_item SET state = 'drafted' WHERE item_id = 1", {"values of release_item"}),
        ("UPDATE source SET path = 'elsewhere' WHERE id = 1", {"values of source"}),
        ("UPDATE source SET document = 2 WHERE id = 1", {"values of source"}),
        ("UPDATE item SET head = 2 WHERE id = 1", {"items"}),
        ("UPDATE item SET head = NULL WHERE id = 1", {"items"}),
        (
            "UPDATE release_item SET revision_id = 2 WHERE item_id = 1",
            {"items", "tallies", "values of release_item"},
        ),
        ("UPDATE release_cell SET items = items + 1", {"tallies"}),
        ("UPDATE run_tally SET scored = scored - 1", {"tallies"}),
        (
            "UPDATE prediction SET answer = NULL WHERE id = 1",
            {"file", "predictions", "values of prediction"},
        ),
        (
            "UPDATE prediction SET state = 'failed' WHERE id = 1",
            {"file", "predictions", "values of prediction"},
        ),
        (
            "UPDATE prediction SET state = 'pending' WHERE id = 1",
            {"file", "predictions", "values of prediction"},
        ),
        ("DELETE FROM score WHERE prediction_id = 2 AND metric_id = 1", {"scores"}),
        ("DELETE FROM prediction WHERE id = 5", {"runs"}),
        ("DELETE FROM release_item WHERE item_id = 3", {"runs", "releases"}),
        ("UPDATE dataset SET corpus_id = 99", {"references"}),
    ],
)
def test_damage_is_found_where_it_is(db: sqlite3.Connection, damage: str, found: set[str]) -> None:
    find = "SELECT sql FROM sqlite_master WHERE name = 'revision_is_final'"
    (trigger,) = db.execute(find).fetchone()
    db.execute("DROP TRIGGER revision_is_final")
    assert db.execute(damage).rowcount > 0
    db.execute(trigger)
    db.execute("PRAGMA ignore_check_constraints = OFF")
    assert failing(db) == found


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TRIGGER label_event_stays",
        "DROP TRIGGER revision_is_final",
        "DROP INDEX job_run",
        "DROP VIEW open_assignment",
    ],
)
def test_a_lost_guard_is_named(db: sqlite3.Connection, damage: str) -> None:
    db.execute(damage)
    (check,) = [check for check in verify(db).checks if not check.ok]
    assert check.name == "schema"
    assert damage.split()[-1] in check.detail


def test_a_changed_label_and_a_changed_topic_are_found(workspace: Workspace) -> None:
    with workspace.write() as db:
        drafts, form = make_drafts(db), register(db)
        score(db, form, "a", drafts.subject(0), 4)
        document_topics.put(db, "drafts", [(1, "rates", 1.0)], "words")
    find = "SELECT sql FROM sqlite_master WHERE name = 'label_event_is_final'"
    (trigger,) = workspace.db.execute(find).fetchone()
    workspace.db.execute("DROP TRIGGER label_event_is_final")
    workspace.db.execute("UPDATE label_event SET rater = 'eve'")
    workspace.db.execute(trigger)
    workspace.db.execute("UPDATE document_topic SET topic = 'funds'")
    assert {"values of label_event", "values of document_topic"} <= failing(workspace.db)


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


def test_what_others_write_meanwhile_is_no_damage(workspace: Workspace) -> None:
    with workspace.write() as db:
        drafts, form = make_drafts(db), register(db)
    with open_workspace(workspace.folder) as other:
        ratings = itertools.cycle((1, 5))

        def rate(_: str) -> None:
            with other.write() as db:
                score(db, form, "a", drafts.subject(0), next(ratings))

        workspace.db.set_trace_callback(rate)
        report = verify(workspace.db)
        workspace.db.set_trace_callback(None)
    assert report.ok, report


PAUSE_S = 0.001
"""Between two writes of one writer: without any, five keep each other out for half a minute."""


@pytest.mark.parametrize("times", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_no_false_alarm_while_two_raters_and_three_writers_work(
    workspace: Workspace, released: Released, times: int
) -> None:
    with workspace.write() as db:
        register(db)
        drafts = make_drafts(db, 40)
    ended = threading.Event()

    def rate(rater: str) -> None:
        draw = random.Random(rater)
        with open_workspace(workspace.folder) as own:
            form = register(own.db)
            while not ended.is_set():
                with own.write() as db:
                    score(db, form, rater, drafts.subject(draw.randrange(40)), draw.randint(1, 5))
                time.sleep(PAUSE_S)

    def run_system(name: str) -> None:
        with open_workspace(workspace.folder) as own:
            for number in itertools.count():
                with own.write() as db:
                    made = make_run(db, released, name=f"{name}-{number}")
                for prediction in prediction_ids(own.db, made):
                    if ended.is_set():
                        return
                    with own.write() as db:
                        answer_and_score(db, prediction, [f1(0.5)])
                    time.sleep(PAUSE_S)

    workers = [
        *(threading.Thread(target=rate, args=(rater,)) for rater in "ab"),
        *(threading.Thread(target=run_system, args=(name,)) for name in "xyz"),
    ]
    for worker in workers:
        worker.start()
    try:
        alarms = []
        for number in range(times):
            while count(workspace.db, "label_event") <= number:
                time.sleep(0.001)
            if not (report := verify(workspace.db)).ok:
                alarms.append(report)
        assert all(worker.is_alive() for worker in workers)
    finally:
        ended.set()
        for worker in workers:
            worker.join()
    assert not alarms, alarms[0]
    labels, scores = count(workspace.db, "label_event"), count(workspace.db, "score")
    print(f"{times} verifications beside {labels:,} labels and {scores:,} scores: no false alarm")


def test_verifying_writes_nothing(workspace: Workspace, run: Run) -> None:
    before = workspace.db.total_changes
    workspace.db.execute("PRAGMA query_only = ON")
    assert verify(workspace.db).ok
    assert workspace.db.total_changes == before

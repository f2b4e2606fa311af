"""What the screens know of a workspace, and how a change reaches them."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from inspection_workspaces import inspection_workspace
from tiny_workspaces import Released, answer_and_score, f1, make_run, prediction_ids

from store.jobs import jobs
from store.labels.samples import queue, samples
from store.runs.runs import Run
from store.workspace import FILE_NAME, Workspace, open_workspace
from tui.live.facts import Facts
from tui.live.reader import Pace, Reader
from tui.live.watcher import Watcher
from tui.runs.work_rows import work_row
from tui.widgets.bars import job_progress
from tui.widgets.row_source import Cell


def look(workspace: Workspace) -> Facts:
    return Reader(workspace.db).read(workspace.folder, 1)


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_an_empty_workspace_has_no_facts(workspace: Workspace) -> None:
    assert look(workspace).is_empty


def test_datasets_are_known_with_their_releases_and_cells(
    workspace: Workspace, released: Released
) -> None:
    facts = look(workspace)
    (fact,) = facts.datasets
    assert fact.latest == released.release
    assert {(cell.topic, cell.task): cell.items for cell in fact.cells} == {
        ("rates", "extractive"): 1,
        ("rates", "conversational"): 1,
        ("funds", "extractive"): 1,
    }
    assert (fact.filled_cells, fact.all_cells) == (3, 4)
    assert facts.sources == (("tiny", 4),)


def test_before_a_release_the_cells_count_what_is_held_and_not_discarded(tmp_path: Path) -> None:
    with inspection_workspace(tmp_path, 8, documents=2, characters=300) as workspace:
        reader = Reader(workspace.db)
        (fact,) = reader.read(workspace.folder, 1).datasets
        assert (fact.latest, sum(cell.items for cell in fact.cells)) == (None, 8)
        with workspace.write() as db:
            db.execute("UPDATE item SET state = 'discarded' WHERE id = 1")
        (fact,) = reader.read(workspace.folder, 1).datasets
        assert sum(cell.items for cell in fact.cells) == 7


def test_a_run_without_a_job_is_imported(workspace: Workspace, run: Run) -> None:
    (fact,) = look(workspace).work
    assert (fact.key, fact.title, fact.status) == (f"run {run.id}", "first", "imported")
    assert fact.progress.pending == 5


def test_counts_follow_while_work_goes_on_and_are_kept_afterwards(
    workspace: Workspace, released: Released
) -> None:
    with workspace.write() as db:
        run = make_run(db, released)
        job = jobs.enqueue(db, "run", "bm25", run_id=run.id)
        assert jobs.become_worker(db, "token", os.getpid(), "here")
        jobs.claim(db, "token", 1)
    reader = Reader(workspace.db)
    assert reader.read(workspace.folder, 1).work[0].status == "running"
    with workspace.write() as db:
        answer_and_score(db, prediction_ids(db, run)[0], [f1(1.0)])
    assert reader.read(workspace.folder, 1).work[0].progress.finished == 1
    with workspace.write() as db:
        jobs.ask(db, job.id, "cancel")
    fact = reader.read(workspace.folder, 1).work[0]
    assert (fact.status, fact.is_active, fact.can_resume) == ("cancelling", True, False)


@pytest.mark.parametrize(("has_seat", "status"), [(True, "running"), (False, "interrupted")])
def test_a_run_whose_worker_has_gone_is_interrupted(
    workspace: Workspace, released: Released, has_seat: bool, status: str
) -> None:
    with workspace.write() as db:
        run = make_run(db, released)
        jobs.enqueue(db, "run", "bm25", run_id=run.id)
        assert jobs.become_worker(db, "token", os.getpid(), "here")
        jobs.claim(db, "token", 1)
        if not has_seat:
            db.execute("DELETE FROM worker")
    (fact,) = look(workspace).work
    assert fact.status == status
    assert fact.can_resume == (status == "interrupted")


def test_a_pace_is_that_of_the_last_moments() -> None:
    pace = Pace(window=10)
    assert pace.per_second(0, now=100.0) == 0.0
    assert pace.per_second(50, now=105.0) == 10.0
    assert pace.per_second(50, now=115.0) == 0.0


def test_a_change_by_another_connection_is_delivered(workspace: Workspace) -> None:
    watcher = Watcher(workspace.folder)
    delivered: list[Facts] = []
    watcher.attach(delivered.append)
    watcher.start()
    try:
        assert watcher.first_look.wait(60)
        assert watcher.latest.is_open
        seen = len(delivered)
        time.sleep(0.6)
        assert len(delivered) == seen, "nothing has changed"
        with workspace.write() as db:
            jobs.enqueue(db, "export", "tables")
        wait_for(lambda: delivered[-1].work)
        assert delivered[-1].work[0].title == "tables"
    finally:
        watcher.stop()
    assert not any(thread.name == "watcher" for thread in threading.enumerate())


def test_a_file_that_goes_and_comes_back_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    watcher = Watcher(folder)
    watcher.start()
    try:
        assert watcher.first_look.wait(60)
        assert not watcher.latest.is_open
        open_workspace(folder, create=True).close()
        wait_for(lambda: watcher.latest.is_open)
        opened = watcher.latest.opened
        folder.rename(tmp_path / "elsewhere")
        wait_for(lambda: not watcher.latest.is_open)
        open_workspace(folder, create=True).close()
        wait_for(lambda: watcher.latest.is_open)
        assert watcher.latest.opened == opened + 1
    finally:
        watcher.stop()


def test_a_file_that_breaks_is_a_problem_in_words(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(b"no database at all, only some bytes" * 100)
    watcher = Watcher(folder)
    watcher.start()
    try:
        assert watcher.first_look.wait(60)
        assert "not a SQLite file" in watcher.latest.problem
    finally:
        watcher.stop()


def test_facts_are_read_without_writing(scored: Workspace) -> None:
    def changes() -> int:
        return int(scored.db.execute("SELECT total_changes()").fetchone()[0])

    before = changes()
    look(scored)
    assert changes() == before


def test_what_another_rater_leaves_is_seen_when_the_lease_runs_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000_000.0]
    for module in (
        "store.labels.samples.queue",
        "tui.live.reader",
    ):
        monkeypatch.setattr(f"{module}.now_seconds", lambda: now[0])
    with inspection_workspace(tmp_path, 4, documents=2, characters=300) as workspace:
        reader = Reader(workspace.db, "li")
        assert reader.read(workspace.folder, 1).own[0].waiting == 4
        with workspace.write() as db:
            assert queue.next_subject(db, "inspection", "王芳") is not None
        assert reader.read(workspace.folder, 1).own[0].waiting == 3
        assert not reader.is_due
        now[0] += queue.LEASE_SECONDS + 1
        assert reader.is_due, "though nobody has written anything"
        assert reader.read(workspace.folder, 1).own[0].waiting == 4
        assert not reader.is_due


def test_only_where_no_sample_is_for_the_rater_it_is_told_whom_they_name(tmp_path: Path) -> None:
    with inspection_workspace(tmp_path, 4, documents=2, characters=300) as workspace:
        reader = Reader(workspace.db, "li")
        assert reader.read(workspace.folder, 1).others_named == ()
        with workspace.write() as db:
            sample = samples.assign(db, samples.listing(db)[0], ["王芳", "a"])
        facts = reader.read(workspace.folder, 1)
        assert (facts.own, facts.others_named) == ((), ("王芳", "a"))
        with workspace.write() as db:
            samples.assign(db, sample, ["王芳", "li"])
        facts = reader.read(workspace.folder, 1)
        assert (facts.own[0].waiting, facts.others_named) == (4, ())


def test_a_run_that_builds_its_index_shows_that_and_not_its_answers(
    workspace: Workspace, released: Released
) -> None:
    with workspace.write() as db:
        run = make_run(db, released)
        job = jobs.enqueue(db, "evaluate", "a run", run_id=run.id)
        assert jobs.become_worker(db, "w", os.getpid(), socket.gethostname())
        jobs.claim(db, "w", 1)
        jobs.set_phase(db, job.id, "building the index", 12_000, 20_000)
    (fact,) = look(workspace).work
    assert (fact.phase, fact.counts) == ("building the index", (12_000, 20_000))
    shown = work_row(fact._replace(per_second=1_000.0)).cells
    assert shown[0].text == "  building the index"
    assert shown[5:] == ("12,000/20,000", Cell("1,000/s  8 s left", "muted"))
    assert job_progress(fact).note == "building the index"
    with workspace.write() as db:
        jobs.set_phase(db, job.id, "judging", 4, 8)
    (fact,) = look(workspace).work
    assert (fact.phase, fact.counts) == ("judging", (4, 8))

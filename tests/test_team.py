"""Several accounts of one host in one workspace: who may do what, and what is refused."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from label_workspaces import label_workspace
from scripted_rater import wait_until
from unix_accounts import Accounts, accounts

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from store.jobs import jobs
from store.runs import runs
from store.sharing.modes import FILE_NAME, strange
from store.verify import verify
from store.workspace import Workspace, open_workspace

__all__ = ["accounts"]

pytestmark = pytest.mark.usefixtures("accounts")


def _make(folder: Path) -> None:
    label_workspace(folder, 4, raters_wanted=2).close()


@pytest.fixture(scope="module")
def team(accounts: Accounts) -> Accounts:
    """A shared workspace with answers to label: ann and ben rate, ben rules too, cat reads."""
    accounts.call("lead", _make, accounts.folder / "ws")
    for words in (
        ("share", "--group", accounts.group),
        ("team", "set", accounts.name("ben"), "adjudicator"),
        ("team", "set", accounts.name("cat"), "reader"),
    ):
        assert accounts.ragdesk("lead", *words).code == 0
    return accounts


def next_subject(team: Accounts, who: str) -> str:
    said = team.ragdesk(who, "labels", "next", "--form", "judge_labels")
    assert said.code == 0, said.err
    return said.out.split()[0]


def label(team: Accounts, who: str, subject: str, accuracy: int) -> None:
    said = team.ragdesk(
        who, "labels", "set", subject, f"accuracy={accuracy}", "completeness=2", "hallucination=0",
        "utilization=2", "numerical_accuracy=1", "--form", "judge_labels",
    )  # fmt: skip
    assert said.code == 0, said.err


def test_two_accounts_label_and_a_third_rules(team: Accounts) -> None:
    subject = next_subject(team, "ann")
    label(team, "ann", subject, 2)
    label(team, "lead", subject, 0)
    listed = team.ragdesk("ben", "adjudicate", "list", "--form", "judge_labels")
    assert listed.out.split()[3:5] == [subject, "accuracy"], listed
    ruling = ("adjudicate", "set", subject, "accuracy=1", "--form", "judge_labels")
    refused = team.ragdesk("ann", *ruling)
    assert "this is for an adjudicator" in refused.err, refused
    assert team.ragdesk("ben", *ruling).code == 0


def test_everything_that_they_made_is_the_groups(team: Accounts) -> None:
    search = ("search", "profit", "--corpus", "reports", "--retriever", "bm25")
    assert team.ragdesk("ann", *search).code == 0
    assert team.ragdesk("ben", "backup").code == 0
    assert strange(team.folder / "ws") == []


def test_a_reader_reads_and_is_told_why_nothing_more(team: Accounts) -> None:
    assert team.ragdesk("cat", "runs").code == 0
    assert team.ragdesk("cat", "matrix", "rival-y-1", "--metric", "f1").code == 0
    refused = team.ragdesk("cat", "labels", "next", "--form", "judge_labels")
    assert refused.code == 1
    assert f"{team.name('cat')} is reader in this workspace; this is for a rater." in refused.err


def test_who_is_not_in_the_group_sees_nothing(team: Accounts) -> None:
    refused = team.ragdesk("dan", "runs")
    assert (refused.code, refused.out) == (1, "")
    assert "cannot be read: Permission denied" in refused.err
    joins = f"usermod -aG {team.group} {team.name('dan')}"
    assert joins in refused.err
    assert joins in " ".join(team.ragdesk("dan", "doctor").out.split())


def test_nobody_labels_as_somebody_else(team: Accounts) -> None:
    words = ("labels", "next", "--form", "judge_labels", "--rater", team.name("ben"))
    refused = team.ragdesk("ann", *words)
    assert refused.code == 1
    assert "in this workspace the rater is the account" in refused.err


def test_an_operator_may_and_that_is_recorded(team: Accounts) -> None:
    subject = next_subject(team, "ann")
    said = team.ragdesk(
        "lead", "labels", "set", subject, "accuracy=1", "--form", "judge_labels",
        "--rater", team.name("ann"),
    )  # fmt: skip
    assert said.code == 0, said.err
    (event,) = (
        line.split()
        for line in team.ragdesk("ann", "team", "log").out.splitlines()
        if "labelled as" in line
    )
    assert event[2:] == [team.name("lead"), "labelled", "as", team.name("ann")]
    with open_workspace(team.folder / "ws") as workspace:
        given = workspace.db.execute(
            "SELECT rater, account FROM label_event ORDER BY seq DESC LIMIT 1"
        ).fetchone()
    assert given == (team.name("ann"), team.name("lead"))
    *_, last = team.ragdesk("ann", "labels", "events").out.splitlines()
    assert f'"account":"{team.name("lead")}"' in last


def test_only_operators_give_roles(team: Accounts) -> None:
    refused = team.ragdesk("ann", "team", "set", team.name("ann"), "operator")
    assert refused.code == 1
    assert "this is for an operator" in refused.err


def test_a_link_that_a_member_puts_into_the_folder_is_refused(team: Accounts) -> None:
    link = team.folder / "ws" / "worker.log"
    team.call("ann", os.symlink, "/etc/passwd", link)
    try:
        refused = team.ragdesk("lead", "runs")
        assert refused.code == 1
        assert "worker.log is a link" in refused.err
    finally:
        link.unlink()


SETTINGS = """
[providers.paid]
kind = "openai"
base_url = "https://{host}/v1"
model = "m"
api_key_env = "PAID_KEY"
"""


def test_nobody_points_the_keys_of_others_at_another_address(team: Accounts) -> None:
    settings = team.folder / "ws" / "ragdesk.toml"
    team.call("lead", _write, settings, SETTINGS.format(host="model.example"))
    assert "model.example" in team.ragdesk("ann", "providers", "list").out
    with pytest.raises(PermissionError):
        team.call("ann", _write, settings, SETTINGS.format(host="elsewhere.example"))
    team.call("ann", _replace, settings, SETTINGS.format(host="elsewhere.example"))
    try:
        refused = team.ragdesk("lead", "providers", "list")
        assert (refused.code, refused.out) == (1, "")
        assert f"ragdesk.toml belongs to {team.name('ann')}" in refused.err
    finally:
        settings.unlink()


def _write(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o640)


def _replace(file: Path, text: str) -> None:
    file.rename(file.with_suffix(".gone"))
    _write(file, text)


def test_a_file_of_another_account_is_read_without_a_log_and_beside_a_writer(
    accounts: Accounts,
) -> None:
    folder = accounts.folder / "of the lead"
    accounts.call("lead", _make, folder)
    accounts.call("lead", _open_to_readers, folder)
    assert accounts.call("ann", _read, folder) == ("reader", 1)
    with open_workspace(folder) as writing:
        writing.db.execute("SELECT 1 FROM run").fetchone()
        assert (folder / f"{FILE_NAME}-wal").exists()
        for path in folder.glob(f"{FILE_NAME}*"):
            path.chmod(stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IROTH)
        assert accounts.call("ann", _read, folder) == ("reader", 1)


def _open_to_readers(folder: Path) -> None:
    folder.chmod(0o755)
    (folder / FILE_NAME).chmod(0o644)


def _read(folder: Path) -> tuple[str, int]:
    with open_workspace(folder) as workspace:
        (runs,) = workspace.db.execute("SELECT count(*) FROM run").fetchone()
        return str(workspace.role), min(runs, 1)


def test_a_worker_of_another_account_goes_on_without_losing_a_row(team: Accounts) -> None:
    folder = team.folder / "ws"
    assert team.ragdesk("lead", "team", "set", team.name("ben"), "operator").code == 0
    job, total = team.call("lead", _queue, folder)
    with _worker(team, "lead"), open_workspace(folder) as workspace:
        wait_until(lambda: scored(workspace) > 0, "the first score")
        # another account labels while the first one's worker writes
        label(team, "ann", next_subject(team, "ann"), 1)
    assert "interrupted" in team.ragdesk("ann", "jobs", "list").out
    with _worker(team, "ben") as worker, open_workspace(folder) as workspace:
        wait_until(
            lambda: workspace.db.execute("SELECT account FROM worker").fetchone(), "the worker"
        )
        shown = team.ragdesk("ann", "jobs", "show", str(job)).out
        assert f"asked for by {team.name('lead')}" in shown
        assert worker.wait(timeout=300) == 0
    with open_workspace(folder) as workspace:
        assert jobs.get(workspace.db, job).status == "done"
        assert scored(workspace) == total
        assert verify(workspace.db).ok
    assert strange(folder) == []


def _queue(folder: Path) -> tuple[int, int]:
    with open_workspace(folder) as workspace:
        job = queue(workspace, Evaluate(NewRun("bm25", "gold", repeats=30)))
        assert job.run_id is not None
        return job.id, runs.progress(workspace.db, job.run_id).total


@contextmanager
def _worker(team: Accounts, who: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of that account, killed at the end of the block unless it has ended."""
    worker = team.start(who, "-P", "-m", "engine.jobs.worker", str(team.folder / "ws"))
    try:
        yield worker
    finally:
        worker.kill()
        worker.wait()


def worker_of(workspace: Workspace) -> str | None:
    held = jobs.worker(workspace.db)
    return None if held is None else held.account


def scored(workspace: Workspace) -> int:
    (count,) = workspace.db.execute(
        "SELECT count(*) FROM stage_result JOIN prediction ON prediction.id = prediction_id"
        " WHERE stage = 'score' AND run_id = (SELECT max(id) FROM run)"
    ).fetchone()
    return int(count)


def test_closing_leaves_the_owner_everything_that_others_made(team: Accounts) -> None:
    folder = team.folder / "ws"
    said = team.ragdesk("lead", "unshare")
    assert said.code == 0, said
    assert "ragdesk.sqlite" not in said.err
    assert team.ragdesk("ann", "runs").code == 1
    assert team.ragdesk("lead", "runs").code == 0
    assert team.ragdesk("lead", "verify").code == 0
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700

"""The doctor finds what is wrong, says what to do, and changes nothing."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from endpoint_workspaces import VARIABLE, provider_table, system_table, write_settings
from scripted_server import ScriptedServer

from engine.doctor import (
    host_findings,
    installation_findings,
    provider_findings,
    workspace_findings,
)
from engine.doctor.findings import size
from engine.doctor.host import lingering
from store.jobs import jobs
from store.workspace import FILE_NAME, Workspace, open_workspace


def named(found, name):
    (one,) = [finding for finding in found if finding.name == name]
    return one


def states(found):
    return {finding.name: finding.state for finding in found}


def test_the_installation_names_versions_and_what_an_extra_would_add():
    found = installation_findings()
    assert named(found, "python").detail.startswith("3.")
    assert named(found, "sqlite").detail == sqlite3.sqlite_version
    assert "msgspec" in named(found, "packages").detail
    extra = named(found, "extra neural")
    assert extra.state == "ok" or "pip install" in extra.remedy


def test_a_folder_without_a_workspace_is_worth_a_note(tmp_path: Path):
    found = workspace_findings(tmp_path / "not" / "there")
    assert named(found, "file").state == "note"
    assert named(found, "disk").state == "ok"
    assert not (tmp_path / "not").exists()


def test_a_workspace_is_told_with_its_schema_and_its_log(workspace: Workspace):
    detail = named(workspace_findings(workspace.folder), "file").detail
    assert "journal wal" in detail
    assert FILE_NAME in detail
    assert named(workspace_findings(workspace.folder), "worker").state == "ok"


def test_a_file_of_another_program_is_broken(tmp_path: Path):
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute("CREATE TABLE other (id)")
    db.close()
    file = named(workspace_findings(tmp_path), "file")
    assert (file.state, "not a ragdesk workspace" in file.detail) == ("broken", True)


def test_bytes_that_are_no_database_are_broken(tmp_path: Path):
    (tmp_path / FILE_NAME).write_bytes(b"not a database at all, but long enough" * 40)
    assert named(workspace_findings(tmp_path), "file").state == "broken"


def test_a_worker_that_ended_in_its_work_is_noted_with_the_way_on(workspace: Workspace):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with workspace.write() as db:
        jobs.enqueue(db, "run", "a run")
        jobs.become_worker(db, "token", gone.pid, socket.gethostname())
        jobs.claim(db, "token", 1)
    worker = named(workspace_findings(workspace.folder), "worker")
    assert worker.state == "note"
    assert "jobs resume" in worker.remedy


@pytest.mark.parametrize(
    ("files", "state"),
    [
        ({}, "ok"),
        ({"etc/systemd/logind.conf": "[Login]\n#KillUserProcesses=yes\n"}, "ok"),
        ({"etc/systemd/logind.conf": "[Login]\nKillUserProcesses=yes\n"}, "note"),
        (
            {
                "etc/systemd/logind.conf": "[Login]\nKillUserProcesses=yes\n",
                "etc/systemd/logind.conf.d/50-site.conf": "[Login]\nKillUserProcesses=no\n",
            },
            "ok",
        ),
        ({"usr/lib/systemd/logind.conf.d/a.conf": "[Login]\nKillUserProcesses = yes\n"}, "note"),
        (
            {"etc/systemd/logind.conf": "KillUserProcesses=yes\nKillExcludeUsers=root ana\n"},
            "ok",
        ),
        (
            {
                "etc/systemd/logind.conf": "KillUserProcesses=yes\n",
                "var/lib/systemd/linger/ana": "",
                "proc/self/cgroup": "0::/user.slice/user-1.slice/user@1.service/run.scope\n",
            },
            "ok",
        ),
        (
            {
                "etc/systemd/logind.conf": "KillUserProcesses=yes\n",
                "var/lib/systemd/linger/ana": "",
                "proc/self/cgroup": "0::/user.slice/user-1.slice/session-3.scope\n",
            },
            "note",
        ),
    ],
)
def test_a_host_that_ends_processes_at_log_out_is_noted(tmp_path: Path, files, state):
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    found = lingering({"USER": "ana"}, tmp_path)
    assert found.state == state
    assert ("enable-linger" in found.remedy) == (state == "note")


def test_this_host_is_examined_without_failing():
    assert set(states(host_findings())) == {"log-out", "gpu"}


def test_a_missing_key_is_noted_and_never_shown(tmp_path: Path):
    write_settings(tmp_path, provider_table("p", "http://h/v1"), system_table("model", "p", "bm25"))
    unset = named(provider_findings(tmp_path, environ={}), "p")
    assert (unset.state, VARIABLE in unset.remedy) == ("note", True)
    found = provider_findings(tmp_path, environ={VARIABLE: "sk-abcdefghijklmnop1234"})
    assert named(found, "p").state == "ok"
    assert not any("sk-abc" in finding.detail for finding in found)


def test_a_broken_settings_file_is_named_with_its_field(tmp_path: Path):
    write_settings(tmp_path, system_table("model", "nobody", "bm25"))
    (found,) = provider_findings(tmp_path)
    assert found.state == "broken"
    assert "ragdesk.toml: systems.model.generator is 'nobody'" in found.detail


def test_a_probe_asks_each_endpoint_once(tmp_path: Path):
    with ScriptedServer() as server:
        write_settings(
            tmp_path,
            provider_table("alive", server.base_url, api_key_env=""),
            provider_table("dead", "http://127.0.0.1:9/v1", api_key_env=""),
        )
        assert states(provider_findings(tmp_path))["dead"] == "ok"
        assert server.count == 0
        found = provider_findings(tmp_path, probe=True)
        assert server.count == 1
    assert named(found, "alive").state == "ok"
    assert named(found, "dead").state == "broken"
    assert "base_url" in named(found, "dead").remedy


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 KB"), (3_200_000_000, "3.2 GB")]
)
def test_sizes_are_read_by_a_person(count: int, text: str):
    assert size(count) == text


def test_an_older_schema_is_told_and_left_as_it_is(tmp_path: Path):
    with open_workspace(tmp_path, create=True) as workspace, workspace.write() as db:
        db.execute(
            "DELETE FROM _sqlite_migrations WHERE id = (SELECT max(id) FROM _sqlite_migrations)"
        )
    before = (tmp_path / FILE_NAME).read_bytes()
    file = named(workspace_findings(tmp_path), "file")
    assert (file.state, "upgraded" in file.remedy) == ("note", True)
    assert (tmp_path / FILE_NAME).read_bytes() == before

"""Examines the workspace's file, its disk and its worker."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from shlex import join, quote

from engine.doctor.findings import Finding, State, size
from store.errors import InputError, WorkspaceError
from store.faults import NETWORK_FILESYSTEMS, file_system
from store.health import FileHealth, file_health
from store.messages import listed, plural
from store.sharing.modes import FILE_NAME, is_shared, joining, members_of, strange
from store.sharing.operators import operators_name
from store.sharing.rights import check_directing, replaceable_in

_TIGHT_BYTES = 1_000_000_000
_FULL_BYTES = 50_000_000


def workspace_findings(folder: Path) -> list[Finding]:
    """Findings on the folder, with or without a workspace in it; nothing is changed."""
    place = folder if folder.is_dir() else _nearest(folder)
    findings = [_disk(place), _file_system(place)]
    if is_shared(folder):
        findings.append(_sharing(folder))
        if not os.access(folder, os.R_OK | os.X_OK):
            return findings
        findings += _directing(folder)
    if not (folder / FILE_NAME).exists():
        none = Finding(
            "workspace",
            "file",
            "note",
            f"there is no workspace in {folder}",
            "Name another with --workspace, or make one: `ragdesk ingest`, `ragdesk demo`.",
        )
        return [none, *findings]
    try:
        health = file_health(folder)
    except WorkspaceError as error:
        return [Finding("workspace", "file", "broken", error.message, error.remedy), *findings]
    about_file = _file(folder, health)
    if health.steps_applied < health.steps_known:
        return [about_file, *findings]  # only the schema to come says who works on it
    return [about_file, *findings, _worker(health)]


def _nearest(folder: Path) -> Path:
    return next(parent for parent in folder.resolve().parents if parent.is_dir())


def _file(folder: Path, health: FileHealth) -> Finding:
    parts = [
        f"{folder / FILE_NAME}, {size(health.bytes)}",
        f"log {size(health.wal_bytes)}",
        f"journal {health.journal_mode}",
        f"schema step {health.steps_applied} of {health.steps_known}",
    ]
    state: State = "ok"
    remedy = ""
    if not (os.access(folder, os.W_OK) and os.access(folder / FILE_NAME, os.W_OK)):
        state, remedy = "note", "To write, make the folder and the file in it writable."
        parts.append("can only be read")
    elif health.journal_mode != "wal":
        state, remedy = "note", "Open the workspace once with ragdesk, which turns the log on."
    elif health.steps_applied < health.steps_known:
        state, remedy = "note", "It is upgraded, after a copy was made, when it is opened next."
    return Finding("workspace", "file", state, ", ".join(parts), remedy)


def _disk(place: Path) -> Finding:
    usage = shutil.disk_usage(place)
    detail = f"{size(usage.free)} free of {size(usage.total)}"
    if usage.free < _FULL_BYTES:
        return Finding("workspace", "disk", "broken", detail, "Free some space.")
    if usage.free < _TIGHT_BYTES:
        return Finding("workspace", "disk", "note", detail, "It may soon be full.")
    return Finding("workspace", "disk", "ok", detail)


def _file_system(place: Path) -> Finding:
    kind = file_system(place)
    if kind in NETWORK_FILESYSTEMS:
        return Finding(
            "workspace",
            "file system",
            "broken",
            f"{kind}, a network file system, where SQLite can lose data",
            "Choose a folder on a local disk with --workspace.",
        )
    return Finding("workspace", "file system", "ok", kind or "not reported by this host")


def _sharing(folder: Path) -> Finding:
    name = members_of(folder)[1]
    detail = f"shared with the group {name}"
    if remedy := joining(folder):
        detail = f"shared with the group {name}, which you are not in"
        return Finding("workspace", "sharing", "note", detail, remedy)
    try:
        wrong = strange(folder)
    except WorkspaceError as error:
        return Finding("workspace", "sharing", "broken", error.message, error.remedy)
    if wrong:
        count = plural(len(wrong), "file or folder", "files and folders")
        detail = f"{detail}; {count} with another group or mode: {listed(wrong)}"
        operators = operators_name(folder)
        words = () if operators is None else ("--operators", operators)
        command = join(("ragdesk", "share", "--group", name, *words))
        remedy = f"As root: {command}; or have their owners remove them."
        return Finding("workspace", "sharing", "broken", detail, remedy)
    return Finding("workspace", "sharing", "ok", detail)


def _directing(folder: Path) -> list[Finding]:
    """What lets members change what only operators may."""
    loose = replaceable_in(folder)
    findings = []
    if loose is not None:
        detail = f"others can write {loose}, and so put another folder in the place of {folder}"
        remedy = f"chmod go-w {quote(str(loose))}; or move the workspace elsewhere."
        findings.append(Finding("workspace", "sharing", "broken", detail, remedy))
    try:
        check_directing(folder)
    except InputError as error:
        findings.append(Finding("workspace", "sharing", "broken", error.message, error.remedy))
    return findings


def _worker(health: FileHealth) -> Finding:
    jobs = ", ".join(f"{count} {state}" for state, count in sorted(health.jobs.items()))
    worker = health.worker
    if worker is not None and worker.alive:
        of = f" of {worker.account}" if worker.account else ""
        detail = f"at work as process {worker.pid}{of} on {worker.host} since {worker.started_at}"
        return Finding("workspace", "worker", "ok", f"{detail}; jobs: {jobs or 'none'}")
    left = health.jobs.get("interrupted", 0) + health.jobs.get("running", 0)
    if left:
        return Finding(
            "workspace",
            "worker",
            "note",
            f"has ended in the middle of its work; jobs: {jobs}",
            "Go on with `ragdesk jobs list` and `ragdesk jobs resume`; nothing that was done is"
            " lost. Its last messages are in worker.log.",
        )
    return Finding("workspace", "worker", "ok", f"none at work; jobs: {jobs or 'none'}")

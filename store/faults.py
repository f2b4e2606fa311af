"""Faults of a workspace's file, before and while it is open, said to a person in one sentence."""

from __future__ import annotations

import errno
import os
import sqlite3
import struct
import time
from pathlib import Path

from store.errors import Busy, DiskFull, WorkspaceError
from store.sharing.accounts import account

CREATION_S = 2.0
"""The seconds that a new file may be empty, while another process makes a workspace of it."""
NETWORK_FILESYSTEMS = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "drvfs"})


def refuse_incomplete(file: Path) -> None:
    """Raises WorkspaceError for what a failed copy leaves: an empty file, or one without its log.

    Nothing is opened for it, since opening makes a new log in the place of a lost one. An empty
    file has `CREATION_S` to fill.
    """
    deadline = time.monotonic() + CREATION_S
    while _is_empty(file):
        if time.monotonic() > deadline:
            raise WorkspaceError(
                f"{file} is empty (0 bytes), as a copy that failed leaves it; it was left"
                " untouched.",
                "Put a backup in its place, or remove it to begin a new workspace there.",
            )
        time.sleep(0.02)
    refuse_lost_log(file)


def _is_empty(file: Path) -> bool:
    log = beside(file, "-wal")
    return not file.stat().st_size and not (log.exists() and log.stat().st_size)


def refuse_lost_log(file: Path) -> None:
    """Raises WorkspaceError when the log beside the file is missing with changes that were not
    yet written back; how many there are stands in the memory that processes share beside it."""
    log, shared = beside(file, "-wal"), beside(file, "-shm")
    if log.exists() or not shared.exists():
        return
    # two copies of the header of the log's index, then how far the log was written back:
    # https://www.sqlite.org/walformat.html#the_wal_index_file_format
    try:
        content = shared.read_bytes()[:100]
    except OSError:
        return
    if len(content) < 100 or not content[12]:
        return
    frames, written = (
        struct.unpack_from("=I", content, 16)[0],
        struct.unpack_from("=I", content, 96)[0],
    )
    if frames > written:
        raise WorkspaceError(
            f"{log} is missing, and {frames - written} changes are lost with it; {file.name} was"
            " left untouched.",
            f"Put it back beside the file. If it is gone for good, restore a backup, or remove"
            f" {shared.name} to go on with what the file holds.",
        )


def beside(file: Path, ending: str) -> Path:
    return file.with_name(file.name + ending)


def may_write(file: Path) -> bool:
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def reading_uri(file: Path) -> str:
    """The address by which SQLite opens a file that it may only read.

    Others may write beside while both the log and the memory that processes share are there; where
    there is no log nobody has the file open, so that nothing beside it is needed. Raises
    WorkspaceError for a log whose memory is missing, which only a writer can make anew.
    """
    address = f"{file.resolve().as_uri()}?mode=ro"
    log = beside(file, "-wal")
    if not log.exists():
        return address if may_write(file) else f"{address}&immutable=1"
    if not beside(file, "-shm").exists() and not may_write(file):
        raise WorkspaceError(
            f"{log} was left by a process that was killed, and {account()} may not put it in"
            " order.",
            "Have somebody who may write open the workspace once.",
        )
    return address


def file_system(folder: Path) -> str:
    """The kind of file system that `folder` lies on; empty where the host does not say."""
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return ""
    path = str(folder.resolve())
    best, kind = "", ""
    for line in mounts.read_text("utf-8", "replace").splitlines():
        fields = line.split(" ")
        if len(fields) < 4:
            continue
        point = fields[1].replace("\\040", " ")
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            # 9p is also the root of sandboxes on local disks; WSL's mounts of Windows drives say so
            best, kind = point, "drvfs" if "aname=drvfs" in fields[3] else fields[2]
    return kind


def refuse_network_filesystem(folder: Path) -> None:
    """Raises WorkspaceError on a network file system, where WAL has no shared memory."""
    kind = file_system(folder)
    if kind in NETWORK_FILESYSTEMS:
        raise WorkspaceError(
            f"{folder} lies on a network file system ({kind}), where SQLite can lose data.",
            "Choose a folder on a local disk.",
            "--workspace",
        )


_NO_ROOM = (
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)
"""What SQLite says of a quota, a file-size limit, and no room for the memory shared by processes;
other errors of the disk are its defects."""


def explain(error: sqlite3.Error, file: Path) -> WorkspaceError:
    """Explains a SQLite error to a person in one sentence, with what to do."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if code is not None else None
    if primary == sqlite3.SQLITE_FULL:
        return DiskFull(
            f"{file} could not grow: the disk (or its size limit) is full; nothing was changed.",
            "Free some space and try again.",
        )
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return WorkspaceError(
            f"{file} cannot be opened for writing: the file or its folder is read-only.",
            "Make it writable, or choose another workspace.",
            "--workspace",
        )
    if primary == sqlite3.SQLITE_IOERR:
        kind = DiskFull if code in _NO_ROOM else WorkspaceError
        return kind(
            f"{file} could not be read or written ({os.strerror(errno.EIO)}, a full quota or a"
            " file-size limit); nothing was changed.",
            "Check the disk, `ulimit -f` and the quota, then try again.",
        )
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Busy(
            f"{file} is still locked by another process.",
            "Wait for it, or find it among the jobs.",
            "ragdesk jobs list",
        )
    if primary == sqlite3.SQLITE_NOTADB:
        return WorkspaceError(
            f"{file} is not a SQLite file; it was left untouched.",
            "Choose another folder, or restore a backup.",
            "--workspace",
        )
    if primary == sqlite3.SQLITE_CORRUPT:
        return WorkspaceError(f"{file} is damaged ({error}).", "Restore a backup of it.")
    return WorkspaceError(f"{file}: {error}.")

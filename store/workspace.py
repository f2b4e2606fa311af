"""The workspace folder: opens, migrates, writes to and copies its one SQLite file."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from pathlib import Path

from store import migrations
from store.clock import now_text
from store.errors import Busy, DiskFull, WorkspaceError
from store.files import check_place
from store.modes import FILE_NAME as FILE_NAME
from store.modes import close_to_others, is_shared, make_folder, new_file, refuse_links

APPLICATION_ID = 0x52414744  # "RAGD", in the header of every file that is ours
BUSY_MS = 30_000
SMALL_CACHE_KIB = 400
CREATION_S = 2.0
"""The seconds that a new file may be empty, while another process makes a workspace of it."""
NETWORK_FILESYSTEMS = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "drvfs"})


class Workspace:
    """An open workspace. Use one in each thread, as its connection stays in the opening thread.

    `db` is for reading; everything that writes runs inside `with workspace.write() as db:`.
    """

    def __init__(self, folder: Path, db: sqlite3.Connection) -> None:
        self.folder = folder
        self.db = db

    @property
    def file(self) -> Path:
        return self.folder / FILE_NAME

    @property
    def artefacts(self) -> Path:
        """The folder of derived, deletable files: indexes and vectors."""
        return self.folder / "artefacts"

    @contextlib.contextmanager
    def write(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction: everything is in the file when the block ends, or nothing is.

        `durable` waits for the disk (synchronous=FULL): for what a person typed. Otherwise a
        power cut, though not a crash, may lose the last moments of work that can be redone.
        """
        nested = self.db.in_transaction
        if nested:
            raise RuntimeError("write() inside write(): use the connection that the outer one gave")
        # IMMEDIATE, because a reading transaction that turns into a writing one fails at once
        # when another process wrote in between, whatever the busy timeout
        try:
            self.db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise explain(error, self.file) from error

    def keep_small(self) -> Workspace:
        """Bounds the pages that this connection keeps in memory: the system keeps them anyway, and
        an app over a large file holds several connections. Returns the workspace."""
        self.db.execute(f"PRAGMA cache_size = -{SMALL_CACHE_KIB}")
        return self

    def data_version(self) -> int:
        """A number that changes whenever another connection has committed a change."""
        return int(self.db.execute("PRAGMA data_version").fetchone()[0])

    def backup(self, target: Path) -> Path:
        """Writes a consistent copy of the file to `target`, also while others write."""
        if target.exists():
            raise WorkspaceError(f"{target} exists already.", "Name a file that does not.")
        if target.name != FILE_NAME:
            # a copy may be a workspace's file, but nothing else of one
            check_place(target)
        partial = target.with_name(target.name + ".partial")
        try:
            make_folder(target.parent)
            partial.unlink(missing_ok=True)
            new_file(partial)
        except OSError as error:
            raise WorkspaceError(
                f"{target} cannot be written: {error.strerror}.", "Name another file."
            ) from error
        try:
            with contextlib.closing(sqlite3.connect(partial)) as copy:
                self.db.backup(copy)
                verdict = copy.execute("PRAGMA quick_check").fetchone()[0]
            if verdict != "ok":
                raise WorkspaceError(f"The copy of {self.file} failed its check: {verdict}.")
            partial.replace(target)
        except sqlite3.Error as error:
            raise explain(error, target) from error
        finally:
            partial.unlink(missing_ok=True)
        return target

    def close(self) -> None:
        self.db.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_workspace(
    folder: Path, *, create: bool = False, busy_ms: int = BUSY_MS, alone: bool = False
) -> Workspace:
    """Opens the workspace in `folder`; with `create`, makes the folder and the file if missing.
    A write waits up to `busy_ms` for others to finish theirs.

    With `alone`, for a process that uses one connection and not for long, a full disk that has no
    room for the memory that processes share does not prevent reading: others wait meanwhile.

    Raises WorkspaceError, in one sentence, for a missing or foreign file, a file from a newer
    version, a folder that cannot be written, a full disk and a network file system.
    """
    file = folder / FILE_NAME
    try:
        is_there = file.exists()
        if folder.is_dir() and is_shared(folder):
            refuse_links(folder)
    except OSError as error:
        raise WorkspaceError(
            f"The folder {folder} cannot be read: {error.strerror}.",
            "Make it readable, or choose another with --workspace.",
        ) from error
    if not is_there:
        if not create:
            raise WorkspaceError(
                f"There is no workspace in {folder} ({FILE_NAME} is missing).",
                "Name another with --workspace, or make one: `ragdesk ingest` and `ragdesk import`"
                " create it.",
            )
        _make_workspace_folder(folder)
    elif not create:
        refuse_incomplete(file)
    else:
        _refuse_lost_log(file)
    _refuse_network_filesystem(folder)
    close_to_others(file)
    try:
        return Workspace(folder, _connect(file, busy_ms))
    except sqlite3.Error as error:
        reason = explain(error, file)
        if alone and isinstance(reason, DiskFull):
            with contextlib.suppress(sqlite3.Error):
                return Workspace(folder, _connect(file, busy_ms, locking="EXCLUSIVE"))
        raise reason from error


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
    _refuse_lost_log(file)


def _is_empty(file: Path) -> bool:
    log = _beside(file, "-wal")
    return not file.stat().st_size and not (log.exists() and log.stat().st_size)


def _refuse_lost_log(file: Path) -> None:
    """Raises WorkspaceError when the log beside the file is missing with changes that were not
    yet written back; how many there are stands in the memory that processes share beside it."""
    log, shared = _beside(file, "-wal"), _beside(file, "-shm")
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


def _beside(file: Path, ending: str) -> Path:
    return file.with_name(file.name + ending)


def _make_workspace_folder(folder: Path) -> None:
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(
            f"The folder {folder} cannot be created: {os.strerror(error.errno or 0)}.",
            "Choose another with --workspace.",
        ) from error
    if not os.access(folder, os.W_OK):
        raise WorkspaceError(
            f"The folder {folder} is read-only.", "Choose a writable one with --workspace."
        )


def _connect(file: Path, busy_ms: int, locking: str = "NORMAL") -> sqlite3.Connection:
    db = sqlite3.connect(file, timeout=busy_ms / 1000, isolation_level=None)
    try:
        db.execute(f"PRAGMA locking_mode = {locking}")
        _refuse_foreign(db, file)
        db.execute("PRAGMA foreign_keys = ON")
        migrations.register_row_sum(db)
        known = [name for name, _ in migrations.STEPS]
        if migrations.applied(db) != known:
            _migrate(db, file, known)
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA journal_size_limit = 67108864")
        # single results are committed one by one into the same few pages: copying those back a
        # quarter as often as by default costs less than the longer log (16 MB)
        db.execute("PRAGMA wal_autocheckpoint = 4000")
    except BaseException:
        db.close()
        raise
    return db


def _refuse_foreign(db: sqlite3.Connection, file: Path) -> None:
    # in this order: another process may commit the first migration, tables and application id
    # together, between the two statements
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    application = db.execute("PRAGMA application_id").fetchone()[0]
    if application == APPLICATION_ID:
        return
    if tables or application:
        raise WorkspaceError(
            f"{file} is a SQLite file, but not a ragdesk workspace; it was left untouched.",
            "Choose another folder with --workspace.",
        )


def _migrate(db: sqlite3.Connection, file: Path, known: list[str]) -> None:
    _enter_wal(db)
    db.execute("BEGIN IMMEDIATE")
    try:
        applied = migrations.applied(db)
        if not set(applied) <= set(known):
            raise WorkspaceError(
                f"{file} was written by a newer ragdesk; it was left untouched.",
                "Upgrade ragdesk to open it.",
            )
        if applied != known:
            if applied:
                _keep_copy(file, file.parent / "backups")
            migrations.apply(db)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _keep_copy(file: Path, folder: Path) -> None:
    """Copies the file before a migration. The caller holds the write lock, so that of several
    processes opening an old file only one makes the copy.
    """
    stamp = now_text().replace(":", "").replace(".", "")
    try:
        make_folder(folder)
        new_file(folder / f"before-migration-{stamp}.sqlite")
    except OSError as error:
        raise WorkspaceError(
            f"The folder {folder} cannot be created: {error.strerror}.",
            "The workspace is copied there before it is upgraded; make room for it.",
        ) from error
    # read through a connection of its own: SQLite copies from none that is writing
    with (
        contextlib.closing(sqlite3.connect(file)) as committed,
        contextlib.closing(sqlite3.connect(folder / f"before-migration-{stamp}.sqlite")) as copy,
    ):
        committed.backup(copy)


def _enter_wal(db: sqlite3.Connection) -> None:
    """Switches to write-ahead logging; that statement ignores the busy timeout, hence the loop."""
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextlib.contextmanager
def snapshot(db: sqlite3.Connection) -> Iterator[None]:
    """A read transaction: all queries in the block see one state of the workspace."""
    if db.in_transaction:
        yield
        return
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("ROLLBACK")


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


def _refuse_network_filesystem(folder: Path) -> None:
    """Raises WorkspaceError on a network file system, where WAL has no shared memory."""
    kind = file_system(folder)
    if kind in NETWORK_FILESYSTEMS:
        raise WorkspaceError(
            f"{folder} lies on a network file system ({kind}), where SQLite can lose data.",
            "Choose a folder on a local disk with --workspace.",
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
            "Make it writable, or choose another with --workspace.",
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
            "Wait for it, or find it with `ragdesk jobs list`.",
        )
    if primary == sqlite3.SQLITE_NOTADB:
        return WorkspaceError(
            f"{file} is not a SQLite file; it was left untouched.",
            "Choose another folder with --workspace, or restore a backup.",
        )
    if primary == sqlite3.SQLITE_CORRUPT:
        return WorkspaceError(
            f"{file} is damaged ({error}).", "Restore a copy made by `ragdesk backup`."
        )
    return WorkspaceError(f"{file}: {error}.")

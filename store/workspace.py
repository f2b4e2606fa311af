"""The workspace folder: opens, migrates, writes to and copies its one SQLite file."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from store import migrations
from store.clock import now_text
from store.errors import DiskFull, WorkspaceError
from store.faults import (
    beside,
    explain,
    may_write,
    reading_uri,
    refuse_incomplete,
    refuse_lost_log,
    refuse_network_filesystem,
)
from store.files import check_place
from store.sharing import team
from store.sharing.accounts import account
from store.sharing.modes import FILE_NAME as FILE_NAME
from store.sharing.modes import (
    close_to_others,
    is_shared,
    joining,
    make_folder,
    new_file,
    refuse_links,
)
from store.sharing.team import NotAllowed, Role

APPLICATION_ID = 0x52414744  # "RAGD", in the header of every file that is ours
BUSY_MS = 30_000
SMALL_CACHE_KIB = 400


class _State(NamedTuple):
    """What of a file says whether somebody has written to it."""

    changed_ns: int
    bytes: int
    has_log: bool

    @classmethod
    def of(cls, file: Path) -> _State:
        status = file.stat()
        return cls(status.st_mtime_ns, status.st_size, beside(file, "-wal").exists())


class Workspace:
    """An open workspace. Use one in each thread, as its connection stays in the opening thread.

    `db` is for reading; everything that writes runs inside `with workspace.write() as db:`.
    """

    def __init__(
        self, folder: Path, db: sqlite3.Connection, *, reads_only: _State | bool = False
    ) -> None:
        self.folder = folder
        self.db = db
        self._reads_only = reads_only

    @property
    def file(self) -> Path:
        return self.folder / FILE_NAME

    @property
    def artefacts(self) -> Path:
        """The folder of derived, deletable files: indexes and vectors."""
        return self.folder / "artefacts"

    @property
    def role(self) -> Role:
        """What this process' account may do."""
        return Role.READER if self._reads_only else team.role_of(self.db, self.folder)

    def check_role(self, needed: Role) -> None:
        """Raises NotAllowed where the account may not do what needs that role."""
        if self._reads_only:
            raise NotAllowed(
                f"{account()} can only read {self.file}: the file or its folder is read-only.",
                "Ask its owner, or work on a copy.",
                "ragdesk backup --out FILE",
            )
        team.check_role(self.db, self.folder, needed)

    @property
    def is_outdated(self) -> bool:
        """Whether somebody has begun to write to a file that nobody wrote to when it was opened for
        reading alone: what is read of it from then on may be wrong, so open it again."""
        return isinstance(self._reads_only, _State) and self._reads_only != _State.of(self.file)

    @contextlib.contextmanager
    def write(
        self, *, durable: bool = False, role: Role = Role.OPERATOR
    ) -> Iterator[sqlite3.Connection]:
        """One transaction: everything is in the file when the block ends, or nothing is.

        `durable` waits for the disk (synchronous=FULL): for what a person typed. Otherwise a
        power cut, though not a crash, may lose the last moments of work that can be redone.
        Raises NotAllowed for an account that has not the `role` that this needs.
        """
        nested = self.db.in_transaction
        if nested:
            raise RuntimeError("write() inside write(): use the connection that the outer one gave")
        # IMMEDIATE, because a reading transaction that turns into a writing one fails at once
        # when another process wrote in between, whatever the busy timeout
        try:
            self.check_role(role)
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


def folder_of(db: sqlite3.Connection) -> Path:
    """The folder of the workspace that a connection reads."""
    return Path(db.execute("PRAGMA database_list").fetchone()[2]).parent


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
        if is_shared(folder):
            refuse_links(folder)
    except OSError as error:
        raise WorkspaceError(
            f"The folder {folder} cannot be read: {error.strerror}.",
            joining(folder) or "Make it readable, or choose another.",
            "--workspace",
        ) from error
    if not is_there:
        if not create:
            raise WorkspaceError(
                f"There is no workspace in {folder} ({FILE_NAME} is missing).",
                "Name another, or make one: adding documents and imports create it.",
                "--workspace; ragdesk ingest, ragdesk import",
            )
        _make_workspace_folder(folder)
    elif not create:
        refuse_incomplete(file)
    else:
        refuse_lost_log(file)
    refuse_network_filesystem(folder)
    close_to_others(file)
    try:
        if is_there and not may_write(file):
            return _open_for_reading(folder, busy_ms)
        return Workspace(folder, _connect(file, busy_ms))
    except sqlite3.Error as error:
        reason = explain(error, file)
        if alone and isinstance(reason, DiskFull):
            with contextlib.suppress(sqlite3.Error):
                return Workspace(folder, _connect(file, busy_ms, locking="EXCLUSIVE"))
        raise reason from error


def _make_workspace_folder(folder: Path) -> None:
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(
            f"The folder {folder} cannot be created: {os.strerror(error.errno or 0)}.",
            "Choose another.",
            "--workspace",
        ) from error
    if not os.access(folder, os.W_OK):
        raise WorkspaceError(
            f"The folder {folder} is read-only.", "Choose a writable one.", "--workspace"
        )


def _open_for_reading(folder: Path, busy_ms: int) -> Workspace:
    file = folder / FILE_NAME
    if not os.access(file, os.R_OK):
        raise WorkspaceError(
            f"{file} cannot be read: {os.strerror(errno.EACCES)}.",
            "Ask its owner, or choose another.",
            "--workspace",
        )
    address, state = reading_uri(file), _State.of(file)
    db = sqlite3.connect(address, uri=True, timeout=busy_ms / 1000, isolation_level=None)
    try:
        _refuse_foreign(db, file)
        known = [name for name, _ in migrations.STEPS]
        applied = migrations.applied(db)
        _refuse_newer(applied, known, file)
        if applied != known:
            raise WorkspaceError(
                f"{file} was written by an older ragdesk, and {account()} may not upgrade it.",
                "Have somebody who may write open the workspace once.",
            )
        migrations.register_row_sum(db)
    except BaseException:
        db.close()
        raise
    return Workspace(folder, db, reads_only=state if address.endswith("immutable=1") else True)


def _connect(file: Path, busy_ms: int, locking: str = "NORMAL") -> sqlite3.Connection:
    db = sqlite3.connect(file, timeout=busy_ms / 1000, isolation_level=None)
    try:
        db.execute(f"PRAGMA locking_mode = {locking}")
        _refuse_foreign(db, file)
        db.execute("PRAGMA foreign_keys = ON")
        migrations.register_row_sum(db)
        db.create_function("acting_account", 0, partial(_acting_account, file.parent))
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


def _acting_account(folder: Path) -> str | None:
    """The account that labels are given by; null where raters name themselves."""
    return account() if is_shared(folder) else None


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
            "Choose another folder.",
            "--workspace",
        )


def _refuse_newer(applied: list[str], known: list[str], file: Path) -> None:
    if not set(applied) <= set(known):
        raise WorkspaceError(
            f"{file} was written by a newer ragdesk; it was left untouched.",
            "Upgrade ragdesk to open it.",
        )


def _migrate(db: sqlite3.Connection, file: Path, known: list[str]) -> None:
    _enter_wal(db)
    db.execute("BEGIN IMMEDIATE")
    try:
        applied = migrations.applied(db)
        _refuse_newer(applied, known, file)
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

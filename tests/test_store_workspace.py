"""Opening, writing to and copying a workspace; each foreseeable failure is one clear sentence."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tiny_workspaces import make_corpus, put_text

from store import faults, migrations, workspace
from store.corpora import corpora
from store.errors import InputError, WorkspaceError
from store.faults import explain
from store.health import file_health
from store.sharing.modes import make_folder
from store.verify import verify
from store.workspace import APPLICATION_ID, FILE_NAME, Workspace, open_workspace

pytestmark = pytest.mark.usefixtures("made_anew")

ROOT = Path(__file__).parents[1]
FORK = multiprocessing.get_context("fork")


def refusal(folder: Path, *, create: bool = False) -> str:
    with pytest.raises(WorkspaceError) as caught:
        open_workspace(folder, create=create)
    assert "\n" not in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


def sqlite_file(folder: Path, *statements: str) -> bytes:
    """Makes a file of other people's in the folder; returns its bytes."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return (folder / FILE_NAME).read_bytes()


# Opening


def test_a_new_workspace_is_made_with_its_parents(tmp_path: Path) -> None:
    folder = tmp_path / "one" / "二"
    with open_workspace(folder, create=True) as opened:
        assert opened.file == folder / FILE_NAME
        pragmas = ("journal_mode", "foreign_keys", "application_id")
        found = [opened.db.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]
        assert found == ["wal", 1, APPLICATION_ID]
        assert migrations.applied(opened.db) == [name for name, _ in migrations.STEPS]
    open_workspace(folder).close()


def test_a_missing_workspace_is_not_made_by_reading(tmp_path: Path) -> None:
    assert "There is no workspace in" in refusal(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("create", [False, True])
def test_a_folder_that_is_a_file_is_refused(tmp_path: Path, create: bool) -> None:
    place = tmp_path / "file"
    place.write_text("mine", "utf-8")
    message = refusal(place, create=create)
    assert str(place) in message
    assert place.read_text("utf-8") == "mine"


def test_a_path_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    assert "cannot be created: Not a directory" in refusal(tmp_path / "file" / "w", create=True)


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE theirs (a)",),
        ("PRAGMA application_id = 42", "CREATE TABLE theirs (a)"),
        ("PRAGMA application_id = 42", "VACUUM"),
        ("PRAGMA journal_mode = WAL", "CREATE TABLE theirs (a)"),
    ],
    ids=["no application id", "other application id", "other id and no table", "in WAL mode"],
)
@pytest.mark.parametrize("create", [False, True])
def test_a_foreign_sqlite_file_is_left_untouched(
    tmp_path: Path, statements: tuple[str, ...], create: bool
) -> None:
    before = sqlite_file(tmp_path, *statements)
    assert "not a ragdesk workspace" in refusal(tmp_path, create=create)
    assert (tmp_path / FILE_NAME).read_bytes() == before


@pytest.mark.parametrize("content", [b"hello", "不是数据库，只是一段文字。".encode() * 100])
def test_a_file_of_another_kind_is_left_untouched(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    assert "is not a SQLite file" in refusal(tmp_path, create=True)
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    assert str(tmp_path / FILE_NAME) in refusal(tmp_path, create=True)


def test_a_file_from_a_newer_version_is_left_untouched(tmp_path: Path) -> None:
    open_workspace(tmp_path, create=True).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        db.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('ragdesk', 'm9999_from_the_future', '2099')"
        )
        db.commit()
    before = (tmp_path / FILE_NAME).read_bytes()
    assert "newer ragdesk" in refusal(tmp_path, create=True)
    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert not (tmp_path / "backups").exists()


def test_an_older_file_is_copied_before_it_is_upgraded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_workspace(tmp_path, create=True) as opened, opened.write() as db:
        make_corpus(db)
    known = [name for name, _ in migrations.STEPS]
    step = ("m9999_next", "CREATE TABLE next_thing (a TEXT) STRICT;\n")
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, step))
    with open_workspace(tmp_path) as opened:
        assert opened.db.execute("SELECT count(*) FROM next_thing").fetchone() == (0,)
        assert opened.db.execute("SELECT count(*) FROM document").fetchone() == (4,)
    (copy,) = (tmp_path / "backups").iterdir()
    with closing(sqlite3.connect(copy)) as db:
        assert migrations.applied(db) == known
        assert db.execute("SELECT count(*) FROM document").fetchone() == (4,)


def test_a_migration_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_workspace(tmp_path, create=True).close()
    step = ("m0002_bad", "CREATE TABLE half (a TEXT) STRICT;\nCREATE TABLE document (a);\n")
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", (*migrations.STEPS, step))
        with pytest.raises(WorkspaceError, match="already exists"):
            open_workspace(tmp_path)
    with open_workspace(tmp_path) as opened:
        tables = opened.db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'")
        assert tables.fetchone() == (0,)


def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path) -> None:
    with open_workspace(tmp_path, create=True) as opened:
        opened.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file = tmp_path / FILE_NAME
    content = bytearray(file.read_bytes())
    content[100:4000] = b"\xff" * 3900
    file.write_bytes(content)
    assert "is damaged" in refusal(tmp_path)


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_network_file_system_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    plain = Path.read_text

    def read_text(self: Path, *rest: str) -> str:
        if str(self) == "/proc/self/mounts":
            return f"/dev/sda / ext4 rw 0 0\nserver:/x {tmp_path} {kind} rw 0 0\n"
        return plain(self, *rest)

    monkeypatch.setattr(Path, "read_text", read_text)
    assert f"network file system ({kind})" in refusal(tmp_path / "w", create=True)


# Permissions; tests run as root too, whom a mode does not stop, so a child gives up its rights


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder below which an ordinary user may look; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)


def _open_as_nobody(folder: Path, create: bool, answers: multiprocessing.Queue) -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    try:
        with open_workspace(folder, create=create) as opened, opened.write():
            answers.put("opened")
    except WorkspaceError as error:
        answers.put(str(error))


def outcome_as_ordinary_user(folder: Path, *, create: bool = False) -> str:
    answers = FORK.Queue()
    child = FORK.Process(target=_open_as_nobody, args=(folder, create, answers))
    child.start()
    said = answers.get(timeout=300)
    child.join()
    return str(said)


def test_a_read_only_folder_cannot_hold_a_new_workspace(shared_folder: Path) -> None:
    shared_folder.chmod(0o555)
    said = outcome_as_ordinary_user(shared_folder, create=True)
    assert f"The folder {shared_folder} is read-only." in said
    said = outcome_as_ordinary_user(shared_folder / "new", create=True)
    assert "cannot be created: Permission denied." in said
    assert list(shared_folder.iterdir()) == []


def test_a_read_only_workspace_is_said_to_be_read_only(shared_folder: Path) -> None:
    open_workspace(shared_folder, create=True).close()
    (shared_folder / FILE_NAME).chmod(0o444)
    shared_folder.chmod(0o555)
    assert "its folder is read-only" in outcome_as_ordinary_user(shared_folder)


def test_a_folder_that_may_not_be_looked_into_is_refused(shared_folder: Path) -> None:
    closed = shared_folder / "closed"
    open_workspace(closed, create=True).close()
    closed.chmod(0o000)
    assert "cannot be read: Permission denied." in outcome_as_ordinary_user(closed)


def test_a_connection_that_may_only_read_refuses_to_write(workspace: Workspace) -> None:
    with closing(sqlite3.connect(f"{workspace.file.as_uri()}?mode=ro", uri=True)) as db:
        db.isolation_level = None
        reading = Workspace(workspace.folder, db)
        with pytest.raises(WorkspaceError, match="read-only"), reading.write() as writing:
            writing.execute("DELETE FROM corpus")


# A full disk


def fill(opened: Workspace, name: str) -> None:
    """Writes a megabyte in one transaction."""
    with opened.write() as db:
        corpus = corpora.create(db, name, corpora.ChunkingSettings())
        for number in range(256):
            put_text(db, corpus, f"{number}.txt", f"{name} {number} " + "字" * 1400)


def names(opened: Workspace) -> list[str]:
    return [corpus.name for corpus in corpora.listing(opened.db)]


def test_a_full_disk_leaves_what_was_there(workspace: Workspace) -> None:
    fill(workspace, "before")
    pages = workspace.db.execute("PRAGMA page_count").fetchone()[0]
    workspace.db.execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(WorkspaceError, match=r"could not grow: the disk .* is full; nothing was"):
        fill(workspace, "after")
    assert names(workspace) == ["before"]
    with open_workspace(workspace.folder) as again:
        assert verify(again.db).ok
        fill(again, "later")
        assert names(again) == ["before", "later"]


IN_A_SMALL_SPACE = textwrap.dedent(
    """
    import resource, sys
    from pathlib import Path
    sys.path[:0] = [{root!r}, {tests!r}]
    from test_store_workspace import fill, names
    from store.errors import InputError, WorkspaceError
    from store.workspace import open_workspace
    folder, limit = Path(sys.argv[1]), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        with open_workspace(folder, create=True) as opened:
            try:
                fill(opened, "after")
            finally:
                print(names(opened))
    except WorkspaceError as error:
        print(error)
    """
).format(root=str(ROOT), tests=str(ROOT / "tests"))


def run_limited(folder: Path, limit: int) -> str:
    """What a process says that tries to write a megabyte while no file may exceed `limit` bytes."""
    command = [sys.executable, "-c", IN_A_SMALL_SPACE, str(folder), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_a_file_size_limit_leaves_what_was_there(tmp_path: Path) -> None:
    with open_workspace(tmp_path, create=True) as opened:
        make_corpus(opened.db, "before")
    said = run_limited(tmp_path, 600_000)
    assert said.startswith("['before']\n")
    assert "could not be read or written" in said
    assert "nothing was changed" in said
    with open_workspace(tmp_path) as opened:
        assert names(opened) == ["before"]
        assert verify(opened.db).ok
        fill(opened, "later")
        assert names(opened) == ["before", "later"]


@pytest.mark.parametrize("limit", [0, 4096, 60_000])
def test_no_room_for_a_new_workspace_leaves_nothing_in_the_way(tmp_path: Path, limit: int) -> None:
    assert "nothing was changed" in run_limited(tmp_path / "w", limit)
    with open_workspace(tmp_path / "w", create=True) as opened:
        assert verify(opened.db).ok


# Several processes


def test_a_lock_held_by_another_process_is_explained(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('BEGIN IMMEDIATE'); print('locked', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(workspace.file)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder:
        assert holder.stdout.readline() == "locked\n"
        workspace.db.execute("PRAGMA busy_timeout = 50")
        with pytest.raises(WorkspaceError, match="locked by another process"), workspace.write():
            pass
        assert names(workspace) == []  # reading goes on
        holder.stdin.close()
    with workspace.write() as db:
        make_corpus(db)


def _open_at_once(folders: list[Path], barrier: object, answers: multiprocessing.Queue) -> None:
    for folder in folders:
        barrier.wait()  # type: ignore[attr-defined]
        try:
            with open_workspace(folder, create=True) as opened, opened.write() as db:
                corpora.create(db, f"of {os.getpid()}", corpora.ChunkingSettings())
            answers.put("opened")
        except Exception as error:  # noqa: BLE001  whatever it is, the test shall show it
            answers.put(repr(error))


def test_eight_processes_open_a_new_file_at_once(tmp_path: Path) -> None:
    rounds, processes = 10, 8
    folders = [tmp_path / str(number) for number in range(rounds)]
    barrier, answers = FORK.Barrier(processes), FORK.Queue()
    children = [
        FORK.Process(target=_open_at_once, args=(folders, barrier, answers))
        for _ in range(processes)
    ]
    for child in children:
        child.start()
    said = [answers.get(timeout=300) for _ in range(rounds * processes)]
    for child in children:
        child.join()
    assert set(said) == {"opened"}
    for folder in folders:
        with open_workspace(folder) as opened:
            assert len(names(opened)) == processes
            assert len(migrations.applied(opened.db)) == len(migrations.STEPS)


def test_the_first_migration_committed_between_two_reads_is_not_taken_for_foreign(
    tmp_path: Path,
) -> None:
    class Interrupted(sqlite3.Connection):
        """A connection that another process overtakes after its first statement."""

        overtaken = False

        def execute(self, sql: str, *rest: object) -> sqlite3.Cursor:  # type: ignore[override]
            cursor = super().execute(sql, *rest)  # type: ignore[arg-type]
            if not self.overtaken:
                self.overtaken = True
                row = cursor.fetchall()
                open_workspace(tmp_path, create=True).close()
                return super().execute(f"SELECT {row[0][0]}")
            return cursor

    with closing(sqlite3.connect(tmp_path / FILE_NAME, factory=Interrupted)) as db:
        workspace._refuse_foreign(db, tmp_path / FILE_NAME)


def test_several_processes_upgrade_an_old_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_workspace(tmp_path, create=True).close()
    step = ("m0002_next", "CREATE TABLE next_thing (a TEXT) STRICT;\n")
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, step))
    barrier, answers = FORK.Barrier(4), FORK.Queue()
    children = [
        FORK.Process(target=_open_at_once, args=([tmp_path], barrier, answers)) for _ in range(4)
    ]
    for child in children:
        child.start()
    assert {answers.get(timeout=300) for _ in children} == {"opened"}
    for child in children:
        child.join()
    assert len(list((tmp_path / "backups").iterdir())) == 1


# Writing


def write_then(opened: Workspace, end: Callable[[sqlite3.Connection], object]) -> None:
    """One write that makes a corpus and then does `end`."""
    with opened.write() as db:
        make_corpus(db)
        end(db)


def test_write_keeps_all_or_nothing(workspace: Workspace) -> None:
    with pytest.raises(ZeroDivisionError):
        write_then(workspace, lambda db: 1 // 0)
    assert names(workspace) == []
    assert not workspace.db.in_transaction
    with workspace.write() as db:
        make_corpus(db)
    with open_workspace(workspace.folder) as other:
        assert names(other) == ["tiny"]


def test_a_refused_statement_undoes_the_whole_write(workspace: Workspace) -> None:
    lost = "INSERT INTO dataset VALUES (1, 'x', 99, 99, '', NULL)"
    with pytest.raises(WorkspaceError, match="FOREIGN KEY"):
        write_then(workspace, lambda db: db.execute(lost))
    assert names(workspace) == []


def test_nothing_is_seen_before_it_is_committed(workspace: Workspace) -> None:
    with open_workspace(workspace.folder) as other:
        before = other.data_version()
        with workspace.write() as db:
            make_corpus(db)
            assert names(other) == []
            assert other.data_version() == before
        assert names(other) == ["tiny"]
        assert other.data_version() != before


def test_a_write_inside_a_write_is_refused_and_undone(workspace: Workspace) -> None:
    with pytest.raises(RuntimeError, match=r"write\(\) inside write\(\)"):
        write_then(workspace, lambda db: write_then(workspace, lambda db: None))
    assert names(workspace) == []


def test_what_a_person_typed_waits_for_the_disk(workspace: Workspace) -> None:
    level = "PRAGMA synchronous"
    full, normal = 2, 1
    with workspace.write(durable=True) as db:
        assert db.execute(level).fetchone()[0] == full
    with workspace.write() as db:
        assert db.execute(level).fetchone()[0] == normal


# Copying


def test_a_backup_is_a_whole_workspace(workspace: Workspace, tmp_path: Path) -> None:
    with workspace.write() as db:
        make_corpus(db)
    copy = workspace.backup(tmp_path / "copies" / FILE_NAME)
    assert [path.name for path in copy.parent.iterdir()] == [FILE_NAME]
    with open_workspace(copy.parent) as opened:
        assert names(opened) == ["tiny"]
        assert verify(opened.db).ok


@pytest.mark.parametrize("name", [f"{FILE_NAME}-journal", "artefacts/copy.sqlite"])
def test_a_backup_takes_no_place_of_another_workspaces_own(
    workspace: Workspace, tmp_path: Path, name: str
) -> None:
    open_workspace(tmp_path / "other", create=True).close()
    with pytest.raises(InputError, match="belongs to a workspace"):
        workspace.backup(tmp_path / "other" / name)


def test_a_backup_replaces_nothing(workspace: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "there"
    target.write_text("mine", "utf-8")
    with pytest.raises(WorkspaceError, match="exists already"):
        workspace.backup(target)
    assert target.read_text("utf-8") == "mine"


def test_a_backup_that_cannot_be_written_says_so(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match="cannot be written: Not a directory"):
        workspace.backup(tmp_path / "file" / "below" / "copy")


def test_a_backup_takes_the_place_of_one_that_was_cut_off(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "copy.partial").write_bytes(b"half a file")
    workspace.backup(tmp_path / "copy")
    assert not (tmp_path / "copy.partial").exists()


# Explaining


def test_any_other_error_still_names_the_file(workspace: Workspace) -> None:
    with pytest.raises(sqlite3.Error) as caught:
        workspace.db.execute("SELECT a FROM nowhere")
    said = str(explain(caught.value, workspace.file))
    assert str(workspace.file) in said
    assert "no such table: nowhere" in said


def test_an_empty_file_is_taken_for_new_only_where_one_is_to_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "CREATION_S", 0.05)
    file = tmp_path / FILE_NAME
    file.touch()
    with pytest.raises(WorkspaceError, match=r"is empty \(0 bytes\)"):
        open_workspace(tmp_path)
    with pytest.raises(WorkspaceError, match=r"is empty \(0 bytes\)"):
        file_health(tmp_path)
    assert file.stat().st_size == 0
    assert list(tmp_path.iterdir()) == [file]
    open_workspace(tmp_path, create=True).close()
    open_workspace(tmp_path).close()


def test_a_file_that_another_process_has_just_begun_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "CREATION_S", 60.0)
    (tmp_path / FILE_NAME).touch()
    making = threading.Timer(0.1, lambda: open_workspace(tmp_path, create=True).close())
    making.start()
    with open_workspace(tmp_path) as opened:
        assert verify(opened.db).ok
    making.join()


def left_by_a_killed_process(folder: Path, tmp_path: Path) -> Path:
    """A copy of the workspace whose last change stands in the log alone."""
    with open_workspace(folder) as workspace:
        fill(workspace, "logged")
        return Path(shutil.copytree(folder, tmp_path / "left"))


def test_a_lost_log_is_noticed_before_anything_is_written(
    workspace: Workspace, tmp_path: Path
) -> None:
    left = left_by_a_killed_process(workspace.folder, tmp_path)
    log = left / f"{FILE_NAME}-wal"
    aside = log.rename(tmp_path / "aside")
    content = (left / FILE_NAME).read_bytes()
    for opening in (open_workspace, file_health):
        with pytest.raises(WorkspaceError, match=r"-wal is missing, .* changes are lost with it"):
            opening(left)
    assert (left / FILE_NAME).read_bytes() == content
    assert not log.exists()
    aside.rename(log)
    with open_workspace(left) as opened:
        assert names(opened) == ["logged"]


def test_a_workspace_that_was_closed_has_lost_nothing(workspace: Workspace, tmp_path: Path) -> None:
    left = left_by_a_killed_process(workspace.folder, tmp_path)
    with open_workspace(left) as opened:
        opened.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shared = (left / f"{FILE_NAME}-shm").read_bytes()
    # as a process leaves it that was killed between removing the log and the memory beside it
    (left / f"{FILE_NAME}-shm").write_bytes(shared)
    with open_workspace(left) as opened:
        assert names(opened) == ["logged"]


def modes(folder: Path) -> dict[str, int]:
    return {
        path.relative_to(folder).as_posix(): path.stat().st_mode & 0o777
        for path in (folder, *folder.rglob("*"))
    }


@pytest.fixture
def generous() -> Iterator[None]:
    """A umask that lets everybody read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_what_a_workspace_consists_of_is_its_owners_alone(tmp_path: Path, generous: None) -> None:
    folder = tmp_path / "ws"
    with open_workspace(folder, create=True) as workspace:
        fill(workspace, "first")
        workspace.backup(folder / "backups" / "copy.sqlite")
        make_folder(workspace.artefacts / "indexes")
        assert modes(folder) == {
            ".": 0o700,
            FILE_NAME: 0o600,
            f"{FILE_NAME}-wal": 0o600,
            f"{FILE_NAME}-shm": 0o600,
            "backups": 0o700,
            "backups/copy.sqlite": 0o600,
            "artefacts": 0o700,
            "artefacts/indexes": 0o700,
        }


def test_an_older_workspace_is_closed_to_others(tmp_path: Path, generous: None) -> None:
    with open_workspace(tmp_path / "ws", create=True) as workspace:
        folder = workspace.folder
        workspace.backup(folder / "backups" / "copy.sqlite")
    folder.chmod(0o775)
    (folder / "backups").chmod(0o755)
    (folder / FILE_NAME).chmod(0o644)
    with open_workspace(folder) as workspace:
        workspace.backup(folder / "later.sqlite")
    found = modes(folder)
    assert found["."] == 0o775
    assert found["backups"] == 0o700
    assert found[FILE_NAME] == found["later.sqlite"] == 0o600


def test_a_file_that_is_read_only_stays_so(tmp_path: Path, generous: None) -> None:
    with open_workspace(tmp_path / "ws", create=True) as workspace:
        file = workspace.file
    file.chmod(0o444)
    open_workspace(tmp_path / "ws").close()
    assert file.stat().st_mode & 0o777 == 0o400

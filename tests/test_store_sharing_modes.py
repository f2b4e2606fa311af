"""The modes of a workspace's files, shared and not, whatever the umask says."""

from __future__ import annotations

import grp
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.errors import UsageError, WorkspaceError
from store.files import write_whole
from store.sharing import modes
from store.sharing.modes import FILE_NAME
from store.sharing.team import Role
from store.workspace import open_workspace

GROUP = grp.getgrgid(os.getegid()).gr_name


@pytest.fixture(params=[0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.fixture
def shared(tmp_path: Path, umask: None) -> Path:
    folder = tmp_path / "ws"
    open_workspace(folder, create=True).close()
    modes.share(folder, GROUP)
    return folder


def found(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): oct(stat.S_IMODE(path.stat().st_mode))
        for path in (folder, *sorted(folder.rglob("*")))
    }


def test_a_shared_workspace_is_its_groups(shared: Path) -> None:
    with open_workspace(shared) as workspace:
        with workspace.write() as db:
            db.execute("CREATE TABLE t (x)")
        workspace.backup(shared / "backups" / "copy.sqlite")
        modes.make_folder(workspace.artefacts / "index")
        modes.make_folder(shared / "drafts")
        modes.make_folder(shared / "forms")
        write_whole("report", modes_out(shared))
        os.close(modes.open_own(shared / modes.WORKER_LOG, os.O_WRONLY))
        assert found(shared) == {
            ".": "0o2770",
            FILE_NAME: "0o660",
            f"{FILE_NAME}-wal": "0o660",
            f"{FILE_NAME}-shm": "0o660",
            "artefacts": "0o2770",
            "artefacts/index": "0o2770",
            "backups": "0o2770",
            "drafts": "0o2770",
            "forms": "0o2750",
            "backups/copy.sqlite": "0o660",
            "exports": "0o2770",
            "exports/report.txt": "0o660",
            "worker.log": "0o660",
        }
    assert modes.strange(shared) == []


def modes_out(folder: Path) -> Path:
    modes.make_folder(folder / "exports")
    return folder / "exports" / "report.txt"


def test_settings_prompts_and_code_stay_their_owners_to_write(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    open_workspace(folder, create=True).close()
    (folder / "prompts" / "en").mkdir(parents=True)
    for name, mode in (("ragdesk.toml", 0o600), ("prompts/en/x.txt", 0o666), ("rag.py", 0o755)):
        (folder / name).write_text("")
        (folder / name).chmod(mode)
    modes.share(folder, GROUP)
    now = found(folder)
    assert now["ragdesk.toml"] == now["prompts/en/x.txt"] == "0o640"
    assert now["rag.py"] == "0o750"
    assert now["prompts"] == now["prompts/en"] == "0o2750"


def test_sharing_and_closing_change_nothing_the_second_time(shared: Path) -> None:
    assert modes.share(shared, GROUP) == modes.Change(0, [])
    assert modes.unshare(shared).changed == 2
    assert modes.unshare(shared) == modes.Change(0, [])
    assert found(shared) == {".": "0o700", FILE_NAME: "0o600"}


def test_a_link_is_never_shared(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    open_workspace(folder, create=True).close()
    (folder / "ragdesk.toml").symlink_to("/etc/hostname")
    with pytest.raises(WorkspaceError, match=r"ragdesk\.toml is a link"):
        modes.share(folder, GROUP)
    assert not modes.is_shared(folder)


@pytest.mark.parametrize("name", [FILE_NAME, f"{FILE_NAME}-wal", "artefacts", "worker.log"])
def test_a_shared_workspace_with_a_link_is_not_opened(shared: Path, name: str) -> None:
    elsewhere = shared.parent / "elsewhere"
    elsewhere.write_text("mine")
    (shared / name).unlink(missing_ok=True)
    (shared / name).symlink_to(elsewhere)
    with pytest.raises(WorkspaceError, match=f"{name} is a link"):
        open_workspace(shared)
    assert elsewhere.read_text() == "mine"


def test_a_link_in_the_place_of_a_half_written_file_is_not_followed(shared: Path) -> None:
    elsewhere = shared.parent / "elsewhere"
    elsewhere.write_text("mine")
    out = modes_out(shared)
    out.with_name("report.txt.partial").symlink_to(elsewhere)
    write_whole("report", out)
    assert (elsewhere.read_text(), out.read_text()) == ("mine", "report\n")


def test_a_group_that_is_not_there_is_refused(tmp_path: Path) -> None:
    open_workspace(tmp_path, create=True).close()
    with pytest.raises(UsageError, match="no group 'no-such-group'"):
        modes.share(tmp_path, "no-such-group")


def test_what_lies_elsewhere_has_the_modes_that_its_account_wants(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_whole("report", tmp_path / "report.txt")
    finally:
        os.umask(before)
    assert found(tmp_path)["report.txt"] == "0o644"


def test_a_folder_that_has_gone_is_not_shared(shared: Path) -> None:
    with open_workspace(shared) as workspace:
        shared.rename(shared.with_name("elsewhere"))
        assert not modes.is_shared(shared)
        assert workspace.role is Role.OPERATOR

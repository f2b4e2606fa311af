"""Files are written whole or not at all, replaced only when that is meant, and never in the place
of a workspace's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.errors import InputError
from store.files import write_whole
from store.formats.folder import whole_folder
from store.workspace import open_workspace


def test_a_text_ends_with_one_line_break(tmp_path: Path) -> None:
    for text in ("甲", "甲\n"):
        write_whole(text, tmp_path / "a.txt", force=True)
        assert (tmp_path / "a.txt").read_bytes() == "甲\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_that_is_there_is_kept_unless_it_may_be_replaced(tmp_path: Path) -> None:
    out = tmp_path / "a.txt"
    out.write_text("mine", "utf-8")
    with pytest.raises(InputError, match=r"exists already.*replace it"):
        write_whole("new", out)
    assert out.read_text("utf-8") == "mine"
    write_whole("new", out, force=True)
    assert out.read_text("utf-8") == "new\n"


def test_the_folder_that_one_is_in_is_no_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="Name a new folder"), whole_folder(Path()):
        pass


@pytest.mark.parametrize("name", ["", ".", "/", "folder"])
def test_a_folder_is_no_file_to_write(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    out = tmp_path / name if name == "folder" else Path(name)
    with pytest.raises(InputError, match="is a folder"):
        write_whole("new", out, force=True)


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_whole("new", tmp_path / "missing" / "a.txt")
    (tmp_path / "b.txt.partial").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        write_whole("new", tmp_path / "b.txt")
    assert not (tmp_path / "b.txt").exists()


@pytest.mark.parametrize(
    "name",
    [
        "ragdesk.sqlite",
        "ragdesk.sqlite-wal",
        "ragdesk.toml",
        "worker.log",
        "artefacts/trained/mine/judge.json",
        "prompts/en/judge/accuracy.txt",
        "forms/tone.json",
        "code/mine.py",
        "ragdesk.reserve",
        "link",
        "backups/copy.sqlite",
    ],
)
def test_nothing_of_a_workspace_is_overwritten_whatever_is_said(tmp_path: Path, name: str) -> None:
    with open_workspace(tmp_path / "w", create=True) as workspace:
        workspace.backup(tmp_path / "w" / "backups" / "copy.sqlite")
    (tmp_path / "w" / "link").symlink_to("ragdesk.toml")
    out = tmp_path / "w" / name
    before = out.read_bytes() if out.exists() else None
    with pytest.raises(InputError, match=r"belongs to a workspace|is a database"):
        write_whole("new", out, force=True)
    assert (out.read_bytes() if out.exists() else None) == before


def test_results_may_be_written_beside_what_is_a_workspaces_own(tmp_path: Path) -> None:
    open_workspace(tmp_path, create=True).close()
    for name in ("matrix.csv", "exports/matrix.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_whole("new", tmp_path / name)


def test_an_export_is_no_folder_of_a_workspaces_own(tmp_path: Path) -> None:
    open_workspace(tmp_path, create=True).close()
    with (
        pytest.raises(InputError, match="belongs to a workspace"),
        whole_folder(tmp_path / "artefacts" / "export"),
    ):
        pass


def test_a_device_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="no ordinary file"):
        write_whole("new", tmp_path / "pipe", force=True)

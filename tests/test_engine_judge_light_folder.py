"""Trained judges survive what deletes or copies a workspace: they are in its file."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from engine.judge.base import JudgeSpec
from engine.judge.light.folder import (
    keep_trained,
    trained_folder,
    trained_judges,
    write_judge,
    writing,
)
from engine.judge.registry import find_judge, open_judge
from engine.retrieve.index.base import UNFINISHED
from store.verify import verify
from store.workspace import FILE_NAME, open_workspace
from tui.cli import main


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with the trained judge `mine`."""
    folder = tmp_path / "w"
    open_workspace(folder, create=True).close()
    train(folder)
    return folder


def train(folder: Path, card: str = "# Judge mine\n", *, replace: bool = False) -> JudgeSpec:
    with writing(folder, "mine", replace=replace) as draft:
        write_judge(draft, [], [1, len(card)], card)
    return find_judge(folder, "mine")


def files_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (trained_folder(folder) / "mine").iterdir()}


def test_a_judge_survives_the_deletion_of_artefacts(workspace: Path) -> None:
    spec, files = find_judge(workspace, "mine"), files_of(workspace)
    shutil.rmtree(workspace / "artefacts")
    assert find_judge(workspace, "mine") == spec
    assert files_of(workspace) == files
    open_judge(workspace, spec)


def test_a_judge_is_in_a_backup_that_is_restored_elsewhere(workspace: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / FILE_NAME
    assert main(["--workspace", str(workspace), "backup", "--out", str(copy)]) == 0
    assert find_judge(copy.parent, "mine") == find_judge(workspace, "mine")
    assert files_of(copy.parent) == files_of(workspace)


def test_a_judge_of_an_earlier_version_gets_into_the_next_backup(
    workspace: Path, tmp_path: Path
) -> None:
    with open_workspace(workspace) as opened, opened.write() as db:
        db.execute("DELETE FROM trained_file")
    copy = tmp_path / "elsewhere" / FILE_NAME
    assert main(["--workspace", str(workspace), "backup", "--out", str(copy)]) == 0
    assert files_of(copy.parent.parent / "w") == files_of(workspace)
    assert [spec.name for spec in trained_judges(copy.parent)] == ["mine"]


def test_a_judge_that_was_trained_anew_is_the_one_that_is_kept(workspace: Path) -> None:
    again = train(workspace, "# Judge mine, trained on more\n", replace=True)
    shutil.rmtree(workspace / "artefacts")
    assert find_judge(workspace, "mine") == again


def test_a_changed_file_of_a_judge_is_not_taken_over(workspace: Path) -> None:
    folder = trained_folder(workspace) / "mine"
    files = files_of(workspace)
    (folder / "judge.json").write_bytes(files["judge.json"].replace(b"1", b"2", 1))
    (folder / "manifest.json").write_bytes(b'{"judge.json":"0"}')
    keep_trained(workspace)
    shutil.rmtree(folder)
    trained_judges(workspace)
    assert files_of(workspace) == files


def test_judges_are_looked_up_while_the_file_is_written(workspace: Path) -> None:
    with open_workspace(workspace) as opened, opened.write() as db:
        db.execute("DELETE FROM trained_file")
        shutil.rmtree(workspace / "artefacts")
        assert find_judge(workspace, "mine")


def test_verify_sees_a_damaged_judge(workspace: Path) -> None:
    with sqlite3.connect(workspace / FILE_NAME) as db:
        db.execute("UPDATE trained_file SET content = x'00' WHERE name = 'judge.json'")
    with open_workspace(workspace) as opened:
        (check,) = (one for one in verify(opened.db).checks if one.name == "trained judges")
    assert (check.ok, check.detail) == (False, "changed: mine/judge.json")


def test_what_a_killed_training_left_is_cleared_away_and_what_is_being_written_is_not(
    workspace: Path,
) -> None:
    root = trained_folder(workspace)
    (root / f"{UNFINISHED}other-12345678").mkdir()
    with writing(workspace, "first", replace=False) as first:
        write_judge(first, [], [], "# Judge first\n")
        with writing(workspace, "second", replace=False) as second:
            write_judge(second, [], [], "# Judge second\n")
            assert list(root.glob(f"{UNFINISHED}*"))
            assert not (root / f"{UNFINISHED}other-12345678").exists()
        assert first.is_dir()
    assert sorted(path.name for path in root.iterdir()) == ["first", "mine", "second"]

"""The commands on a workspace that a group shares."""

from __future__ import annotations

import grp
import os
from pathlib import Path

import pytest

from store.modes import is_shared
from store.workspace import Workspace
from tui.cli import main

GROUP = grp.getgrgid(os.getegid()).gr_name


def ragdesk(workspace: Workspace, *words: str) -> int:
    return main([*words, "--workspace", str(workspace.folder)])


def test_a_workspace_is_shared_and_closed_again(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ragdesk(workspace, "share", "--group", GROUP) == 0
    assert f"is shared with the group {GROUP}" in capsys.readouterr().out
    assert is_shared(workspace.folder)
    assert ragdesk(workspace, "unshare") == 0
    assert "is its owner's alone" in capsys.readouterr().out
    assert not is_shared(workspace.folder)


def test_an_unknown_group_and_a_missing_workspace_are_refused(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ragdesk(workspace, "share", "--group", "no-such-group") == 2
    assert "groupadd no-such-group" in capsys.readouterr().err
    assert main(["share", "--group", GROUP, "--workspace", str(tmp_path / "none")]) == 1
    assert "There is no workspace" in capsys.readouterr().err


def test_doctor_names_what_has_a_wrong_mode(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    ragdesk(workspace, "share", "--group", GROUP)
    ragdesk(workspace, "doctor")
    assert f"sharing: shared with the group {GROUP}\n" in capsys.readouterr().out
    (workspace.folder / "ragdesk.toml").write_text("")
    (workspace.folder / "ragdesk.toml").chmod(0o666)
    ragdesk(workspace, "doctor")
    said = " ".join(capsys.readouterr().out.split())
    assert "1 file or folder with another group or mode" in said
    assert "ragdesk.toml" in said

"""The commands on a workspace that a group shares."""

from __future__ import annotations

import grp
import os
from pathlib import Path

import pytest

from store.labels.samples import samples
from store.sharing.modes import is_shared
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


def test_a_message_is_told_to_raters_and_says_who_has_seen_it(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ragdesk(workspace, "team", "message") == 0
    assert capsys.readouterr().out == "no message\n"
    assert ragdesk(workspace, "team", "message", "Begin with the loans.") == 0
    assert "seen by: nobody yet" in capsys.readouterr().out
    assert ragdesk(workspace, "labels", "next", "--rater", "wang") == 0
    assert "Begin with the loans." in capsys.readouterr().err
    assert ragdesk(workspace, "labels", "next", "--rater", "wang") == 0
    assert "Begin with the loans." not in capsys.readouterr().err
    assert ragdesk(workspace, "team", "message") == 0
    assert "seen by: wang (" in capsys.readouterr().out


def test_quotas_are_given_with_the_raters(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    with workspace.write() as db:
        samples.create(db, "pilot", "inspection", "revision", {})
    assert ragdesk(workspace, "assign", "pilot", "wang=40", "li") == 0
    assert capsys.readouterr().out == "sample pilot is for wang (at most 40), li\n"
    assert ragdesk(workspace, "sample", "show", "pilot") == 0
    assert "done by wang  0 of 40" in " ".join(capsys.readouterr().out.split(" " * 3))
    assert ragdesk(workspace, "assign", "pilot", "wang=0") == 2
    assert "The quota of wang is 0." in capsys.readouterr().err


def test_a_role_is_for_an_account_of_this_host(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ragdesk(workspace, "team", "set", "no-such-account", "rater") == 2
    assert "There is no account 'no-such-account'" in capsys.readouterr().err
    assert ragdesk(workspace, "team", "set", "nobody", "adjudicator") == 0
    capsys.readouterr()
    assert ragdesk(workspace, "team", "list") == 0
    assert "nobody" in capsys.readouterr().out
    assert ragdesk(workspace, "team", "set", "nobody", "none") == 0
    ragdesk(workspace, "team", "log")
    assert capsys.readouterr().out.count("nobody") == 3

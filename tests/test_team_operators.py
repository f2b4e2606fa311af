"""Operators by a group of the host, who change what directs keys and code, and others who try."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from label_workspaces import label_workspace
from unix_accounts import Accounts, accounts

from engine.models.settings import providers
from engine.prompts.templates import load_prompt
from engine.settings.file import put_table, snapshot
from store.errors import InputError
from store.sharing import team
from store.sharing.modes import strange
from store.sharing.operators import OPERATORS, operators_name
from store.sharing.rights import code_folder
from store.sharing.team import NotAllowed
from store.workspace import open_workspace

__all__ = ["accounts"]


def _make(folder: Path) -> None:
    label_workspace(folder, 1).close()
    folder.joinpath("prompts", "en").mkdir(parents=True)
    folder.joinpath("prompts", "en", "answer.txt").write_text("[system]\nyou\n[user]\nask\n")
    folder.joinpath("code").mkdir()


@pytest.fixture(scope="module")
def made(accounts: Accounts) -> Path:
    accounts.call("lead", _make, accounts.folder / "made")
    return accounts.folder / "made"


@pytest.fixture
def shared(accounts: Accounts, made: Path) -> Iterator[Path]:
    """A workspace of `lead` that `eve` operates too."""
    folder = accounts.folder / "ws"
    accounts.call("lead", shutil.copytree, made, folder)
    said = accounts.ragdesk(
        "lead", "share", "--group", accounts.group, "--operators", accounts.operators
    )
    assert said.code == 0, said
    yield folder
    shutil.rmtree(folder)


def _provide(folder: Path, name: str) -> None:
    table = {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
    put_table(snapshot(folder), "providers", name, table)


def _names(folder: Path) -> list[str]:
    return sorted(providers(folder))


def test_operators_write_settings_after_one_another(accounts: Accounts, shared: Path) -> None:
    accounts.call("eve", _provide, shared, "by-eve")
    accounts.call("lead", _provide, shared, "by-lead")
    accounts.call("eve", _add, shared / "ragdesk.toml", '[providers.by-hand]\nkind = "offline"\n')
    assert accounts.call("ann", _names, shared) == ["by-eve", "by-hand", "by-lead", "offline"]
    assert strange(shared) == []


def test_operators_write_prompts_and_code(accounts: Accounts, shared: Path) -> None:
    prompt = shared / "prompts" / "en" / "answer.txt"
    accounts.call("eve", _replace, prompt, "[system]\nyou\n[user]\nby eve\n")
    accounts.call("eve", _replace, shared / "code" / "rag.py", "")
    assert "by eve" in accounts.call("ann", load_prompt, "answer", "en", shared / "prompts").text
    assert accounts.call("ann", code_folder, shared, "here") == shared / "code"


def test_a_role_alone_does_not_let_write_settings(accounts: Accounts, shared: Path) -> None:
    said = accounts.ragdesk("eve", "team", "set", accounts.name("ann"), "operator")
    assert said.code == 0, said
    with pytest.raises(NotAllowed, match=f"and the group {accounts.operators} to change"):
        accounts.call("ann", _provide, shared, "by-ann")
    refused = accounts.ragdesk("ann", "forms", "new", "mine")
    assert "forms/mine.json is for" in refused.err
    with pytest.raises(PermissionError):
        accounts.call("ann", _add, shared / "prompts" / "en" / "answer.txt", "mine")


def test_a_folder_of_prompts_that_a_rater_puts_in_place_is_refused(
    accounts: Accounts, shared: Path
) -> None:
    accounts.call("ann", _swap_prompts, shared)
    with pytest.raises(InputError, match=rf"prompts belongs to {accounts.name('ann')}"):
        accounts.call("eve", load_prompt, "answer", "en", shared / "prompts")
    assert "prompts belongs to" in " ".join(accounts.ragdesk("eve", "doctor").out.split())


def _swap_prompts(folder: Path) -> None:
    (folder / "prompts").rename(folder / "gone")
    (folder / "prompts" / "en").mkdir(parents=True)


@pytest.mark.parametrize("there", ["of a rater", "ragdesk.sqlite", "a link", "a folder"])
def test_only_who_owns_the_folder_names_the_operators(
    accounts: Accounts, shared: Path, there: str
) -> None:
    accounts.call("eve", _provide, shared, "by-eve")
    accounts.call("ann", _name_operators, shared, there, accounts.group)
    assert operators_name(shared) is None
    with pytest.raises(InputError, match=rf"ragdesk\.toml belongs to {accounts.name('eve')}"):
        accounts.call("ben", providers, shared)


def _name_operators(folder: Path, there: str, group: str) -> None:
    (folder / OPERATORS).unlink()
    if there == "a folder":
        (folder / OPERATORS).mkdir()
    elif there == "a link":
        (folder / OPERATORS).symlink_to("/etc/hostname")
    elif there == "of a rater":
        (folder / OPERATORS).write_text(group)
    else:
        shutil.move(folder / there, folder / OPERATORS)


def test_what_an_operator_wrote_is_not_relied_on_once_they_have_left(
    accounts: Accounts, shared: Path
) -> None:
    accounts.call("eve", _provide, shared, "by-eve")
    leave = ("gpasswd", "-d", accounts.name("eve"), accounts.operators)
    subprocess.run(leave, check=True, capture_output=True)
    try:
        refused = accounts.ragdesk("lead", "providers", "list")
        assert refused.code == 1
        assert f"or to a member of {accounts.operators}" in " ".join(refused.err.split())
    finally:
        back = ("gpasswd", "-a", accounts.name("eve"), accounts.operators)
        subprocess.run(back, check=True, capture_output=True)


def test_the_list_of_the_team_says_who_operates(accounts: Accounts, shared: Path) -> None:
    listed = accounts.ragdesk("ann", "team", "list").out
    (line,) = (one for one in listed.splitlines() if one.startswith(accounts.name("eve")))
    assert line.split()[1:] == ["operator", "in", "the", "group", "of", "operators"]


def test_an_operator_sets_right_what_is_theirs(accounts: Accounts, shared: Path) -> None:
    settings = shared / "ragdesk.toml"
    accounts.call("eve", _write_closed, settings)
    words = ("share", "--group", accounts.group, "--operators")
    assert str(settings) in " ".join(accounts.ragdesk("eve", "doctor").out.split())
    assert accounts.ragdesk("eve", *words, accounts.operators).code == 0
    assert strange(shared) == []
    refused = accounts.ragdesk("eve", "share", "--group", accounts.group)
    assert "belongs to somebody else" in refused.err


def _write_closed(file: Path) -> None:
    file.write_text("")
    file.chmod(0o600)


def test_no_role_is_given_to_who_operates_anyway(accounts: Accounts, shared: Path) -> None:
    for who in ("lead", "eve"):
        refused = accounts.ragdesk("eve", "team", "set", accounts.name(who), "reader")
        assert refused.code == 2
        assert "an operator whatever their role" in refused.err


def test_operators_by_the_group_are_asked_for_more_too(accounts: Accounts, shared: Path) -> None:
    with open_workspace(shared) as workspace:
        asked = team.operators(workspace.db, shared)
    assert asked == (accounts.name("lead"), accounts.name("eve"))


def test_sharing_again_without_operators_leaves_settings_to_the_owner(
    accounts: Accounts, shared: Path
) -> None:
    assert accounts.ragdesk("lead", "share", "--group", accounts.group).code == 0
    assert strange(shared) == []
    with pytest.raises(NotAllowed, match="who owns the folder"):
        accounts.call("eve", _provide, shared, "by-eve")


def test_a_record_of_operators_that_cannot_be_written_leaves_nothing(
    accounts: Accounts, shared: Path
) -> None:
    words = ("share", "--group", accounts.group)
    assert accounts.ragdesk("lead", *words).code == 0
    accounts.call("ann", os.mkdir, shared / OPERATORS)
    refused = accounts.ragdesk("lead", *words, "--operators", accounts.operators)
    assert f"{OPERATORS} cannot be written: Is a directory." in refused.err
    assert not list(shared.glob(f".{OPERATORS}.*"))


def test_members_and_operators_are_two_groups(accounts: Accounts, shared: Path) -> None:
    words = ("share", "--group", accounts.group, "--operators", accounts.group)
    refused = accounts.ragdesk("lead", *words)
    assert refused.code == 2
    assert "is the group of all members" in refused.err


def _add(file: Path, text: str) -> None:
    with file.open("a") as opened:
        opened.write(text)


def _replace(file: Path, text: str) -> None:
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)

"""Files that direct keys and code, in a workspace that a group shares and in one that none does."""

from __future__ import annotations

import asyncio
import grp
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from msgspec.structs import replace
from worker_here import work_here

from engine.corpus.ingest_job import Ingest
from engine.doctor.workspace import workspace_findings
from engine.jobs.operation import queue
from engine.models.chat import ChatRequest, Message
from engine.models.endpoints import Endpoints
from engine.models.settings import check_destination, find_provider
from engine.own.chat import OwnChat
from engine.own.service import check_command, read_table, service_of
from engine.prompts.templates import load_prompt
from engine.retrieve.pipeline import open_embedder
from engine.retrieve.settings import check_weights, neural_settings
from engine.settings.file import put_table, snapshot
from engine.settings.reader import read_settings
from store.errors import InputError
from store.jobs import jobs
from store.sharing import modes
from store.sharing.rights import code_folder, group_reads, read_directing, replaceable_in
from store.workspace import Workspace, open_workspace

GROUP = grp.getgrgid(os.getegid()).gr_name
SETTINGS = """
[providers.paid]
kind = "openai"
base_url = "https://model.example/v1"
model = "m"
api_key_env = "PAID_KEY"

[systems.own]
kind = "command"
command = ["./rag", "--serve"]
"""


@pytest.fixture
def shared(workspace: Workspace) -> Path:
    settings = workspace.folder / "ragdesk.toml"
    settings.write_text(SETTINGS)
    (workspace.folder / "code").mkdir()
    modes.share(workspace.folder, GROUP)
    return workspace.folder


def providers(folder: Path) -> dict[str, dict[str, object]]:
    return read_settings(folder / "ragdesk.toml", dict)["providers"]


def test_settings_that_the_group_may_write_are_refused_where_it_shares(shared: Path) -> None:
    assert providers(shared)
    (shared / "ragdesk.toml").chmod(0o660)
    with pytest.raises(InputError, match=r"others can write .*ragdesk\.toml"):
        providers(shared)
    modes.unshare(shared)
    (shared / "ragdesk.toml").chmod(0o660)
    assert providers(shared)


def test_settings_of_another_account_are_refused(shared: Path) -> None:
    if os.geteuid():
        pytest.skip("only root may give a file away")
    os.chown(shared / "ragdesk.toml", 65534, -1)
    with pytest.raises(InputError, match="belongs to"):
        providers(shared)


@pytest.mark.parametrize("linked", ["prompts", "prompts/en", "prompts/en/answer.txt"])
def test_a_prompt_behind_a_link_is_refused(shared: Path, tmp_path: Path, linked: str) -> None:
    prompt = tmp_path / "elsewhere" / "prompts" / "en" / "answer.txt"
    prompt.parent.mkdir(parents=True)
    prompt.write_text("[system]\nyou\n[user]\nask\n")
    (shared / linked).parent.mkdir(parents=True, exist_ok=True)
    (shared / linked).symlink_to(tmp_path / "elsewhere" / linked)
    with pytest.raises(InputError, match="leads through a link"):
        load_prompt("answer", "en", shared / "prompts")


def test_prompts_in_a_folder_that_the_group_may_write_are_refused(shared: Path) -> None:
    prompt = shared / "prompts" / "en" / "answer.txt"
    prompt.parent.mkdir(parents=True, mode=0o770)
    prompt.write_text("[system]\nyou\n[user]\nask\n")
    prompt.parent.chmod(0o770)
    with pytest.raises(InputError, match=r"others can write .*/prompts/en\."):
        load_prompt("answer", "en", shared / "prompts")


def test_a_folder_above_that_others_may_write_is_named(shared: Path) -> None:
    assert replaceable_in(shared) is None
    shared.parent.chmod(0o770)
    assert replaceable_in(shared) == shared.parent
    (finding,) = (one for one in workspace_findings(shared) if one.state == "broken")
    assert f"others can write {shared.parent}" in finding.detail
    assert finding.remedy.startswith(f"chmod go-w {shared.parent};")


def test_a_pipe_in_the_place_of_settings_is_no_file(shared: Path) -> None:
    (shared / "ragdesk.toml").unlink()
    os.mkfifo(shared / "ragdesk.toml")
    with pytest.raises(InputError, match="is no file"):
        providers(shared)


def test_what_is_missing_is_missing(shared: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_directing(shared / "prompts" / "en" / "answer.txt", shared)


def test_a_key_goes_only_where_the_settings_say_now(shared: Path) -> None:
    paid = find_provider(shared, "paid")
    check_destination(shared, paid)
    elsewhere = replace(paid, base_url="https://elsewhere.example/v1")
    with pytest.raises(InputError, match=r"does not send the key in PAID_KEY to https://elsewhere"):
        Endpoints(check=lambda one: check_destination(shared, one)).chat(elsewhere)
    check_destination(shared, replace(elsewhere, api_key_env=""))
    modes.unshare(shared)
    check_destination(shared, elsewhere)


WEIGHTS = """
[embeddings.small]
model = "{model}"
"""


def test_only_weights_that_the_settings_name_now_are_loaded(shared: Path) -> None:
    (shared / "ragdesk.toml").write_text(WEIGHTS.format(model="team/small"))
    config = neural_settings(shared).embeddings["small"]
    check_weights(shared, config)
    for changed in (replace(config, model="/tmp"), replace(config, trust_remote_code=True)):
        with pytest.raises(InputError, match="does not name the weights"):
            open_embedder(shared, changed)
    modes.unshare(shared)
    check_weights(shared, replace(config, trust_remote_code=True))


def test_weights_that_a_member_puts_into_the_folder_are_not_read(shared: Path) -> None:
    (shared / "ragdesk.toml").write_text(WEIGHTS.format(model="team/small"))
    (shared / "team" / "small").mkdir(parents=True)
    with pytest.raises(InputError, match="any member of the shared workspace could replace"):
        neural_settings(shared)
    modes.unshare(shared)
    assert neural_settings(shared).embeddings["small"].model == str(shared / "team" / "small")


def test_only_what_the_settings_say_now_is_started(shared: Path) -> None:
    table = read_settings(shared / "ragdesk.toml", dict)["systems"]["own"]
    service = service_of(shared, "own", read_table(shared, "own", table, "here"), "here")
    check_command(shared, replace(service, model="only for a run"))
    for changed in (
        replace(service, command=("sh", "-c", "steal")),
        replace(service, env=("PAID_KEY",)),
        replace(service, name="another"),
    ):
        with pytest.raises(InputError, match="is not what this job froze"):
            check_command(shared, changed)


def test_code_of_a_shared_workspace_lies_where_only_its_owner_writes(shared: Path) -> None:
    assert code_folder(shared, "here") == shared / "code"
    (shared / "code" / "rag.py").write_text("")
    (shared / "code" / "rag.py").chmod(0o660)
    with pytest.raises(InputError, match=r"others can write .*rag\.py"):
        code_folder(shared, "here")
    (shared / "code" / "rag.py").unlink()
    (shared / "code").rmdir()
    with pytest.raises(InputError, match="runs code from"):
        code_folder(shared, "here")
    modes.unshare(shared)
    assert code_folder(shared, "here") == shared


_PROGRAM = """#!/bin/sh
while read -r line; do echo '{"id": 1, "result": {"answer": "checked"}}'; done
"""
_TABLES = {
    "function": {"kind": "python", "function": "rag:answer"},
    "program": {"kind": "command", "command": ["./rag"]},
}


@pytest.mark.parametrize("name", _TABLES)
def test_what_a_member_puts_in_the_place_of_checked_code_is_not_run(
    shared: Path, name: str
) -> None:
    code = shared / "code"
    (code / "rag.py").write_text('def answer(case):\n    return {"answer": "checked"}\n')
    (code / "rag").write_text(_PROGRAM)
    (code / "rag").chmod(0o700)
    put_table(snapshot(shared), "systems", name, _TABLES[name])
    service = service_of(shared, name, read_table(shared, name, _TABLES[name], "here"), "here")

    async def answer() -> str:
        async with Endpoints() as endpoints:
            chat = OwnChat(service, shared, endpoints)
            try:
                shutil.copytree(code, shared / "other")
                for file in (shared / "other").iterdir():
                    file.write_text(file.read_text().replace("checked", "another"))
                code.rename(shared / "gone")
                (shared / "other").rename(code)
                return (await chat.complete(ChatRequest((Message("user", "{}"),)))).text
            finally:
                await chat.close()

    assert "checked" in asyncio.run(answer())


def test_settings_written_by_the_app_stay_readable_for_the_group(shared: Path) -> None:
    seen = snapshot(shared)
    put_table(seen, "providers", "paid", {**seen.tables("providers")["paid"], "model": "n"})
    assert find_provider(shared, "paid").model == "n"
    assert modes.strange(shared) == []


def test_a_file_is_the_groups_to_read_with_all_folders_above_it(tmp_path: Path) -> None:
    group = os.getegid()
    home = Path(tempfile.mkdtemp())
    try:
        file = home / "notes.txt"
        file.write_text("mine")
        for of_folder, of_file, reads in (
            (0o755, 0o644, True),
            (0o700, 0o644, False),
            (0o755, 0o600, False),
            (0o750, 0o640, True),
            (0o705, 0o604, False),
        ):
            home.chmod(of_folder)
            file.chmod(of_file)
            assert group_reads(file, group) is reads, (of_folder, of_file)
        home.chmod(0o755)
        file.chmod(0o604)
        assert group_reads(file, group + 12345)
    finally:
        shutil.rmtree(home)


def test_a_job_of_a_shared_workspace_ingests_what_the_group_may_read(shared: Path) -> None:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        for name, mode in (("told.txt", 0o644), ("private.txt", 0o600)):
            (folder / name).write_text(f"This is {name} and no more.")
            (folder / name).chmod(mode)
        with open_workspace(shared) as workspace:
            job = queue(workspace, Ingest(corpus="c", paths=(str(folder),)))
            work_here(shared)
            said = " ".join(event.text for event in jobs.events(workspace.db, job.id))
            titles = [path for (path,) in workspace.db.execute("SELECT path FROM source")]
        assert titles == [str(folder / "told.txt")]
        assert "private.txt: the group that shares the workspace may not read it" in said
    finally:
        shutil.rmtree(folder)

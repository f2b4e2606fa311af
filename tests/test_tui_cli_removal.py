"""`delete`, `restore` and the lists, from the command line."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Callable

import pytest
from tiny_workspaces import Released, make_corpus, make_run

from engine.retrieve.index.artefacts import index_folder
from engine.retrieve.pipeline import open_index
from store.jobs import jobs
from store.lifecycle import archiving
from store.runs import runs
from store.runs.runs import Run
from store.verify import verify
from store.workspace import Workspace
from tui.cli import main
from tui.live.facts import Facts
from tui.live.reader import Reader

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command on the test's workspace; gives exit code, stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["--workspace", str(workspace.folder), *words])
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


class Typed(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_run_is_archived_listed_on_demand_and_brought_back(call: Call, run: Run) -> None:
    code, out, _ = call("delete", "run", "first")
    assert (code, out.splitlines()[0]) == (0, "archived run 'first'; nothing was removed")
    assert call("runs")[1] == ""
    assert "imported (archived)" in call("runs", "--all")[1]
    (listed,) = json.loads(call("runs", "--all", "--json")[1])["runs"]
    assert listed["archived"]
    code, _, err = call("matrix", "first")
    assert code == 1
    assert "Run 'first' is archived. Restore it first. (ragdesk restore run first)" in err
    assert "is archived since" in call("delete", "run", "first")[1]
    assert call("restore", "run", "first")[:2] == (0, "restored run 'first'\n")
    assert "first" in call("runs")[1]
    assert call("restore", "run", "first")[0] == 1


def test_a_suggested_command_can_be_typed_as_it_stands(
    call: Call, workspace: Workspace, released: Released
) -> None:
    with workspace.write() as db:
        make_run(db, released, "two words")
    back = call("delete", "run", "two words")[1].splitlines()[-1]
    assert back == "undo: ragdesk restore run 'two words'"
    assert call(*shlex.split(back)[2:])[:2] == (0, "restored run 'two words'\n")


def test_lists_leave_out_what_is_archived(call: Call, run: Run) -> None:
    assert [row["name"] for row in json.loads(call("corpora", "--json")[1])["corpora"]] == ["tiny"]
    (dataset,) = json.loads(call("datasets", "--json")[1])["datasets"]
    assert (dataset["items"], dataset["releases"], dataset["archived"]) == (3, 1, False)
    call("delete", "corpus", "tiny")
    for command in ("corpora", "datasets", "runs"):
        assert json.loads(call(command, "--json")[1]) == {command: []}
        assert "archived" in call(command, "--all")[1]
    code, _, err = call("run", "--system", "bm25", "--dataset", "gold")
    assert code == 1
    assert "Dataset 'gold' is archived with its corpus 'tiny'" in err


def test_a_purge_wants_a_yes(
    call: Call, workspace: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("first\n"))
    code, _, err = call("delete", "run", "first", "--purge")
    assert code == 2, "nobody is at a terminal"
    assert "It would remove: predictions 5. Give --yes" in err
    monkeypatch.setattr(sys, "stdin", Typed("frist\n"))
    code, _, err = call("delete", "run", "first", "--purge")
    assert code == 1
    assert "`ragdesk backup` keeps a copy" in err
    assert "Nothing was removed." in err
    assert runs.get(workspace.db, "first") == run
    monkeypatch.setattr(sys, "stdin", Typed("first\n"))
    code, out, _ = call("delete", "run", str(run.id), "--purge")
    assert (code, out) == (0, "purged run 'first': predictions 5\n")
    assert runs.listing(workspace.db, archived=True) == []
    assert call("verify")[0] == 0


def test_a_corpus_takes_its_own_indexes_along(
    call: Call, workspace: Workspace, released: Released
) -> None:
    index = index_folder(workspace.folder)
    open_index(workspace, released.corpus, "bm25")
    kept = set(index.iterdir())
    with workspace.write() as db:
        other = make_corpus(db, "other", ["en/rates.md"])
        same = make_corpus(db, "same")
    open_index(workspace, other, "bm25")
    open_index(workspace, same, "bm25")
    assert len(list(index.iterdir())) == 2
    code, out, _ = call("delete", "corpus", "other", "--purge", "--yes", "--json")
    assert code == 0
    assert json.loads(out)["indexes"] == 1
    assert call("delete", "corpus", "same", "--purge", "--yes")[0] == 0
    assert set(index.iterdir()) == kept, "the other corpus holds the same"
    assert verify(workspace.db).ok


def test_what_is_in_the_way_is_said(call: Call, workspace: Workspace, run: Run) -> None:
    code, _, err = call("delete", "dataset", "gold", "--purge", "--yes")
    assert code == 1
    assert "runs first needs it. Purge what is made of it first" in err
    with workspace.write() as db:
        job = jobs.enqueue(db, "run", "bm25", run_id=run.id)
    for words in ((), ("--purge", "--yes")):
        code, _, err = call("delete", "run", "first", *words)
        assert code == 1
        assert f"(ragdesk jobs cancel {job.id})" in err
    assert call("delete", "run", "none")[0] == 2
    assert call("delete", "sample", "x")[0] == 2


def test_the_app_does_not_show_what_is_archived(
    workspace: Workspace, released: Released, run: Run
) -> None:
    reader = Reader(workspace.db)

    def look() -> Facts:
        return reader.read(workspace.folder, 1)

    def move(kind: archiving.Kind, name: str, *, back: bool = False) -> None:
        act = archiving.restore if back else archiving.archive
        with workspace.write() as db:
            act(db, archiving.find(db, kind, name))

    with workspace.write() as db:
        make_run(db, released, "second")
        job = jobs.enqueue(db, "inspect", "gold", params={"dataset": "gold"})
        jobs.ask(db, job.id, "cancel")
    assert len(look().work) == 3
    move("run", "first")
    assert [one.run.name for one in look().work if one.run] == ["second"]
    move("dataset", "gold")
    assert (look().datasets, look().work) == ((), ())
    assert look().sources == (("tiny", 4),)
    move("corpus", "tiny")
    assert look().is_empty
    for kind, name in (("corpus", "tiny"), ("dataset", "gold"), ("run", "first")):
        move(kind, name, back=True)  # type: ignore[arg-type]
    assert len(look().work) == 3
    assert len(look().datasets) == 1

"""Topics, inspection and splits from the command line: what is printed, refused, exchanged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from building_workspaces import judging, make_building
from endpoint_workspaces import KEY, VARIABLE
from scripted_server import ScriptedServer, answer, context_length_exceeded
from tiny_workspaces import TAXONOMY

from engine.taxonomy.stored import save_taxonomy
from store.datasets import datasets
from store.datasets.generation_figures import CellProgress
from store.records import ItemState
from store.workspace import open_workspace
from tui.cli import main
from tui.cli.generation import _print_cells


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def call(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Runs a command in the workspace; gives exit code, stdout and stderr."""
    monkeypatch.setenv(VARIABLE, KEY)

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["--workspace", str(folder), *words])
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


def test_a_taxonomy_goes_out_is_edited_and_comes_in(call, folder: Path, tmp_path: Path):
    make_building(folder, 3)
    assert call("topics", "prune", "omnieval", "--drop", "Insurance", "--as", "own")[0] == 0
    _, out, err = call("topics", "list", "--taxonomy", "own")
    assert "life_insurance" not in out
    assert "own: own, omnieval pruned, 13 topics" in err
    file = tmp_path / "own.json"
    assert call("topics", "export", "own", "--out", str(file))[0] == 0
    edited = json.loads(file.read_text("utf-8"))
    edited["topics"][0]["zh"] = "个人银行"
    file.write_text(json.dumps(edited), "utf-8")
    _, out, _ = call("--json", "topics", "import", str(file))
    assert json.loads(out)["taxonomy"]["topics"][0]["zh"] == "个人银行"
    assert call("topics", "export", "own")[1].strip() == json.dumps(
        json.loads(out)["taxonomy"], ensure_ascii=False, indent=2
    )


def test_the_authors_tree_comes_in_under_a_name(call, folder: Path, tmp_path: Path):
    make_building(folder, 1)
    below = [{"topic_name": "零售银行", "sub_topics": []}]
    tree = {"topic_name": "金融", "sub_topics": [{"topic_name": "银行业务", "sub_topics": below}]}
    file = tmp_path / "topic_tree.json"
    file.write_text(json.dumps(tree, ensure_ascii=False), "utf-8")
    assert call("topics", "import", str(file))[0] == 2
    code, out, _ = call("topics", "import", str(file), "--name", "bank")
    assert code == 0
    assert "retail_banking" in out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["topics", "prune", "omnieval", "--drop", "fund"], 2, "Prune a copy of it. (--as NAME)"),
        (["topics", "prune", "omnieval"], 2, "nothing to do"),
        (["topics", "prune", "tiny", "--rename", "rates"], 2, "KEY=NAME"),
        (["topics", "prune", "tiny", "--drop", "rates"], 1, "items of dataset 'drafts' use it"),
        (["topics", "import", "/nowhere.json"], 1, "cannot be read"),
        (["topics", "import", "."], 1, "Is a directory"),
        (["topics", "list", "--taxonomy", "other"], 2, "crud, ekrag, omnieval, tiny"),
        (["topics", "build", "--corpus", "other", "--name", "x"], 2, "no corpus 'other'"),
        (["classify", "--corpus", "texts", "--taxonomy", "tiny"], 1, "no terms to classify by"),
        (["classify", "--corpus", "texts", "--model", "other"], 2, "no provider 'other'"),
        (["classify", "--corpus", "texts", "--model", "scripted", "--max-cost", "1"], 2, "prices"),
        (["inspect", "--dataset", "drafts", "--only-state", "accepted"], 1, "Its items: 3 drafted"),
        (["split", "--dataset", "drafts", "--sides", "train"], 2, "SIDE=SHARE"),
        (["split", "--dataset", "drafts", "--sides", "train=1"], 2, "two or more sides"),
    ],
)
def test_what_cannot_be_done_is_said(call, folder: Path, words, code: int, message: str):
    make_building(folder, 3)
    with open_workspace(folder) as workspace, workspace.write() as db:
        save_taxonomy(db, TAXONOMY, "by hand")
    found, _, err = call(*words)
    assert (found, message in err) == (code, True), err


def test_a_grid_that_lacks_a_cell_is_printed_with_a_gap(capsys):
    def cell(topic: str, task: str) -> CellProgress:
        values = {"topic": topic, "task": task, "target": 2, "filled": 1}
        fields = CellProgress.__struct_fields__
        return CellProgress(**{name: values.get(name, 0) for name in fields})

    _print_cells([cell("fund", "contrast"), cell("fund", "multi_hop"), cell("bond", "multi_hop")])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:]] == [["fund", "1/2", "1/2"], ["bond", "1/2"]]


def test_inspecting_and_releasing_by_a_model_that_errs(call, folder: Path):
    with ScriptedServer(reply=judging) as server:
        make_building(folder, 9, server.base_url)
        code, out, err = call("inspect", "--dataset", "drafts", "--model", "scripted", "--dry-run")
        assert (code, out.splitlines()[0]) == (0, "model calls 9, of which 0 are in the cache")
        assert server.count == 0
        code, out, err = call("inspect", "--dataset", "drafts", "--model", "scripted")
    assert code == 0
    assert "dataset drafts: 4 accepted, 1 discarded, 4 drafted" in out
    assert "1 corrected and looked at again." in err
    assert "unparsed: i003: the reply holds no JSON object" in err
    code, out, err = call("release", "--dataset", "drafts")
    assert "released drafts@1: 4 items" in out
    assert "split drafts: 4 items got a side." in err


def test_inspecting_without_a_verdict_has_failed(call, folder: Path):
    with ScriptedServer(default=context_length_exceeded()) as server:
        make_building(folder, 2, server.base_url)
        code, _, err = call("inspect", "--dataset", "drafts", "--model", "scripted")
        assert code == 1
        assert "No item has a verdict." in err


def test_generating_without_an_item_has_failed(call, folder: Path):
    with ScriptedServer(default=context_length_exceeded()) as server:
        make_building(folder, 2, server.base_url)
        wanted = (
            "--corpus",
            "texts",
            "--dataset",
            "new",
            "--per-cell",
            "1",
            "--taxonomy",
            "omnieval",
        )
        code, _, err = call("generate", *wanted, "--model", "scripted")
    assert code == 1
    assert "No item was written." in err


def test_classifying_by_a_model_lists_what_cannot_be_read(call, folder: Path):
    with ScriptedServer(default=answer("Loans, I think.")) as server:
        make_building(folder, 2, server.base_url)
        code, out, err = call("--json", "classify", "--corpus", "texts", "--model", "scripted")
    assert code == 1
    assert "No document has a topic from the model." in err
    found = json.loads(out)
    assert (found["classified"], found["replies"]) == (2, {"unparsed": 2})
    assert found["topics"] == {"unassigned": 2}
    assert sorted(one["source"] for one in found["unread"]) == ["000.txt", "001.txt"]
    assert found["tokens"] == 4 * 15


def test_a_split_holds_while_items_come(call, folder: Path):
    make_building(folder, 20)
    with open_workspace(folder) as workspace, workspace.write() as db:
        for number in range(1, 11):
            datasets.set_state(db, number, ItemState.DRAFTED, ItemState.ACCEPTED)
    first = json.loads(call("--json", "split", "--dataset", "drafts", "--seed", "1")[1])
    assert first["added"] == 10
    assert [side["side"] for side in first["sides"]] == ["train", "test"]
    code, out, err = call("split", "--dataset", "drafts", "--sides", "a=1", "b=1")
    assert "Split 'drafts' has the sides train=3 test=7, which stay" in err
    code, out, _ = call("split", "--dataset", "drafts", "--sides", "a=1", "b=1", "--name", "half")
    assert code == 0
    assert "task   extractive" in out
    with open_workspace(folder) as workspace, workspace.write() as db:
        for number in range(11, 21):
            datasets.set_state(db, number, ItemState.DRAFTED, ItemState.ACCEPTED)
    assert json.loads(call("--json", "split", "--dataset", "drafts")[1])["added"] == 10


def test_documents_that_nobody_has_classified_are_not_called_unassigned(call, folder: Path):
    make_building(folder, 3)
    call("topics", "prune", "omnieval", "--drop", "Insurance", "--as", "own")
    listed = ("topics", "list", "--taxonomy", "own", "--corpus", "texts")
    said = [line.split() for line in call(*listed)[1].splitlines()]
    assert ["unassigned", "0"] in said
    assert ["not", "classified", "3"] in said
    assert call("classify", "--corpus", "texts", "--taxonomy", "own")[0] == 0
    err = call("classify", "--corpus", "texts", "--taxonomy", "own")[2]
    assert err.count("0 documents classified.") == 1
    assert "not classified" not in call(*listed)[1]


def test_a_dry_run_without_a_model_is_a_document_too(call, folder: Path):
    make_building(folder, 3)
    for words in (["classify", "--corpus", "texts"], ["inspect", "--dataset", "drafts"]):
        code, out, err = call(*words, "--dry-run", "--json")
        assert (code, json.loads(out)["calls"], "no model is asked" in err) == (0, 0, True)


def test_a_taxonomy_file_that_is_broken_is_named_with_its_line(call, tmp_path: Path):
    file = tmp_path / "t.json"
    file.write_bytes(b'{"key": "x",\n"name": "\xff"}')
    code, _, err = call("topics", "import", str(file))
    assert (code, "t.json, line 2: byte 0xff is not UTF-8" in err) == (1, True)

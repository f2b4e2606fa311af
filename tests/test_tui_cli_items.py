"""The commands on many items: listed, acted on after one confirmation, taken back at once."""

from __future__ import annotations

import json

import pytest
from labelling_workspaces import make_drafts, new_workspace

from tui.cli import main


@pytest.fixture
def call(tmp_path, capsys):
    """Calls a command on a workspace with eight drafted items; returns exit code and output."""
    folder = tmp_path / "workspace"
    with new_workspace(folder) as workspace, workspace.write() as db:
        make_drafts(db)

    def run(*words: str):
        code = main([*words, "--workspace", str(folder), "--rater", "王芳"])
        return code, *capsys.readouterr()

    return run


def test_items_are_listed_with_the_count_of_their_states(call) -> None:
    code, out, err = call("items", "list", "--dataset", "drafts", "--text", "number 3")
    assert (code, err) == (0, "1 item: 1 drafted\n")
    assert out.splitlines()[1].startswith("i3    drafted  conversational  funds")
    assert call("items", "list", "--dataset", "drafts", "--text", "x y z")[1:] == (
        "",
        "No item is so.\n",
    )


def test_the_list_as_json_has_the_group_of_near_duplicates(call) -> None:
    words = ("items", "list", "--dataset", "drafts", "--duplicates", "later", "--json")
    listed = json.loads(call(*words)[1])
    assert [(one["item_key"], one["group"]) for one in listed] == [("i2", 1), ("i4", 1), ("i6", 1)]


def test_an_act_is_done_and_taken_back_as_a_whole(call) -> None:
    words = ("--dataset", "drafts", "--topics", "rates", "--yes")
    assert call("items", "act", "accept", *words) == (
        0,
        "score 4 (good): 4 items; now 4 accepted\nundo: ragdesk items undo\n",
        "",
    )
    assert "王芳  score 4 (good)      4  yes" in call("items", "acts")[1]
    assert call("items", "undo")[1] == "took back: score 4 (good), 4 items\n"
    assert call("items", "undo")[1] == "there is no act to take back\n"
    assert call("items", "list", "--dataset", "drafts", "--states", "accepted")[1] == ""


def test_a_dry_run_says_how_many_of_what_and_does_nothing(call) -> None:
    words = ("items", "act", "flag", "--dataset", "drafts", "--dry-run")
    assert call(*words)[1] == "flag: 8 items, 8 drafted\n"
    assert call(*words)[1] == "flag: 8 items, 8 drafted\n"


def test_an_act_asks_and_without_anybody_to_ask_is_refused(call, monkeypatch) -> None:
    code, out, err = call("items", "act", "flag", "--dataset", "drafts")
    assert (code, out) == (2, "")
    assert "Give --yes to do it." in err
    monkeypatch.setattr("sys.stdin", _Answer("no\n"))
    assert call("items", "act", "flag", "--dataset", "drafts")[0] == 1
    monkeypatch.setattr("sys.stdin", _Answer("y\n"))
    assert call("items", "act", "flag", "--dataset", "drafts")[0] == 0


class _Answer:
    def __init__(self, line: str) -> None:
        self.line = line

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self.line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("exclude", "Give --reason with it."),
        ("exclude --reason dull", "'dull' is no reason"),
        ("flag --reason duplicate", "Leave --reason out."),
        ("sample", "Give --sample with it."),
        ("postpone --score 4", "Leave it out."),
        ("accept --score 2", "Score 2 does not accept. These do: 4, 5."),
        ("accept --form judge_labels", "does not inspect items"),
        ("accept --states accepted --metric f1", "--run RUN"),
    ],
)
def test_what_does_not_go_together_is_refused(call, words: str, said: str) -> None:
    code, out, err = call("items", "act", *words.split(), "--dataset", "drafts", "--yes")
    assert (code, out) == (2, "")
    assert said in err


def test_items_go_into_a_sample_and_out_of_it(call) -> None:
    words = ("--dataset", "drafts", "--items", "i0", "i3", "--sample", "mine", "--yes")
    assert "add to sample mine: 2 items" in call("items", "act", "sample", *words)[1]
    assert "mine    inspection         2  drafts" in call("sample", "list")[1]
    assert call("items", "undo")[1] == "took back: add to sample mine, 2 items\n"


def test_similar_items_are_listed(call) -> None:
    out = call("items", "similar", "i1", "--dataset", "drafts", "--number", "1")[1]
    assert out.splitlines()[1].startswith("i")

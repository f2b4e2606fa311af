"""Datasets go out and come in from the command line, and an export can be checked there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_workspaces import make_corpus, make_release

from store.workspace import open_workspace
from tui.cli import main

PAGE = {"pre_text": "Revenue grew .", "post_text": "", "table": {"2019": {"revenue": 35.0}}}
TURNS = {"conv_questions": ["what was revenue?"], "conv_answers": ["35"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with `gold@1`: two questions and a dialogue."""
    made = tmp_path / "workspace"
    with open_workspace(made, create=True) as workspace, workspace.write() as db:
        make_release(db, make_corpus(db))
    return made


def ragdesk(folder: Path, *arguments: object) -> int:
    return main([*map(str, arguments), "--workspace", str(folder)])


@pytest.mark.parametrize("kind", ["omnieval", "items", "beir", "parquet"])
def test_an_export_is_written_told_and_checked(
    kind: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "out"
    assert ragdesk(folder, "export", kind, "--dataset", "gold@1", "--out", out) == 0
    printed = capsys.readouterr().out
    assert "3 items, 5 turns" in printed
    assert "by status: 3 accepted" in printed
    assert f"ragdesk verify --export {out}" in printed
    assert ragdesk(folder, "verify", "--export", out) == 0
    assert "every hash and count holds" in capsys.readouterr().out

    (file, *_) = [path for path in sorted(out.rglob("*")) if path.suffix in (".jsonl", ".parquet")]
    file.write_bytes(file.read_bytes() + b"\n")
    assert ragdesk(folder, "verify", "--export", out, "--json") == 1
    assert not json.loads(capsys.readouterr().out)["ok"]
    assert ragdesk(folder, "verify", "--export", out) == 1
    assert "FAILED" in capsys.readouterr().out


def test_a_folder_that_is_not_empty_needs_force(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    place = ("export", "beir", "--dataset", "gold", "--out", tmp_path / "out")
    assert ragdesk(folder, *place, "--json") == 0
    assert json.loads(capsys.readouterr().out)["manifest"]["counts"]["queries"] == 5
    assert ragdesk(folder, *place) == 1
    assert "--force" in capsys.readouterr().err
    assert ragdesk(folder, *place, "--force", "--state", "all", "--anonymous") == 0


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("--dataset", "gone"), 2, "no dataset 'gone'"),
        (("--dataset", "gold", "--state", "gone"), 2, "--state gone"),
        (("--dataset", "gold", "--state", "drafted"), 1, "no item to export"),
        (("--dataset", "gold", "--topic", "gone"), 2, "no topic 'gone'"),
        (("--dataset", "gold", "--split", "test"), 2, "no split 'gold'"),
    ],
)
def test_what_cannot_be_exported_is_said(
    arguments: tuple[str, ...],
    code: int,
    word: str,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    out = tmp_path / "out"
    assert ragdesk(folder, "export", "beir", *arguments, "--out", out) == code
    assert word in capsys.readouterr().err
    assert not out.exists()


def test_an_archive_and_tables_come_in_by_one_command_each(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    for kind in ("items", "parquet"):
        ragdesk(folder, "export", kind, "--dataset", "gold", "--out", tmp_path / kind)
    with open_workspace(tmp_path / "other", create=True):
        pass
    other = tmp_path / "other"
    capsys.readouterr()
    place = ("--corpus", "c", "--dataset", "gold")
    assert ragdesk(other, "import", "items", tmp_path / "items", *place) == 0
    printed = capsys.readouterr().out
    assert "3 items added" in printed
    assert "releases: gold@1" in printed
    assert ragdesk(other, "import", "items", tmp_path / "items", *place) == 0
    assert "0 items added, 3 were already there" in capsys.readouterr().out
    # the tiny taxonomy is none that ships
    tables = ("import", "parquet", tmp_path / "parquet", "--corpus", "c", "--dataset", "p")
    assert ragdesk(other, *tables) == 1
    assert "field `topic`: taxonomy 'omnieval' has no 'rates'" in capsys.readouterr().err
    assert ragdesk(other, "import", "items", tmp_path / "items", tmp_path, *place) == 2


def test_conversations_and_omnieval_items_come_in_twice_as_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "new"
    file = tmp_path / "c.jsonl"
    file.write_text(json.dumps({"id": "A/page_1.pdf-1", "doc": PAGE, "dialogue": TURNS}) + "\n")
    place = ("--corpus", "c", "--dataset", "d")
    assert ragdesk(folder, "import", "convfinqa", file, *place) == 0
    printed = capsys.readouterr().out
    assert "documents: 1 added, 0 unchanged" in printed
    assert "released d@1: 1 item" in printed
    assert ragdesk(folder, "import", "convfinqa", file, *place) == 0
    assert "0 items added, 1 were already there" in capsys.readouterr().out
    assert ragdesk(folder, "import", "uhgeval", file, *place) == 1
    assert "c.jsonl, line 1" in capsys.readouterr().err

    items = tmp_path / "items.jsonl"
    one = {"question": "多久报送？", "answer": ["按月"], "relevant_passage": "按月报送。"}
    line = {**one, "relevant_node": "n1", "topic_name": "基金", "task_name": "抽取类问答"}
    items.write_text(json.dumps(line) + "\n" + json.dumps({**line, "question": " "}) + "\n")
    place = ("--corpus", "o", "--dataset", "o", "--accept")
    assert ragdesk(folder, "import", "omnieval", items, *place) == 0
    captured = capsys.readouterr()
    assert "released o@1: 1 item" in captured.out
    assert f"left out: {items}, line 2: the question is blank" in captured.err
    assert "1 documents are known by their golden passages only" in captured.err
    assert ragdesk(folder, "import", "omnieval", items, *place) == 0
    assert "0 items added, 1 were already there" in capsys.readouterr().out
    assert ragdesk(folder, "import", "omnieval", items, "--dataset", "o") == 2
    assert "--corpus NAME" in capsys.readouterr().err

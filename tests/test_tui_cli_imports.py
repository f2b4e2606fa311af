"""Foreign systems come in by one command each, are scored, and stand in the same lists."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tiny_workspaces import make_corpus, make_release, question

from store.jobs import jobs
from store.workspace import open_workspace
from tui.cli import main

DATA = Path(__file__).parent / "data/parity"
OMNIEVAL = json.loads((DATA / "omnieval_metrics.json").read_text("utf-8"))["end_to_end"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with `gold@1`: two questions on a corpus of four short texts."""
    made = tmp_path / "workspace"
    with open_workspace(made, create=True) as workspace, workspace.write() as db:
        make_release(db, make_corpus(db), contents={"a": question(), "b": question("基金？")})
    return made


def ragdesk(folder: Path, *arguments: object) -> int:
    return main([*map(str, arguments), "--workspace", str(folder)])


def write(file: Path, rows: list[dict[str, object]]) -> Path:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


def test_predictions_come_in_are_scored_and_stand_beside_other_runs(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = write(
        tmp_path / "mine.jsonl",
        [{"id": "a", "answer": "3.5 percent", "retrieved": ["en/rates.md", "nowhere.md"]}],
    )
    code = ragdesk(folder, "import", "predictions", file, "--run", "mine", "--dataset", "gold@1")
    printed, said = capsys.readouterr()
    assert code == 0
    assert "run mine: 1 of 2 predictions there" in printed
    assert "1 turns have no prediction" in said
    assert "1 retrieved documents are not in the corpus (nowhere.md)" in said

    assert ragdesk(folder, "runs") == 0
    assert "mine (imported)" in capsys.readouterr().out
    assert ragdesk(folder, "matrix", "mine", "--metric", "em", "--format", "csv") == 0
    assert "extractive" in capsys.readouterr().out.casefold()

    trec = tmp_path / "run.trec"
    trec.write_text("a Q0 rates.md 1 1 t\n")
    code = ragdesk(
        folder, "import", "trec-run", trec, "--run", "trec", "--dataset", "gold", "--k", 3, "--json"
    )
    assert code == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["imported"]["predictions"], done["status"]["state"]) == (2, "done")
    assert ragdesk(folder, "compare", "trec", "mine", "--metric", "hit@1") == 0


def test_the_files_of_the_authors_make_corpus_dataset_and_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source, folder = tmp_path / "pred", tmp_path / "new"
    source.mkdir()
    for name, rows in OMNIEVAL["pred_files"].items():
        write(source / name, rows)
    merged = "evaluation_result_model_qwen-eval-merge.jsonl"
    write(source / merged, OMNIEVAL[merged])
    code = ragdesk(
        folder,
        *("import", "omnieval", source, "--corpus", "c", "--dataset", "d", "--run", "theirs"),
        "--detach",
    )
    printed = capsys.readouterr().out
    assert code == 0
    assert "corpus c: 6 documents, 1 of them" in printed
    assert "dataset d@1: 6 items" in printed
    assert "imported scores: 30" in printed
    with open_workspace(folder) as workspace:
        assert [job.kind for job in jobs.listing(workspace.db)] == ["run"]


def test_crud_output_and_qrels_come_in(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "Summary_gpt.json"
    row = {
        "id": "1",
        "log": {"generated_text": "央行降息", "ground_truth_text": "央行降息"},
        "original_data": {"event": "降息"},
    }
    output.write_text(json.dumps({"results": [row]}, ensure_ascii=False), "utf-8")
    code = ragdesk(
        folder,
        *("import", "crud", output, "--corpus", "news", "--dataset", "crud", "--run", "gpt"),
        "--detach",
    )
    assert code == 0
    assert "dataset crud@1: 1 item on corpus news" in capsys.readouterr().out

    queries = write(tmp_path / "queries.jsonl", [{"_id": "1", "text": "What?"}])
    qrels = tmp_path / "qrels.tsv"
    qrels.write_text("1\tnowhere\t1\n")
    code = ragdesk(
        folder,
        *("import", "qrels", qrels, "--queries", queries, "--corpus", "tiny", "--dataset", "q"),
    )
    printed, said = capsys.readouterr()
    assert code == 0
    assert "released q@1: 1 item" in printed
    assert "the judgements name 1 document that the corpus lacks (nowhere)" in said


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--dataset", "gold@9"], 2, "There is no release 'gold@9'"),
        (["--dataset", "gold", "--k", "0"], 2, "--k is 0"),
    ],
)
def test_what_is_wrong_is_one_message(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    said: str,
):
    file = write(tmp_path / "mine.jsonl", [{"id": "a", "answer": "x"}])
    assert ragdesk(folder, "import", "predictions", file, "--run", "m", *arguments) == code
    assert said in capsys.readouterr().err


def test_files_may_have_names_that_are_not_utf8(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    named = tmp_path / os.fsdecode("答案".encode("gbk"))
    answers = write(named.with_suffix(".jsonl"), [{"id": "a", "answer": "3.5 percent"}])
    code = ragdesk(
        folder, "import", "predictions", answers, "--run", "m", "--dataset", "gold", "--detach"
    )
    assert code == 0
    turn = {"question": "What?", "evidence": [{"source": "rates.md"}]}
    items = write(named.with_suffix(".items"), [{"id": "x", "turns": [turn]}])
    assert ragdesk(folder, "import", "items", items, "--corpus", "tiny", "--dataset", "own") == 0
    named.mkdir()
    write(named / "corpus.jsonl", [{"_id": "d1", "text": "A text."}])
    write(named / "queries.jsonl", [{"_id": "q1", "text": "What?"}])
    (named / "qrels.tsv").write_text("q1\td1\t1\n")
    assert ragdesk(folder, "import", "beir", named, "--corpus", "b", "--dataset", "b") == 0
    capsys.readouterr()
    with open_workspace(folder) as workspace:
        reasons = workspace.db.execute("SELECT reason FROM revision WHERE reason LIKE '%\\x%'")
        assert {reason for (reason,) in reasons} == {
            "imported from \\xb4\\xf0\\xb0\\xb8.items",
            "imported from \\xb4\\xf0\\xb0\\xb8",
        }

"""The main job from the command line: what it prints, what it leaves, how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sample_workspaces import ITEMS

from sample_corpus import ROOT
from tui.cli import main


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    """Four documents, four judged questions in two languages."""
    folder = tmp_path / "beir"
    folder.mkdir()
    documents = [
        ("d1", "流动性", "商业银行的流动性覆盖率不得低于100%，每月报送一次。"),
        ("d2", "净利润", "公司2023年实现净利润12.5亿元，同比下降3.4%。"),
        ("d3", "Fees", "The annual fee of the gold card is $95, waived above $12,000 of spending."),
        ("d4", "Terms", "A term deposit of three years pays 2.20% and cannot be withdrawn early."),
    ]
    questions = [
        ("q1", "流动性覆盖率的最低要求是多少？", ["100%"], "zh", "span", "d1"),
        ("q2", "公司2023年净利润同比变动多少？", ["下降3.4%", "-3.4%"], "zh", "number", "d2"),
        ("q3", "What is the annual fee of the gold card?", ["$95"], "en", "span", "d3"),
        ("q4", "What does a three-year term deposit pay?", ["2.20%"], "en", "number", "d4"),
    ]
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for id, title, text in documents:
            file.write(json.dumps({"_id": id, "title": title, "text": text}) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for id, text, answers, lang, type, _ in questions:
            line = {"_id": id, "text": text, "answers": answers, "lang": lang, "type": type}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    rows = [f"{id}\t{gold}\t1" for id, *_, gold in questions]
    (folder / "qrels.tsv").write_text("query_id\tcorpus_id\tscore\n" + "\n".join(rows) + "\n")
    return folder


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Runs a command in a workspace of the test; gives exit code, stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["--workspace", str(tmp_path / "workspace"), *words])
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


def test_ingest_search_and_classify(call, tmp_path: Path):
    (tmp_path / "broken.jsonl").write_text('{"text": "好的一行"}\n{broken\n', "utf-8")
    documents = str(ROOT / "documents")
    code, out, err = call("ingest", documents, str(tmp_path / "broken.jsonl"), "--corpus", "s")
    assert code == 0
    assert "73 added, 0 edited, 0 unchanged, 0 superseded, 1 refused" in out
    assert "broken.jsonl, line 2" in err
    code, out, _ = call("ingest", documents, "--corpus", "s")
    assert "0 added, 0 edited, 72 unchanged" in out
    code, out, _ = call("--json", "search", "--corpus", "s", "--k", "3", "流动性覆盖率")
    hits = json.loads(out)["hits"]
    assert len(hits) == 3
    assert hits[0].keys() == {"document_id", "chunk_id", "source", "score"}
    assert hits[0]["source"].endswith(".md")
    code, out, _ = call("--json", "classify", "--corpus", "s")
    assert json.loads(out)["topics"]["blockchain"] == 5


def test_search_answers_a_file_of_queries(call, beir: Path, tmp_path: Path):
    call("ingest", str(beir / "corpus.jsonl"), "--corpus", "c")
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "a", "query": "gold card fee"}\n{"id": "b", "query": "净利润"}\n')
    out = tmp_path / "hits.jsonl"
    assert call("search", "--corpus", "c", "--queries", str(queries), "--out", str(out))[0] == 0
    found = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [(line["id"], line["hits"][0]["source"]) for line in found] == [("a", "d3"), ("b", "d2")]
    # with --json one document, as everywhere
    _, told, _ = call("search", "--corpus", "c", "--queries", str(queries), "--json")
    assert json.loads(told) == {"queries": found}
    again = ("--queries", str(queries), "--out", str(out), "--force", "--json")
    _, told, _ = call("search", "--corpus", "c", *again)
    assert json.loads(told) == {"out": str(out), "queries": 2}


def test_a_folder_without_anything_to_read_makes_no_corpus(call, tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    code, _, err = call("ingest", str(empty), "--corpus", "c")
    assert code == 1
    assert "There is nothing to read in" in err
    assert not list(tmp_path.rglob("ragdesk.sqlite"))


def test_a_demo_never_takes_the_place_of_somebodys_work(call, tmp_path: Path):
    (tmp_path / "mine.txt").write_text("Revenue rose.", encoding="utf-8")
    assert call("ingest", str(tmp_path / "mine.txt"), "--corpus", "mine")[0] == 0
    folder = next(tmp_path.rglob("ragdesk.sqlite")).parent
    code, _, err = call("demo", "--workspace", str(folder), "--force")
    assert code == 1
    assert "is not a demo alone: it holds 1 other corpus and 0 labels" in err
    assert "mine" in call("corpora", "--workspace", str(folder))[1]


def test_a_result_replaces_a_file_only_with_force_and_a_workspace_never(call, tmp_path: Path):
    call("ingest", str(ROOT / "documents"), "--corpus", "c")
    database = next(tmp_path.rglob("ragdesk.sqlite"))
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"id": "1", "prediction": "a", "golden_answers": "a"}\n')
    mine = tmp_path / "mine.txt"
    for command in (["topics", "export", "crud"], ["score", str(lines)], ["labels", "events"]):
        mine.write_text("mine")
        code, _, err = call(*command, "--out", str(mine))
        assert (code, mine.read_text()) == (1, "mine")
        assert "exists already. Choose another name, or replace it. (--force)" in err
        assert call(*command, "--out", str(mine), "--force")[0] == 0
        assert mine.read_text() != "mine"
        code, _, err = call(*command, "--out", str(database), "--force")
        assert code == 1
        assert "belongs to a workspace" in err
    assert call("verify")[0] == 0


def test_a_benchmark_is_imported_evaluated_and_shown(call, beir: Path, tmp_path: Path):
    code, out, _ = call(
        *("import", "beir", str(beir), "--corpus", "c", "--dataset", "bank"),
        *("--task-map", "span=extractive", "--task-map", "number=multi_hop"),
    )
    assert code == 0
    assert "released bank@1: 4 items" in out
    for system in ("bm25", "closed-book"):
        code, out, _ = call("run", "--system", system, "--dataset", "bank")
        assert code == 0
        assert f"run {system}-bank@1 is done" in out
    code, out, _ = call("--json", "matrix", "bm25-bank@1", "--metric", "mrr")
    matrix = json.loads(out)
    assert matrix["total"]["mean"] == 1.0
    assert matrix["total"]["n"] == 4
    assert set(matrix["cols"]["keys"]) >= {"extractive", "multi_hop"}
    code, out, _ = call("matrix", "1", "--metric", "accuracy", "--cols", "type", "--rows", "lang")
    assert "judge rules" in out
    for kind in ("csv", "markdown", "latex", "html", "svg", "json"):
        file = tmp_path / f"matrix.{kind}"
        assert call("matrix", "1", "--format", kind, "--out", str(file))[0] == 0
        assert "bm25-bank@1" in file.read_text("utf-8")
    code, out, _ = call("--json", "compare", "1", "2", "--metric", "f1")
    assert json.loads(out)["overall"]["verdict"] == "too few to tell"
    code, out, _ = call("leaderboard", "1", "2", "--metric", "f1", "--lang", "en")
    assert out.index("bm25-bank@1") < out.index("closed-book-bank@1")
    with contextlib.closing(sqlite3.connect(next(tmp_path.rglob("ragdesk.sqlite")))) as db, db:
        db.execute("UPDATE run SET name = 'a|*b*' WHERE id = 2")
    code, out, _ = call("compare", "1", "2", "--metric", "f1", "--format", "markdown")
    assert "a\\|\\*b\\* (B)" in out
    assert "a|*b*" not in out
    code, out, _ = call("--json", "runs")
    assert [run["state"] for run in json.loads(out)["runs"]] == ["done", "done"]
    assert call("verify")[0] == 0


def test_given_expansions_are_searched_for_beside_the_question(call, beir: Path, tmp_path: Path):
    words = tmp_path / "words.jsonl"
    planted = "three years term deposit pays 2.20% cannot be withdrawn early, deposit pays"
    words.write_text(json.dumps({"_id": "q3", "text": planted}) + "\n")
    call(
        *("import", "beir", str(beir), "--corpus", "c", "--dataset", "bank"),
        *("--expansions", f"keywords={words}"),
    )
    settings = '[systems.wide]\nretriever = "bm25"\nexpansion = "keywords"\n'
    (tmp_path / "workspace" / "ragdesk.toml").write_text(settings)
    for system in ("bm25", "wide"):
        assert call("run", "--system", system, "--dataset", "bank")[0] == 0
    _, out, _ = call("--json", "compare", "bm25-bank@1", "wide-bank@1", "--metric", "mrr",
                        "--rows", "has_keywords", "--cols", "lang")  # fmt: skip
    cells = {(cell["has_keywords"], cell["lang"]): cell for cell in json.loads(out)["cells"]}
    assert cells["true", "en"]["difference"] > 0  # the planted words lead astray
    assert cells["false", "zh"]["difference"] == 0


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["nothing"], 2, "invalid choice"),
        (["run", "--system", "bm25"], 2, "--dataset"),
        (["runs"], 1, "no workspace"),
        (["ingest", "/nowhere/at/all", "--corpus", "c"], 1, "/nowhere/at/all"),
        (["import", "beir", "/nowhere", "--corpus", "c", "--dataset", "d"], 1, "/nowhere"),
        (["score", "/nowhere.jsonl"], 1, "/nowhere.jsonl"),
        (["demo", "--workspace", str(ROOT)], 1, "not empty"),
    ],
)
def test_a_wrong_call_gets_one_clear_message(call, words, code, part):
    got, _, err = call(*words)
    assert (got, part in err) == (code, True), err
    assert "Traceback" not in err


def test_a_name_that_is_not_there_is_answered_with_those_that_are(call, beir: Path):
    call("import", "beir", str(beir), "--corpus", "c", "--dataset", "bank")
    for words, part in (
        (["run", "--system", "gpt", "--dataset", "bank"], "bm25"),
        (["run", "--system", "bm25", "--dataset", "other"], "bank"),
        (["matrix", "nope"], "none yet"),
        (["search", "--corpus", "x", "y"], "c"),
        (["import", "beir", str(beir), "--corpus", "c", "--dataset", "bank"], "exists already"),
    ):
        code, _, err = call(*words)
        assert code == 2
        assert part in err


def test_a_broken_line_of_queries_is_named_and_nothing_is_stored(call, beir: Path):
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "fine"}\n{"_id": 7}\n')
    code, _, err = call("import", "beir", str(beir), "--corpus", "c", "--dataset", "bank")
    assert code == 1
    assert "queries.jsonl, line 2" in err
    code, _, err = call("run", "--system", "bm25", "--dataset", "bank")
    assert "no dataset 'bank'" in err


def test_score_writes_metrics_and_states_without_a_workspace(call, tmp_path: Path):
    lines = tmp_path / "predictions.jsonl"
    lines.write_text(
        '{"id": "a", "prediction": "-3.4%", "golden_answers": ["-3.4%", "下降3.4%"]}\n'
        '{"id": "b", "retrieved_ids": ["x", "y"], "relevant_ids": ["y"]}\n',
        "utf-8",
    )
    out = tmp_path / "scores.jsonl"
    code, _, _ = call("score", str(lines), "--metrics", "em", "mrr", "ndcg@10", "--out", str(out))
    assert code == 0
    first, second = (json.loads(line) for line in out.read_text().splitlines())
    assert (first["scores"]["em"], first["scores"]["mrr"]) == (1.0, None)
    assert second["scores"]["mrr"] == 0.5
    assert second["states"]["em"] != "ok"


def test_ctrl_c_pauses_a_run_that_can_then_be_cancelled(tmp_path: Path):
    workspace = tmp_path / "workspace"
    base = [sys.executable, "-c", "from tui.cli import entry; entry()"]
    base += ["--workspace", str(workspace)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def start(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*base, *words],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    documents, items = ROOT / "documents", ITEMS[:3]
    assert start("ingest", str(documents), "--corpus", "s").wait() == 0
    paths = [str(item) for item in items]
    assert start("import", "items", *paths, "--corpus", "s", "--dataset", "s").wait() == 0
    run = start("run", "--system", "bm25", "--dataset", "s", "--repeats", "20")
    deadline = time.monotonic() + 120
    while not _answered(workspace):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=120)
    assert run.returncode == 130, err
    assert "jobs resume 1" in err
    listed = start("--json", "jobs", "list").communicate(timeout=300)[0]
    assert json.loads(listed)["jobs"][0]["status"] == "paused (user)"
    assert start("jobs", "cancel", "1").wait(timeout=300) == 0
    shown = start("--json", "jobs", "show", "1").communicate(timeout=300)[0]
    assert json.loads(shown)["state"] == "cancelled"
    assert 0 < json.loads(shown)["finished"] < json.loads(shown)["total"]


def _answered(workspace: Path) -> bool:
    import sqlite3

    file = workspace / "ragdesk.sqlite"
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return bool(db.execute("SELECT count(*) FROM stage_result").fetchone()[0])
    finally:
        db.close()

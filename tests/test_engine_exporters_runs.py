"""A run leaves with every prediction and every score, and comes back with the same scores."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
from score_run import mean, score_run
from tiny_workspaces import (
    TAXONOMY,
    TEXTS,
    f1,
    make_corpus,
    make_release,
    make_run,
    prediction_ids,
    question,
)
from worker_here import work_here

from engine.exporters.layouts import RUN_LAYOUTS
from engine.exporters.preview import preview_runs
from engine.exporters.runs import RunExport, export_runs
from engine.exporters.writing import verify_export
from engine.importers.omnieval_predictions import import_omnieval
from engine.importers.predictions import import_predictions
from engine.importers.scores import import_scores
from engine.importers.trec import import_trec_run
from store import views
from store.errors import InputError, NotFound, UsageError
from store.formats import crud_rag, omnieval, parquet
from store.formats.trec import read_run
from store.hashing import text_id
from store.records import Evidence, ItemContent, Turn
from store.runs import judge_scores, runs, stages
from store.runs.judge_scores import JudgeValue
from store.runs.runs import Run
from store.workspace import Workspace, open_workspace

TOLD = {"claims": [{"text": "利率升至3.5%", "verdict": "entailed"}]}
RATES, BONDS = (text_id(TEXTS[f"en/{name}.md"]) for name in ("rates", "bonds"))
ANSWERS = [
    {
        "id": "a",
        "answer": "3.5 percent, = it seems",
        "retrieved": [
            {"id": "bonds.md", "score": 3.0},
            {"id": "rates.md", "start": 0, "end": 40, "score": 2.0},
            {"id": "nowhere", "score": 1.0},
        ],
    },
    {"id": "b", "turn": 0, "error": "out of memory", "retrieved": []},
    {"id": "c", "turn": 0, "answer": "基金\n\t涨了", "refused": True, "retrieved": ["基金.md"]},
    {"id": "c", "turn": 1, "answer": "涨了2.1%", "retrieved": ["rates.md", "rates.md"]},
]


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The scored run `first`, with scores of the judge `someone`, two of them repeated."""
    place = tmp_path_factory.mktemp("runs")
    graded = Turn("What fell?", ("bonds",), (Evidence(BONDS, grade=3), Evidence(RATES)))
    with open_workspace(place / "workspace", create=True) as workspace:
        with workspace.write() as db:
            contents = {
                "a": ItemContent((graded,), "rates", "qa_1doc"),
                "b": question("基金涨了多少？", topic="funds"),
                "c": question("And then?", turns=2),
            }
            make_release(db, make_corpus(db), contents=contents)
        file = place / "answers.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in ANSWERS))
        made = import_predictions(workspace, file, run_name="first", dataset="gold@1", top_k=3)
        score_run(workspace, made.job)
        scores = [
            {"id": "a", "metric": "accuracy", "value": 1, "reason": "close"},
            {"id": "c", "metric": "accuracy", "value": None, "state": "unparsed"},
            {"id": "a", "metric": "accuracy", "value": 2, "judge_repeat": 1},
        ]
        (place / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in scores))
        import_scores(workspace, place / "scores.jsonl", "first", "someone")
        with workspace.write() as db:
            judge = judge_scores.of_run(db, runs.get(db, "first").id)[-1]
            stage = judge_scores.stage_name(judge.id, "accuracy", 1)
            stages.put(db, 1, stage, JudgeValue(details=TOLD), elapsed_ms=0.0)
        yield workspace


def facts(workspace: Workspace, run: str) -> list[tuple[Any, ...]]:
    columns = ("item", "turn", "repeat", "metric", "variant", "judge", "judge_repeat", "state")
    return [
        tuple(row[name] for name in (*columns, "value", "reason"))
        for row in views.rows(workspace.db, "scores", run=run)
    ]


@pytest.mark.parametrize("kind", RUN_LAYOUTS)
def test_a_preview_counts_what_a_layout_would_hold(held: Workspace, tmp_path: Path, kind: str):
    foreseen = preview_runs(held, ["first"], kind)
    assert (foreseen.problem, foreseen.by_status) == ("", {"ok": 2, "failed": 1, "refused": 1})
    if RUN_LAYOUTS[kind].holds_scores:
        assert export_runs(held, ["first"], kind, tmp_path / "out").counts == foreseen.counts
    else:
        assert foreseen.counts == {"predictions": 4}


def test_a_preview_of_nothing_says_why(workspace: Workspace, run: Run):
    waiting = preview_runs(workspace, [run.name], "jsonl")
    assert (waiting.problem, waiting.left_out) == (
        "Nothing is answered yet.",
        {"still to be answered": 5},
    )
    assert preview_runs(workspace, [run.name], "csv").counts["predictions"] == 5
    assert preview_runs(workspace, [], "jsonl").problem == "There is no run yet."


def test_what_a_judge_counted_from_leaves_with_its_score(held: Workspace, tmp_path: Path) -> None:
    export_runs(held, ["first"], "jsonl", tmp_path / "lines")
    lines = (tmp_path / "lines/first/scores.jsonl").read_text("utf-8").splitlines()
    told = [row for row in map(json.loads, lines) if "details" in row]
    assert [(row["judge_repeat"], row["value"], row["details"]) for row in told] == [(1, 2.0, TOLD)]
    export_runs(held, ["first"], "sqlite", tmp_path / "tables")
    with closing(sqlite3.connect(tmp_path / "tables/runs.sqlite")) as db:
        (cell,) = db.execute("SELECT details FROM scores WHERE details IS NOT NULL").fetchall()
    assert json.loads(cell[0]) == TOLD


@pytest.mark.parametrize("kind", RUN_LAYOUTS)
def test_every_layout_is_whole_and_equal_each_time(
    kind: str, held: Workspace, tmp_path: Path
) -> None:
    said = export_runs(held, ["first"], kind, tmp_path / "out")
    assert said.format == f"run-{kind}"
    assert verify_export(tmp_path / "out").problems == ()
    with pytest.raises(InputError, match="not empty"):
        export_runs(held, ["first"], kind, tmp_path / "out")
    again = export_runs(held, ["first"], kind, tmp_path / "out", force=True)
    assert again.files == said.files


def test_json_lines_come_back_with_the_same_scores(held: Workspace, tmp_path: Path) -> None:
    said = export_runs(held, ["first"], "jsonl", tmp_path / "out")
    assert (said.counts["predictions"], said.counts["scores"]) == (4, len(facts(held, "first")))
    (note,) = [note for note in said.notes if "import" in note]
    assert "--k 3`" in note
    assert "gold@1" in note
    made = import_predictions(
        held,
        tmp_path / "out/first/predictions.jsonl",
        run_name="second",
        dataset="gold@1",
        top_k=3,
    )
    score_run(held, made.job)
    import_scores(held, tmp_path / "out/first/scores.jsonl", "second", "someone")
    assert facts(held, "second") == facts(held, "first")
    first, second = (
        [
            (row["item"], row["state"], row["answer"], row["retrieved"])
            for row in views.rows(held.db, "predictions", run=run)
        ]
        for run in ("first", "second")
    )
    assert sorted(first, key=repr) == sorted(second, key=repr)


def test_tables_hold_every_prediction_and_every_score(held: Workspace, tmp_path: Path) -> None:
    for kind in ("csv", "parquet", "sqlite"):
        export_runs(held, ["first"], kind, tmp_path / kind)
    with (tmp_path / "csv/predictions.csv").open(encoding="utf-8", newline="") as lines:
        written = list(csv.DictReader(lines))
    assert {row["answer"] for row in written} == {"", *(a.get("answer", "") for a in ANSWERS)}
    passages = json.loads(next(row for row in written if row["item"] == "a")["retrieved"])
    assert passages[1]["text"] == TEXTS["en/rates.md"][:40]
    scores = len(facts(held, "first"))
    rows = parquet.read(tmp_path / "parquet/scores.parquet")
    assert len(rows) == scores
    assert {row["state"] for row in rows} >= {"ok", "na", "unparsed", "missing"}
    assert all(row["judge_hash"] for row in rows if row["judge"])
    with closing(sqlite3.connect(tmp_path / "sqlite/runs.sqlite")) as db:
        assert db.execute("SELECT count(*), sum(value) FROM scores").fetchone() == (
            scores,
            pytest.approx(sum(row["value"] or 0 for row in rows)),
        )


def test_trec_eval_gives_our_values_of_the_exported_rankings(
    held: Workspace, tmp_path: Path
) -> None:
    said = export_runs(held, ["first"], "trec", tmp_path / "out")
    assert said.counts["passages that hold several pieces of evidence"] == 0
    run = {
        query.id: {hit.document: hit.score for hit in query.hits}
        for query in read_run(tmp_path / "out/first.trec")
    }
    qrels: dict[str, dict[str, int]] = {}
    for line in (tmp_path / "out/first.qrels").read_text("utf-8").splitlines():
        query, _, name, grade = line.split()
        qrels.setdefault(query, {})[name] = int(grade)
    assert set(qrels) == {"a", "b", "c#0", "c#1"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.3", "map", "recip_rank", "recall.3"})
    values = theirs.evaluate(run)
    names = {"ndcg@3": "ndcg_cut_3", "map": "map", "mrr": "recip_rank", "recall@3": "recall_3"}
    for row in views.rows(held.db, "scores", run="first", variant="standard"):
        if row["metric"] in names and row["state"] == "ok":
            query = row["item"] if row["item"] != "c" else f"c#{row['turn']}"
            # a query without a result is left out by them, and 0 here
            theirs_ = values.get(query, {}).get(names[row["metric"]], 0.0)
            assert row["value"] == pytest.approx(theirs_, abs=1e-9), (query, row["metric"])


def test_an_exported_ranking_comes_back(held: Workspace, tmp_path: Path) -> None:
    export_runs(held, ["first"], "trec", tmp_path / "out")
    made = import_trec_run(
        held, tmp_path / "out/first.trec", run_name="ranked", dataset="gold@1", top_k=3
    )
    score_run(held, made.job)
    ours = [
        row["value"]
        for run in ("first", "ranked")
        for row in views.rows(
            held.db, "scores", run=run, item="a", metric="map", variant="standard"
        )
    ]
    assert ours[0] == ours[1]
    assert mean(held, "ranked", "hit@3") is not None


def test_the_authors_read_their_layouts(held: Workspace, tmp_path: Path) -> None:
    for kind in ("omnieval", "crud", "financerag"):
        export_runs(held, ["first"], kind, tmp_path / kind)
    files = sorted((tmp_path / "omnieval/first").glob(f"*{omnieval.PREDICTIONS}"))
    rows = [row for file in files for row in omnieval.read_predictions(file)]
    assert [row.id for row in rows].count("c") == 2
    assert {row.answer for row in rows} == {None, *(a["answer"] for a in ANSWERS if "answer" in a)}
    # their code takes every prediction for a text, and asks every row for a list
    lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    assert all(isinstance(line["output"]["pred"], str) for line in lines)
    assert all(isinstance(line["output"]["retrieval_result"], list) for line in lines)
    assert {row.error for row in rows} == {"", "out of memory"}
    # each name says a topic and a task, as their evaluation takes it apart
    assert all(len(file.name.split(" - ")) == 3 for file in files)
    output = crud_rag.read_output(tmp_path / "crud/first/QuestAnswer1Doc_first.json")
    (result,) = output.results
    assert (output.task, result.id, result.generated) == ("qa_1doc", "a", ANSWERS[0]["answer"])
    # their compute_overall sums these of every result
    keys = {"bleu-avg", *(f"bleu-{n}" for n in range(1, 5)), "rouge-L", "bertScore", "length"}
    assert set(result.metrics) == keys | {"QA_avg_F1", "QA_recall"}
    with (tmp_path / "financerag/first/results.csv").open(encoding="utf-8") as lines:
        header, *ranked = csv.reader(lines)
    assert header == ["query_id", "corpus_id"]
    assert [name for query, name in ranked if query == "a"] == [BONDS, RATES, "nowhere"]
    scores = json.loads((tmp_path / "financerag/first/results.json").read_bytes())
    assert scores["a"][BONDS] == 3.0


def test_a_run_that_is_not_there_or_named_twice_is_refused(held: Workspace, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        export_runs(held, ["gone"], "jsonl", tmp_path / "out")
    with pytest.raises(UsageError, match="one name"):
        export_runs(held, ["first", "first"], "jsonl", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_older_judge_of_the_same_name_keeps_a_name_of_its_own(workspace: Workspace) -> None:
    with workspace.write() as db:
        released = make_release(db, make_corpus(db), contents={"a": question()})
        run = make_run(db, released)
        (prediction,) = prediction_ids(db, run)
        for version in (1, 2):
            judge = stages.put_judge(db, "j", {"version": version})
            stages.put_scores(db, prediction, [f1(1.0)], judge_id=judge)
    exported = RunExport(workspace, run.name)
    older, newer = judge_scores.of_run(workspace.db, run.id)
    assert exported.judges == {"": "", older.hash: older.label, newer.hash: "j"}


def test_omnieval_files_keep_apart_what_failed_and_what_nobody_knows(
    workspace: Workspace, tmp_path: Path
) -> None:
    with workspace.write() as db:
        contents = {key: question(key) for key in ("known", "unknown", "failed")}
        make_release(db, make_corpus(db), contents=contents)
    rows = [
        {"id": "known", "answer": "3.5 percent", "retrieved": ["rates.md"]},
        {"id": "unknown", "answer": "3.5 percent"},
        {"id": "failed", "error": "out of memory"},
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_predictions(
        workspace, tmp_path / "answers.jsonl", run_name="first", dataset="gold@1", top_k=3
    )
    work_here(workspace.folder)
    export_runs(workspace, ["first"], "omnieval", tmp_path / "out")
    made = import_omnieval(
        workspace,
        [tmp_path / "out/first"],
        run_name="second",
        dataset="gold@1",
        taxonomy=TAXONOMY,
        top_k=3,
        author="test",
    )
    assert made.failed == 1
    work_here(workspace.folder)
    assert facts(workspace, "second") == facts(workspace, "first")

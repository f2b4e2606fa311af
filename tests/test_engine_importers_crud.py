"""CRUD-RAG's output files become one run over its six tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from score_run import mean, score_run

from engine.importers.crud import crud_scores, import_crud
from engine.importers.foreign_run import ImportedRun
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from engine.taxonomy.definitions import load_taxonomy
from store.corpora import corpora
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.formats.crud_rag import CrudResult
from store.records import PredictionState, ScoreState
from store.runs import details, predictions, runs
from store.runs.predictions import StoredPrediction
from store.verify import verify
from store.workspace import Workspace

CASES = json.loads(
    (Path(__file__).parent / "data/parity/crud_ranking_claims.json").read_text("utf-8")
)["generation"]
SCORED = [case for case in CASES if case["prediction"].strip() and case["reference"].strip()]


def result(id: str, generated: str, golden: str, **fields: object) -> dict[str, object]:
    return {
        "id": id,
        "metrics": {},
        "log": {"generated_text": generated, "ground_truth_text": golden},
        "valid": True,
        **fields,
    }


def write(folder: Path, name: str, results: list[dict[str, object]]) -> Path:
    file = folder / name
    content = {"info": {"llm": "gpt"}, "overall": {}, "results": results}
    file.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return file


def bring_in(workspace: Workspace, *paths: Path, **chosen: object) -> ImportedRun:
    options = {"run_name": "gpt", "dataset": "crud", "corpus_name": "crud", **chosen}
    return import_crud(  # type: ignore[arg-type]
        workspace, paths, taxonomy=load_taxonomy("crud"), author="test", **options
    )


def test_our_crud_means_are_their_overall(workspace: Workspace, tmp_path: Path):
    rows = [
        result(case["id"], case["prediction"], case["reference"], original_data={"event": "事件"})
        for case in SCORED
    ]
    made = bring_in(workspace, write(tmp_path, "Summary_gpt.json", rows))
    score_run(workspace, made.job)
    ours = [mean(workspace, "gpt", name, variant="crud") for name in ("bleu", "rougeL")]
    theirs = [
        sum(case["expected"]["bleu"][0] for case in SCORED) / len(SCORED),
        sum(case["expected"]["rougeL"] for case in SCORED) / len(SCORED),
    ]
    assert ours == pytest.approx(theirs, abs=1e-9)
    matrix = run_matrix(workspace.db, "gpt", MetricQuery("bleu", variant="crud")).matrix
    cell = matrix.col_totals[matrix.cols.keys.index("summarization")]
    assert cell.n == len(SCORED)
    assert verify(workspace.db).ok


def test_what_rules_cannot_compute_is_kept_from_their_files(workspace: Workspace, tmp_path: Path):
    asked, none = {"questions_gt": ["谁？"]}, {"questions_gt": []}
    metrics = {"bertScore": 0.8, "QA_avg_F1": 0.25, "QA_recall": 0.5}

    def log(save: object) -> dict[str, object]:
        return {"generated_text": "央行", "ground_truth_text": "央行", "quest_eval_save": save}

    rows = [
        result("1", "", "", metrics=metrics, log=log(asked), original_data={"event": "甲"}),
        result("2", "", "", metrics=metrics, log=log(none), original_data={"event": "乙"}),
        result("3", "", "央行", metrics={}, valid=False, original_data={"event": "丙"}),
    ]
    made = bring_in(workspace, write(tmp_path, "Summary_gpt.json", rows))
    assert (made.predictions, made.failed) == (3, 1)
    score_run(workspace, made.job)
    assert mean(workspace, "gpt", "bertScore") == 0.8
    assert mean(workspace, "gpt", "QA_avg_F1") == 0.25
    matrix = run_matrix(workspace.db, "gpt", MetricQuery("QA_recall", judge="crud-rag")).matrix
    counts = matrix.total.summary.n
    assert (counts[ScoreState.OK], counts[ScoreState.ERROR], counts[ScoreState.MISSING]) == (
        1,
        1,
        1,
    )


def test_several_files_are_several_tasks_and_articles_are_evidence(
    workspace: Workspace, tmp_path: Path
):
    data = {"questions": "谁降息？何时？", "news1": "央行昨日降息。", "news2": "市场今日上涨。"}
    write(tmp_path, "QuestAnswer2Docs_gpt.json", [result("n", "央行", "央行", original_data=data)])
    write(
        tmp_path,
        "ContinueWriting_gpt.json",
        [
            result("n", "续写", "后文", original_data={"beginning": "央行昨日宣布下调利率。"}),
        ],
    )
    made = bring_in(workspace, tmp_path)
    assert made.built == ("dataset crud@1: 2 items on corpus crud",)
    gold = {
        item.item_key: item.content
        for item in datasets.released_items(workspace.db, made.release.id)
    }
    assert set(gold) == {"continuation/n", "qa_2doc/n"}
    assert gold["qa_2doc/n"].task == "qa_2doc"
    documents = corpora.documents_by_id(
        workspace.db,
        corpora.get(workspace.db, "crud"),
        [evidence.document_id for evidence in gold["qa_2doc/n"].turns[0].evidence],
    )
    assert [document.text for document in documents.values()] == [
        "央行昨日降息。",
        "市场今日上涨。",
    ]
    assert made.run.system.retriever == "imported"


def test_another_model_is_matched_by_id(workspace: Workspace, tmp_path: Path):
    data = {"event": "甲"}
    rows = [result(str(n), "答", "金", original_data=data) for n in range(3)]
    bring_in(workspace, write(tmp_path, "Summary_gpt.json", rows))
    other = write(tmp_path, "Summary_qwen.json", [result("2", "另答", "金")])
    made = bring_in(workspace, other, run_name="qwen", dataset="crud@1", corpus_name=None)
    assert (made.predictions, made.not_provided) == (3, 2)
    (answered,) = [
        details.prediction(workspace.db, row.id)
        for row in predictions.by_key(workspace.db, made.run.id).values()
        if row.state is PredictionState.OK
    ]
    assert (answered.item_key, answered.answer) == ("summarization/2", "另答")


def test_questions_come_from_their_question_file_where_results_lack_them(
    workspace: Workspace, tmp_path: Path
):
    file = write(tmp_path, "Summary_gpt.json", [result("s1", "答", "金")])
    with pytest.raises(InputError, match=r"id s1: field `original_data`"):
        bring_in(workspace, file)
    questions = tmp_path / "split_merged.json"
    questions.write_text('{"event_summary": [{"ID": "s1", "event": "央行降息"}]}', "utf-8")
    made = bring_in(workspace, file, questions=questions)
    (item,) = datasets.released_items(workspace.db, made.release.id)
    assert item.content.turns[0].question == "央行降息"


def test_what_does_not_fit_is_named_and_nothing_is_stored(workspace: Workspace, tmp_path: Path):
    data = {"event": "甲"}
    one = write(tmp_path, "Summary_gpt.json", [result("s1", "答", "金", original_data=data)])
    two = write(tmp_path, "Summary_qwen.json", [result("s1", "答", "金", original_data=data)])
    with pytest.raises(InputError, match="was answered already in"):
        bring_in(workspace, one, two)
    with pytest.raises(UsageError, match="'7' cannot name a run"):
        bring_in(workspace, one, run_name="7")
    assert (runs.listing(workspace.db), datasets.listing(workspace.db)) == ([], [])
    bring_in(workspace, one)
    lost = write(tmp_path, "Summary_x.json", [result("zz", "答", "金")])
    with pytest.raises(InputError, match="id zz: crud@1 has no item 'summarization/zz'"):
        bring_in(workspace, lost, run_name="x", dataset="crud@1", corpus_name=None)


def values(questions: int | None = 2, **metrics: float | None) -> CrudResult:
    return CrudResult("n", "x", "y", metrics, questions, True, None)


def test_crud_values_keep_their_names_and_failures_of_questeval_are_errors():
    keys = [(10, 0, 0), (11, 0, 0)]
    predictions = {
        key: StoredPrediction(number, PredictionState.OK, "x") for number, key in enumerate(keys, 1)
    }
    scores = crud_scores(
        {
            keys[0]: values(bertScore=1.0000002, QA_recall=0.5),
            keys[1]: values(0, bertScore=-0.25, QA_recall=0.0),
        },
        predictions,
    )
    assert [(s.metric, s.variant, s.state, s.value) for s in scores[1]] == [
        ("bertScore", "crud", ScoreState.OK, 1.0),
        ("QA_recall", "crud", ScoreState.OK, 0.5),
    ]
    assert [(s.metric, s.state) for s in scores[2]] == [
        ("bertScore", ScoreState.OUT_OF_RANGE),
        ("QA_recall", ScoreState.ERROR),
    ]

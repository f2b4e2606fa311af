"""The files of OmniEval's authors become a run whose means are the ones they published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from score_run import mean, score_run

from engine.importers.foreign_run import ImportedRun
from engine.importers.omnieval_predictions import import_omnieval
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from engine.taxonomy.definitions import load_taxonomy
from store.corpora import corpora
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.records import UNASSIGNED, Evidence, ReleasedItem, ScoreState
from store.runs import details, predictions, results, runs
from store.verify import verify
from store.workspace import Workspace

END_TO_END = json.loads(
    (Path(__file__).parent / "data/parity/omnieval_metrics.json").read_text("utf-8")
)["end_to_end"]
RETAIL = "银行业务 - 零售银行 - 抽取类问答.pred.jsonl"
CELLS = {
    RETAIL: ("retail_banking", "extractive"),
    "银行业务 - 零售银行 - 多跳推理类问答.pred.jsonl": ("retail_banking", "multi_hop"),
    "投资 - 股票市场 - 抽取类问答.pred.jsonl": ("stock_market", "extractive"),
}
OURS = {"MRR": ("mrr",), "MAP": ("map",), "rouge": ("rouge1", "rouge2", "rougeL")}
TAXONOMY = load_taxonomy("omnieval")
JUDGED = ("accuracy", "completeness", "hallucination", "utilization", "numerical_accuracy")


def write(file: Path, rows: list[dict[str, object]]) -> Path:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The three prediction files, and nothing else."""
    made = tmp_path / "bge_TOP5-qwen"
    made.mkdir()
    for name, rows in END_TO_END["pred_files"].items():
        write(made / name, rows)
    return made


def add_results(folder: Path, *names: str) -> None:
    for name in names:
        write(folder / name, END_TO_END[name])


def bring_in(workspace: Workspace, *paths: Path, **chosen: object) -> ImportedRun:
    options = {"run_name": "authors", "dataset": "auto", "corpus_name": "auto", **chosen}
    return import_omnieval(workspace, paths, taxonomy=TAXONOMY, author="test", **options)  # type: ignore[arg-type]


def items(workspace: Workspace, label: str = "auto") -> dict[str, ReleasedItem]:
    release = datasets.find_release(workspace.db, label)
    return {item.item_key: item for item in datasets.released_items(workspace.db, release.id)}


def flat(maps: dict[str, object]) -> dict[str, float]:
    """Their means by our names; overall, ROUGE is one text of three numbers."""
    found: dict[str, float] = {}
    for name, value in maps.items():
        if isinstance(value, dict):
            value = value["mean"]
        if isinstance(value, str):
            value = [float(part) for part in value.split(",")]
        values = value if isinstance(value, list) else [value]
        found |= dict(zip(OURS.get(name, (name,)), values, strict=True))
    return found


def test_our_omnieval_means_are_those_of_their_rule_results(workspace: Workspace, folder: Path):
    made = bring_in(workspace, folder)
    score_run(workspace, made.job)
    *blocks, overall = END_TO_END["evaluation_result_rule.jsonl"]
    theirs = flat(overall["all_avg_retrieval_res_map"] | overall["all_avg_generation_res_map"])
    assert set(theirs) == {"em", "f1", "rouge1", "rouge2", "rougeL", "map", "mrr"}
    for metric, expected in theirs.items():
        matrix = run_matrix(workspace.db, "authors", MetricQuery(metric, variant="omnieval")).matrix
        assert matrix.total.summary.mean == pytest.approx(expected, abs=1e-9), metric
        for block in blocks:
            ((name, maps),) = block.items()
            row, col = CELLS[name]
            cell = matrix.cells[matrix.rows.keys.index(row)][matrix.cols.keys.index(col)]
            assert cell is not None
            said = flat(maps["retrieval_res_map"] | maps["generation_res_map"])[metric]
            assert cell.summary.mean == pytest.approx(said, abs=1e-9), (metric, name)
    assert verify(workspace.db).ok


def test_their_judges_stand_beside_ours_under_a_name_of_their_own(
    workspace: Workspace, folder: Path
):
    add_results(
        folder,
        "evaluation_result_rule.jsonl",
        "evaluation_result_model_qwen-eval.jsonl",
        "evaluation_result_model_qwen-eval-hallucination.jsonl",
        "evaluation_result_model_qwen-eval-merge.jsonl",
    )
    made = bring_in(workspace, folder)
    score_run(workspace, made.job)
    theirs = END_TO_END["evaluation_result_model_qwen-eval-merge.jsonl"][-1]
    for metric, expected in theirs["all_avg_generation_res_map"].items():
        assert mean(workspace, "authors", metric, judge="omnieval") == pytest.approx(
            expected, abs=1e-12
        )
    ours = {key.name for key in results.metrics(workspace.db, made.run.id) if key.judge == "rules"}
    assert ours == set(JUDGED)
    # what was computed here is the metric, unless theirs is asked for
    assert results.find_metric(workspace.db, made.run.id, "em", "omnieval").judge == ""
    assert mean(workspace, "authors", "em", judge="omnieval") == pytest.approx(0.25)


def test_their_scales_and_their_minus_one_become_ours(workspace: Workspace, folder: Path):
    add_results(folder, "evaluation_result_model_qwen-eval.jsonl")
    made = bring_in(workspace, folder)
    scores = {}
    for row in predictions.by_key(workspace.db, made.run.id).values():
        detail = details.prediction(workspace.db, row.id)
        for one in detail.scores:
            scores[detail.item_key, one.score.metric] = one.score
    assert scores["retail_banking/extractive/0", "accuracy"].value == 2
    assert scores["retail_banking/multi_hop/0", "accuracy"].value == 1
    missing = scores["retail_banking/extractive/0", "completeness"]
    assert (missing.state, missing.value) == (ScoreState.MISSING, None)
    assert "does not apply" in missing.reason
    assert "not understood" in missing.reason


def test_the_corpus_holds_what_was_retrieved_and_the_passages_of_what_was_not(
    workspace: Workspace, folder: Path
):
    bring_in(workspace, folder)
    corpus = corpora.get(workspace.db, "auto")
    known = corpora.document_by_external_id(workspace.db, corpus)
    assert set(known) == set("abcdez")
    gold = items(workspace)
    assert set(gold) == {
        *(f"stock_market/extractive/{n}" for n in range(3)),
        *("retail_banking/extractive/0", "retail_banking/extractive/1"),
        "retail_banking/multi_hop/0",
    }
    both = gold["retail_banking/multi_hop/0"].content
    assert (both.topic, both.task, both.lang) == ("retail_banking", "multi_hop", "en")
    assert both.turns[0].evidence == (
        Evidence(known["b"][0]),
        Evidence(known["z"][0], 0, 1, "p"),
    )


def test_a_corpus_file_gives_the_documents(workspace: Workspace, folder: Path):
    nodes = [{"id": name, "title": "报告", "contents": f"{name}：正文 p"} for name in "abcdez"]
    bring_in(workspace, folder, write(folder.parent / "corpus.jsonl", nodes))
    corpus = corpora.get(workspace.db, "auto")
    (document,) = corpora.documents_by_id(
        workspace.db, corpus, [corpora.document_by_external_id(workspace.db, corpus)["z"][0]]
    ).values()
    assert (document.text, document.title) == ("z：正文 p", "报告")


def dialogue(*turns: tuple[str, str], id: int = 0) -> list[dict[str, object]]:
    return [
        {
            "id": id,
            "question": question,
            "golden_answers": ["100%"],
            "output": {"pred": answer},
            "relevant_passage": ["覆盖率不低于100%"],
            "relevant_node": ["n1"],
        }
        for question, answer in turns
    ]


DIALOGUES = [
    *dialogue(("什么是覆盖率？", "比率"), ("最低多少？", "100%")),
    *dialogue(("谁提交？", "机构"), ("最低多少？", "不知道"), id=1),
]


def test_rows_of_one_id_are_the_turns_of_a_conversation(workspace: Workspace, tmp_path: Path):
    file = tmp_path / "监管与合规 - 反洗钱（AML） - 多轮对话能力.pred.jsonl"
    made = bring_in(workspace, write(file, DIALOGUES))
    gold = items(workspace)
    assert list(gold) == [f"anti_money_laundering/conversational/{n}" for n in range(2)]
    assert [turn.question for turn in gold["anti_money_laundering/conversational/1"].content.turns]
    assert (made.predictions, made.not_provided) == (4, 0)
    assert made.run.system.retriever is None  # no row has a list of retrieved documents


def test_an_unknown_file_name_leaves_topic_and_task_unassigned(
    workspace: Workspace, tmp_path: Path
):
    bring_in(workspace, write(tmp_path / "v1022.pred.jsonl", dialogue(("问？", "答"))))
    (item,) = items(workspace).values()
    assert (item.item_key, item.content.topic, item.content.task) == (
        *("v1022/0", UNASSIGNED, UNASSIGNED),
    )


def test_another_system_is_matched_by_question(workspace: Workspace, folder: Path, tmp_path: Path):
    bring_in(workspace, folder)
    other = tmp_path / "other"
    other.mkdir()
    for name, rows in END_TO_END["pred_files"].items():
        kept = [
            {**row, "id": 90 + n, "output": {**row["output"], "pred": "另一个"}}
            for n, row in enumerate(reversed(rows))
            if row["question"] != "q6"
        ]
        write(other / name, kept)
    made = bring_in(workspace, other, run_name="other", dataset="auto@1", corpus_name=None)
    assert (made.release.label, made.predictions, made.not_provided) == ("auto@1", 6, 1)
    assert made.unknown_documents == ()
    answers = [row.answer for row in predictions.by_key(workspace.db, made.run.id).values()]
    assert sorted(answers, key=str) == [None, *["另一个"] * 5]


def test_equal_questions_go_to_the_item_that_agrees_most(workspace: Workspace, tmp_path: Path):
    names = [f"投资 - {topic} - 抽取类问答.pred.jsonl" for topic in ("基金", "债券市场")]
    for name in names:
        write(tmp_path / name, dialogue(("多少？", name)))
    bring_in(workspace, *(tmp_path / name for name in names))
    made = bring_in(
        workspace,
        *(tmp_path / name for name in reversed(names)),
        run_name="again",
        dataset="auto@1",
        corpus_name=None,
    )
    rows = predictions.by_key(workspace.db, made.run.id)
    by_topic = {item.revision_id: item.content.topic for item in items(workspace).values()}
    assert {by_topic[key[0]]: row.answer for key, row in rows.items()} == {
        "fund": names[0],
        "bond_market": names[1],
    }


def test_results_that_come_later_are_added_to_the_run_that_holds_their_answers(
    workspace: Workspace, folder: Path
):
    first = bring_in(workspace, folder)
    add_results(folder, "evaluation_result_model_qwen-eval-merge.jsonl")
    later = bring_in(workspace, folder, corpus_name=None)
    assert (later.run.id, later.job, later.scores) == (first.run.id, None, 30)
    score_run(workspace, first.job)
    assert mean(workspace, "authors", "accuracy", judge="omnieval") == pytest.approx(0.5)
    with pytest.raises(UsageError, match="has scores of 'omnieval' already: accuracy"):
        bring_in(workspace, folder, corpus_name=None)
    bring_in(workspace, folder, corpus_name=None, judge="qwen")


def test_results_of_other_answers_are_refused(workspace: Workspace, folder: Path):
    bring_in(workspace, folder)
    add_results(folder, "evaluation_result_model_qwen-eval.jsonl")
    rows = [
        {**row, "output": {**row["output"], "pred": "换了"}}
        for row in END_TO_END["pred_files"][RETAIL]
    ]
    write(folder / RETAIL, rows)
    with pytest.raises(InputError, match="has another answer"):
        bring_in(workspace, folder, corpus_name=None)


def test_a_question_that_the_dataset_lacks_is_named_and_nothing_is_stored(
    workspace: Workspace, folder: Path, tmp_path: Path
):
    bring_in(workspace, folder)
    file = write(tmp_path / "投资 - 基金 - 抽取类问答.pred.jsonl", dialogue(("没有的？", "答")))
    with pytest.raises(InputError) as refusal:
        bring_in(workspace, file, run_name="new", dataset="auto@1", corpus_name=None)
    assert f"{file}, line 1: '没有的？'" in str(refusal.value)
    assert [run.name for run in runs.listing(workspace.db)] == ["authors"]


@pytest.mark.parametrize(
    ("name", "rows", "said"),
    [
        (
            "evaluation_result_rule.jsonl",
            [{RETAIL: {"generation_res_map": {"f1": {"list": "1"}}}}],
            "1 values for 2 predictions",
        ),
        ("notes.jsonl", [{}], "not one of OmniEval's"),
    ],
)
def test_files_that_do_not_fit_are_named(
    workspace: Workspace, folder: Path, name: str, rows: list[dict[str, object]], said: str
):
    file = write(folder / name, rows)
    with pytest.raises(InputError) as refusal:
        bring_in(workspace, folder, file)
    assert said in str(refusal.value)
    assert str(file) in str(refusal.value)
    assert runs.listing(workspace.db) == []
    assert datasets.listing(workspace.db) == []


def test_a_folder_without_predictions_is_refused(workspace: Workspace, tmp_path: Path):
    with pytest.raises(InputError, match="no prediction"):
        bring_in(workspace, tmp_path)

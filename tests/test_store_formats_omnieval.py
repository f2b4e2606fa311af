"""OmniEval's prediction and result files are read as their authors' code writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import InputError
from store.formats.omnieval import Node, read_predictions, read_results, topic_and_task

END_TO_END = json.loads(
    (Path(__file__).parent / "data/parity/omnieval_metrics.json").read_text("utf-8")
)["end_to_end"]


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


def test_the_file_name_says_topic_and_task():
    named = Path("监管与合规 - 反洗钱（AML） - 多轮对话能力.pred.jsonl")
    assert topic_and_task(named) == ("反洗钱（AML）", "多轮对话能力")
    assert topic_and_task(Path("金融 - 投资 - 基金 - 对比类问答.pred.jsonl")) == (
        *("基金", "对比类问答"),
    )
    assert topic_and_task(Path("v1022.pred.jsonl")) is None


def test_a_row_is_read_with_its_documents(tmp_path: Path):
    name = "银行业务 - 零售银行 - 抽取类问答.pred.jsonl"
    rows = read_predictions(write(tmp_path, name, END_TO_END["pred_files"][name]))
    assert [(row.line, row.id, row.answer) for row in rows] == [
        (1, "0", "2亿元"),
        (2, "1", "按季报送"),
    ]
    assert rows[0].golden_answers == ("2亿元", "二亿元")
    assert (rows[1].nodes, rows[1].passages) == (("z",), ("p",))
    assert rows[0].retrieved is not None
    assert rows[0].retrieved[0] == Node("a", "Ta", "Ca")


def test_texts_stand_alone_or_in_lists_and_closed_book_rows_have_no_documents(tmp_path: Path):
    row = {
        "id": 3,
        "question": ["什么是流动性覆盖率？", "最低要求是多少？"],
        "golden_answers": "100%",
        "output": {"pred": ""},
        "relevant_passage": "",
        "relevant_node": "n1",
    }
    (read,) = read_predictions(write(tmp_path, "x.pred.jsonl", [row]))
    assert read.question == "最低要求是多少？"
    assert (read.golden_answers, read.passages, read.nodes) == (("100%",), (), ("n1",))
    assert (read.answer, read.retrieved) == ("", None)


def test_result_lists_have_a_value_for_each_row(tmp_path: Path):
    rows = END_TO_END["evaluation_result_rule.jsonl"]
    blocks = read_results(write(tmp_path, "evaluation_result_rule.jsonl", rows))
    assert [block.line for block in blocks] == [1, 2, 3]
    stock = blocks[0]
    assert stock.file_name == "投资 - 股票市场 - 抽取类问答.pred.jsonl"
    assert set(stock.lists) == {"em", "f1", "rouge1", "rouge2", "rougeL", "map", "mrr"}
    assert stock.lists["mrr"] == (0.25, 0.3333333333333333, 1.0)
    assert stock.lists["rouge2"] == (0.39999999520000007, 0.0, 0.999999995)


def test_scientific_notation_does_not_break_a_triple_and_nan_is_no_value(tmp_path: Path):
    block = {
        "retrieval_res_map": None,
        "generation_res_map": {
            "rouge": {"mean": [0, 0, 0], "list": "1e-05-0.5-2.5e-06"},
            "em": {"mean": 0, "list": "nan"},
        },
    }
    (read,) = read_results(write(tmp_path, "r.jsonl", [{"x.pred.jsonl": block}]))
    assert [read.lists[name] for name in ("rouge1", "rouge2", "rougeL", "em")] == [
        *((1e-05,), (0.5,), (2.5e-06,), (-1.0,)),
    ]


@pytest.mark.parametrize(
    ("series", "said"),
    [
        ({"f1": {"mean": 0, "list": "0.1,much"}}, "'much' is not a number"),
        ({"rouge": {"mean": 0, "list": "0.1-0.2"}}, "'0.1-0.2' is not of the form"),
        ({"f1": {"mean": 0}}, "list"),
    ],
)
def test_a_broken_result_is_named_by_file_line_and_metric(
    tmp_path: Path, series: dict[str, object], said: str
):
    file = write(tmp_path, "r.jsonl", [{"x.pred.jsonl": {"generation_res_map": series}}])
    with pytest.raises(InputError) as refusal:
        read_results(file)
    assert said in str(refusal.value)
    assert f"{file}, line 1" in str(refusal.value)

"""The omnieval variant gives the numbers of OmniEval's released code."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_chinese import Rouge

from engine.metrics.omnieval import (
    average_precision,
    exact_match,
    reciprocal_rank,
    rouge_1,
    rouge_2,
    rouge_l,
    score_text,
)
from engine.text.segmentation import jieba_cut
from store.records import ScoreState

ORACLE = json.loads(
    (Path(__file__).parent / "data/parity/omnieval_metrics.json").read_text("utf-8")
)
METRICS = ("em", "f1", "rouge1", "rouge2", "rougeL")
PIECES = (
    *(
        "银行",
        "净利润",
        "12.5",
        "%",
        "the",
        "A",
        "。",
        "！",
        "？",
        "?",
        "......",
        ".",
        "……",
        "”",
        "’",
    ),
    *(" ", "\n", "\r\n", "\t", "\u3000", "，", "📈", "\u2028", "增长", "-3.4"),
)
MESSY_TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@pytest.mark.parametrize("case", ORACLE["generation"], ids=lambda case: case["id"])
def test_text_metrics_equal_the_reference(case):
    golden = case["golden_answers"]
    golden = [golden] if isinstance(golden, str) else golden
    found = {score.metric: score for score in score_text(case["prediction"], golden, METRICS)}
    for name, expected in case["expected"].items():
        if expected == "NaN":
            assert (found[name].value, found[name].state) == (None, ScoreState.NA)
        elif isinstance(expected, dict):
            assert (found[name].value, found[name].state) == (None, ScoreState.ERROR)
        else:
            assert found[name].value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", ORACLE["retrieval"], ids=lambda case: case["id"])
def test_retrieval_metrics_equal_the_reference(case):
    arguments = case["retrieved_ids"], case["relevant_node"], case["k"]
    assert average_precision(*arguments) == pytest.approx(case["expected"]["MAP"], abs=1e-9)
    assert reciprocal_rank(*arguments) == pytest.approx(case["expected"]["MRR"], abs=1e-9)


def test_whole_files_give_the_overall_means_of_the_reference():
    end_to_end = ORACLE["end_to_end"]
    rows = [row for rows in end_to_end["pred_files"].values() for row in rows]
    found = {name: [] for name in (*METRICS, "map", "mrr")}
    for row in rows:
        for score in score_text(row["output"]["pred"], row["golden_answers"], METRICS):
            found[score.metric].append(score.value)
        retrieved = [hit["id"] for hit in row["output"]["retrieval_result"]]
        found["map"].append(average_precision(retrieved, row["relevant_node"]))
        found["mrr"].append(reciprocal_rank(retrieved, row["relevant_node"]))
    means = {name: math.fsum(values) / len(rows) for name, values in found.items()}
    overall = end_to_end["evaluation_result_rule.jsonl"][-1]
    generation, retrieval = (
        overall["all_avg_generation_res_map"],
        overall["all_avg_retrieval_res_map"],
    )
    rouge = [float(part) for part in generation["rouge"].split(",")]
    expected = dict(zip(("rouge1", "rouge2", "rougeL"), rouge, strict=True)) | {
        "em": generation["em"],
        "f1": generation["f1"],
        "map": retrieval["MAP"],
        "mrr": retrieval["MRR"],
    }
    assert means == pytest.approx(expected, abs=1e-9)


def library_rouge(prediction, golden):
    """What the reference does with one golden answer: the library, and zeros where it raises."""
    if not prediction or not golden:
        return 0.0, 0.0, 0.0
    try:
        found = Rouge().get_scores(
            " ".join(jieba_cut(prediction)), " ".join(jieba_cut(golden)), avg=True
        )
    except ValueError:
        return 0.0, 0.0, 0.0
    return found["rouge-1"]["f"], found["rouge-2"]["f"], found["rouge-l"]["f"]


def our_rouge(prediction, golden):
    return tuple(metric(prediction, golden) for metric in (rouge_1, rouge_2, rouge_l))


@settings(max_examples=400)
@given(MESSY_TEXTS, MESSY_TEXTS)
@example("开户。\n入金。", "开户。入金。")
@example("a\n\nb", "a b")
@example(" \n甲", "甲")
@example("............then", "then")
@example("......”then", "then")
@example("开户。”\n入金", "开户。”入金")
@example("   ", "净利润")
@example("\x00", "\n\nx")
def test_rouge_equals_rouge_chinese_on_any_text(prediction, golden):
    ours, library = our_rouge(prediction, [golden]), library_rouge(prediction, golden)
    assert ours == pytest.approx(library, abs=1e-12)


def test_rouge_equals_rouge_chinese_on_many_random_texts():
    source = random.Random(20241213)
    letters = "银行净利润同比增长。！？?.\n \t%-,，”’…Abc12📈　"
    for _ in range(1500):
        prediction, golden = (
            "".join(source.choices(letters, k=source.randrange(30))) for _ in range(2)
        )
        ours, library = our_rouge(prediction, [golden]), library_rouge(prediction, golden)
        assert ours == pytest.approx(library, abs=1e-12), (prediction, golden)


def test_rouge_takes_the_best_golden_answer_for_each_metric_alone():
    prediction, golden = "收入增长且成本下降", ["", "收入增长", "成本下降利润上升", "   "]
    each = [library_rouge(prediction, answer) for answer in golden]
    assert our_rouge(prediction, golden) == pytest.approx(
        [max(column) for column in zip(*each, strict=True)]
    )


@pytest.mark.parametrize(
    ("prediction", "golden", "equal"),
    [
        ("a² + b", "² b", True),  # ² is no word character to `regex`, so the article goes
        ("①the bank", "① bank", True),
        ("a\u0301 bank", "bank", False),  # a combining mark is one
        ("theatre", "atre", False),
    ],
)
def test_articles_end_where_the_reference_s_library_ends_words(prediction, golden, equal):
    assert exact_match(prediction, [golden]) == float(equal)


@given(MESSY_TEXTS, st.lists(MESSY_TEXTS, min_size=1, max_size=3))
def test_values_lie_in_0_to_1(prediction, golden):
    assert all(0 <= score.value <= 1 for score in score_text(prediction, golden, METRICS))


@given(st.lists(st.sampled_from("abcdef")), st.sets(st.sampled_from("abcdef")))
def test_average_precision_is_at_least_the_reciprocal_rank_of_a_first_hit(retrieved, relevant):
    precision, reciprocal = (
        average_precision(retrieved, relevant),
        reciprocal_rank(retrieved, relevant),
    )
    assert 0 <= precision <= 1
    assert (precision > 0) == (reciprocal > 0)
    assert average_precision(retrieved, relevant, 1) == reciprocal_rank(retrieved, relevant, 1)

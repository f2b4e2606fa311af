"""The crud variant gives the numbers of CRUD-RAG's released code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.crud import bleu, ngram_precision, rouge_l, score_text, token_f1
from engine.text.segmentation import jieba_cut
from store.records import ScoreState

ORACLE = json.loads(
    (Path(__file__).parent / "data/parity/crud_ranking_claims.json").read_text("utf-8")
)
METRICS = ("bleu", "bleu1", "bleu2", "bleu3", "bleu4", "rougeL", "f1", "length")
TEXTS = st.text(alphabet="银行净利润增长12.5% ，。the\n", max_size=30)


@pytest.mark.parametrize("case", ORACLE["generation"], ids=lambda case: case["id"])
def test_generation_metrics_equal_the_reference(case):
    found = score_text(case["prediction"], [case["reference"]], METRICS)
    expected = case["expected"]
    values = {score.metric: score.value for score in found}
    assert [values[name] for name in METRICS[:5]] == pytest.approx(expected["bleu"], abs=1e-9)
    assert values["rougeL"] == pytest.approx(expected["rougeL"], abs=1e-9)
    assert values["length"] == expected["length"]
    penalised = bleu(case["prediction"], case["reference"], with_penalty=True)
    assert penalised == pytest.approx(expected["bleu_with_penalty"][0], abs=1e-9)
    assert len(jieba_cut(case["prediction"])) == case["tokens"]["prediction"]


@pytest.mark.parametrize("case", ORACLE["token_f1"], ids=lambda case: case["id"])
def test_token_f1_equals_the_reference(case):
    assert token_f1(case["prediction"], case["gold"]) == pytest.approx(case["expected"], abs=1e-9)


@pytest.mark.parametrize(("prediction", "golden"), [("", "净利润"), ("净利润", ""), ("", "")])
def test_bleu_of_an_empty_side_is_an_error_as_the_reference_divides_by_zero(prediction, golden):
    found = {score.metric: score for score in score_text(prediction, [golden], METRICS)}
    for name in METRICS[:5]:
        assert (found[name].value, found[name].state) == (None, ScoreState.ERROR)
    assert found["rougeL"].value == 0
    assert found["f1"].value == float(prediction == golden)
    assert found["length"].value == len(prediction)


def test_a_brevity_penalty_that_underflows_leaves_no_bleu():
    reference = "银行净利润增长" * 2000
    assert bleu("银行净利润增长银行净利润增长", reference) == 0
    assert ngram_precision("银行净利润增长", reference, 1) == 1


def test_without_golden_answers_only_the_length_has_a_value():
    found = {score.metric: score for score in score_text("净利润", [], METRICS)}
    assert found.pop("length").value == 3
    assert {score.state for score in found.values()} == {ScoreState.NA}


def test_several_golden_answers_give_the_best_of_each_metric():
    golden = ["净利润", "按月报送流动性覆盖率", ""]
    for score in score_text("按月报送", golden, METRICS[:7]):
        alone = [score_text("按月报送", [answer], [score.metric])[0].value for answer in golden]
        assert score.value == max(value for value in alone if value is not None)


@given(TEXTS, TEXTS)
def test_values_lie_in_0_to_1_and_f_measures_are_symmetric(left, right):
    assert all(
        0 <= score.value <= 1
        for score in score_text(left, [right], METRICS[:7])
        if score.value is not None
    )
    assert token_f1(left, right) == pytest.approx(token_f1(right, left))
    assert rouge_l(left, right) == pytest.approx(rouge_l(right, left))


@given(TEXTS.filter(bool))
def test_identical_texts_reach_1(text):
    assert token_f1(text, text) == rouge_l(text, text) == ngram_precision(text, text, 1) == 1

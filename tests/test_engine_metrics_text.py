"""The standard text metrics mean what the field means, and equal the libraries that define them."""

from __future__ import annotations

import math

import pytest
import sacrebleu
from hypothesis import example, given
from hypothesis import strategies as st
from rouge_chinese import rouge_score

from engine.metrics.text import bleu, rouge_2, rouge_l, score_text, token_f1
from store.records import ScoreState

METRICS = ("em", "f1", "rouge1", "rouge2", "rougeL", "bleu")
SENTENCES = st.text(alphabet="银行净利润增长 12.5%-,。the Bank\n📈", max_size=40)
TOKENS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=12).map(tuple)


def scores(prediction, golden_answers, metrics=METRICS):
    return {score.metric: score.value for score in score_text(prediction, golden_answers, metrics)}


@pytest.mark.parametrize(
    ("prediction", "golden"),
    [("净利润12.5亿元", "净利润125亿元"), ("同比变动-3.4%", "同比变动3.4%"), ("AA+", "AA-")],
)
def test_a_wrong_number_is_not_an_exact_match(prediction, golden):
    found = scores(prediction, [golden])
    assert found["em"] == 0
    assert found["f1"] < 1


@pytest.mark.parametrize(
    ("prediction", "golden"),
    [
        ("净利润12.5亿元。", "净利润12.5亿元"),
        ("营业收入1,234,567元", "营业收入1234567元"),
        ("（净利润）：３亿元", "(净利润):3亿元"),
        ("The BANK must file.", "the bank must file"),
        ("IPO 审核周期为90天", "IPO审核周期为 90 天"),
    ],
)
def test_notation_does_not_cost_an_exact_match(prediction, golden):
    assert set(scores(prediction, [golden]).values()) == {1}


def test_the_best_golden_answer_counts():
    golden = ["二亿元", "2亿元", "200000000元"]
    assert scores("2亿元", golden)["em"] == 1
    one = scores("2亿元左右", ["2亿元"])
    assert scores("2亿元左右", golden)["f1"] == one["f1"]


def test_f1_and_rouge_of_a_worked_example():
    # 流动性 覆盖率 按月 报送 against 商业银行 应当 按月 报送 流动性 覆盖率, up to jieba's 按 月
    found = scores("流动性覆盖率按月报送", ["商业银行应当按月报送流动性覆盖率。"])
    assert found["f1"] == pytest.approx(2 * (5 / 5) * (5 / 7) / (5 / 5 + 5 / 7))
    assert found["rouge2"] == pytest.approx(2 * (3 / 4) * (3 / 6) / (3 / 4 + 3 / 6))
    assert found["rougeL"] == pytest.approx(2 * (3 / 5) * (3 / 7) / (3 / 5 + 3 / 7))


def test_empty_texts_match_each_other_only():
    assert set(scores("", [""]).values()) == {1}
    assert set(scores(" ", ["净利润"]).values()) == {0}
    assert set(scores("净利润", [""]).values()) == {0}


def test_equal_one_word_texts_reach_1_in_rouge_2_too():
    assert scores("按月", ["按月"])["rouge2"] == 1
    assert scores("按月", ["按季"])["rouge2"] == 0


def test_without_golden_answers_nothing_applies():
    assert {score.state for score in score_text("按月", [], METRICS)} == {ScoreState.NA}


@given(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3))
def test_values_lie_in_0_to_1_and_gain_from_further_golden_answers(prediction, golden):
    found = scores(prediction, golden)
    assert all(0 <= value <= 1 for value in found.values())
    for name in ("em", "f1", "rouge1", "rouge2", "rougeL"):
        assert found[name] == max(scores(prediction, [one])[name] for one in golden)


@given(SENTENCES)
@example("。")
@example("")
def test_identical_texts_score_1_in_every_metric(text):
    assert set(scores(text, [text]).values()) == {1}


@given(SENTENCES, SENTENCES)
def test_all_but_bleu_are_symmetric(left, right):
    names = ("em", "f1", "rouge1", "rouge2", "rougeL")
    assert scores(left, [right], names) == pytest.approx(scores(right, [left], names))


@given(SENTENCES, SENTENCES)
def test_rouge_1_is_the_token_f1(prediction, golden):
    found = scores(prediction, [golden])
    assert found["rouge1"] == found["f1"]


@given(TOKENS, st.lists(TOKENS, min_size=1, max_size=3))
@example(("a",), [("a",)])
@example(tuple("aab"), [tuple("ab"), tuple("aabb")])
def test_bleu_equals_sacrebleu_on_the_same_tokens(predicted, golden):
    oracle = sacrebleu.sentence_bleu(
        " ".join(predicted), [" ".join(answer) for answer in golden], tokenize="none"
    )
    assert bleu(predicted, golden) == pytest.approx(oracle.score / 100, abs=1e-12)


@given(TOKENS, TOKENS)
def test_rouge_equals_rouge_chinese_with_counted_ngrams(predicted, golden):
    left, right = [" ".join(predicted)], [" ".join(golden)]
    pairs = [
        (token_f1, rouge_score.rouge_n(left, right, 1, exclusive=False)),
        (rouge_2, rouge_score.rouge_n(left, right, 2, exclusive=False)),
        (rouge_l, rouge_score.rouge_l_summary_level(left, right)),
    ]
    for ours, oracle in pairs:
        precision, recall = oracle["p"], oracle["r"]
        harmonic = 2 * precision * recall / (precision + recall) if precision else 0.0
        expected = 1.0 if predicted == golden else harmonic
        assert math.isclose(ours(predicted, [golden]), expected, abs_tol=1e-12)

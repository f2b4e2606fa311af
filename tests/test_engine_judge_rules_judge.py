"""The rule judge scores five metrics on their scales and says what it matched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.judge.base import Case
from engine.judge.rules.config import JUDGE_NAME, METRICS, judge_config
from engine.judge.rules.judge import judge_case
from store.records import Lang, MetricScore, Passage, ScoreState

ZH = [
    Passage("a", "年报", "2023年净利润12.5亿元，同比下降3.4%。不良贷款率为1.8%。总部位于江州市。"),
    Passage("b", "办法", "客户须提供担保，宽限期为10个工作日。"),
]
EN = [
    Passage("a", "Report", "Net income fell 3.4% to $1.25 billion. The head office is in Lisbon."),
    Passage("b", "Policy", "Collateral is required. Records are kept for eight years."),
]


def scores(
    question: str,
    golden: list[str],
    prediction: str,
    lang: Lang = "zh",
    *,
    closed_book: bool = False,
    history: tuple[tuple[str, str], ...] = (),
) -> dict[str, MetricScore]:
    passages = [] if closed_book else (ZH if lang == "zh" else EN)
    case = Case(
        prediction_id=1,
        question=question,
        history=history,
        golden_answers=tuple(golden),
        answer=prediction,
        passages=tuple(passages),
        lang=lang,
        closed_book=closed_book,
    )
    made = judge_case(case)
    assert tuple(score.metric for score in made) == METRICS
    assert all(score.variant == "standard" and score.reason for score in made)
    return {score.metric: score for score in made}


def values(made: dict[str, MetricScore]) -> list[float | None]:
    return [made[metric].value for metric in METRICS]


@pytest.mark.parametrize(
    ("question", "golden", "prediction", "lang", "expected"),
    [
        # accuracy, completeness, hallucination, utilization, numerical_accuracy
        ("净利润是多少？", ["12.5亿元"], "12.5亿元", "zh", [2, None, 0, 2, 1]),
        ("净利润是多少？", ["12.5亿元"], "净利润为1,250,000,000元", "zh", [2, None, 0, 2, 1]),
        ("净利润是多少？", ["12.5亿元"], "125亿元", "zh", [0, None, 1, 0, 0]),
        ("净利润是多少？", ["12.5亿元"], "不良贷款率为1.8%", "zh", [0, None, 0, 0, 0]),
        ("同比变动多少？", ["下降3.4%"], "-3.4%", "zh", [2, None, 0, 2, 1]),
        ("同比变动多少？", ["-3.4%"], "同比增长3.4%", "zh", [0, None, 1, 0, 0]),
        ("总部在哪里？", ["江州市"], "总部位于江州市。", "zh", [2, None, 0, 2, None]),
        ("总部在哪里？", ["江州市"], "海门市", "zh", [0, None, 1, 0, None]),
        ("是否需要担保？", ["是"], "是，客户须提供担保。", "zh", [2, None, 0, 1, None]),
        ("是否需要担保？", ["是"], "否，不需要担保。", "zh", [0, None, 0, 0, None]),
        (
            "业绩如何？",
            ["净利润12.5亿元，同比下降3.4%；不良贷款率1.8%。"],
            "净利润12.5亿元，同比下降3.4%。不良贷款率为1.8%。",
            "zh",
            [2, 2, 0, 2, 1],
        ),
        (
            "业绩如何？",
            ["净利润12.5亿元，同比下降3.4%；不良贷款率1.8%。"],
            "净利润12.5亿元。",
            "zh",
            [1, 1, 0, 1, 0],
        ),
        ("What was net income?", ["$1.25 billion"], "$1,250,000,000", "en", [2, None, 0, 2, 1]),
        ("What was net income?", ["$1.25 billion"], "$12.5 billion", "en", [0, None, 1, 0, 0]),
        ("How long are records kept?", ["8 years"], "For eight years.", "en", [2, None, 0, 2, 1]),
        ("Where is the head office?", ["Lisbon"], "It is in Lisbon.", "en", [2, None, 0, 2, None]),
        ("Where is the head office?", ["Lisbon"], "Madrid", "en", [0, None, 1, 0, None]),
        ("Is collateral required?", ["Yes"], "No.", "en", [0, None, 0, 0, None]),
        (
            "Describe the result and the policy.",
            ["Net income fell 3.4%. Collateral is required. Records are kept for eight years."],
            "Net income fell 3.4%. Records are kept for 8 years.",
            "en",
            [1, 1, 0, 1, 1],
        ),
    ],
)
def test_known_predictions_get_the_values_a_person_would_give(
    question: str,
    golden: list[str],
    prediction: str,
    lang: Lang,
    expected: list[float | None],
) -> None:
    made = scores(question, golden, prediction, lang)
    assert values(made) == expected, [score.reason for score in made.values()]


def test_any_form_of_the_golden_answer_will_do() -> None:
    assert scores("净利润？", ["十二亿五千万元", "12.5亿元"], "12.5亿元")["accuracy"].value == 2


def test_a_form_without_figures_agrees_with_the_form_that_has_them() -> None:
    made = scores("When was it completed?", ["in May", "May 2025"], "It was in May.", "en")
    assert made["numerical_accuracy"].value == 1


def test_the_golden_answer_itself_is_perfect() -> None:
    golden = "2023年净利润12.5亿元，同比下降3.4%；总部位于江州市，宽限期为10个工作日。"
    assert values(scores("介绍该行。", [golden], golden)) == [2, 2, 0, 2, 1]


def test_closed_book_has_no_retrieval_metrics() -> None:
    made = scores("净利润？", ["12.5亿元"], "12.5亿元", closed_book=True)
    assert values(made) == [2, None, None, None, 1]
    assert made["hallucination"].state is ScoreState.NA


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_without_golden_answers_nothing_applies(lang: Lang) -> None:
    made = scores("净利润？", [" "], "12.5亿元", lang)
    assert all(score.state is ScoreState.NA and score.value is None for score in made.values())


@pytest.mark.parametrize(
    ("prediction", "lang"),
    [("无法回答该问题。", "zh"), ("I cannot answer this question.", "en"), ("", "zh")],
)
def test_a_refusal_scores_nothing_and_makes_nothing_up(prediction: str, lang: Lang) -> None:
    made = scores("净利润？", ["12.5亿元"], prediction, lang)
    assert values(made) == [0, None, 0, 0, 0]


def test_numbers_of_the_question_are_given_and_earn_nothing() -> None:
    made = scores("2023年净利润是多少？", ["2023年为12.5亿元"], "2023年净利润为9.9亿元")
    assert made["accuracy"].value == 0
    assert made["numerical_accuracy"].value == 0


def test_a_bare_golden_figure_takes_the_unit_of_the_answer() -> None:
    made = scores("By how many percent did it fall?", ["3.4"], "It fell 3.4%.", "en")
    assert made["numerical_accuracy"].value == 1
    assert made["accuracy"].value == 2


def test_an_unsupported_claim_that_contradicts_nothing_is_no_hallucination() -> None:
    made = scores("总部在哪里？", ["江州市"], "总部位于江州市，员工喜爱登山。")
    assert made["hallucination"].value == 0
    assert "员工喜爱登山" in made["hallucination"].reason


def test_reasons_name_both_sides_in_the_items_language() -> None:
    zh = scores("净利润？", ["12.5亿元"], "125亿元")
    assert "125亿元" in zh["accuracy"].reason
    assert "12.5亿元" in zh["accuracy"].reason
    en = scores("What was net income?", ["$1.25 billion"], "$1,250,000,000", "en")
    assert en["numerical_accuracy"].reason == "Numbers agree: $1.25 billion = $1,250,000,000."


def test_missing_aspects_are_named() -> None:
    golden = "净利润12.5亿元；不良贷款率1.8%。"
    assert "不良贷款率1.8%" in scores("业绩？", [golden], "净利润12.5亿元")["completeness"].reason


def test_the_configuration_is_plain_data_with_a_version() -> None:
    config = judge_config()
    assert config["judge"] == JUDGE_NAME
    assert json.loads(json.dumps(config)) == config


_SCALES = {
    "accuracy": {0, 1, 2},
    "completeness": {0, 1, 2},
    "hallucination": {0, 1},
    "utilization": {0, 1, 2},
    "numerical_accuracy": {0, 1},
}
_TEXT = st.text(alphabet="净利润12.5亿元，。；%不是总部在Lisbon and 10 Yes否\n", max_size=40)


@given(_TEXT, st.lists(_TEXT, max_size=3), _TEXT, st.lists(_TEXT, max_size=2), st.booleans())
def test_any_prediction_gets_values_on_the_scales(
    question: str, golden: list[str], prediction: str, texts: list[str], closed_book: bool
) -> None:
    passages = tuple(Passage(str(at), "", text) for at, text in enumerate(texts))
    case = Case(1, question, (), tuple(golden), prediction, passages, "zh", closed_book)
    for score in judge_case(case):
        if score.state is ScoreState.OK:
            assert score.value in _SCALES[score.metric]
        else:
            assert score.state is ScoreState.NA
            assert score.value is None

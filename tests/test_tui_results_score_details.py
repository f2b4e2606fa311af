"""What a judge counted a score from is read under the score."""

from __future__ import annotations

from engine.text.wrapping import cell_width
from store.records import MetricScore
from store.runs.details import JudgedScore
from tui.results.item_sheet import score_lines
from tui.results.score_details import detail_lines

TOLD = {
    "answer_claims": [
        {"text": "营业收入为\n12.5亿元", "golden_answer": "entailed", "passages": [1, 3]},
        {"text": "Staff grew.", "golden_answer": "neutral", "passages": []},
    ],
    "counts": {"held": 1, "share": 0.5},
    "asked_again": False,
}


def texts(width: int, indent: int = 0) -> list[str]:
    return ["".join(text for text, _ in line) for line in detail_lines(TOLD, width, indent)]


def test_claims_are_numbered_with_their_verdicts_below() -> None:
    assert texts(80) == [
        "answer claims",
        "  1 营业收入为 12.5亿元",
        "    golden answer entailed; passages 1, 3",
        "  2 Staff grew.",
        "    golden answer neutral; passages none",
        "counts",
        "  held: 1",
        "  share: 0.5",
        "asked again: no",
    ]


def test_lines_fit_and_are_indented() -> None:
    lines = texts(30, 4)
    assert max(map(cell_width, lines)) <= 30
    assert all(line.startswith("    ") for line in lines)
    assert "".join(line.strip() for line in lines).count("golden") == 2


def test_an_object_without_a_text_shows_its_members() -> None:
    lines = detail_lines({"questions": [{"asked": ["a", {"deep": 1}]}, "plain"]}, 40)
    assert ["".join(text for text, _ in line) for line in lines] == [
        "questions",
        "  1",
        "    asked",
        "      1 a",
        "      2",
        "        deep 1",
        "  2 plain",
    ]


def test_they_stand_under_the_score_that_they_belong_to() -> None:
    scores = [
        JudgedScore(MetricScore("accuracy", "standard", 2.0, reason="right"), "gpt"),
        JudgedScore(MetricScore("utilization", "standard", 1.0, reason="some"), "gpt", TOLD),
    ]
    lines = ["".join(text for text, _ in line).strip() for line in score_lines(scores, 100)]
    assert lines[:4] == [
        "judge gpt",
        "accuracy     2/2     right",
        "utilization  1/2     some",
        "answer claims",
    ]


def test_a_judge_of_another_variant_is_shown_on_its_own_scale() -> None:
    scores = (
        JudgedScore(MetricScore("QA_recall", "crud", 0.75, reason="3 of 4"), "crud-rag"),
        JudgedScore(MetricScore("bertScore", "crud", 0.8), "crud-rag"),
    )
    lines = ["".join(text for text, _ in line).split() for line in score_lines(scores, 80)]
    assert ["QA_recall", ".75", "3", "of", "4"] in lines
    assert ["bertScore", ".80"] in lines

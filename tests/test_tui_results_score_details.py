"""What a judge counted a score from is read under the score."""

from __future__ import annotations

from engine.text.wrapping import cell_width
from store.records import MetricScore
from store.runs.details import JudgedScore
from tui.results.item_sheet import score_lines
from tui.results.score_details import detail_lines, merged

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


def lines_of(*scores: JudgedScore) -> list[str]:
    return ["".join(text for text, _ in line).strip() for line in score_lines(scores, 100)]


def test_what_a_judge_tells_of_several_scores_stands_once_below_them() -> None:
    first = {"claims": [{"text": "a", "by_answer": "entailed"}, {"text": "b"}]}
    second = {"claims": [{"text": "a", "passages": [2]}, {"text": "b", "passages": []}]}
    scores = [
        JudgedScore(MetricScore("accuracy", "standard", 2.0, reason="right"), "gpt", first),
        JudgedScore(MetricScore("utilization", "standard", 1.0, reason="some"), "gpt", second),
    ]
    assert lines_of(*scores) == [
        "judge gpt",
        "accuracy     2/2     right",
        "utilization  1/2     some",
        "",
        "claims",
        "1 a",
        "by answer entailed; passages 2",
        "2 b",
        "passages none",
    ]


def test_what_contradicts_stands_under_its_own_score() -> None:
    scores = [
        JudgedScore(MetricScore("accuracy", "standard", 2.0), "gpt", {"why": ["a"]}),
        JudgedScore(MetricScore("utilization", "standard", 1.0), "gpt", {"why": ["b"]}),
    ]
    assert lines_of(*scores) == [
        "judge gpt",
        "accuracy     2/2",
        "why: a",
        "utilization  1/2",
        "why: b",
    ]


def test_only_lists_about_the_same_texts_are_joined() -> None:
    one = {"claims": [{"text": "a", "held": True}]}
    assert merged([one, one]) == one
    for other in (
        [{"text": "b"}],
        [{"text": "a", "held": False}],
        [{"text": "a"}, {"text": "b"}],
        ["a"],
        "a",
    ):
        assert merged([one, {"claims": other}]) is None
    assert merged([]) == {}


def test_a_score_without_a_reason_takes_one_line() -> None:
    score = JudgedScore(MetricScore("accuracy", "standard", 2.0), "gpt")
    for width in (20, 100):
        lines = ["".join(text for text, _ in line).strip() for line in score_lines([score], width)]
        assert lines == ["judge gpt", "accuracy  2/2"]

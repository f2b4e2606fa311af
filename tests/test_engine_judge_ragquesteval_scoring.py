"""RAGQuestEval's values equal those of the authors' code, and of the paper's formula beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.judge.ragquesteval.scoring import read_answers, score_answers

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data/parity/ragquesteval.json").read_text("utf-8")
)["ragquesteval"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_recall_and_precision_are_those_of_their_code(case: dict[str, Any]) -> None:
    saved, expected = case["saved"], case["expected"]
    answers = read_answers(case["model_reply"])
    if not expected["quest_eval_save"]["questions_gt"]:
        # their code catches an error there, and counts no such item
        if saved:
            with pytest.raises(IndexError):
                score_answers(saved["question"], saved["answers"], answers)
        else:
            assert score_answers((), (), answers).usable == 0
        return
    scored = score_answers(saved["question"], saved["answers"], answers)
    assert (scored.recall, scored.precision) == pytest.approx(
        (expected["recall"], expected["precision"]), abs=1e-12
    )
    assert answers == expected["quest_eval_save"]["answers_gm4gt"]
    assert [question.golden for question in scored.questions] == saved["answers"]


def test_the_formula_of_the_paper_counts_an_unanswered_question_as_0() -> None:
    scored = score_answers(
        ["谁？", "多少？", "何时？", "为何？"],
        ["央行", "3.5%", "三月", "无法推断"],
        ["央行", "无法推断", "三月", "通胀"],
    )
    assert (scored.usable, scored.precision) == (3, 1.0)
    assert (scored.recall, scored.precision_of_all) == pytest.approx((2 / 3, 2 / 3))
    assert [question.f1 for question in scored.questions] == [1.0, None, 1.0, None]


def test_an_english_reply_says_in_english_what_a_text_does_not_say() -> None:
    reply = "Who?\n<response>\nthe bank\n</response>\n<response>\ncannot be inferred\n</response>"
    scored = score_answers(["Who?", "When?"], ["the bank", "in May"], read_answers(reply))
    assert (scored.recall, scored.precision, scored.precision_of_all) == (0.5, 1.0, 0.5)


def test_a_full_stop_or_a_space_makes_it_an_answer_as_in_their_code() -> None:
    scored = score_answers(["谁？", "何时？"], ["央行", "三月"], ["无法推断。", " 无法推断"])
    assert (scored.recall, scored.precision) == (1.0, 0.0)

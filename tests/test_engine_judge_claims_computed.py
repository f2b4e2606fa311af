"""Claims by rule, the stand-in: what it lists and holds for entailed, and a run that it judges."""

from __future__ import annotations

from pathlib import Path

import pytest
from endpoint_workspaces import make_workspace, questions, write_settings
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.judge.base import Case, compute
from engine.judge.claims.computed import by_words
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import find_judge, open_judge
from store.records import Lang, MetricScore, Passage
from store.runs import details
from store.verify import verify
from store.workspace import open_workspace

STAND_IN = '[judges.c]\nmethod = "claims"\nsupport = "words"\n'


@pytest.mark.parametrize(
    ("claim", "text", "held"),
    [
        ("Revenue rose to 12.5 million.", "In 2023 revenue had risen to $12.5 million.", True),
        ("Revenue rose to 12.5 million.", "In 2023 revenue had risen to $13.5 million.", False),
        ("Revenue rose to 12.5 million.", "The board met 12.5 million times.", False),
        ("营业收入为12.5亿元", "公司实现营业收入1,250百万元", True),
        ("营业收入为12.5亿元", "公司实现营业收入12.6亿元", False),
        ("利率上升三次", "利率上升", True),
        ("The outlook is excellent.", "Staff numbered 120.", False),
        ("12.5%", "about 12.5 percent", True),
        ("", "anything", False),
    ],
)
def test_a_claim_holds_by_half_of_its_words_and_all_its_figures(
    claim: str, text: str, held: bool
) -> None:
    assert by_words([claim], text) == [held]


def judged(
    tmp_path: Path, answer: str, golden: str, passages: tuple[str, ...], lang: Lang = "en"
) -> dict[str, MetricScore]:
    write_settings(tmp_path, STAND_IN)
    judge = open_judge(tmp_path, find_judge(tmp_path, "c"))
    shown = tuple(Passage("", "", text, 0) for text in passages)
    case = Case(1, "q?", (), (golden,), answer, shown, lang)
    (made,) = compute(judge, [case], [spec.name for spec in judge.metrics])
    return {one.score.metric: one.score for one in made}


def test_all_metrics_come_from_the_same_verdicts(tmp_path: Path) -> None:
    scores = judged(
        tmp_path,
        "营业收入为12.5亿元；净利润为3.2亿元；员工人数为900人。",
        "营业收入为12.5亿元；净利润为3.1亿元。",
        ("公司营业收入为12.5亿元。", "员工人数为900人。"),
        "zh",
    )
    assert {name: round(score.value or 0.0, 3) for name, score in scores.items()} == {
        "claim_precision": 0.333,
        "claim_recall": 0.5,
        "claim_f1": 0.4,
        "context_precision": 0.5,
        "claim_context_recall": 0.5,
        "context_utilization": 1.0,
        "faithfulness": 0.667,
        "claim_hallucination": 0.333,
        "self_knowledge": 0.0,
        "noise_sensitivity_relevant": 0.0,
        "noise_sensitivity_irrelevant": 0.333,
    }
    assert scores["faithfulness"].reason == "2 of 3 claims of the answer are in passages"


def test_a_refusal_claims_nothing(tmp_path: Path) -> None:
    scores = judged(tmp_path, "I don't know.", "Revenue rose.", ())
    assert (scores["claim_precision"].state, scores["claim_recall"].value) == ("na", 0.0)
    assert scores["context_precision"].reason == "nothing was retrieved"


def test_a_run_is_judged_offline_with_its_claims_kept(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "w", questions(3))
    write_settings(folder, STAND_IN)
    with open_workspace(folder) as workspace:
        queue(workspace, Evaluate(NewRun("bm25", "gold", name="r")))
    work_here(folder)
    with open_workspace(folder) as workspace:
        estimate = JudgeRun("r", "c").estimate(workspace)
        assert (estimate.answers, estimate.scores, estimate.calls) == (3, 33, 0)
        queue(workspace, JudgeRun("r", "c"))
    work_here(folder)
    with open_workspace(folder) as workspace:
        told = {
            one.score.metric: one.details
            for one in details.scores(workspace.db, 1)
            if one.judge == "c"
        }
        assert set(told) == set(find_judge(folder, "c").metrics)
        assert told["claim_recall"] == {
            "golden_claims": [{"text": "3.5 percent", "by_answer": "neutral"}],
            "made_by": "rules, as a stand-in for a model",
        }
        assert verify(workspace.db).ok

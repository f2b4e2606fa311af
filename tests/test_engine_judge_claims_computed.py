"""Claims by rule, the stand-in: what it lists and holds for entailed, and a run that it judges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from endpoint_workspaces import make_workspace, questions, write_settings
from neural_models import minilm_folder
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.judge.base import Case, compute
from engine.judge.claims.computed import by_similarity, by_words
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import find_judge, open_judge
from engine.retrieve.index.ranking import Vectors
from engine.retrieve.index.vectors import unit
from store.records import Lang, MetricScore, Passage
from store.runs import details
from store.verify import verify
from store.workspace import open_workspace

STAND_IN = '[judges.c]\nmethod = "claims"\nsupport = "words"\n'
BY_LSA = (
    '[judges.lsa]\nmethod = "claims"\nsupport = "embedding"\nembedding = "lsa-stand-in"\n'
    'corpus = "tiny"\nmetrics = ["claim_recall"]\n'
)


@pytest.mark.parametrize(
    ("claim", "text", "held"),
    [
        ("Revenue rose to 12.5 million.", "In 2023 revenue had risen to $12.5 million.", True),
        ("Revenue rose to 12.5 million.", "In 2023 revenue had risen to $13.5 million.", False),
        ("Revenue rose to 12.5 million.", "The board met 12.5 million times.", False),
        ("营业收入为12.5亿元", "公司实现营业收入1,250百万元", True),
        ("营业收入为12.5亿元", "公司实现营业收入12.6亿元", False),
        ("利率上升三次", "利率上升", True),
        ("450 million crowns", "450 million", True),
        ("six years", "five years", False),
        ("One of the two boards met.", "The boards met.", True),
        ("The outlook is excellent.", "Staff numbered 120.", False),
        ("The outlook is excellent.", "I don't know whether the outlook is excellent.", False),
        ("12.5%", "about 12.5 percent", True),
        ("", "anything", False),
    ],
)
def test_a_claim_holds_by_half_of_its_words_and_all_its_figures(
    claim: str, text: str, held: bool
) -> None:
    assert by_words([claim], text, "") == [held]


@pytest.mark.parametrize(
    ("claim", "text", "held"),
    [
        ("平均甄别时间为3.9天", "3.9天", True),
        ("平均甄别时间为3.9天", "4.1天", False),
        ("平均甄别时间由甄别岗决定", "3.9天", False),
        ("平均甄别时间为3.9天", "客户尽职调查方面，3.9天；其他方面，全年完成识别3,186户。", False),
    ],
)
def test_a_text_of_one_statement_is_read_as_an_answer_to_the_question(
    claim: str, text: str, held: bool
) -> None:
    assert by_words([claim], text, "平均甄别时间是多少？") == [held]


def test_by_similarity_a_claim_holds_by_the_nearest_part_and_all_its_figures() -> None:
    # a space of three directions: rates, profits, and everything else
    def embed(texts: Sequence[str]) -> Vectors:
        vectors = [["rate" in text, "profit" in text, "moon" in text] for text in texts]
        return unit(np.array(vectors, dtype=np.float32))

    support = by_similarity(embed, 0.9)
    text = "The rate rose to 3%. A profit was made; the moon was full."
    claims = ["The rate went up.", "The rate fell to 4%.", "rate, profit, moon", "Nothing else."]
    assert support(claims, text, "") == [True, False, False, False]
    assert support(["The rate rose to 3%."], "利率升至3%", "") == [False]


@pytest.mark.neural
def test_a_model_on_disk_finds_a_claim_in_other_words(tmp_path: Path) -> None:
    table = f'[embeddings.minilm]\nmodel = "{minilm_folder()}"\n'
    rest = 'support = "embedding"\nembedding = "minilm"\nleast_similarity = 0.5\n'
    write_settings(tmp_path, table, f'[judges.c]\nmethod = "claims"\n{rest}')
    judge = open_judge(tmp_path, find_judge(tmp_path, "c"))
    golden, answer = "The company's earnings grew.", "Profits of the firm went up. Bread is baked."
    case = Case(1, "q?", (), (golden,), answer, (), "en", closed_book=True)
    (made,) = compute(judge, [case], ["claim_precision", "claim_recall"])
    assert [one.score.value for one in made] == [0.5, 1.0]
    assert (made[0].details or {})["stand_in"].startswith("rules and the cosine by minilm")


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
    assert scores["faithfulness"].reason == "回答的断言见于检索文档：2/3"


def test_a_refusal_claims_nothing(tmp_path: Path) -> None:
    scores = judged(tmp_path, "I don't know.", "Revenue rose.", ())
    assert (scores["claim_precision"].state, scores["claim_recall"].value) == ("na", 0.0)
    assert scores["context_precision"].reason == "nothing was retrieved"


def test_a_run_is_judged_offline_with_its_claims_kept(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "w", questions(3))
    write_settings(folder, STAND_IN, BY_LSA)
    with open_workspace(folder) as workspace:
        queue(workspace, Evaluate(NewRun("bm25", "gold", name="r")))
    work_here(folder)
    with open_workspace(folder) as workspace:
        with workspace.write() as db:
            db.execute(
                "UPDATE prediction SET answer = ?1,"
                " checksum = row_sum(state, ?1, error_kind, error_text)",
                ("Bond prices fell after the rate rose; 3.5 percent.",),
            )
        estimate = JudgeRun("r", "c").estimate(workspace)
        assert (estimate.answers, estimate.scores, estimate.calls) == (3, 33, 0)
        queue(workspace, JudgeRun("r", "c"))
        queue(workspace, JudgeRun("r", "lsa"))
    work_here(folder)
    with open_workspace(folder) as workspace:
        scores = details.scores(workspace.db, 1)
        told = {one.score.metric: one.details for one in scores if one.judge == "c"}
        (by_lsa,) = [one for one in scores if one.judge == "lsa"]
        assert set(told) == set(find_judge(folder, "c").metrics)
        assert told["claim_recall"] == {
            "golden_claims": [{"text": "3.5 percent", "by_answer": "entailed"}],
            "stand_in": "rules, in the place of a model",
        }
        assert by_lsa.score.value == 1.0
        name = "rules and the cosine by LSA of corpus tiny, in the place of a model"
        assert (by_lsa.details or {})["stand_in"] == name
        assert verify(workspace.db).ok

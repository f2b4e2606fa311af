"""One prediction in full, whatever it has come to."""

from __future__ import annotations

import pytest
from tiny_workspaces import TEXTS, answer_and_score, f1, prediction_ids

from store.corpora.corpora import Corpus
from store.errors import NotFound
from store.hashing import text_id
from store.records import Hit, MetricScore, PredictionState
from store.runs import details, stages
from store.runs.judge_scores import MOST_DETAIL_BYTES, fitting
from store.runs.runs import Run
from store.workspace import Workspace


def test_a_prediction_in_full(workspace: Workspace, run: Run, corpus: Corpus) -> None:
    _, _, c, d, _ = prediction_ids(workspace.db, run)
    with workspace.write() as db:
        judge = stages.put_judge(db, "rules", {})
        answer_and_score(db, c, [f1(1.0)], answer="first answer")
        answer_and_score(db, d, [f1(0.5, "crud"), f1(0.5)], answer="second answer")
        stages.put_scores(db, d, [MetricScore("accuracy", "standard", 2.0)], judge_id=judge)
    found = details.prediction(workspace.db, d)
    assert (found.run_name, found.system_name, found.corpus_id) == ("first", "bm25", corpus.id)
    assert (found.item_key, found.group_key, found.turn) == ("c", "group of c", 1)
    assert (found.state, found.answer, found.error_kind) == ("ok", "second answer", None)
    assert (found.query, found.answer_reason) == ("rate", "it stands there")
    assert found.hits == (Hit(text_id(TEXTS["en/rates.md"]), 0, 12, 2.5),)
    assert found.earlier_answers == ("first answer",)
    assert found.evidence[0].quote == "3.5 percent"
    order = [(one.score.metric, one.score.variant, one.judge) for one in found.scores]
    assert order == [("f1", "standard", ""), ("f1", "crud", ""), ("accuracy", "standard", "rules")]
    assert found.scores[0].score.reason == "tokens in common"
    assert stages.is_scored(workspace.db, d)


def test_too_many_details_are_left_out_and_counted() -> None:
    few = {"claims": [{"text": "利率", "passages": [1, 3]}]}
    assert (fitting(None), fitting(few)) == (None, few)
    many = {"claims": ["利率"] * (MOST_DETAIL_BYTES // 6)}
    assert fitting(many) == {"left_out": "393,222 bytes of details, of at most 262,144"}


def test_a_pending_prediction_is_shown_too(workspace: Workspace, run: Run) -> None:
    last = prediction_ids(workspace.db, run)[-1]
    found = details.prediction(workspace.db, last)
    assert (found.state, found.answer, found.hits, found.scores) == ("pending", None, None, ())
    assert found.earlier_answers == (None, None)
    assert not stages.is_scored(workspace.db, last)


def test_a_failed_prediction_says_why(workspace: Workspace, run: Run) -> None:
    first = prediction_ids(workspace.db, run)[0]
    with workspace.write() as db:
        stages.finish_prediction(
            db, first, PredictionState.FAILED, error_kind="timeout", error_text="after 30 s"
        )
    found = details.prediction(workspace.db, first)
    assert (found.state, found.error_kind, found.error_text) == ("failed", "timeout", "after 30 s")
    with pytest.raises(NotFound):
        details.prediction(workspace.db, 999)

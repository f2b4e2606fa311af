"""A metric that cannot be computed has a state that says why, in every variant."""

from __future__ import annotations

import pytest

from engine.metrics.compute import score_facts, score_ranking, score_text
from engine.metrics.spec import VARIANTS, metric_names, resolve
from store.records import ScoreState

TEXT_VARIANTS = ("standard", "omnieval", "crud")
RANKING_VARIANTS = ("standard", "omnieval", "financerag")


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one != "usage"])
def test_every_listed_metric_is_computed_within_its_range(variant):
    text = score_text(variant, metric_names(variant, "text"), "净利润12亿元", ["净利润12.5亿元"])
    names = metric_names(variant, "ranking")
    ranking = (
        score_facts(names, ["a", "b"], ["b"])
        if variant == "multihop"
        else score_ranking(variant, names, ["a", "b"], {"b": 1.0})
    )
    assert [score.metric for score in (*text, *ranking)] == [
        *metric_names(variant, "text"),
        *names,
    ]
    for score in (*text, *ranking):
        spec = resolve(score.metric, score.variant)
        assert score.variant == variant
        assert score.state is ScoreState.OK
        assert spec.minimum <= score.value <= (spec.maximum or score.value)


@pytest.mark.parametrize("variant", TEXT_VARIANTS)
def test_no_prediction_is_missing_and_no_golden_answer_is_not_applicable(variant):
    missing = score_text(variant, ("rougeL",), None, ["净利润"])[0]
    inapplicable = score_text(variant, ("rougeL",), "净利润", None)[0]
    assert (missing.value, missing.state) == (None, ScoreState.MISSING)
    assert (inapplicable.value, inapplicable.state) == (None, ScoreState.NA)
    assert inapplicable.variant == variant


def test_a_length_needs_no_golden_answer():
    (score,) = score_text("crud", ("length",), "净利润", None)
    assert score.value == 3


@pytest.mark.parametrize("variant", RANKING_VARIANTS)
def test_no_result_list_is_missing_an_empty_one_is_0_and_no_judgement_is_not_applicable(variant):
    missing = score_ranking(variant, ("map",), None, {"a": 1.0})[0]
    empty = score_ranking(variant, ("map",), [], {"a": 1.0})[0]
    inapplicable = score_ranking(variant, ("map",), ["a"], None)[0]
    assert (missing.value, missing.state) == (None, ScoreState.MISSING)
    assert (empty.value, empty.state) == (0, ScoreState.OK)
    assert (inapplicable.value, inapplicable.state) == (None, ScoreState.NA)


def test_facts_too_may_be_missing_empty_or_not_there():
    missing = score_facts(("hit@4",), None, ["fact"])[0]
    empty = score_facts(("hit@4",), [], ["fact"])[0]
    inapplicable = score_facts(("hit@4",), ["fact"], None)[0]
    assert (missing.value, missing.state) == (None, ScoreState.MISSING)
    assert (empty.value, empty.state) == (0, ScoreState.OK)
    assert (inapplicable.value, inapplicable.state) == (None, ScoreState.NA)


def test_the_variants_differ_where_their_code_does():
    def average_precision(variant):
        (score,) = score_ranking(variant, ("map",), ["q", "a"], {"a": 1.0, "z": 1.0}, query_id="q")
        return score.value

    assert average_precision("standard") == pytest.approx(1 / 4)
    assert average_precision("omnieval") == pytest.approx(1 / 2)
    assert average_precision("financerag") == pytest.approx(1 / 2)

"""One prediction gets every score, and what cannot be scored says why."""

from __future__ import annotations

from engine.evaluate.scoring import Scores, score_prediction
from store.records import Evidence, Hit, MetricScore, Passage, ScoreState, Turn

TURN = Turn("利润是多少？", ("12.5亿元",), (Evidence("d1"),))
HITS = (Hit("d2", 0, 9, 2.0), Hit("d1", 0, 9, 1.0))
PASSAGES = [Passage("d1", "", "利润是12.5亿元。")]


def find(scores: Scores, name: str, variant: str = "standard") -> MetricScore:
    (found,) = [
        score
        for score in (*scores.rule, *scores.judged)
        if (score.metric, score.variant) == (name, variant)
    ]
    return found


def names(scores: Scores) -> list[tuple[str, str]]:
    return [(score.metric, score.variant) for score in (*scores.rule, *scores.judged)]


def test_an_answer_with_its_hits_has_a_value_or_a_reason_for_every_metric():
    scores = score_prediction(TURN, (), "12.5亿元", HITS, PASSAGES, "zh", 5)
    assert find(scores, "em").value == 1
    assert find(scores, "mrr").value == find(scores, "mrr", "omnieval").value == 0.5
    assert find(scores, "accuracy").value == 2
    assert all(
        (score.value is not None) == (score.state is ScoreState.OK)
        for score in (*scores.rule, *scores.judged)
    )


def test_ranking_is_cut_at_the_depth_of_the_system_and_at_the_usual_depths_below_it():
    scores = score_prediction(TURN, (), "12.5亿元", HITS, PASSAGES, "zh", 7)
    assert [score.metric for score in scores.rule if score.metric.startswith("ndcg")] == [
        *("ndcg@1", "ndcg@3", "ndcg@5", "ndcg@7"),
    ]


def test_closed_book_is_not_the_same_as_an_answer_that_came_without_its_hits():
    closed = score_prediction(TURN, (), "12.5亿元", None, [], "en", 5)
    unknown = score_prediction(TURN, (), "12.5亿元", None, [], "en", 5, retrieval_unknown=True)
    for name in ("map", "hit@5", "hallucination", "utilization"):
        assert find(closed, name).state is find(unknown, name).state is ScoreState.NA
    assert find(closed, "map").reason == "the system retrieves nothing"
    assert find(unknown, "map").reason == "the answer came without what was retrieved"
    assert find(closed, "utilization").reason.startswith("Closed-book")
    assert "without what was retrieved" in find(unknown, "utilization").reason
    assert find(closed, "em") == find(unknown, "em")


def test_a_system_that_only_retrieves_has_ranking_values_and_no_others():
    both = score_prediction(TURN, (), "12.5亿元", HITS, PASSAGES, "zh", 5)
    only = score_prediction(TURN, (), None, HITS, [], "zh", 5)
    assert names(only) == names(both)
    assert {score.metric for score in (*only.rule, *only.judged) if score.value is not None} == {
        *("map", "mrr"),
        *(f"{name}@{k}" for name in ("ndcg", "recall", "precision", "hit") for k in (1, 3, 5)),
    }
    assert find(only, "em").reason == "the system only retrieves"

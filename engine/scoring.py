"""Scoring one prediction: every rule metric of every variant, and the rule judge's five."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from engine.answer import Passage
from engine.judge.rules import judge
from engine.metrics.compute import score_ranking, score_text
from engine.metrics.evidence import score_evidence
from engine.metrics.spec import metric_names
from store.records import Hit, Lang, MetricScore, ScoreState, Turn

TEXT_VARIANTS = ("standard", "omnieval", "crud")


class Scores(Struct, frozen=True):
    """`judged` are the judge's, on its scales as stored; `rule` is everything else."""

    rule: tuple[MetricScore, ...]
    judged: tuple[MetricScore, ...]


def score_prediction(
    turn: Turn,
    history: Sequence[tuple[str, str]],
    prediction: str,
    hits: Sequence[Hit] | None,
    passages: Sequence[Passage],
    lang: Lang,
    top_k: int,
) -> Scores:
    """All scores of an answer to `turn`; `hits` is None for a system that retrieves nothing.

    Text metrics of all three variants; ranking metrics from the evidence that the hits cover
    (standard, at the system's `top_k`) and by document id (omnieval); the rule judge. What does
    not apply is there too, as `na` with its reason.
    """
    golden = turn.golden_answers or None
    rule: list[MetricScore] = []
    for variant in TEXT_VARIANTS:
        rule += score_text(variant, metric_names(variant, "text"), prediction, golden)
    rule += _ranking_scores(turn, hits, top_k)
    judged = judge(
        turn.question,
        history,
        turn.golden_answers,
        prediction,
        passages,
        lang,
        closed_book=hits is None,
    )
    # a judge is a column of its own, so what it gives is the metric's standard variant
    return Scores(tuple(rule), tuple(structs.replace(one, variant="standard") for one in judged))


def _ranking_scores(turn: Turn, hits: Sequence[Hit] | None, top_k: int) -> list[MetricScore]:
    standard = metric_names("standard", "ranking", cutoffs=sorted({1, top_k}))
    omnieval = metric_names("omnieval", "ranking")
    if hits is None:
        reason = "the system retrieves nothing"
        return [
            MetricScore(name, variant, None, ScoreState.NA, reason)
            for variant, names in (("standard", standard), ("omnieval", omnieval))
            for name in names
        ]
    relevance = {evidence.document_id: 1.0 for evidence in turn.evidence} or None
    return [
        *score_evidence(hits, turn.evidence, standard),
        *score_ranking("omnieval", omnieval, [hit.document_id for hit in hits], relevance),
    ]

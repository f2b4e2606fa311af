"""Computes named metrics of a variant for one prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.metrics import crud, financerag, multihop, omnieval, per_gold, ranking, text
from engine.metrics.spec import without_value
from store.records import MetricScore, ScoreState

_TEXT = {"standard": text.score_text, "omnieval": omnieval.score_text, "crud": crud.score_text}
_OMNIEVAL_RANKING = {"map": omnieval.average_precision, "mrr": omnieval.reciprocal_rank}


def score_text(
    variant: str,
    metrics: Sequence[str],
    prediction: str | None,
    golden_answers: Sequence[str] | None,
) -> list[MetricScore]:
    """One score for each text metric, in order; the names must exist in the variant.

    No golden answers at all (null): `na`. A prediction that is null: `missing`. What an empty text
    or an empty list of golden answers means is the variant's to say.
    """
    if not metrics:  # some variants have no text metrics
        return []
    if prediction is not None and (golden_answers is not None or variant == "crud"):
        # crud's length has a value without golden answers; its other metrics are `na` then
        return _TEXT[variant](prediction, golden_answers or (), metrics)
    if golden_answers is None:
        return without_value(variant, metrics, ScoreState.NA, "no golden answer to compare with")
    return without_value(variant, metrics, ScoreState.MISSING, "there is no prediction")


def score_ranking(
    variant: str,
    metrics: Sequence[str],
    retrieved_ids: Sequence[str] | None,
    relevance: Mapping[str, float] | None,
    *,
    k: int | None = None,
    query_id: str = "",
) -> list[MetricScore]:
    """One score for each ranking metric, in order; the names must exist in the variant.

    No judged documents (null): `na`. A result list that is null: `missing`; an empty one scores 0.
    `k` cuts the list for map and mrr; `query_id` matters to financerag only.
    """
    if relevance is None:
        return without_value(variant, metrics, ScoreState.NA, "no document is judged")
    if retrieved_ids is None:
        return without_value(variant, metrics, ScoreState.MISSING, "there is no result list")
    if variant == "omnieval":
        relevant = [document_id for document_id, grade in relevance.items() if grade > 0]
        return [
            MetricScore(name, variant, _OMNIEVAL_RANKING[name](retrieved_ids, relevant, k))
            for name in metrics
        ]
    if variant == "financerag":
        return financerag.score_ranking(retrieved_ids, relevance, metrics, k, query_id)
    if variant == "per_gold":
        return per_gold.score_ranking(retrieved_ids, relevance, metrics, k)
    return ranking.score_ranking(retrieved_ids, relevance, metrics, k)


def score_facts(
    metrics: Sequence[str], retrieved_texts: Sequence[str] | None, facts: Sequence[str] | None
) -> list[MetricScore]:
    """One score for each metric of variant multihop, in order, from texts that are best first.

    No golden facts (null): `na`. Texts that are null: `missing`; an empty list scores 0.
    """
    if not facts:
        return multihop.score_texts((), (), metrics)
    if retrieved_texts is None:
        return without_value(
            multihop.VARIANT, metrics, ScoreState.MISSING, "there is no result list"
        )
    return multihop.score_texts(retrieved_texts, facts, metrics)

"""The standard ranking metrics over document ids, as trec_eval defines them.

`retrieved_ids` is best first; an id that comes again keeps its rank and finds nothing. `relevance`
maps the judged ids to grades; a grade above 0 is relevant. A judged query whose list is empty, or
for which nothing is relevant, scores 0. Every value lies in [0, 1], higher is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.metrics import ranks
from engine.metrics.spec import cutoff, without_value
from store.records import MetricScore, ScoreState

VARIANT = "standard"


def score_ranking(
    retrieved_ids: Sequence[str],
    relevance: Mapping[str, float],
    metrics: Iterable[str],
    k: int | None = None,
) -> list[MetricScore]:
    """One score for each of `metrics` (`map mrr ndcg@k recall@k precision@k hit@k`), in order.

    `k` cuts the list for map and mrr. Without any judged document the state is `na`.
    """
    if not relevance:
        return without_value(
            VARIANT, metrics, ScoreState.NA, "no document is judged for this query"
        )
    names = list(metrics)
    values = ranking_values(names, retrieved_ids, relevance, k)
    return [MetricScore(name, VARIANT, value) for name, value in zip(names, values, strict=True)]


def ranking_values(
    names: Iterable[str],
    retrieved_ids: Sequence[str],
    relevance: Mapping[str, float],
    k: int | None = None,
) -> list[float]:
    """The value of each named metric, in order; `k` cuts the list for map and mrr.

    map = sum over relevant documents at rank r of precision@r, over all relevant documents;
    ndcg@k has the grade as gain, log2(rank + 1) as discount, its ideal over all relevant
    documents; the others as in `engine.metrics.ranks`. Raises KeyError for a name that is no
    ranking metric.
    """
    gains = _gains(retrieved_ids, relevance)
    hits = [int(gain > 0) for gain in gains]
    grades = [grade for grade in relevance.values() if grade > 0]
    values: list[float] = []
    for name in names:
        base, cut = cutoff(name)
        if not grades:
            values.append(0.0)
        elif cut is None:
            values.append(ranks.WHOLE_LIST[base](hits, len(grades), k))
        elif base == "ndcg":
            values.append(ranks.ndcg(gains, grades, cut))
        else:
            values.append(ranks.AT_K[base](hits, len(grades), cut))
    return values


def _gains(retrieved_ids: Sequence[str], relevance: Mapping[str, float]) -> list[float]:
    """The grade that each rank adds; 0 for what is not relevant and for repeated ids."""
    unseen = {document_id: grade for document_id, grade in relevance.items() if grade > 0}
    return [unseen.pop(document_id, 0.0) for document_id in retrieved_ids]

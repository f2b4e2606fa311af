"""The standard ranking metrics over document ids, as trec_eval defines them.

`retrieved_ids` is best first; an id that comes again keeps its rank and finds nothing. `relevance`
maps the judged ids to grades; a grade above 0 is relevant. A judged query whose list is empty, or
for which nothing is relevant, scores 0. Every value lies in [0, 1], higher is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.metrics import ranks
from engine.metrics.spec import cutoff
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
        reason = "no document is judged for this query"
        return [MetricScore(name, VARIANT, None, ScoreState.NA, reason) for name in metrics]
    return [
        MetricScore(name, VARIANT, ranking_value(name, retrieved_ids, relevance, k))
        for name in metrics
    ]


def ranking_value(
    name: str, retrieved_ids: Sequence[str], relevance: Mapping[str, float], k: int | None = None
) -> float:
    """The value of one metric by name; raises KeyError for a name that is no ranking metric."""
    base, cut = cutoff(name)
    if cut is None:
        return _WHOLE_LIST[base](retrieved_ids, relevance, k)
    return _AT_K[base](retrieved_ids, relevance, cut)


def rank_by_score(scores: Mapping[str, float]) -> list[str]:
    """Ids by falling score; equal scores by falling id, as trec_eval breaks ties."""
    return [doc for _, doc in sorted(((s, doc) for doc, s in scores.items()), reverse=True)]


def average_precision(
    retrieved_ids: Sequence[str], relevance: Mapping[str, float], k: int | None = None
) -> float:
    """Sum over relevant documents at rank r <= k of precision at r, over all relevant documents."""
    total = _relevant(relevance)
    return ranks.average_precision(_found(retrieved_ids, relevance), total, k) if total else 0.0


def reciprocal_rank(
    retrieved_ids: Sequence[str], relevance: Mapping[str, float], k: int | None = None
) -> float:
    """1 / rank of the first relevant document among the first k; 0 if there is none."""
    return ranks.reciprocal_rank(_found(retrieved_ids, relevance), k)


def ndcg_at_k(retrieved_ids: Sequence[str], relevance: Mapping[str, float], k: int) -> float:
    """DCG / ideal DCG, gain = grade, discount log2(rank + 1), ideal over all relevant documents."""
    grades = _gains(retrieved_ids, relevance)
    return ranks.ndcg(grades, [grade for grade in relevance.values() if grade > 0], k)


def recall_at_k(retrieved_ids: Sequence[str], relevance: Mapping[str, float], k: int) -> float:
    """Relevant documents among the first k / all relevant documents."""
    total = _relevant(relevance)
    return ranks.recall(_found(retrieved_ids, relevance), total, k) if total else 0.0


def precision_at_k(retrieved_ids: Sequence[str], relevance: Mapping[str, float], k: int) -> float:
    """Relevant documents among the first k / k, also when fewer than k were retrieved."""
    return ranks.precision(_found(retrieved_ids, relevance), k)


def hit_at_k(retrieved_ids: Sequence[str], relevance: Mapping[str, float], k: int) -> float:
    """1 if a relevant document is among the first k, else 0."""
    return ranks.hit(_found(retrieved_ids, relevance), k)


def _relevant(relevance: Mapping[str, float]) -> int:
    return sum(grade > 0 for grade in relevance.values())


def _gains(retrieved_ids: Sequence[str], relevance: Mapping[str, float]) -> list[float]:
    """The grade that each rank adds; 0 for what is not relevant and for repeated ids."""
    seen: set[str] = set()
    gains: list[float] = []
    for document_id in retrieved_ids:
        new = document_id not in seen
        gains.append(max(0.0, relevance.get(document_id, 0.0)) if new else 0.0)
        seen.add(document_id)
    return gains


def _found(retrieved_ids: Sequence[str], relevance: Mapping[str, float]) -> list[int]:
    return [int(gain > 0) for gain in _gains(retrieved_ids, relevance)]


_WHOLE_LIST = {"map": average_precision, "mrr": reciprocal_rank}
_AT_K = {"ndcg": ndcg_at_k, "recall": recall_at_k, "precision": precision_at_k, "hit": hit_at_k}

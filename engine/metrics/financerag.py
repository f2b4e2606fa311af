"""The ranking metrics as FinanceRAG's released evaluation computes them.

It follows `BaseTask.evaluate` of cv-lee/FinanceRAG at a4fc6e9: results whose id equals the query
id are dropped, trec_eval does the rest on single-precision scores, the means cover the judged
queries that have a run and are rounded to 5 places.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence

from engine.metrics.ranking import rank_by_score, ranking_values
from store.records import MetricScore, ScoreState

VARIANT = "financerag"

_REPORTED = {"NDCG": "ndcg", "MAP": "map", "Recall": "recall", "P": "precision"}


def score_ranking(
    retrieved_ids: Sequence[str],
    relevance: Mapping[str, float],
    metrics: Iterable[str],
    k: int | None = None,
    query_id: str = "",
) -> list[MetricScore]:
    """One score for each of `metrics` (`map ndcg@k recall@k precision@k`), in order, not rounded.

    `k` cuts the list for map. Without any judged document the state is `na`: the code leaves the
    query out.
    """
    if not relevance:
        reason = "no document is judged for this query"
        return [MetricScore(name, VARIANT, None, ScoreState.NA, reason) for name in metrics]
    kept = [document_id for document_id in retrieved_ids if document_id != query_id]
    names = list(metrics)
    values = ranking_values(names, kept, relevance, k)
    return [MetricScore(name, VARIANT, value) for name, value in zip(names, values, strict=True)]


def evaluate(
    qrels: Mapping[str, Mapping[str, float]],
    results: Mapping[str, Mapping[str, float]],
    k_values: Sequence[int],
    *,
    ignore_identical_ids: bool = True,
) -> dict[str, float]:
    """Means `NDCG@k`, `MAP@k`, `Recall@k`, `P@k` over the judged queries with a run, 5 places.

    `results` gives a score for each retrieved id of each query. Raises ValueError when no judged
    query has a run; their code then divides by zero.
    """
    queries = [query_id for query_id in results if qrels.get(query_id)]
    if not queries:
        raise ValueError("no judged query has a run")
    rankings = {
        query_id: _rank(results[query_id], query_id if ignore_identical_ids else None)
        for query_id in queries
    }
    means: dict[str, float] = {}
    for label, base in _REPORTED.items():
        for k in k_values:
            name, cut = ("map", k) if base == "map" else (f"{base}@{k}", None)
            values = (
                ranking_values((name,), ranking, qrels[query_id], cut)[0]
                for query_id, ranking in rankings.items()
            )
            means[f"{label}@{k}"] = round(sum(values) / len(queries), 5)
    return means


def _rank(scores: Mapping[str, float], left_out: str | None) -> list[str]:
    return rank_by_score({doc: _single(score) for doc, score in scores.items() if doc != left_out})


def _single(score: float) -> float:
    """The nearest single-precision number: trec_eval ties scores that differ by less."""
    value: float = struct.unpack("f", struct.pack("f", score))[0]
    return value

"""The ranking metrics as FinanceRAG's released evaluation computes them.

It follows `BaseTask.evaluate` of cv-lee/FinanceRAG at a4fc6e9: results whose id equals the query
id are dropped, trec_eval does the rest, and a query without judgements is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.metrics.ranking import ranking_values
from engine.metrics.spec import without_value
from store.records import MetricScore, ScoreState

VARIANT = "financerag"


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
        return without_value(
            VARIANT, metrics, ScoreState.NA, "no document is judged for this query"
        )
    kept = [document_id for document_id in retrieved_ids if document_id != query_id]
    names = list(metrics)
    values = ranking_values(names, kept, relevance, k)
    return [MetricScore(name, VARIANT, value) for name, value in zip(names, values, strict=True)]

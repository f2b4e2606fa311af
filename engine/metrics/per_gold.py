"""Reciprocal ranks of every relevant document, where `standard` takes that of the first alone.

CRUD-RAG averages so over the two or three documents of its questions (figures 7 and 8). No code of
it is released; AutoEvolve's table 2, whose MAP is above its MRR, fits no other reading either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.metrics.spec import cutoff, without_value
from store.records import MetricScore, ScoreState

VARIANT = "per_gold"


def score_ranking(
    retrieved_ids: Sequence[str],
    relevance: Mapping[str, float],
    metrics: Iterable[str],
    k: int | None = None,
) -> list[MetricScore]:
    """One score for each of `metrics` (`mrr mrr@k`), in order; `k` cuts the list for mrr.

    mrr = sum over relevant documents of 1 / rank, 0 for one that is not found, over all relevant
    documents. An id that comes again keeps its first rank. Without any judged document the state is
    `na`; where nothing is relevant the value is 0.
    """
    if not relevance:
        return without_value(
            VARIANT, metrics, ScoreState.NA, "no document is judged for this query"
        )
    relevant = [document_id for document_id, grade in relevance.items() if grade > 0]
    first: dict[str, int] = {}
    for rank, document_id in enumerate(retrieved_ids, start=1):
        first.setdefault(document_id, rank)
    ranks = [first[one] for one in relevant if one in first]
    scores = []
    for name in metrics:
        cut = cutoff(name)[1] or k
        found = [1 / rank for rank in ranks if cut is None or rank <= cut]
        value = sum(found) / len(relevant) if relevant else 0.0
        scores.append(MetricScore(name, VARIANT, value))
    return scores

"""EKRAG's metrics: `ekrag_` and the paper's names, by which others mean other things."""

from __future__ import annotations

from engine.metrics.spec import MetricSpec, Need

CORRECTNESS, RELEVANCE, FAITHFULNESS = (
    "ekrag_correctness",
    "ekrag_relevance",
    "ekrag_faithfulness",
)


def _metric(name: str, need: Need, description: str) -> MetricSpec:
    # a cosine may be negative; what a reranker or a model says lies in [0, 1]
    return MetricSpec(
        *(name, "standard", "judge", -1.0, 1.0, True, (need,), description),
        "Yu et al., Evaluating Retrieval-Augmented Generation for Enterprise Knowledge (EKRAG)",
    )


METRICS = (
    _metric(CORRECTNESS, "golden_answer", "fit of the answer with the golden answer"),
    _metric(RELEVANCE, "evidence", "fit of the answer with the item's evidence"),
    _metric(FAITHFULNESS, "retrieved", "fit of the answer with what was retrieved"),
)

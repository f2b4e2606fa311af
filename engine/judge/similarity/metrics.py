"""Metrics of similarity to a golden answer. A cosine may be negative, and is stored as it is."""

from __future__ import annotations

from engine.metrics.spec import MetricSpec

SENTENCE = "sentence_similarity"


def _metric(name: str, description: str, source: str) -> MetricSpec:
    return MetricSpec(
        name, "standard", "judge", -1.0, 1.0, True, ("golden_answer",), description, source
    )


_BERTSCORE = "Zhang et al. 2020, arXiv 1904.09675, without idf and baseline"

METRICS = (
    _metric(
        SENTENCE,
        "cosine of the vectors of the answer and the nearest golden answer",
        "IAAR-Shanghai/CRUD_RAG at 1aace38, there called bertScore",
    ),
    _metric(
        "bertscore_precision",
        "mean over the answer's tokens of the cosine with the nearest token of a golden answer",
        _BERTSCORE,
    ),
    _metric(
        "bertscore_recall",
        "mean over a golden answer's tokens of the cosine with the answer's nearest token",
        _BERTSCORE,
    ),
    _metric("bertscore_f1", "harmonic mean of BERTScore's precision and recall", _BERTSCORE),
)

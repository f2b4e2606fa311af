"""RAGQuestEval's metrics, as the authors' code and as their paper define them."""

from __future__ import annotations

from msgspec.structs import replace

from engine.metrics.spec import resolve

_AS_THEIR_CODE = tuple(resolve(metric, "crud") for metric in ("QA_recall", "QA_avg_F1"))
_RECALL, _PRECISION = (
    replace(spec, variant="standard", source="CRUD-RAG, arXiv 2401.17043")
    for spec in _AS_THEIR_CODE
)
METRICS = (
    *_AS_THEIR_CODE,
    _RECALL,
    replace(
        _PRECISION,
        description="RAGQuestEval precision: mean token F1 over all questions, 0 where unanswered",
    ),
)

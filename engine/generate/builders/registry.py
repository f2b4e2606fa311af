"""The builders that ask in stages, by the builder that a task's row names."""

from __future__ import annotations

from engine.generate.builders.article import (
    ContinuationBuilder,
    CorrectionBuilder,
    SummaryBuilder,
)
from engine.generate.builders.base import Builder
from engine.generate.builders.group import GroupBuilder
from store.records import Task

BUILDERS: dict[str, Builder] = {
    "document_group": GroupBuilder(),
    "split_article": ContinuationBuilder(),
    "hallucinated_text": CorrectionBuilder(),
    "event_summary": SummaryBuilder(),
}


def staged_builder(task: Task) -> Builder | None:
    """The builder of a task that a model writes in stages; None for one that it writes at once."""
    return BUILDERS.get(task.builder)

"""What of an answer can be said without asking a model: what does not apply, and empty answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.judge.model.asking import WITH_DOCUMENTS
from engine.judge.rules import judge
from engine.text.numbers import numbers
from store.records import MetricScore, ScoreState

if TYPE_CHECKING:
    from engine.judge.registry import Case


def known_scores(case: Case, metrics: Sequence[str]) -> dict[str, MetricScore]:
    """The metrics that need no model.

    Nothing applies without golden answers; hallucination and utilization do not in closed-book or
    where it is unknown what was retrieved, numerical_accuracy not without a number in the golden
    answers: the conditions of the labelling form. An empty answer, which a filter withheld, is
    judged as the rules judge a refusal.
    """
    golden = [answer for answer in case.golden_answers if answer.strip()]
    if not golden:
        return {metric: _na(metric, "the item has no golden answer") for metric in metrics}
    if not case.answer.strip():
        by_rule = {score.metric: score for score in judge.judge_case(case)}
        return {metric: by_rule[metric] for metric in metrics}
    found = {}
    if case.closed_book or case.retrieval_unknown:
        reason = "the answer came without what was retrieved"
        if case.closed_book:
            reason = "the system retrieves nothing"
        found = {metric: _na(metric, reason) for metric in WITH_DOCUMENTS}
    if not any(numbers(answer) for answer in golden):
        found["numerical_accuracy"] = _na("numerical_accuracy", "the golden answer has no number")
    return {metric: score for metric, score in found.items() if metric in metrics}


def _na(metric: str, reason: str) -> MetricScore:
    return MetricScore(metric, "standard", None, ScoreState.NA, reason)

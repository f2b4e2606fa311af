"""Scores that need no model: of metrics that do not apply, and of empty answers."""

from __future__ import annotations

from collections.abc import Collection

from engine.judge.base import Case, specs_of
from engine.judge.rules.judge import judge_case
from engine.metrics.spec import MetricSpec, Need
from engine.text.numbers import numbers
from store.records import MetricScore, ScoreState


def not_applicable(case: Case, spec: MetricSpec) -> MetricScore | None:
    """The score `na` of a metric that needs what the case lacks, with the reason; else None."""
    for need in spec.needs:
        if reason := _lacking(case, need):
            return MetricScore(spec.name, spec.variant, None, ScoreState.NA, reason)
    return None


def known_scores(case: Case, metrics: Collection[str]) -> dict[str, MetricScore]:
    """Those of the metrics whose scores need no model.

    These are the metrics that do not apply, by the conditions of the labelling form. An empty
    answer, which a filter withheld, is judged as the rules judge a refusal.
    """
    if _golden(case) and not case.answer.strip():
        return {score.metric: score for score in judge_case(case) if score.metric in metrics}
    scores = (not_applicable(case, spec) for spec in specs_of(metrics))
    return {score.metric: score for score in scores if score is not None}


def _golden(case: Case) -> list[str]:
    return [answer for answer in case.golden_answers if answer.strip()]


def _lacking(case: Case, need: Need) -> str:
    """The reason why a case lacks what a metric needs; empty where it lacks nothing."""
    match need:
        case "golden_answer":
            return "" if _golden(case) else "the item has no golden answer"
        case "golden_number":
            some = any(numbers(answer) for answer in _golden(case))
            return "" if some else "the golden answer has no number"
        case "retrieved":
            if case.closed_book:
                return "the system retrieves nothing"
            unknown = "the answer came without what was retrieved"
            return unknown if case.retrieval_unknown else ""
        case "keypoints":
            return "" if case.keypoints else "the item has no keypoints"
        case "evidence":
            return "" if case.evidence else "the item marks no evidence"

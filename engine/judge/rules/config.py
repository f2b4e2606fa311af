"""The definition of the rule judge: its name and version, its metrics and its thresholds."""

from __future__ import annotations

JUDGE_NAME = "rules"
JUDGE_VERSION = 3
"""Raised whenever a rule changes what a prediction may score."""

METRICS = (
    "accuracy",
    "completeness",
    "hallucination",
    "utilization",
    "numerical_accuracy",
)

HELD_WORDS = 0.5
"""Words of an aspect that a text must give to hold it."""

THRESHOLDS: dict[str, float] = {
    "held_words": HELD_WORDS,
    "accuracy_full": 0.75,
    "accuracy_part": 1 / 3,
    "accuracy_words": 0.4,
    "completeness_full": 0.85,
    "completeness_part": 1 / 3,
    "supported_words": 0.6,
    "utilization_recall": 0.75,
    "utilization_precision": 0.5,
}
"""Every value is a share from 0 to 1."""


def judge_config() -> dict[str, object]:
    """The definition of this judge; its hash keys the scores."""
    return {"judge": JUDGE_NAME, "version": JUDGE_VERSION, **THRESHOLDS}

"""Where the rule judge draws its lines; every value is a share from 0 to 1."""

from __future__ import annotations

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

"""The report on a trained light judge: its data, its models, and its agreement on each side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from engine.calibration.calibration_records import MetricCalibration, PairedTest
from engine.statistics.inference import Difference, Verdict
from engine.training.light.fitting import Fitted

Part = Literal["train", "validation", "test"]


class PartReport(Struct, frozen=True):
    """The judge and the rules against people, on one side of the split."""

    part: Part
    judge: tuple[MetricCalibration, ...]
    """All metrics pooled first, then each; empty without cases."""
    rules: tuple[MetricCalibration, ...]
    test: PairedTest | None
    """Judge minus rules; null without cases."""


def gain_sentences(test: PairedTest) -> list[str]:
    """Accuracy of this judge minus the rules', pooled and by metric; then the metrics that are less
    accurate than by the rules, each with whether more than chance says so."""
    gains = {"all, pooled": test.pooled, **test.metrics}
    lines = [
        f"{name}: {gain.difference:+.3f}{_interval(gain)}"
        for name, gain in gains.items()
        if gain.difference is not None
    ]
    worse = [
        f"{name} ({'tested' if gain.verdict is Verdict.B_BETTER else 'may be chance'})"
        for name, gain in test.metrics.items()
        if gain.difference is not None and gain.difference < 0
    ]
    return [*lines, *([f"Worse than the rules: {', '.join(worse)}."] if worse else [])]


def _interval(gain: Difference) -> str:
    if gain.low is None or gain.high is None:
        return " (too few groups for an interval)"
    return f" (95 % {gain.low:+.3f} to {gain.high:+.3f})"


class TrainingReport(Struct, frozen=True):
    name: str
    folder: str
    cases: Mapping[str, int]
    """Labelled answers by side; `left out` are near-duplicates of both sides."""
    labels: Mapping[str, Mapping[str, int]]
    """By metric, how many training labels have each value."""
    with_aids: int
    """Training answers with a label whose rater could see the comparison with the golden answer."""
    fitted: tuple[Fitted, ...]
    skipped: Mapping[str, str]
    """Metrics without a model, with the reason."""
    held_out: tuple[MetricCalibration, ...]
    """On the training side, by models that had not seen the case: grouped cross-validation."""
    parts: tuple[PartReport, ...]

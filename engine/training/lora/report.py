"""The report on a fine-tuning: its settings, its figures, and its agreement with people."""

from __future__ import annotations

from msgspec import Struct

from engine.calibration.calibration_records import MetricCalibration
from engine.training.lora.settings import LoraSettings


class LoraReport(Struct, frozen=True):
    name: str
    folder: str
    settings: LoraSettings
    source: dict[str, str]
    trained: int
    """Rows on the training side that were used."""
    too_long: dict[str, int]
    """Rows left out by side, over `max_length`."""
    steps: int
    loss: float
    """Mean over the last steps, in nats a token of the reply."""
    seconds: float
    tokens_per_second: float
    """Of prompts and replies, over all epochs."""
    device: str
    evaluated: dict[str, tuple[MetricCalibration, ...]]
    """By side: all metrics pooled first, then each; against the labels of people."""

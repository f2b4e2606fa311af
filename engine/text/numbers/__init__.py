"""Parses and compares numbers as people write them in Chinese and English."""

from __future__ import annotations

from engine.text.numbers.compare import comparable, find_same, same_number
from engine.text.numbers.parse import numbers
from engine.text.numbers.records import CalendarDate, Kind, Number

__all__ = [
    "CalendarDate",
    "Kind",
    "Number",
    "comparable",
    "find_same",
    "numbers",
    "same_number",
]

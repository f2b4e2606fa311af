"""What two values differ by, written in their unit."""

from __future__ import annotations

import re

from engine.generate.rules.records import Fact
from engine.generate.rules.surface import computed
from engine.text.numbers import Kind


def difference(more: Fact, less: Fact) -> str:
    """The difference of two values, in their unit; percentages differ by percentage points."""
    a, b = more.known, less.known
    if a.kind is Kind.PERCENT:
        gap = abs(a.value - b.value) * 100
        points = "percentage point" if gap == 1 else "percentage points"
        return computed(gap, "个百分点" if more.lang == "zh" else points, more.lang)
    sign = next((char for char in more.written if char in "$€£¥"), "")
    return computed(abs(a.figure - b.figure), unit_word(more), more.lang, sign)


def unit_word(fact: Fact) -> str:
    """Scale and unit of a value in words, from what was written after its figure."""
    if fact.unit:
        return fact.unit
    found = re.search(r"\d\s*(?P<unit>[^\d\s.,()%][^\d()]*)$", fact.written)
    return found["unit"].strip() if found else ""

"""A number in a text, with its place, its value and its written precision."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import Literal

from msgspec import Struct

GROWTH = "growth"
"""The unit of a share that a word of growth names: 翻了一番 is 100 %."""

Sign = Literal[-1, 0, 1]


class Kind(StrEnum):
    PLAIN = "plain"
    """A count, a measure, a bare figure, a bare year."""
    PERCENT = "percent"
    """A share; `value` is the fraction: 3.4 % is 0.034, 三成 is 0.3."""
    POINTS = "points"
    """A difference of shares: percentage points, basis points; 50 bp is 0.005."""
    AMOUNT = "amount"
    """Money; `unit` is the currency's ISO 4217 code."""
    TIMES = "times"
    """A multiple: 1.5倍, 3 times."""
    DURATION = "duration"
    """A length of time; `unit` is `month`, `day` or `workday`: 2年 is 24 month."""
    ORDINAL = "ordinal"
    """A place in an order: 第三, 12th."""
    DATE = "date"
    """A point or period of the calendar; `date` holds its parts, `value` the year (or 0)."""


class CalendarDate(Struct, frozen=True, omit_defaults=True):
    """The parts of a date that were written; a part that was not is null."""

    year: int | None = None
    half: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None


class Number(Struct, frozen=True, kw_only=True):
    """One number as read from a text, which it covers from `start` to `end` (exclusive)."""

    start: int
    end: int
    value: Fraction
    """Exact, in base units (12.5亿元 is 1,250,000,000), with the sign as written."""
    kind: Kind
    figure: Fraction
    """The number before scale and unit: 12.5 in 12.5亿元; with the sign as written."""
    step: Fraction
    """Worth of the last written digit in base units: 0.001 for 9.2 %. Zero is exact."""
    unit: str = ""
    sign: Sign = 0
    """The written sign: minus, 负 and accounting parentheses -1, plus 1, none 0."""
    direction: Sign = 0
    """The direction of the words around it: -1 for 下降 or `decreased by`, 1 for 增长 or `rose`."""
    date: CalendarDate | None = None

    @property
    def signed(self) -> Fraction:
        """The value with the direction of the words applied: 下降3.4% reads as -3.4 %."""
        return -abs(self.value) if self.direction < 0 else self.value

    @property
    def is_basis_points(self) -> bool:
        """Whether this was written in basis points, not in percentage points."""
        return self.kind is Kind.POINTS and self.value * 10_000 == self.figure

    @property
    def is_growth(self) -> bool:
        """Whether this was written as a word of growth: 翻了一番, doubled."""
        return self.kind is Kind.PERCENT and self.unit == GROWTH

    @property
    def is_bare(self) -> bool:
        """Whether neither a unit nor a scale was written, so that context must supply them."""
        return self.kind is Kind.PLAIN and not self.unit and self.value == self.figure

    @property
    def is_year(self) -> bool:
        """Whether this names a year and nothing finer: 2023年, FY2022, or a bare 2023."""
        if self.date is not None:
            return self.date == CalendarDate(year=self.date.year)
        return (
            self.is_bare
            and self.sign == 0
            and self.step == 1
            and self.end - self.start == 4
            and 1900 <= self.value <= 2100
        )

    @property
    def year(self) -> int | None:
        """The year of a date, or that a bare number names; null for every other number."""
        if self.date is not None:
            return self.date.year
        return int(self.value) if self.is_year else None

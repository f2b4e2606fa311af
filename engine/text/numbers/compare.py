"""Tells whether two numbers are equal, and whether one contradicts the other."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from engine.text.numbers.records import CalendarDate, Kind, Number, Sign

_MOST_ROUNDED = 20
"""Rounding to two significant figures changes a number by a twentieth at most; numbers that differ
by more are different."""

_COMPARABLE = {
    frozenset({Kind.PLAIN, Kind.AMOUNT}),
    frozenset({Kind.PLAIN, Kind.PERCENT}),
    frozenset({Kind.PLAIN, Kind.TIMES}),
    frozenset({Kind.PLAIN, Kind.DATE}),
    frozenset({Kind.PLAIN, Kind.ORDINAL}),
}


def same_number(a: Number, b: Number, *, bare_takes_unit: bool = False) -> bool:
    """Whether `a` and `b` are one number, equal up to the coarser precision that was written.

    - Kinds must agree; a plain number may stand for an amount, a multiple, an ordinal or a year,
      and for a percentage as its fraction (0.034 and 3.4 %; never 3.4 and 3.4 %).
    - Currencies and units must not contradict: one that is not written contradicts nothing.
    - The difference is at most half the larger `step`, and at most 5 % of the larger value.
    - 下降3.4% is -3.4 % and is not 增长3.4%; a figure with neither sign nor direction agrees with
      either direction in words, but not with a written minus.
    - Basis points may stand for a percentage, and 翻了一番 (`doubled`) for 100 % or 2 times.
    - Dates agree when `b` gives each part that `a` writes, though it may be finer: 2023-03-31 is
      the same as 2023年3月 and as Q1 2023, where these are `a`. Only the year may be left out.

    With `bare_takes_unit`, a figure without scale and unit may borrow those of the other
    (29.8 and 29.8 %; 40.6 and 40.6 million): for a golden answer that is only a figure.
    """
    if a.date is not None or b.date is not None:
        return _same_date(a, b)
    if bare_takes_unit and a.is_bare != b.is_bare and _same_figure(a, b):
        return True
    if a.kind is not b.kind and frozenset({a.kind, b.kind}) not in _COMPARABLE:
        return _same_change(a, b)
    if a.unit and b.unit and a.unit != b.unit:
        return False
    return _close(a.value, b.value, a.step, b.step) and _same_direction(a, b)


def comparable(a: Number, b: Number) -> bool:
    """Whether the two could state one quantity, so that different values contradict each other."""
    if a.is_year or b.is_year or a.date is not None or b.date is not None:
        return (a.is_year or a.date is not None) and (b.is_year or b.date is not None)
    if a.unit and b.unit and a.unit != b.unit:
        return False
    return a.kind is b.kind or frozenset({a.kind, b.kind}) == {Kind.PLAIN, Kind.AMOUNT}


def find_same(
    sought: Number, among: Iterable[Number], *, bare_takes_unit: bool = False
) -> Number | None:
    """The first number of `among` that is the same as `sought`."""
    for number in among:
        if same_number(sought, number, bare_takes_unit=bare_takes_unit):
            return number
    return None


def _close(a: Fraction, b: Fraction, *steps: Fraction) -> bool:
    """Whether `a` and `b`, whatever their signs, differ by rounding to the larger step at most; in
    integers, for speed."""
    left, right = abs(a.numerator) * b.denominator, abs(b.numerator) * a.denominator
    difference = abs(left - right)
    if difference == 0:
        return True
    if _MOST_ROUNDED * difference > max(left, right):
        return False
    step = max(steps)
    scale = a.denominator * b.denominator
    return 2 * difference * step.denominator <= step.numerator * scale


def _same_figure(a: Number, b: Number) -> bool:
    is_close = _close(a.figure, b.figure, _figure_step(a), _figure_step(b))
    return is_close and _same_direction(a, b)


def _figure_step(number: Number) -> Fraction:
    """The step in the units of the figure as written."""
    if number.value == 0 or number.figure == 0:
        return number.step
    return number.step * number.figure / number.value


def _same_direction(a: Number, b: Number) -> bool:
    way_a, way_b = _way(a), _way(b)
    if way_a == way_b:
        return True
    if way_a and way_b:
        return False
    stated = a if way_a else b
    return stated.value.numerator >= 0


def _way(number: Number) -> Sign:
    numerator = number.value.numerator
    if numerator < 0:
        return -1
    if numerator == 0:
        return 0
    return number.direction or number.sign


def _same_change(a: Number, b: Number) -> bool:
    """Whether a share is the same as basis points, or a word of growth as a multiple."""
    if a.kind is not Kind.PERCENT:
        a, b = b, a
    if a.kind is not Kind.PERCENT:
        return False
    if b.kind is Kind.POINTS and b.is_basis_points:
        return _same_direction(a, b) and _close(a.value, b.value, a.step, b.step)
    return a.is_growth and b.kind is Kind.TIMES and b.value == a.value + 1


def _same_date(a: Number, b: Number) -> bool:
    date_a, date_b = _as_date(a), _as_date(b)
    if date_a is None or date_b is None:
        return False
    (year_a, *finer_a), (year_b, *finer_b) = _parts(date_a), _parts(date_b)
    if any(a is not None and a != b for a, b in zip(finer_a, finer_b, strict=True)):
        return False
    if year_a is None or year_b is None:
        return any(part is not None for part in finer_a)
    return year_a == year_b


def _as_date(number: Number) -> CalendarDate | None:
    if number.date is not None:
        return number.date
    return CalendarDate(year=int(number.value)) if number.is_year else None


def _parts(date: CalendarDate) -> tuple[int | None, ...]:
    """Year, half, quarter, month, day; what a finer part implies is filled in."""
    quarter = date.quarter or (None if date.month is None else (date.month + 2) // 3)
    half = date.half or (None if quarter is None else (quarter + 1) // 2)
    return date.year, half, quarter, date.month, date.day

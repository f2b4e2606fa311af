"""Exact values of written figures: Arabic digits with a scale, and Chinese numerals."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

DIGITS = {
    **{char: value for value, char in enumerate("零一二三四五六七八九")},
    **{char: value for value, char in enumerate("零壹贰叁肆伍陆柒捌玖")},
    "〇": 0,
    "两": 2,
    "貳": 2,
    "參": 3,
    "陸": 6,
}
SMALL_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
LARGE_UNITS = {"亿": 10**8, "億": 10**8, "万": 10**4, "萬": 10**4}

DIGIT_CHARS = "".join(DIGITS)
UNIT_CHARS = "".join(SMALL_UNITS) + "".join(LARGE_UNITS)

Exact = tuple[Fraction, Fraction]
"""A value, and the worth of its last written digit."""


@lru_cache(maxsize=8192)
def arabic_value(figure: str, scale: int = 1) -> Exact:
    """Value and step of `1,234.50` times `scale`; separators are ignored, `e` notation is read."""
    digits, _, exponent = figure.replace(",", "").lower().partition("e")
    integer, _, decimals = digits.partition(".")
    step = Fraction(scale) * Fraction(10) ** (int(exponent or 0) - len(decimals))
    return int((integer or "0") + decimals) * step, step


@lru_cache(maxsize=4096)
def chinese_value(run: str, decimals: str = "") -> Exact:
    """Value and step of a Chinese numeral such as 十二亿五千万, or 一 with decimals 五 (一点五).

    A run without units is read digit by digit (二〇二三). A lone digit after a unit counts tenths
    of that unit, as spoken: 三万五 is 35,000 and 十五 is 15. The run must hold numerals only.
    """
    if not any(char in SMALL_UNITS or char in LARGE_UNITS for char in run):
        value, step = _positional(run), Fraction(1)
    else:
        total, last = _with_units(run)
        value, step = Fraction(total), Fraction(last)
    if decimals:
        step = Fraction(1, 10 ** len(decimals))
        value += _positional(decimals) * step
    return value, step


def _positional(run: str) -> Fraction:
    return Fraction(int("".join(str(DIGITS[char]) for char in run) or "0"))


def _with_units(run: str) -> tuple[int, int]:
    """Value and step of a run, by splitting at its largest unit."""
    for units in (("亿", "億"), ("万", "萬")):
        for unit in units:
            if unit in run:
                return _split(run, unit, LARGE_UNITS[unit])
    for unit in ("千", "仟", "百", "佰", "十", "拾"):
        if unit in run:
            return _split(run, unit, SMALL_UNITS[unit])
    return int(_positional(run)), 1


def _split(run: str, unit: str, worth: int) -> tuple[int, int]:
    left, _, right = run.rpartition(unit)
    count, count_step = _with_units(left) if left.strip("零〇") else (1, 1)
    if not right.strip("零〇"):
        return count * worth, count_step * worth
    if len(right) == 1 and right in DIGITS:
        return count * worth + DIGITS[right] * worth // 10, max(worth // 10, 1)
    rest, step = _with_units(right)
    return count * worth + rest, step

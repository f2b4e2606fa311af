"""Tells what the cells of tables hold: a value, a year, or a part of a value."""

from __future__ import annotations

import re

CURRENCY_SIGNS = "$€£¥￥"

_NUMBER = rf"[(（]?[-−–+]?\s?(?:US|HK|RMB)?\s?[{CURRENCY_SIGNS}]?\s?[(（]?[-−–+]?\d[\d,，.]*"
_UNIT = r"\s?(?:[%％]|bps?|x|pts?\.?)?[)）]?\s?(?:[%％]|bps?|pts?\.?)?(?:\s?\(\d\))?"
_VALUE = re.compile(rf"{_NUMBER}{_UNIT}|[{CURRENCY_SIGNS}]?\s?[-—–−*]+|N/?[AM]|n/?[am]|不适用")
_YEAR = re.compile(r"(?:FY|Q\d)?\s?(?:19|20)\d\d(?:年度?)?")
_BEFORE_A_VALUE = re.compile(rf"(?:US|HK|RMB)?\s?[{CURRENCY_SIGNS}]\s?[(（]?|[(（]")
_AFTER_A_VALUE = re.compile(r"[)）]\s?[%％]?|[%％]\s?[)）]?")


def is_value(text: str) -> bool:
    """Whether a cell holds a number, or a sign that means an absent one."""
    return _VALUE.fullmatch(text) is not None


def is_year(text: str) -> bool:
    """Whether a cell is a year, which looks like a number and serves as a heading."""
    return _YEAR.fullmatch(text) is not None


def goes_before_a_value(text: str) -> bool:
    """Whether a cell holds only what belongs in front of a number, such as a currency sign."""
    return _BEFORE_A_VALUE.fullmatch(text) is not None


def goes_after_a_value(text: str) -> bool:
    """Whether a cell holds only what belongs behind a number, such as a closing bracket."""
    return _AFTER_A_VALUE.fullmatch(text) is not None

"""The words and signs that numbers are written with: scales, units, currencies, months."""

from __future__ import annotations

from fractions import Fraction

from engine.text.numbers.records import Kind

SCALES: dict[str, int] = {
    "万亿": 10**12,
    "千亿": 10**11,
    "百亿": 10**10,
    "十亿": 10**9,
    "亿": 10**8,
    "千万": 10**7,
    "百万": 10**6,
    "十万": 10**5,
    "万": 10**4,
    "千": 10**3,
    "百": 10**2,
    "萬": 10**4,
    "億": 10**8,
    "trillion": 10**12,
    "trillions": 10**12,
    "trn": 10**12,
    "tn": 10**12,
    "billion": 10**9,
    "billions": 10**9,
    "bn": 10**9,
    "b": 10**9,
    "crore": 10**7,
    "crores": 10**7,
    "million": 10**6,
    "millions": 10**6,
    "mln": 10**6,
    "mn": 10**6,
    "mm": 10**6,
    "m": 10**6,
    "lakh": 10**5,
    "lakhs": 10**5,
    "thousand": 10**3,
    "thousands": 10**3,
    "k": 10**3,
    "hundred": 10**2,
}

LETTER_SCALES = frozenset("kmb")
"""Scales of one letter: read only when they touch the figure or money stands before it."""

CURRENCIES: dict[str, str] = {
    "元人民币": "CNY",
    "人民币元": "CNY",
    "人民币": "CNY",
    "元": "CNY",
    "圆": "CNY",
    "块钱": "CNY",
    "rmb": "CNY",
    "cny": "CNY",
    "yuan": "CNY",
    "renminbi": "CNY",
    "¥": "CNY",
    "美元": "USD",
    "美金": "USD",
    "us$": "USD",
    "$": "USD",
    "usd": "USD",
    "us dollars": "USD",
    "u.s. dollars": "USD",
    "dollars": "USD",
    "dollar": "USD",
    "欧元": "EUR",
    "€": "EUR",
    "eur": "EUR",
    "euros": "EUR",
    "euro": "EUR",
    "英镑": "GBP",
    "£": "GBP",
    "gbp": "GBP",
    "港元": "HKD",
    "港币": "HKD",
    "hk$": "HKD",
    "hkd": "HKD",
    "日元": "JPY",
    "jpy": "JPY",
    "yen": "JPY",
    "瑞士法郎": "CHF",
    "chf": "CHF",
    "a$": "AUD",
    "c$": "CAD",
    "s$": "SGD",
    "新加坡元": "SGD",
}

Unit = tuple[Kind, str, Fraction]

_PERCENT: Unit = (Kind.PERCENT, "", Fraction(1, 100))
_POINT: Unit = (Kind.POINTS, "", Fraction(1, 100))
_BASIS_POINT: Unit = (Kind.POINTS, "", Fraction(1, 10_000))
_TIMES: Unit = (Kind.TIMES, "", Fraction(1))
_YEAR: Unit = (Kind.DURATION, "month", Fraction(12))
_QUARTER: Unit = (Kind.DURATION, "month", Fraction(3))
_MONTH: Unit = (Kind.DURATION, "month", Fraction(1))
_WEEK: Unit = (Kind.DURATION, "day", Fraction(7))
_DAY: Unit = (Kind.DURATION, "day", Fraction(1))
_HOUR: Unit = (Kind.DURATION, "day", Fraction(1, 24))
_MINUTE: Unit = (Kind.DURATION, "day", Fraction(1, 1440))
_WORKDAY: Unit = (Kind.DURATION, "workday", Fraction(1))

UNITS: dict[str, Unit] = {
    "%": _PERCENT,
    "percent": _PERCENT,
    "per cent": _PERCENT,
    "pct": _PERCENT,
    "‰": (Kind.PERCENT, "", Fraction(1, 1000)),
    "成": (Kind.PERCENT, "", Fraction(1, 10)),
    "个百分点": _POINT,
    "百分点": _POINT,
    "percentage points": _POINT,
    "percentage point": _POINT,
    "ppts": _POINT,
    "ppt": _POINT,
    "pp": _POINT,
    "个基点": _BASIS_POINT,
    "基点": _BASIS_POINT,
    "basis points": _BASIS_POINT,
    "basis point": _BASIS_POINT,
    "bps": _BASIS_POINT,
    "bp": _BASIS_POINT,
    "倍": _TIMES,
    "times": _TIMES,
    "x": _TIMES,
    "个工作日": _WORKDAY,
    "工作日": _WORKDAY,
    "个交易日": _WORKDAY,
    "交易日": _WORKDAY,
    "business days": _WORKDAY,
    "business day": _WORKDAY,
    "working days": _WORKDAY,
    "working day": _WORKDAY,
    "trading days": _WORKDAY,
    "周年": _YEAR,
    "年": _YEAR,
    "years": _YEAR,
    "year": _YEAR,
    "个季度": _QUARTER,
    "quarters": _QUARTER,
    "个月": _MONTH,
    "months": _MONTH,
    "month": _MONTH,
    "个星期": _WEEK,
    "星期": _WEEK,
    "周": _WEEK,
    "weeks": _WEEK,
    "week": _WEEK,
    "个自然日": _DAY,
    "自然日": _DAY,
    "天": _DAY,
    "日": _DAY,
    "days": _DAY,
    "day": _DAY,
    "个小时": _HOUR,
    "小时": _HOUR,
    "hours": _HOUR,
    "hour": _HOUR,
    "分钟": _MINUTE,
    "minutes": _MINUTE,
    "minute": _MINUTE,
}
UNITS |= {name: (Kind.AMOUNT, code, Fraction(1)) for name, code in CURRENCIES.items()}

MEASURE_WORDS = "个家项种类次名位只支条款笔期届级层张份台套部人户股辆万亿吨米字场座所间颗"
"""Words that make a lone Chinese numeral a count: 三家, 两个."""

MONTHS: dict[str, int] = {
    name: i + 1
    for i, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
    )
}

ORDINAL_WORDS: dict[str, int] = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "上": 1,
    "下": 2,
}

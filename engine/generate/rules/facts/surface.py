"""Surface forms: the ways in which one value is written, and computed values and differences."""

from __future__ import annotations

import re
from fractions import Fraction

from engine.answer.offline.computing import decimal
from engine.generate.rules.facts.fact import Fact
from engine.generate.rules.vocabulary import word_list
from engine.text.numbers import Kind, Number, numbers, same_number
from engine.text.numbers.words import SCALES
from store.records import Lang

_SCALED = re.compile(r"(?P<figure>[\d,.]+)\s*(?P<scale>万亿|亿|千万|百万|万|千)(?P<unit>.*)")
_EN_MONEY = re.compile(
    r"(?P<sign>[$€£])\s?(?P<figure>[\d,.]+)(?: (?P<scale>thousand|million|billion))?", re.IGNORECASE
)
_EN_SCALED = re.compile(
    r"(?P<figure>[\d,.]+) (?P<scale>thousand|million|billion|trillion)(?P<unit>.*)", re.IGNORECASE
)
_CURRENCY_WORD = {"$": "dollars", "€": "euros", "£": "pounds"}
_MONTHS = word_list("en", "months")
_MOST_ZEROS = 10**13


def forms_of(written: str, lang: Lang) -> tuple[str, ...]:
    """`written` and other ways to write the same value, the given one first.

    A form is kept only if it reads as the same number, so that no rule here can make a wrong one.
    """
    forms = [written, *_other_forms(written, lang)]
    original = _only_number(written)
    kept = [
        form
        for form in forms
        if form == written or _same(original, _only_number(form)) or original is None
    ]
    return tuple(dict.fromkeys(kept))[:4]


def _other_forms(written: str, lang: Lang) -> list[str]:
    number = _only_number(written)
    if number is None:
        return []
    if number.date is not None:
        return _date_forms(number, lang)
    if number.kind is Kind.PERCENT and written.endswith(("%", "％")):
        figure = written[:-1].strip()
        return [f"百分之{figure}"] if lang == "zh" else [f"{figure} percent"]
    if lang == "zh":
        return _spread_out(_SCALED.fullmatch(written), "")
    money = _EN_MONEY.fullmatch(written)
    if money:
        if not money["scale"]:
            return []
        in_words = f"{money['figure']} {money['scale']} {_CURRENCY_WORD[money['sign']]}"
        return [in_words, *_spread_out(money, money["sign"])]
    return _spread_out(_EN_SCALED.fullmatch(written), "")


def _spread_out(match: re.Match[str] | None, sign: str) -> list[str]:
    """The value without a scale word: 26.84亿元 as 2,684,000,000元."""
    if match is None or match["figure"].rstrip(".,") != match["figure"]:
        return []
    value = Fraction(match["figure"].replace(",", "")) * SCALES[match["scale"].lower()]
    if value.denominator != 1 or value > _MOST_ZEROS:
        return []
    return [f"{sign}{int(value):,}{match.groupdict().get('unit') or ''}"]


def _date_forms(number: Number, lang: Lang) -> list[str]:
    date = number.date
    if date is None or not (date.year and date.month and date.day):
        return []
    iso = f"{date.year}-{date.month:02}-{date.day:02}"
    if lang == "zh":
        return [f"{date.year}年{date.month}月{date.day}日", iso]
    month = _MONTHS[date.month - 1]
    return [f"{month} {date.day}, {date.year}", f"{date.day} {month} {date.year}", iso]


def _only_number(text: str) -> Number | None:
    figures = numbers(text)
    return figures[0] if len(figures) == 1 else None


def _same(a: Number | None, b: Number | None) -> bool:
    return a is not None and b is not None and same_number(a, b)


def computed(value: Fraction, unit: str, lang: Lang, sign: str = "") -> str:
    """A computed figure in the scale and unit of its operands: 2.27亿份, `$1,205 thousand`."""
    figure = grouped(value)
    if lang == "zh":
        return f"{figure}{unit}"
    minus, figure = ("-", figure[1:]) if figure.startswith("-") else ("", figure)
    return f"{minus}{sign}{figure}{' ' + unit if unit else ''}"


def percent(share: Fraction) -> str:
    """A fraction as a percentage with at most two decimals."""
    return f"{decimal(share * 100)}%"


def grouped(value: Fraction) -> str:
    """A decimal with thousands separators."""
    text = decimal(value)
    integer, dot, rest = text.lstrip("-").partition(".")
    if len(integer) > 3:
        integer = f"{int(integer):,}"
    return f"{'-' if text.startswith('-') else ''}{integer}{dot}{rest}"


def difference(more: Fact, less: Fact) -> str:
    """The difference of two values, in their unit; percentages differ by percentage points."""
    a, b = more.known, less.known
    if a.kind is Kind.PERCENT:
        gap = abs(a.value - b.value) * 100
        points = "percentage point" if gap == 1 else "percentage points"
        return computed(gap, "个百分点" if more.lang == "zh" else points, more.lang)
    sign = next((char for char in more.written if char in "$€£¥"), "")
    return computed(abs(a.figure - b.figure), unit_word(more), more.lang, sign)


def shared_tail(a: str, b: str) -> str:
    """The longest end that two labels have in common."""
    length = 0
    while length < min(len(a), len(b)) and a[-1 - length] == b[-1 - length]:
        length += 1
    return a[len(a) - length :]


def unit_word(fact: Fact) -> str:
    """Scale and unit of a value in words, from what was written after its figure."""
    if fact.unit:
        return fact.unit
    match = re.search(r"\d\s*(?P<unit>[^\d\s.,()%][^\d()]*)$", fact.written)
    return match["unit"].strip() if match else ""

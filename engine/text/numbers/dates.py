"""Reads dates, as they are written in Chinese and English, at a position of a folded text."""

from __future__ import annotations

from fractions import Fraction
from re import Match

from engine.text.numbers import grammar
from engine.text.numbers.figures import chinese_value
from engine.text.numbers.records import CalendarDate, Kind, Number
from engine.text.numbers.words import MONTHS, ORDINAL_WORDS

_AFTER_YEAR = frozenset("年-/. QH")
_AFTER_SHORT = frozenset("月日号季stndrhQH 一二三四五六七八九十")
_BEFORE_WINDOW = 40
_LAST_WORDS = frozenset(
    ("quarter", "half", "of", "in", "the", "fiscal", "fy", "year", "fy'", *MONTHS)
)


def date_at(text: str, at: int, floor: int) -> Number | None:
    """The date whose first figure stands at `at`; words before it reach back to `floor` at most."""
    return _with_words_before(text, at, floor) or _year_first(text, at) or _short(text, at, floor)


def _with_words_before(text: str, at: int, floor: int) -> Number | None:
    if at <= floor or not _date_word_ends(text, at, floor):
        return None
    low = max(floor, at - _BEFORE_WINDOW)
    words = grammar.DATE_WORDS_BEFORE.search(text[low:at])
    if words is None:
        return None
    start = low + words.start()
    if words["name"]:
        return _month_name_first(text, start, at, words["name"])
    if words["q"] or words["h"]:
        return _quarter_letter(text, start, at, is_half=bool(words["h"]))
    year = grammar.DAY_AND_YEAR.match(text, at)
    short_year = words["fiscal"] and year and year["day"] and len(year["day"]) == 2
    if year is None or not (year["year_only"] or short_year):
        return None
    number = _full_year(year["year_only"] or year["day"])
    end = at + len(year["year_only"] or year["day"])
    if words["fiscal"]:
        return _date(start, end, CalendarDate(year=number))
    period = ORDINAL_WORDS[words["ordinal"].lower()]
    if words["period"].lower() == "half":
        return _date(start, end, CalendarDate(year=number, half=period))
    return _date(start, end, CalendarDate(year=number, quarter=period))


def _date_word_ends(text: str, at: int, floor: int) -> bool:
    """Whether a date word may end before `at`, a cheap check before the full expression."""
    last = text[at - 1]
    if last in "QHY'":
        return True
    if last != " ":
        return False
    words = text[max(floor, at - 12) : at].split()
    if not words:
        return False
    word = words[-1].lower().rstrip(".,")
    return word in _LAST_WORDS or word[:3] in MONTHS


def _month_name_first(text: str, start: int, at: int, name: str) -> Number | None:
    match = grammar.DAY_AND_YEAR.match(text, at)
    if match is None:
        return None
    month = MONTHS[name[:3].lower()]
    if match["year_only"]:
        return _date(start, match.end(), CalendarDate(year=int(match["year_only"]), month=month))
    year = int(match["year"]) if match["year"] else None
    return _date(start, match.end(), CalendarDate(year=year, month=month, day=int(match["day"])))


def _quarter_letter(text: str, start: int, at: int, *, is_half: bool) -> Number | None:
    match = grammar.YEAR_AFTER_QUARTER.match(text, at)
    if match is None:
        return None
    year = _full_year(match["year"]) if match["year"] else None
    part = int(text[at])
    if is_half:
        return _date(start, match.end(), CalendarDate(year=year, half=part)) if part < 3 else None
    return _date(start, match.end(), CalendarDate(year=year, quarter=part))


def _year_first(text: str, at: int) -> Number | None:
    if text[at + 4 : at + 5] not in _AFTER_YEAR and text[at + 5 : at + 6] != "年":
        return None
    match = grammar.DATE_FROM_YEAR.match(text, at)
    if match is None:
        return None
    date = CalendarDate(
        year=_small(match["year"]),
        half=_part(match["half"] or match["h"]),
        quarter=_part(match["quarter"] or match["q"]),
        month=_part(match["month"] or match["iso_month"]),
        day=0 if match["no_day"] else _part(match["day"] or match["iso_day"]),
    )
    return _date(at, match.end(), date, is_clear=match["iso_day"] is None)


def _short(text: str, at: int, floor: int) -> Number | None:
    following = text[at + 1 : at + 2]
    if following.isdigit():
        following = text[at + 2 : at + 3]
        if following.isdigit():
            following = text[at + 3 : at + 4]
    if following not in _AFTER_SHORT:
        return None
    match = grammar.DATE_FROM_MONTH.match(text, at)
    if match is None:
        return None
    start = at
    if match["quarter"] and at > floor and text[at - 1] == "第":
        start = at - 1
    is_clear = match["month"] is not None
    return _date(start, match.end(), _short_parts(match), is_clear=is_clear)


def _short_parts(match: Match[str]) -> CalendarDate:
    if match["name"]:
        year = int(match["year"]) if match["year"] else None
        month = MONTHS[match["name"][:3].lower()]
        return CalendarDate(year=year, month=month, day=int(match["en_day"]))
    if match["q"]:
        return CalendarDate(year=_full_year(match["q_year"]), quarter=int(match["q"]))
    if match["h"]:
        return CalendarDate(year=_full_year(match["h_year"]), half=int(match["h"]))
    return CalendarDate(
        quarter=_part(match["quarter"]),
        month=_part(match["month"]),
        day=0 if match["no_day"] else _part(match["day"] or match["only_day"]),
    )


def _date(start: int, end: int, date: CalendarDate, *, is_clear: bool = False) -> Number | None:
    """The date, or None for one that the calendar lacks, unless its signs clearly mean a month and
    a day: 10月130日 and 8月日 (day 0) are read whole, so that no part of them passes for a date."""
    is_possible = 1 <= (date.month or 1) <= 12 and (date.day is None or 1 <= date.day <= 31)
    if not is_possible and not (is_clear and date.month is not None and date.day is not None):
        return None
    year = Fraction(date.year or 0)
    return Number(
        start=start,
        end=end,
        value=year,
        figure=year,
        step=Fraction(1),
        kind=Kind.DATE,
        date=date,
    )


def _full_year(year: str) -> int:
    """The four-digit year; two digits mean a year of 1950-2049."""
    number = int(year)
    return number if number >= 100 else number + (2000 if number < 50 else 1900)


def _part(text: str | None) -> int | None:
    return None if text is None else _small(text)


def _small(text: str) -> int:
    if text.isascii():
        return int(text)
    return ORDINAL_WORDS[text] if text in "上下" else int(chinese_value(text)[0])

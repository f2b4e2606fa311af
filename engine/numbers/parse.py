"""The one parser of numbers: every amount, share, count and date of a text, in order."""

from __future__ import annotations

from fractions import Fraction
from re import Match
from typing import NamedTuple

from engine.numbers import grammar
from engine.numbers.dates import date_at
from engine.numbers.direction import direction
from engine.numbers.figures import DIGITS, UNIT_CHARS, arabic_value, chinese_value
from engine.numbers.records import Kind, Number, Sign
from engine.numbers.words import CURRENCIES, SCALES, UNITS, Unit

_MAX_DIGITS = 40
"""Longer runs of digits are identifiers, not quantities."""

_PREFIX_WINDOW = 16
_VAGUE_BEFORE = frozenset("数几好多统专单同不唯万之")
"""Before a Chinese numeral these make it vague or part of a word: 数十亿, 统一, 万一."""

_YEAR_IN_MONTHS = 12
_UNITLESS: Unit = (Kind.PLAIN, "", Fraction(1))


class _Prefix(NamedTuple):
    start: int
    sign: Sign = 0
    currency: str = ""
    is_open: bool = False


def numbers(text: str) -> tuple[Number, ...]:
    """The numbers of `text` in order, without overlap; offsets count code points.

    Reads Arabic figures and Chinese numerals with sign, scale, unit and currency, shares,
    multiples, durations, ordinals and dates. Spelled-out English numbers ("twelve") are not read, nor are
    digits that belong to a name (COVID-19, IFRS9, 1.2.3).
    """
    folded = grammar.fold(text)
    search = grammar.ANCHOR.search
    found: list[Number] = []
    floor = 0
    at = 0
    while hit := search(folded, at):
        at = hit.start()
        number, at = _number_at(folded, at, floor)
        if number is not None:
            found.append(number)
            floor = number.end
    return tuple(found)


def _number_at(text: str, at: int, floor: int) -> tuple[Number | None, int]:
    """The number whose figure stands at `at`, or none, and where to look on."""
    if text[at].isascii():
        number = _arabic_at(text, at, floor)
        if number is not None:
            return number, number.end
        return None, _end_of_run(text, at)
    number = _parts_at(text, at) or _chinese_at(text, at, floor)
    if number is not None:
        return number, number.end
    return None, at + 1


def _end_of_run(text: str, at: int) -> int:
    dotted = grammar.DOTTED.match(text, at)
    if dotted:
        return dotted.end()
    run = grammar.LATIN_RUN.match(text, at)
    return run.end() if run else at + 1


def _arabic_at(text: str, at: int, floor: int) -> Number | None:
    last = text[at - 1] if at > floor else ""
    date = date_at(text, at, floor)
    if date is not None:
        return date
    if _is_part_of_name(text, at, floor) or grammar.DOTTED.match(text, at):
        return None
    parts = grammar.PARTS.match(text, at)
    if parts:
        return _from_parts(parts)
    if last == "." and not text[at - 2 : at - 1].isalnum():
        at -= 1
    match = grammar.ARABIC.match(text, at)
    if match is None or len(match["figure"]) > _MAX_DIGITS:
        return None
    if match.end() == match.end("figure") and grammar.NAME_AFTER.match(text, match.end()):
        return None
    if last == "第":
        return _ordinal(at - 1, match.end("figure"), match["figure"])
    suffix = grammar.ORDINAL_SUFFIX.match(text, match.end("figure"))
    if suffix and match["letter"] is None:
        return _ordinal(at, suffix.end(), match["figure"])
    return _quantity(text, match, _prefix(text, at, floor))


def _is_part_of_name(text: str, at: int, floor: int) -> bool:
    """COVID-19, IFRS9, A股300-like codes: a Latin letter touches the figure, or hyphenates it."""
    before = at - 1
    if before >= floor and text[before] == "-":
        before -= 1
    if before < floor or not (text[before].isascii() and text[before].isalpha()):
        return False
    return not _prefix(text, at, floor).currency


def _prefix(text: str, at: int, floor: int) -> _Prefix:
    """Sign, currency and opening parenthesis before the figure at `at`."""
    if at <= floor:
        return _Prefix(at)
    last = text[at - 1]
    if last == " " and at - 1 > floor:
        last = text[at - 2]
    is_latin = last.isascii() and last.isalpha()
    if last not in grammar.PREFIX_ENDS and not is_latin:
        return _Prefix(at)
    low = max(floor, at - _PREFIX_WINDOW)
    match = grammar.PREFIX.search(text, low, at)
    if match is None or match.start() == at:
        return _Prefix(at)
    return _read_prefix(text, match, at)


def _read_prefix(text: str, match: Match[str], at: int) -> _Prefix:
    start = match.start()
    written = match["sign"] or match["sign_2"] or ""
    if match["sign"] and _is_range_dash(text, match.start("sign"), written):
        written = ""
        start = match.end("sign")
    if match["sign"] and not match["currency"] and text[at - 1] == " " and written in ("-", "–"):
        return _Prefix(at)  # "- 3.4" begins a list item
    while text[start] == " ":
        start += 1
    is_open = bool(match["open"] or match["open_2"])
    if match["open"] and not match["currency"] and not written:
        start = match.start("open")
    sign: Sign = 0 if not written else (1 if written == "+" else -1)
    currency = CURRENCIES[match["currency"].lower()] if match["currency"] else ""
    if not (sign or currency or is_open):
        return _Prefix(at)
    return _Prefix(start, sign, currency, is_open)


def _is_range_dash(text: str, at: int, written: str) -> bool:
    """Whether the dash at `at` joins two figures or words (3-5 %, 1月-3月) and is no minus."""
    if written not in ("-", "–") or at == 0:
        return False
    before = text[at - 1]
    return (
        before.isascii() and (before.isalnum() or before in "%)$")
    ) or before in "年月日号季度元亿万千百"


def _quantity(text: str, match: Match[str], prefix: _Prefix) -> Number:
    end = match.end()
    letter = match["letter"]
    scale_word = (letter or match["scale"] or "").lower()
    scale = SCALES[scale_word] if scale_word else 1
    kind, unit, factor = UNITS[match["unit"].lower()] if match["unit"] else _UNITLESS
    figure, _ = arabic_value(match["figure"])
    value, step = arabic_value(match["figure"], scale)
    if kind is Kind.DURATION and factor == _YEAR_IN_MONTHS and figure >= 1900:
        kind, unit, factor = _UNITLESS  # "in the 2017 year" is no length of time
        end = match.end("figure")
    if match["more"]:
        value, step = _with_rest(value, match["more"])
    if kind is Kind.PLAIN and prefix.currency:
        kind, unit = Kind.AMOUNT, prefix.currency
    start = prefix.start
    sign = prefix.sign
    if prefix.is_open:
        start, end, is_negative = _parentheses(text, match, prefix)
        sign = -1 if is_negative else sign
    polarity = -1 if sign < 0 else 1
    return Number(
        start=start,
        end=end,
        value=value * factor * polarity,
        figure=figure * polarity,
        step=step * factor,
        kind=kind,
        unit=unit,
        sign=sign,
        direction=direction(text, start, end),
    )


def _with_rest(value: Fraction, rest: str) -> tuple[Fraction, Fraction]:
    """12亿5000万: the value with what follows its first scale, and the step of the last part."""
    step = value
    for part in grammar.COMPOUND_PART.finditer(rest):
        more, step = arabic_value(part["figure"], SCALES[part["scale"]])
        value += more
    return value, step


def _parentheses(text: str, match: Match[str], prefix: _Prefix) -> tuple[int, int, bool]:
    """Span of a figure after an open parenthesis, and whether the parentheses mean minus.

    They do around a lone figure that fills a table cell or a text, after a currency sign, before a
    percent sign, and where it has separators or decimals; else they are an aside: "(2019)".
    """
    figure_start = match.start("figure")
    closes_at_end = text[match.end() : match.end() + 1] == ")"
    end = match.end() + 1 if closes_at_end else match.end()
    opened = text.rfind("(", prefix.start, figure_start)
    aside_start = prefix.start if prefix.start != opened else figure_start
    if not (match["close"] or closes_at_end):
        return max(aside_start, opened + 1), match.end(), False
    before = text[:opened][-3:].rstrip(" ")[-1:] if opened else ""
    after = text[end : end + 2].lstrip(" ")[:1]
    fills_cell = before in ("", "|", "\n", "\t", "$", "¥") and after in ("", "|", "\n", "\t", "%")
    looks_accounting = (
        bool(match["close"] or not (match["unit"] or match["scale"] or match["letter"]))
        and not text[prefix.start : figure_start].strip("( $¥")
        and (match["unit"] == "%" or any(mark in match["figure"] for mark in ",."))
        and (before in "$¥" or opened == figure_start - 1)
    )
    if fills_cell or looks_accounting:
        return min(prefix.start, opened), end, True
    end = match.end("close") - 1 if match["close"] else match.end()
    return max(aside_start, opened + 1), end, False


def _ordinal(start: int, end: int, figure: str) -> Number:
    value, _ = arabic_value(figure)
    return _plain(start, end, value, Fraction(1), Kind.ORDINAL)


def _plain(start: int, end: int, value: Fraction, step: Fraction, kind: Kind) -> Number:
    return Number(start=start, end=end, value=value, figure=value, step=step, kind=kind)


def _parts_at(text: str, at: int) -> Number | None:
    match = grammar.PARTS.match(text, at)
    return _from_parts(match, direction(text, at, match.end())) if match else None


def _from_parts(match: Match[str], way: Sign = 0) -> Number | None:
    """百分之三点四 and 千分之五 are percentages, 三分之二 an exact plain fraction."""
    part = match["part"]
    sign: Sign = -1 if part[0] in "负-" else 0
    value, step = _numeral(part.lstrip("负-"))
    whole, _ = _numeral(match["whole"])
    if whole == 0:
        return None
    is_percent = whole in (100, 1000)
    value = -value if sign else value
    return Number(
        start=match.start(),
        end=match.end(),
        value=value / whole,
        figure=value if is_percent else value / whole,
        step=step / whole if is_percent else Fraction(0),
        kind=Kind.PERCENT if is_percent else Kind.PLAIN,
        sign=sign,
        direction=way,
    )


def _numeral(text: str) -> tuple[Fraction, Fraction]:
    if text[0].isascii():
        return arabic_value(text)
    run, _, decimals = text.partition("点")
    return chinese_value(run, decimals)


def _chinese_at(text: str, at: int, floor: int) -> Number | None:
    date = date_at(text, at, floor)
    if date is not None:
        return date
    match = grammar.CHINESE.match(text, at)
    if match is None or len(match["run"]) > _MAX_DIGITS:
        return None
    before = text[at - 1] if at > floor else ""
    if before == "第":
        value, _ = chinese_value(match["run"])
        return _plain(at - 1, match.end("run"), value, Fraction(1), Kind.ORDINAL)
    if before in _VAGUE_BEFORE or not _is_chinese_number(match):
        return None
    value, step = chinese_value(match["run"], match["decimals"] or "")
    scale = _scale_of(match["scale"])
    kind, unit, factor = UNITS[match["unit"].lower()] if match["unit"] else _UNITLESS
    end = match.start("measure") if match["measure"] else match.end()
    if match["unit"] == "成" and text[end : end + 1] in DIGITS:
        tenths, step = chinese_value("", text[end])  # 七成五 is 75 %
        value += tenths
        end += 1
    prefix = _prefix(text, at, floor)
    polarity = -1 if prefix.sign < 0 else 1
    if kind is Kind.PLAIN and prefix.currency:
        kind, unit = Kind.AMOUNT, prefix.currency
    start = prefix.start if prefix.sign or prefix.currency else at
    return Number(
        start=start,
        end=end,
        value=value * scale * factor * polarity,
        figure=value * polarity,
        step=step * scale * factor,
        kind=kind,
        unit=unit,
        sign=prefix.sign,
        direction=direction(text, start, end),
    )


def _scale_of(units: str | None) -> int:
    return int(chinese_value(units)[0]) if units else 1


def _is_chinese_number(match: Match[str]) -> bool:
    """Whether the characters are meant as a number, not as part of a word: 一般, 千万."""
    run = match["run"]
    if run[0] not in DIGITS and run[0] not in "十拾":
        return False
    if match["decimals"] or match["unit"]:
        return True
    has_units = any(char in UNIT_CHARS for char in run)
    if has_units and len(run) > 1:
        return True
    if not has_units and len(run) >= 3 and ("〇" in run or "零" in run):
        return True
    return bool(match["measure"]) and len(run) == 1 and run != "一"

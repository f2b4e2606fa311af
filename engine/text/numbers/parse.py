"""Parses all amounts, shares, counts and dates of a text, in order."""

from __future__ import annotations

from fractions import Fraction
from re import Match

from engine.text.numbers import grammar
from engine.text.numbers.dates import date_at
from engine.text.numbers.direction import direction
from engine.text.numbers.figures import DIGITS, UNIT_CHARS, arabic_value, chinese_value
from engine.text.numbers.prefixes import Prefix, parentheses, prefix_before
from engine.text.numbers.records import Kind, Number, Sign
from engine.text.numbers.spelled import spelled_numbers
from engine.text.numbers.words import SCALES, UNITS, Unit

_MAX_DIGITS = 40
"""Longer runs of digits are identifiers, not quantities."""

_VAGUE_BEFORE = frozenset("数几好多统专单同不唯万之")
"""Before a Chinese numeral these make it vague or part of a word: 数十亿, 统一, 万一."""

_YEAR_IN_MONTHS = 12
_UNITLESS: Unit = (Kind.PLAIN, "", Fraction(1))


def numbers(text: str) -> tuple[Number, ...]:
    """The numbers of `text` in order, without overlap; offsets count code points.

    Reads Arabic figures and Chinese numerals with sign, scale, unit and currency, shares,
    multiples, durations, ordinals, dates and spelled-out English numbers up to ninety-nine. Digits
    that belong to a name (COVID-19, IFRS9, 1.2.3) are not numbers.
    """
    folded = grammar.fold(text)
    search = grammar.ANCHOR.search
    written: list[Number] = []
    floor = 0
    at = 0
    while hit := search(folded, at):
        at = hit.start()
        number, at = _number_at(folded, at, floor)
        if number is not None:
            written.append(number)
            floor = number.end
    spelled = spelled_numbers(folded)
    return _merged(written, spelled) if spelled else tuple(written)


def _merged(written: list[Number], spelled: list[Number]) -> tuple[Number, ...]:
    """Both in text order; where they overlap (three quarters of Q3) the figure is kept."""
    both: list[Number] = []
    for number in sorted(written + spelled, key=lambda number: number.start):
        if not both or number.start >= both[-1].end:
            both.append(number)
    return tuple(both)


def _number_at(text: str, at: int, floor: int) -> tuple[Number | None, int]:
    """The number whose figure stands at `at`, or None, and the place at which to continue."""
    if text[at].isascii():
        number = _arabic_at(text, at, floor)
        if number is not None:
            return number, number.end
        return None, _end_of_run(text, at)
    number = _parts_at(text, at, floor) or _chinese_at(text, at, floor)
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
        return _from_parts(parts, at)
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
    return _quantity(text, match, prefix_before(text, at, floor))


def _is_part_of_name(text: str, at: int, floor: int) -> bool:
    """Whether a Latin letter touches the figure or is hyphenated to it: COVID-19, IFRS9, A股300."""
    before = at - 1
    if before >= floor and text[before] == "-":
        before -= 1
    if before < floor or not (text[before].isascii() and text[before].isalpha()):
        return False
    return not prefix_before(text, at, floor).currency


def _quantity(text: str, match: Match[str], prefix: Prefix) -> Number:
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
        start, end, is_negative = parentheses(text, match, prefix)
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
    """The value of 12亿5000万 with the part after its first scale, and the step of that part."""
    step = value
    for part in grammar.COMPOUND_PART.finditer(rest):
        more, step = arabic_value(part["figure"], SCALES[part["scale"]])
        value += more
    return value, step


def _ordinal(start: int, end: int, figure: str) -> Number:
    value, _ = arabic_value(figure)
    return _plain(start, end, value, Fraction(1), Kind.ORDINAL)


def _plain(start: int, end: int, value: Fraction, step: Fraction, kind: Kind) -> Number:
    return Number(start=start, end=end, value=value, figure=value, step=step, kind=kind)


def _parts_at(text: str, at: int, floor: int) -> Number | None:
    match = grammar.PARTS.match(text, at)
    if match is None:
        return None
    start = at - 1 if at > floor and text[at - 1] in "负-" else at
    return _from_parts(match, start, direction(text, start, match.end()))


def _from_parts(match: Match[str], start: int, way: Sign = 0) -> Number | None:
    """The value of 百分之三点四 and 千分之五 as percentages, of 三分之二 as an exact fraction."""
    part = match["part"]
    sign: Sign = -1 if part[0] in "负-" or start < match.start() else 0
    value, step = _numeral(part.lstrip("负-"))
    whole, _ = _numeral(match["whole"])
    if whole == 0:
        return None
    is_percent = whole in (100, 1000)
    value = -value if sign else value
    return Number(
        start=start,
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
    prefix = prefix_before(text, at, floor)
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

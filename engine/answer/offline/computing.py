"""Simple arithmetic that a question names: difference, growth, ratio, total, average, counting."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from engine.answer.offline.cells import FittingRow, asked_cells, cells_by_year
from engine.answer.offline.cues import Operation
from engine.answer.offline.question import Question
from engine.answer.offline.ranking import RankedSentence
from engine.answer.offline.tables import Cell
from engine.text.numbers import Kind, Number, numbers
from engine.text.numbers.words import SCALES
from store.records import Passage


class Operand(Struct, frozen=True):
    """A number taken from a passage, with the year it belongs to (0 when none is named)."""

    passage: int
    number: Number
    written: str
    start: int
    end: int
    year: int


class Computed(Struct, frozen=True):
    text: str
    formula: str
    operands: tuple[Operand, ...]


_SIGNS = {"CNY": "元", "USD": "美元", "EUR": "欧元", "GBP": "英镑", "HKD": "港元", "JPY": "日元"}
_QUANTITIES = {Kind.AMOUNT, Kind.PLAIN, Kind.PERCENT, Kind.TIMES}
_MAX_SENTENCES = 6
_ACROSS = {Operation.DIFFERENCE, Operation.TOTAL, Operation.AVERAGE, Operation.RATIO}
"""Operations over things side by side, not only over years."""


def compute(
    question: Question,
    rows: Sequence[FittingRow],
    ranked: Sequence[RankedSentence],
    passages: Sequence[Passage],
) -> Computed | None:
    """The result of the question's operation, where its operands are found; else nothing.

    Operands are the cells of the best fitting row under the years asked for; without a table, the
    figures of a sentence that lists as many figures as years; without either, the figures that
    each of the two best sentences gives for a year.
    """
    operation = question.operation
    if operation is None:
        return None
    for fitting in rows[:2]:
        made = _apply(operation, _row_operands(fitting, question), question)
        if made is not None:
            return made
    if len(question.years) < 2:
        made = _apply(operation, _operands_across(rows, question), question)
        if made is not None:
            return made
    by_year: dict[int, Operand] = {}
    for sentence in ranked[:_MAX_SENTENCES]:
        operands = _sentence_operands(sentence, question, passages)
        if operation in (Operation.LARGEST, Operation.SMALLEST, Operation.COUNT_ABOVE):
            enough = len(operands) >= 2
        else:
            enough = len(question.years) >= 2 and len(operands) == len(question.years)
        made = _apply(operation, operands, question) if enough else None
        if made is not None:
            return made
        for operand in operands:
            by_year.setdefault(operand.year, operand)
    cells = [by_year[year] for year in question.years if year in by_year]
    if len(cells) >= 2 and len(cells) == len(question.years):
        return _apply(operation, cells, question)
    return None


def _row_operands(fitting: FittingRow, question: Question) -> list[Operand]:
    by_year = cells_by_year(fitting.row)
    years = question.years
    takes_all = question.operation in (
        Operation.LARGEST,
        Operation.SMALLEST,
        Operation.COUNT_ABOVE,
    )
    if takes_all or not years:
        years = tuple(by_year)
    return [
        _operand(fitting, cell, cell.number, year)
        for year in years
        if (cell := by_year.get(year)) is not None and cell.number is not None
    ]


def _operands_across(rows: Sequence[FittingRow], question: Question) -> list[Operand]:
    """The asked cell of the best row and of its counterparts: the same label in other passages,
    else other rows of its table whose label the question spells out."""
    if not rows or question.operation not in _ACROSS:
        return []
    best = rows[0]
    alike = [row for row in rows if row.row.label == best.row.label]
    chosen = list({row.passage: row for row in reversed(alike)}.values())
    if len(chosen) < 2:
        asked = question.text.casefold()
        named = [
            row for row in rows if row.passage == best.passage and row.row.label.casefold() in asked
        ]
        chosen = list({row.row.label: row for row in reversed(named)}.values())
    chosen.sort(key=lambda row: (row.passage, row.row.start))
    operands = []
    for fitting in chosen:
        for cell in asked_cells(question, fitting.row)[:1]:
            if cell.number is not None:
                operands.append(_operand(fitting, cell, cell.number, 0))
    return operands


def _operand(fitting: FittingRow, cell: Cell, number: Number, year: int) -> Operand:
    return Operand(
        passage=fitting.passage,
        number=number,
        written=cell.text,
        start=cell.start,
        end=cell.end,
        year=year,
    )


def _sentence_operands(
    sentence: RankedSentence, question: Question, passages: Sequence[Passage]
) -> list[Operand]:
    """Figures of a sentence paired with its years, when there is one of each or equally many."""
    text = passages[sentence.passage].text[sentence.start : sentence.end]
    figures = numbers(text)
    years = [year for number in figures if (year := number.year)]
    quantities = [number for number in figures if not number.year and number.kind in _QUANTITIES]
    if question.operation is Operation.DIFFERENCE and question.kinds[:1] == (Kind.POINTS,):
        quantities = [number for number in quantities if number.kind is Kind.PERCENT]
    elif len(quantities) > len(years):
        wanted = question.kinds or tuple(_QUANTITIES)
        quantities = [number for number in quantities if number.kind in wanted]
    if not years or len(years) != len(quantities):
        return []
    return [
        Operand(
            passage=sentence.passage,
            number=number,
            written=text[number.start : number.end],
            start=sentence.start + number.start,
            end=sentence.start + number.end,
            year=year,
        )
        for year, number in zip(years, quantities, strict=True)
    ]


def _apply(
    operation: Operation, operands: Sequence[Operand], question: Question
) -> Computed | None:
    if len(operands) < 2 or len({operand.number.unit for operand in operands} - {""}) > 1:
        return None
    in_time = sorted(operands, key=lambda operand: operand.year)
    first, last = in_time[0], in_time[-1]
    if operation is Operation.DIFFERENCE and first.year == last.year:
        high, low = sorted(operands[:2], key=lambda operand: -operand.number.value)
        return _result(high.number.value - low.number.value, [high, low], " - ", question)
    if operation is Operation.DIFFERENCE:
        return _result(last.number.value - first.number.value, [last, first], " - ", question)
    if operation is Operation.GROWTH:
        if first.number.value == 0:
            return None
        growth = (last.number.value - first.number.value) / abs(first.number.value)
        formula = f"({last.written} - {first.written}) / {first.written}"
        return Computed(f"{decimal(growth * 100)}%", formula, (last, first))
    if operation is Operation.RATIO:
        return _ratio(operands)
    if operation is Operation.TOTAL:
        total = sum((operand.number.value for operand in operands), Fraction(0))
        return _result(total, list(operands), " + ", question)
    if operation is Operation.AVERAGE:
        total = sum((operand.number.value for operand in operands), Fraction(0))
        made = _result(total / len(operands), list(operands), " + ", question)
        return Computed(made.text, f"({made.formula}) / {len(operands)}", made.operands)
    if operation is Operation.COUNT_ABOVE:
        return _count_above(operands, question)
    pick = max if operation is Operation.LARGEST else min
    best = pick(in_time, key=lambda operand: operand.number.value)
    written = f"{best.year}年" if question.lang == "zh" else str(best.year)
    shown = ", ".join(f"{operand.year}: {operand.written}" for operand in in_time)
    return Computed(written, f"{operation.value} ({shown})", tuple(in_time))


def _ratio(operands: Sequence[Operand]) -> Computed | None:
    top, bottom = operands[0], operands[1]
    if bottom.number.value == 0:
        return None
    value = top.number.value / bottom.number.value
    return Computed(decimal(value), f"{top.written} / {bottom.written}", (top, bottom))


def _count_above(operands: Sequence[Operand], question: Question) -> Computed | None:
    bounds = [number for number in question.figures if not number.year]
    if not bounds:
        return None
    limit = bounds[-1]
    above = [operand for operand in operands if _exceeds(operand.number, limit)]
    shown = ", ".join(f"{operand.year}: {operand.written}" for operand in operands)
    return Computed(str(len(above)), f"> {decimal(limit.figure)} ({shown})", tuple(operands))


def _exceeds(number: Number, limit: Number) -> bool:
    """Returns whether a cell is above a limit; a cell without a scale is in the limit's scale."""
    if abs(number.value) == abs(number.figure):
        return number.figure > limit.figure
    return number.value > limit.value


def _result(
    value: Fraction, operands: Sequence[Operand], sign: str, question: Question
) -> Computed:
    formula = sign.join(operand.written for operand in operands)
    return Computed(
        written_like(value, operands[0].number, operands[0].written, question),
        formula,
        tuple(operands),
    )


_SCALE_WORD = re.compile(r"万亿|亿|百万|万|千|trillion|billion|million|thousand", re.IGNORECASE)


def written_like(value: Fraction, model: Number, written: str, question: Question) -> str:
    """`value` in the unit and scale that `model` was written in."""
    if model.kind is Kind.PERCENT:
        unit = "%"
        if question.operation is Operation.DIFFERENCE:
            unit = "个百分点" if question.lang == "zh" else " percentage points"
        return f"{decimal(value * 100)}{unit}"
    scale = _SCALE_WORD.search(written)
    word = scale.group() if scale else ""
    figure = decimal(value / SCALES.get(word.lower(), 1))
    if question.lang == "zh":
        return f"{figure}{word}{_SIGNS.get(model.unit, model.unit)}"
    sign = {"USD": "$", "EUR": "€", "GBP": "£"}.get(model.unit, "")
    currency = f" {model.unit}" if model.unit and not sign else ""
    minus = "-" if figure.startswith("-") else ""
    return f"{minus}{sign}{figure.lstrip('-')}{' ' + word if word else ''}{currency}"


def decimal(value: Fraction) -> str:
    """`value` with at most two decimals, rounded half up, without trailing zeros."""
    digits = str(int(abs(value) * 100 + Fraction(1, 2))).rjust(3, "0")
    whole, rest = digits[:-2], digits[-2:].rstrip("0")
    sign = "-" if value < 0 and digits.strip("0") else ""
    return f"{sign}{whole}{'.' + rest if rest else ''}"

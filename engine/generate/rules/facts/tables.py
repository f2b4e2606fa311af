"""Facts from tables: one for each cell with a number, asked by its row and column."""

from __future__ import annotations

import re

from msgspec import Struct

from engine.answer.offline.tables import Cell, Row, table_rows
from engine.corpus.document import SourceDocument
from engine.generate.rules.facts import templates
from engine.generate.rules.facts.fact import Fact, FactKind, Subject
from engine.generate.rules.facts.passages import passage
from engine.generate.rules.facts.surface import forms_of
from engine.generate.rules.vocabulary import any_of
from engine.text.numbers import Kind, Number, numbers
from engine.text.numbers.words import SCALES
from store.records import Evidence

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_BRACKETS = re.compile(r"[(（\[][^()（）\[\]]*[)）\]]")
_IN_BRACKETS = re.compile(r"[(（\[](?P<inner>[^()（）\[\]]*)[)）\]]")
_EN_SCALE = re.compile(
    r"\b(?:in |of )?(?P<scale>thousand|million|billion)s?\b|[$£€](?P<letter>m|bn|k)\b",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"(?:\bin |[$£€]\s?|[$£€]\s?in |dollars in )(?P<scale>thousand|million|billion)s\b",
    re.IGNORECASE,
)
_ZH_UNIT = re.compile(
    r"(?:单位[：:]\s*)?(?P<unit>(?:万|亿|千|百万)?(?:人民币|美|港|欧)?元|[万亿千]?[份户件人次家台吨股亩]|%|天|年)"
)
_LETTER = {"m": "million", "bn": "billion", "k": "thousand"}
_TOTAL = re.compile(
    r"^(?:合计|总计|小计|共计|总额|(?:sub)?total|net total|grand total)$", re.IGNORECASE
)
_SUMS = re.compile(r"^(?:合计|总计|共计|total)\b|^(?:合计|总计|共计)|合计$", re.IGNORECASE)
_SHARES = re.compile(
    r"\bper\b|\bshares?\b|\bnumber\b|\brates?\b|%|percent|ratio|margin", re.IGNORECASE
)
_NO_MEASURE = re.compile(
    "(?:" + any_of("en", "no measures of rows") + r")\b(?! (?:of|due|from))", re.IGNORECASE
)
"""Rows headed by these say of whom or of when, not what is measured."""
_TORN = re.compile(r"^other$|[,;:(]$", re.IGNORECASE)
"""Labels that need the lines around them."""
_SIGN_WORD = re.compile(r"^(?:(?:less|add|plus|minus|of which)\b|其中)[:：,，]?\s*", re.IGNORECASE)
_LONGEST_LABEL = 90
_WHOLE_TABLE = 420
"""Characters from the header to the row that are quoted as one passage; else in two."""
_LONGEST_STATEMENT = 160
"""Characters of a line that is quoted for the scale it states; of a longer one only the words."""
_MOST_FACTS = 80


class _Table(Struct, frozen=True):
    start: int
    header_end: int
    """End of the lines above the first data row."""
    scale: str
    """Scale that the document states for the table's figures."""
    said_at: tuple[int, int]
    """Where it is stated: the line, or of a long one the words. Empty where there is no scale."""
    has_bare_years: bool = False
    """Whether some column is headed by a year alone, so that all are asked for by year."""


def table_facts(document: SourceDocument, subject: Subject) -> list[Fact]:
    """The facts of the document's tables in order, 80 at most."""
    facts: list[Fact] = []
    table: _Table | None = None
    for row in table_rows(document.text):
        if table is None or table.start != row.table:
            table = _table_of(document.text, row)
        is_by_case = any(not _YEAR.search(cell.header) for cell in row.cells)
        if not _is_label(row.label, is_by_case=is_by_case):
            continue
        for cell in row.cells:
            made = _fact(document, subject, table, row, cell)
            if made is not None:
                facts.append(made)
        if len(facts) >= _MOST_FACTS:
            break
    return facts[:_MOST_FACTS]


def _table_of(text: str, first: Row) -> _Table:
    bare = any(_YEAR.fullmatch(_clean_header(cell.header)) for cell in first.cells)
    scale, said_at = _stated_scale(text, first.table, first.start)
    return _Table(first.table, first.start, scale, said_at, bare)


def _stated_scale(text: str, start: int, end: int) -> tuple[str, tuple[int, int]]:
    """The scale that the text states for its tables, if it states one only: (in thousands).

    Where it is stated in the head of the table, from `start` to `end`, that place is given.
    """
    scales = list(_STATED.finditer(text))
    if len({match["scale"].lower() for match in scales}) != 1:
        return "", (0, 0)
    scale = next((match for match in scales if start <= match.start() < end), scales[0])
    line = text.rfind("\n", 0, scale.start()) + 1, (text.find("\n", scale.end()) + 1 or len(text))
    place = _line(text, *line)
    if place[1] - place[0] > _LONGEST_STATEMENT:
        place = scale.span()
    return scale["scale"].lower(), place


def _is_label(label: str, *, is_by_case: bool) -> bool:
    letters = sum(char.isalpha() for char in label)
    return (
        letters >= 2
        and len(label) <= _LONGEST_LABEL
        and "<" not in label
        and _TORN.search(label) is None
        and (is_by_case or _NO_MEASURE.match(label) is None)
    )


def _fact(
    document: SourceDocument, subject: Subject, table: _Table, row: Row, cell: Cell
) -> Fact | None:
    number = cell.number
    if number is None or number.date is not None or number.is_year:
        return None
    label = _SIGN_WORD.sub("", row.label)
    label = " ".join(_BRACKETS.sub("", label).split()).strip(" :：")
    if _TOTAL.fullmatch(label):
        label = _named_total(label, row.section, document.lang)
    column = _clean_header(cell.header)
    period = column if _YEAR.search(column) else ""
    years = _YEAR.findall(period)
    if table.has_bare_years and document.lang == "en" and len(years) == 1:
        period = years[0]
    unit = _unit(document, table, row, cell, number)
    written = _written(cell.text, unit, document.lang)
    asked = templates.ask_cell(
        document.lang, subject, label, column, period, document.text, unit=unit
    )
    if not label or not asked or not _agrees(written, number, unit):
        return None
    return Fact(
        document_id=document.document_id,
        lang=document.lang,
        kind=_kind(number, unit),
        label=label,
        question=asked,
        answers=_answers(written, cell.text, document.lang),
        evidence=_evidence(document, table, row, unit),
        start=cell.start,
        subject=subject.name,
        period=period,
        number=number,
        written=written,
        unit=unit,
        row=row.label,
        column=column,
        table=table.start,
        is_total=_SUMS.search(row.label) is not None,
    )


def _named_total(label: str, section: str, lang: str) -> str:
    named = section.strip(" :：")
    if not named:
        return label if lang == "zh" else ""
    return f"{named}{label}" if lang == "zh" else f"{label.lower()} {named[:1].lower()}{named[1:]}"


def _clean_header(header: str) -> str:
    """The header without remarks in brackets and without a repeated part."""
    bare = _BRACKETS.sub(" ", header).strip(" :：,")
    return " ".join(bare.split())


def _unit(document: SourceDocument, table: _Table, row: Row, cell: Cell, number: Number) -> str:
    """Scale and unit of a bare figure, from its header, its label, or the words above the table."""
    if number.kind is Kind.PERCENT or not (number.is_bare or number.kind is Kind.AMOUNT):
        return ""
    inner = [match["inner"] for match in _IN_BRACKETS.finditer(f"{row.label} {cell.header}")]
    if document.lang == "zh":
        named = [match["unit"] for text in inner if (match := _ZH_UNIT.fullmatch(text.strip()))]
        return named[0] if named and number.is_bare else ""
    if number.value != number.figure or _SHARES.search(row.label):
        return ""
    for text in [*inner, cell.header]:
        match = _EN_SCALE.search(text)
        if match:
            return _LETTER.get((match["letter"] or "").lower(), (match["scale"] or "").lower())
    return table.scale


def _written(text: str, unit: str, lang: str) -> str:
    bare = re.sub(r"(?<=[$€£¥])\s+|(?<=\d)\s+(?=%)", "", text.strip())
    bare = re.sub(r"^(?P<sign>[$€£]?)\s?\((?P<figure>[\d,.]+)\)", r"-\g<sign>\g<figure>", bare)
    if not unit:
        return bare
    return f"{bare}{unit}" if lang == "zh" else f"{bare} {unit}"


def _agrees(written: str, number: Number, unit: str) -> bool:
    """Returns whether the value as written reads as one number again, as a check of unit and
    scale."""
    if number.value < 0:
        return True
    figures = numbers(written)
    scale = SCALES.get(unit.lower(), 1)
    return len(figures) == 1 and (figures[0].value == number.value * scale or unit not in SCALES)


def _answers(written: str, text: str, lang: str) -> tuple[str, ...]:
    forms = forms_of(written, "zh" if lang == "zh" else "en")
    return tuple(dict.fromkeys((*forms, text.strip())))


def _kind(number: Number, unit: str) -> FactKind:
    return FactKind.AMOUNT if unit.endswith("元") or unit in SCALES else FactKind.of(number)


def _evidence(document: SourceDocument, table: _Table, row: Row, unit: str) -> tuple[Evidence, ...]:
    """Header and row, as one passage where they stand close; and what states the scale."""
    text = document.text
    start, end = _line(text, row.start, row.end)
    header_start, header_end = _line(text, table.start, table.header_end)
    if end - header_start <= _WHOLE_TABLE:
        quoted = [(header_start, end)]
    else:
        quoted = [(header_start, header_end), (start, end)]
    if unit and not any(unit in text[a:b].lower() for a, b in quoted):
        quoted.append(table.said_at)
    return tuple(passage(document, a, b) for a, b in quoted if a < b)


def _line(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

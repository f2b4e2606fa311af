"""The table row and columns that a question names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from engine.answer.offline.question import Question
from engine.answer.offline.tables import Cell, Row, table_rows
from engine.text.content_words import content_terms, word_pattern, words_in
from engine.text.numbers import numbers
from store.records import Passage

_MIN_FIT = 0.45
"""Below this harmonic mean of label and question coverage a row is not meant."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class FittingRow(Struct, frozen=True):
    """A row with how well its label fits the question, 0 to 1."""

    passage: int
    row: Row
    fit: float


def fitting_rows(
    question: Question, passages: Sequence[Passage], worth: Mapping[str, float]
) -> list[FittingRow]:
    """Rows with numbers whose label the question names, best first.

    fit = harmonic mean of: share of the label's words that the question holds; share of the
    question's worth that label, section, title and header hold (years left out).
    """
    words = {word: worth.get(word, 0.0) for word in question.weights if not _YEAR.fullmatch(word)}
    pattern = word_pattern(list(words))
    total = sum(words.values())
    if pattern is None or total == 0:
        return []
    rows = []
    for index, passage in enumerate(passages):
        if "|" not in passage.text:
            continue
        title = words_in(pattern, passage.title)
        for row in table_rows(passage.text):
            fit = _fit(row, pattern, words, total, title)
            if fit >= _MIN_FIT and any(cell.number for cell in row.cells):
                rows.append(FittingRow(index, row, fit * (1 - 0.02 * index)))
    rows.sort(key=lambda fitting: (-fitting.fit, fitting.passage, fitting.row.start))
    return rows


def _fit(
    row: Row, pattern: re.Pattern[str], words: Mapping[str, float], total: float, title: set[str]
) -> float:
    held = words_in(pattern, row.label)
    if not held:
        return 0.0
    label_words = set(content_terms(row.label)) or {row.label}
    precision = min(1.0, len(held) / len(label_words))
    around = words_in(pattern, row.section) | title
    for cell in row.cells:
        around |= words_in(pattern, cell.header)
    gained = sum(words[word] for word in held if word in words)
    gained += 0.5 * sum(words[word] for word in around - held if word in words)
    recall = min(1.0, gained / total)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def cells_by_year(row: Row) -> dict[int, Cell]:
    """The row's numeric cells under the years that their headers name; the first of each year."""
    by_year: dict[int, Cell] = {}
    for cell in row.cells:
        years = _YEAR.findall(cell.header)
        if cell.number is not None and years:
            by_year.setdefault(int(years[-1]), cell)
    return by_year


def asked_cells(question: Question, row: Row) -> list[Cell]:
    """The cells a question names by year or by header words; the first numeric cell by default.

    Several years give their cells in the order asked.
    """
    numeric = [cell for cell in row.cells if cell.number is not None]
    if not numeric:
        return []
    by_year = cells_by_year(row)
    named = [by_year[year] for year in question.years if year in by_year]
    pattern = word_pattern([word for word in question.weights if not _YEAR.fullmatch(word)])
    if named:
        return named
    if question.years and by_year:
        return []
    if pattern is None:
        return numeric[:1]
    hits = [len(words_in(pattern, cell.header) - words_in(pattern, row.label)) for cell in numeric]
    dates = {number.date for number in question.figures if number.date is not None}
    for at, cell in enumerate(numeric):
        hits[at] += sum(number.date in dates for number in numbers(cell.header) if number.date)
    return [numeric[hits.index(max(hits))]]

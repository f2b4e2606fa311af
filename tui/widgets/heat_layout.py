"""The layout of a heat map: the widths of its labels, columns and margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.text.wrapping import cell_width
from tui.widgets.matrix import FormatValue, Heading, Matrix, body_sizes, header_lines, margin_text

GAP = 1
COLUMN_LIMIT = 18
LABEL_LIMIT = 24
LABEL_LEAST = 12


class Geometry(NamedTuple):
    """Where things are, in cells and lines, for one size of the widget."""

    label: int
    column: int
    margin: int
    """Width of the margin column; 0 when the matrix has none."""
    is_tight: bool
    """Whether the margins are written without spaces, so that more columns fit."""
    columns: int
    """How many columns are in view."""
    header: int
    rows: int
    """How many rows are in view."""
    sizes: tuple[int, int]


def measure(matrix: Matrix, width: int, height: int, format_value: FormatValue) -> Geometry:
    """Fits as many columns as possible, with wide margins if that costs none; then sets the
    widths."""
    loose = _measure(matrix, width, height, format_value, is_tight=False)
    tight = _measure(matrix, width, height, format_value, is_tight=True)
    return tight if tight.columns > loose.columns else loose


def _measure(
    matrix: Matrix, width: int, height: int, format_value: FormatValue, is_tight: bool
) -> Geometry:
    body = [cell for row in matrix.cells for cell in row]
    sizes = body_sizes(body, format_value, matrix.shows_n)
    margins = [*matrix.row_totals, matrix.total] if matrix.row_totals else []
    margin = max((len(margin_text(cell, format_value)) for cell in margins), default=-1) + 1
    smallest = max(
        sizes[0] + sizes[1] + (4 if sizes[1] else 3),
        *(len(margin_text(cell, format_value, is_tight)) + 1 for cell in matrix.column_totals),
        8,
    )
    room = width - (margin + GAP if margin else 0)
    label = max((cell_width(heading.label) for heading in matrix.rows), default=0) + GAP
    label = max(min(label, LABEL_LIMIT, width // 4), 4)
    for_all = room - len(matrix.columns) * (smallest + GAP)
    if LABEL_LEAST <= for_all < label:
        label = for_all
    columns = max(min((room - label) // (smallest + GAP), len(matrix.columns)), 1)
    wanted = max((cell_width(heading.label) + 2 for heading in matrix.columns), default=smallest)
    column = max(min((room - label) // columns - GAP, wanted, COLUMN_LIMIT), smallest)
    header = max((len(header_lines(heading, column - 1)) for heading in matrix.columns), default=1)
    rows = max(height - header - (1 if matrix.column_totals else 0) - 1, 1)
    return Geometry(label, column, margin, is_tight, columns, header, rows, sizes)


def window_start(first: int, cursor: int, size: int, headings: Sequence[Heading]) -> int:
    """First index in view so that the cursor is; the margin is always in view."""
    if cursor < len(headings):
        first = min(max(first, cursor - size + 1), cursor)
    return max(min(first, len(headings) - size), 0)

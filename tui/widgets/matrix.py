"""The matrix that a heat map shows: as data, as text, and as laid out for a size."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from engine.statistics.aggregation import SMALL_CELL
from engine.text.wrapping import ELLIPSIS, cell_width, truncate, wrap
from tui.language import tr

HEADER_LINES = 2
SMALL_NOTE = tr("( ) fewer than {small_cell} groups", small_cell=SMALL_CELL)
"""The meaning of the parentheses around a small cell."""

GAP = 1
COLUMN_LIMIT = 18
LABEL_LIMIT = 24
LABEL_LEAST = 12


class HeatCell(NamedTuple):
    value: float | None = None
    """None where nothing has been scored."""
    n: int = 0
    shade: float | None = None
    """0 to 1, or -1 to 1 in a map of differences; None for no shade."""
    is_small: bool = False
    """Too few groups to be read as a result: drawn paler and in parentheses."""
    ends: tuple[float, float] | None = None
    """Of the interval, which need not be as far from the value."""
    note: str = ""
    """More about the cell, for the line below the map."""
    mark: str = ""
    """One sign behind the value, in place of the parentheses of a small cell."""
    text: str = ""
    """What is written in place of the value and its n."""

    @property
    def is_there(self) -> bool:
        """Whether the cell has a value or a note on its missing value."""
        return self.value is not None or bool(self.n) or bool(self.note)


class Heading(NamedTuple):
    key: str
    label: str


ALL = Heading("", tr("all"))
"""Of the margins."""


class Matrix(NamedTuple):
    """Cells by row and column; the margins have one cell a row, one a column, and the total."""

    rows: tuple[Heading, ...] = ()
    columns: tuple[Heading, ...] = ()
    cells: tuple[tuple[HeatCell, ...], ...] = ()
    row_totals: tuple[HeatCell, ...] = ()
    column_totals: tuple[HeatCell, ...] = ()
    total: HeatCell = HeatCell()
    shows_n: bool = True
    """Whether a cell says its n beside its value; not where the value is a count itself."""
    is_signed: bool = False
    """Whether the sign of a shade says something: which run leads, or worse than chance."""

    def at(self, row: int, column: int) -> HeatCell:
        """The cell at two indexes; one past the last is the margin."""
        in_rows, in_columns = row < len(self.rows), column < len(self.columns)
        if in_rows and in_columns:
            return self.cells[row][column]
        if in_rows:
            return self.row_totals[row]
        return self.column_totals[column] if in_columns else self.total


def without_empty(matrix: Matrix) -> Matrix:
    """The matrix without the rows and columns in which no cell has anything; their order stays."""
    rows = [at for at, row in enumerate(matrix.cells) if any(cell.is_there for cell in row)]
    columns = [
        at for at in range(len(matrix.columns)) if any(row[at].is_there for row in matrix.cells)
    ]
    return matrix._replace(
        rows=tuple(matrix.rows[at] for at in rows),
        columns=tuple(matrix.columns[at] for at in columns),
        cells=tuple(tuple(matrix.cells[at][column] for column in columns) for at in rows),
        row_totals=tuple(matrix.row_totals[at] for at in rows) if matrix.row_totals else (),
        column_totals=(
            tuple(matrix.column_totals[at] for at in columns) if matrix.column_totals else ()
        ),
    )


def short_value(value: float) -> str:
    """Two decimals without the leading zero: .71, 1.00, -.05."""
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def signed_value(value: float) -> str:
    """As `short_value`, with its sign: for differences."""
    return short_value(value) if value < 0 else f"+{short_value(value)}"


FormatValue = Callable[[float], str]


class Room(IntEnum):
    """How much room a margin cell takes."""

    VALUE = 0
    """` .53`: the line below the map has the interval of the cell under the cursor."""
    INTERVAL = 1
    """` .53 .49-.57`"""


def margin_text(
    cell: HeatCell, format_value: FormatValue, room: Room = Room.INTERVAL, value_width: int = 0
) -> str:
    """What a margin cell says in this room, its value in at least `value_width` cells."""
    value = cell.text or ("-" if cell.value is None else format_value(cell.value))
    is_small = cell.is_small and not cell.text and cell.value is not None
    left, right = ("(", ")") if is_small else (" ", "")
    text = f"{left + value:>{value_width + 1}}{right}"
    if cell.text or cell.value is None or cell.ends is None or room is Room.VALUE:
        return text
    low, high = map(format_value, cell.ends)
    return f"{text} {low}-{high}"


def body_sizes(
    cells: Sequence[HeatCell], format_value: FormatValue, shows_n: bool = True
) -> tuple[int, int]:
    """Cells that the widest value and the widest n take, so that all columns align; 0 for no n."""
    values = [
        cell.text or (format_value(cell.value) if cell.value is not None else "n/a")
        for cell in cells
    ]
    counts = [str(cell.n) for cell in cells]
    return max(map(len, values), default=3), max(map(len, counts), default=1) if shows_n else 0


def aligned_cell(cell: HeatCell, sizes: tuple[int, int], format_value: FormatValue) -> str:
    """What a body cell says: ` .71  22`, `(.71) 12`, ` n/a  22` or `   -`, for `body_sizes`."""
    value_width, n_width = sizes
    missing = "n/a" if cell.n else "-"
    value = cell.text or (missing if cell.value is None else format_value(cell.value))
    left, right = ("(", ")") if cell.is_small and cell.value is not None else (" ", " ")
    if cell.mark:
        left, right = " ", cell.mark
    shown = f"{left + value:>{value_width + 1}}{right}"
    if not n_width:
        return shown
    n = str(cell.n) if cell.n or cell.value is not None else ""
    return f"{shown} {n:>{n_width}}"


@lru_cache(maxsize=4096)  # a map is measured for many widths, and again with every new value
def header_lines(heading: Heading, width: int) -> tuple[str, ...]:
    """A column's heading in at most `HEADER_LINES` lines of `width` cells."""
    label = heading.label
    spans = _balanced(label, width)
    if len(spans) <= HEADER_LINES and not _splits_word(label, width):
        return tuple(label[start:end] for start, end in spans)
    words = label.split()
    if 1 < len(words) <= HEADER_LINES:
        return tuple(truncate(word, width) for word in words)
    spans = wrap(label, width)[:HEADER_LINES]
    lines = (label[start:end] for start, end in spans[:-1])
    return (*lines, truncate(label[spans[-1][0] :], width))


def _splits_word(label: str, width: int) -> bool:
    """Whether a word of Latin letters is too long for a line; it may be parted at its signs."""
    return any(cell_width(part) > width and part.isascii() for part in re.split(r"[\s_-]", label))


def _balanced(label: str, width: int) -> list[tuple[int, int]]:
    """The lines of a label, as even as they can be without being more or splitting a word."""
    spans = wrap(label, width)
    words = [cell_width(word) for word in label.split() if word.isascii()]
    least = max((word for word in words if word <= width), default=1)
    while width > least and len(narrower := wrap(label, width - 1)) == len(spans):
        spans, width = narrower, width - 1
    return spans


ROOMS = (
    (Room.INTERVAL, Room.INTERVAL),
    (Room.VALUE, Room.INTERVAL),
    (Room.VALUE, Room.VALUE),
)
"""From the one with the most to read to the narrowest."""


class Geometry(NamedTuple):
    """Where things are, in cells and lines, for one size of the widget."""

    label: int
    column: int
    margin: int
    """Width of the margin column; 0 when the matrix has none."""
    rooms: tuple[Room, Room]
    """For the cells of the last row and for those of the last column."""
    columns: int
    """How many columns are in view."""
    header: int
    rows: int
    """How many rows are in view."""
    sizes: tuple[int, int]


def measure(matrix: Matrix, width: int, height: int, format_value: FormatValue) -> Geometry:
    """Fits as many columns as possible, with n beside the values if that costs none; then as many
    whole headings as possible, with as much in the margins as that leaves room for."""
    shown = (matrix, matrix._replace(shows_n=False))
    ways = [[_measure(one, width, height, format_value, room) for room in ROOMS] for one in shown]
    # the first of those with the most
    fits = max(ways, key=lambda way: max(geometry.columns for geometry in way))
    return max(fits, key=lambda geometry: (geometry.columns, -_cut(matrix, geometry)))


def _cut(matrix: Matrix, geometry: Geometry) -> int:
    """How many headings there is no room for."""
    rows = sum(cell_width(heading.label) > geometry.label for heading in matrix.rows)
    return rows + _cut_columns(matrix, geometry.column)


def _cut_columns(matrix: Matrix, width: int) -> int:
    headers = (header_lines(heading, width) for heading in matrix.columns)
    return sum(any(line.endswith(ELLIPSIS) for line in lines) for lines in headers)


def _measure(
    matrix: Matrix,
    width: int,
    height: int,
    format_value: FormatValue,
    rooms: tuple[Room, Room],
) -> Geometry:
    body = [cell for row in matrix.cells for cell in row]
    sizes = body_sizes(body, format_value, matrix.shows_n)
    margins = [*matrix.row_totals, matrix.total] if matrix.row_totals else []
    in_row, in_column = rooms
    texts = [margin_text(cell, format_value, in_column) for cell in margins]
    margin = max(*map(len, texts), cell_width(ALL.label)) + 1 if texts else 0
    smallest = max(
        sizes[0] + sizes[1] + (4 if sizes[1] else 3),
        *(
            len(margin_text(cell, format_value, in_row, sizes[0])) + 1
            for cell in matrix.column_totals
        ),
        8,
    )
    room = width - (margin + GAP if margin else 0)
    whole = max((cell_width(heading.label) for heading in matrix.rows), default=0) + GAP
    label = max(min(whole, LABEL_LIMIT, width // 4), 4)
    for_all = room - len(matrix.columns) * (smallest + GAP)
    if LABEL_LEAST <= for_all < label:
        label = for_all
    columns = max(min((room - label) // (smallest + GAP), len(matrix.columns)), 1)
    widths = range(smallest, COLUMN_LIMIT)
    least = next((width for width in widths if not _cut_columns(matrix, width)), smallest)
    label = max(label, min(whole, room - columns * (least + GAP)))
    wanted = max((cell_width(heading.label) + 2 for heading in matrix.columns), default=smallest)
    column = max(min((room - label) // columns - GAP, wanted, COLUMN_LIMIT), smallest)
    header = max((len(header_lines(heading, column)) for heading in matrix.columns), default=1)
    rows = max(height - header - (1 if matrix.column_totals else 0) - 1, 1)
    return Geometry(label, column, margin, rooms, columns, header, rows, sizes)


def window_start(first: int, cursor: int, size: int, headings: Sequence[Heading]) -> int:
    """First index in view so that the cursor is; the margin is always in view."""
    if cursor < len(headings):
        first = min(max(first, cursor - size + 1), cursor)
    return max(min(first, len(headings) - size), 0)

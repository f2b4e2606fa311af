"""A matrix as a plain table for the terminal, in the width that there is.

Nothing but the labels is outside ASCII, so every sign is one cell wide; what does not fit beside
the rest is printed below it, column by column, and no line is wider than asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from engine.report.matrix.caption import Caption, MatrixText
from engine.report.matrix.colours import (
    PALE_SHADES,
    SHADES,
    WHITE,
    Colour,
    Scale,
    ink_on,
    scale_of,
)
from engine.report.matrix.figures import PLAIN, SMALL_SIGN
from engine.report.matrix.line_breaks import break_label, flow
from engine.results.matrix import Axis, Matrix, MatrixCell
from engine.text.wrapping import cell_width, pad, printable, truncate, wrap

MINIMUM_WIDTH = 40
"""A narrower terminal gets lines of this width."""

_HEAD_LINES = 4
_ENDS = "95 %"
_LABEL_LIMIT = 32
_LABEL_MINIMUM = 12  # with less room than this for labels, columns go below instead
_HEAD_LIMIT = 16
_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_DIM = "\x1b[2m"
_CUBE = (0, 95, 135, 175, 215, 255)
"""Levels of red, green and blue in that palette, whose colour 16 is black."""


class _Layout(Struct, frozen=True):
    """Widths in terminal cells; `columns` is how many columns stand side by side."""

    label: int
    column: int
    gap: int
    margin: int
    n: int
    """Of the column of row counts; 0 where there is no room for it."""
    columns: int
    value: int
    """Of a mean within a column, with its sign."""
    count: int
    """Of an n in parentheses within a column."""


def render(
    matrix: Matrix,
    caption: Caption,
    *,
    width: int = 80,
    color: bool = False,
    scale: Scale | None = None,
) -> str:
    """The text table with title, totals and legend; lines of at most `width` terminal cells.

    With `color`, cells are shaded by value in 256 colours, each with its own text colour, so it
    reads on dark and light terminals; without, the text holds no escape sequence. `scale` makes
    the shades of several matrices compare. The text ends with a newline.
    """
    width = max(width, MINIMUM_WIDTH)
    # a label might hold what looks like a shade
    matrix = replace(matrix, rows=_printable(matrix.rows), cols=_printable(matrix.cols))
    texts = MatrixText(matrix, caption, PLAIN)
    table = _Table(texts, width, (scale or scale_of([matrix])) if color else None)
    blocks = [
        [*_title(texts, width)],
        [*_totals(texts, width)],
        *table.blocks(),
        [*_foot(texts, width)],
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks) + "\n"


def _printable(axis: Axis) -> Axis:
    return replace(axis, labels=tuple(map(printable, axis.labels)))


def _title(texts: MatrixText, width: int) -> Iterator[str]:
    for line in flow(texts.title(), "   ", width, cell_width):
        yield from _wrapped(line, width)


def _totals(texts: MatrixText, width: int) -> Iterator[str]:
    yield from _wrapped(texts.totals(), width)
    yield from _wrapped(texts.states(), width)
    for warning in texts.warnings():
        yield from _wrapped(f"! {warning}", width)


def _foot(texts: MatrixText, width: int) -> Iterator[str]:
    for line in texts.legend(f"{texts.write(0.71)} (22)", SMALL_SIGN):
        yield from _wrapped(texts.sentences([line]), width)
    for note in texts.caption.notes:
        yield from _wrapped(note, width)


def _wrapped(text: str, width: int) -> list[str]:
    text = printable(text)
    return [text[start:end] for start, end in wrap(text, width)]


class _Table:
    """The table itself; `scale` is None without colour."""

    def __init__(self, texts: MatrixText, width: int, scale: Scale | None) -> None:
        self._texts = texts
        self._matrix = texts.matrix
        self._all = texts.labels.all
        self._scale = scale
        self._layout = self._fit(width)

    def blocks(self) -> Iterator[list[str]]:
        """The lines of the table, in as many blocks side by side as do not fit."""
        count = len(self._matrix.cols.keys)
        step = max(self._layout.columns, 1)
        for first in range(0, max(count, 1), step):
            columns = range(first, min(first + step, count))
            yield [*self._lines(columns, is_last=columns.stop == count)]

    # Widths

    def _fit(self, width: int) -> _Layout:
        value, count = self._cell_sizes()
        margins = [self._margin(cell) for cell in (*self._matrix.row_totals, self._matrix.total)]
        below = [
            text
            for cell in self._matrix.col_totals
            for text in (self._texts.mean(cell), self._texts.interval(cell))
        ]
        margin = max(map(cell_width, [*margins, self._all]))
        n = max(len(f"{cell.n:,}") for cell in (*self._matrix.row_totals, self._matrix.total))
        body = max([value + 1 + count, *map(cell_width, below)])
        heads = [cell_width(label) for label in self._matrix.cols.labels]
        labels = [cell_width(label) for label in (*self._matrix.rows.labels, self._all, _ENDS)]
        width_asked = min(max(labels), _LABEL_LIMIT)
        least = min(width_asked, _LABEL_MINIMUM)
        roomy = max([body, *(min(head, _HEAD_LIMIT) for head in heads)])
        # from roomy to tight; the first that leaves room for the labels is taken
        tries = [(roomy, 3, n, width_asked), (body, 2, n, width_asked), (body, 1, n, width_asked)]
        tries += [(body, 1, 0, width_asked), (body, 1, 0, least)]
        for column, gap, n_width, label in tries:
            edge = gap + margin + (gap + n_width if n_width else 0)
            rest = width - edge - len(heads) * (gap + column)
            if rest >= label:
                return _Layout(
                    min(rest, width_asked), column, gap, margin, n_width, len(heads), value, count
                )
        return self._split(width, least, width_asked, body, margin)

    def _split(self, width: int, least: int, wanted: int, column: int, margin: int) -> _Layout:
        """Blocks of about equally many columns; the labels take the room that this leaves."""
        value, count = self._cell_sizes()
        columns = len(self._matrix.cols.keys)
        fitting = max((width - least - 1 - margin) // (column + 1), 1)
        blocks = -(-columns // fitting)
        side_by_side = -(-columns // blocks)
        room = width - 1 - margin - side_by_side * (column + 1)
        label = max(min(wanted, room), 1)
        return _Layout(label, column, 1, margin, 0, side_by_side, value, count)

    def _cell_sizes(self) -> tuple[int, int]:
        cells = [cell for row in self._matrix.cells for cell in row]
        means = [self._texts.mean(cell) for cell in cells]
        counts = [len(_count(cell)) for cell in cells]
        return max(map(len, means), default=1), max(counts, default=0)

    # Lines

    def _lines(self, columns: range, *, is_last: bool) -> Iterator[str]:
        """One block; the margin on the right stands beside the last columns only."""
        yield from self._heads(columns, is_last)
        rows = zip(
            self._matrix.rows.labels, self._matrix.cells, self._matrix.row_totals, strict=True
        )
        for label, cells, total in rows:
            first, *rest = self._label_lines(label)
            fields = [self._cell(cells[column]) for column in columns]
            yield self._line(first, fields, total if is_last else None)
            yield from rest
        totals = [self._matrix.col_totals[column] for column in columns]
        means = [self._texts.mean(cell) for cell in totals]
        bold = [self._painted(self._in_column(mean), _BOLD) for mean in means]
        label = self._painted(pad(self._all, self._layout.label), _BOLD)
        yield ""
        yield self._line(label, bold, self._matrix.total if is_last else None)
        ends = [self._texts.interval(cell) for cell in totals]
        if any(ends):
            yield self._line(pad(_ENDS, self._layout.label), map(self._in_column, ends), None)
        counts = [self._in_column(f"{cell.n:,}") for cell in totals]
        if is_last and not self._layout.n:
            counts.append(pad(f"{self._matrix.total.n:,}", self._layout.margin, "right"))
        yield self._line(pad("n", self._layout.label), counts, None)

    def _heads(self, columns: range, is_last: bool) -> Iterator[str]:
        layout = self._layout
        labels = [self._matrix.cols.labels[column] for column in columns]
        heads = [break_label(label, layout.column, _HEAD_LINES, cell_width) for label in labels]
        height = max(map(len, heads), default=1)
        for line in range(height):
            fields = []
            for head in heads:
                index = line - height + len(head)
                fields.append(self._in_column(head[index] if index >= 0 else ""))
            gap = " " * layout.gap
            text = gap.join([" " * layout.label, *fields])
            if is_last and line == height - 1:
                text += gap + pad(self._all, layout.margin, "right")
                text += gap + pad("n", layout.n, "right") if layout.n else ""
            yield text

    def _label_lines(self, label: str) -> list[str]:
        """A label in up to two lines, the second indented."""
        width = self._layout.label
        if cell_width(label) <= width or width < _LABEL_MINIMUM:
            return [pad(label, width)]
        start, end = wrap(label, width)[0]
        return [pad(label[start:end], width), f"  {truncate(label[end:].strip(), width - 2)}"]

    def _line(self, label: str, fields: Iterable[str], total: MatrixCell | None) -> str:
        gap = " " * self._layout.gap
        line = gap.join([label, *fields])
        if total is not None:
            margin = pad(self._margin(total), self._layout.margin, "right")
            line += gap + self._painted(margin, _DIM if total.is_small else _BOLD)
            if self._layout.n:
                line += gap + pad(f"{total.n:,}", self._layout.n, "right")
        return line

    def _cell(self, cell: MatrixCell | None) -> str:
        layout = self._layout
        mean = self._texts.mean(cell)
        text = self._in_column(f"{mean:>{layout.value}} {_count(cell):>{layout.count}}")
        if cell is None or cell.summary.mean is None:
            return self._painted(text, _DIM)
        if self._scale is None:
            return text
        position = self._scale.position(cell.summary.mean)
        return self._painted(text, _sgr(position, PALE_SHADES if cell.is_small else SHADES))

    def _margin(self, cell: MatrixCell) -> str:
        """`.53 .49-.57`."""
        return f"{self._texts.mean(cell)} {self._texts.interval(cell)}".rstrip()

    def _in_column(self, text: str) -> str:
        return pad(text, self._layout.column, "right")

    def _painted(self, text: str, style: str) -> str:
        return text if self._scale is None else f"{style}{text}{_RESET}"


def _count(cell: MatrixCell | None) -> str:
    return "" if cell is None or cell.summary.mean is None else f"({cell.n})"


def _sgr(position: float, shades: Sequence[int]) -> str:
    """The escape sequence of the shade at a position of the scale, and of black or white on it."""
    index = shades[round(position * (len(shades) - 1))]
    ink = 231 if ink_on(_cube_colour(index)) == WHITE else 16
    return f"\x1b[48;5;{index}m\x1b[38;5;{ink}m"


def _cube_colour(index: int) -> Colour:
    red, rest = divmod(index - 16, 36)
    return _CUBE[red], _CUBE[rest // 6], _CUBE[rest % 6]

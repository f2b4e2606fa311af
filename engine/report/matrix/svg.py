"""A matrix as a heat map in SVG: every cell has its number, its n and a shade.

The drawing stands on white and carries its colours in attributes, so that browsers, editors and
paper show the same. Nothing is drawn outside the boxes that
`engine.report.matrix.line_breaks` measured.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.escape import html as safe
from engine.report.matrix.caption import Caption, MatrixText
from engine.report.matrix.colours import WHITE, Scale, hex_code, ink_on, paler, scale_of, shade
from engine.report.matrix.figures import SMALL_SIGN
from engine.report.matrix.line_breaks import break_label, break_text, em_width, flow
from engine.results.matrix import Matrix, MatrixCell

FONTS = (
    "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Helvetica Neue', Arial, 'PingFang SC',"
    " 'Microsoft YaHei', 'Noto Sans CJK SC', 'Source Han Sans SC', sans-serif"
)

_MARGIN = 24.0
_CELL_HEIGHT = 36.0
_GAP = 2.0
_LABEL_LIMIT = 190.0
_CELL_MINIMUM = 80.0
_TEXT_MINIMUM = 620.0  # so that the sentences of a narrow matrix do not become a tower

_TITLE, _BODY, _FINE = 16.0, 12.5, 10.5  # font sizes
_INK, _MUTED, _WARNING, _GROUND = "#1b1f26", "#5c6470", "#8f3d00", "#ffffff"
_COLOUR_STEPS = 40


def render(matrix: Matrix, caption: Caption, scale: Scale | None = None) -> str:
    """A standalone SVG document. Give maps that shall compare one `scale`."""
    drawing = _Drawing(matrix, caption, scale or scale_of([matrix]))
    return drawing.document()


class _Drawing:
    """Measures once, then draws from top to bottom, keeping the place reached in `_y`."""

    def __init__(self, matrix: Matrix, caption: Caption, scale: Scale) -> None:
        self._matrix = matrix
        self._texts = MatrixText(matrix, caption)
        self._labels = self._texts.labels
        self._scale = scale
        margins = (*matrix.row_totals, *matrix.col_totals, matrix.total)
        widest = max(em_width(self._margin_text(cell)) for cell in margins) * _BODY + 10
        self._cell_width = max(_CELL_MINIMUM, widest)
        self._row_labels = [
            break_label(label, _LABEL_LIMIT / _BODY, 2) for label in matrix.rows.labels
        ]
        self._label_width = max(
            em_width(line) * _BODY
            for lines in [*self._row_labels, [self._labels.all]]
            for line in lines
        )
        self._left = _MARGIN + self._label_width + 12
        columns = len(matrix.cols.keys) + 1
        grid = self._label_width + 12 + columns * (self._cell_width + _GAP)
        self._width = 2 * _MARGIN + max(grid, _TEXT_MINIMUM)
        self._y = _MARGIN
        self._parts: list[str] = []

    def document(self) -> str:
        parts = self._texts.title()
        totals = self._texts.totals()
        for line in flow(parts, " · ", self._room(_TITLE)):
            self._paragraph(line, _TITLE, _INK, "600")
        self._paragraph(totals, _BODY, _INK)
        for warning in self._texts.warnings():
            self._paragraph(f"! {warning}", _BODY, _WARNING, "600")
        self._y += 12
        self._head()
        self._body()
        self._colour_bar()
        self._foot()
        height = self._y + _MARGIN
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{self._width:.0f}"'
                f' height="{height:.0f}" viewBox="0 0 {self._width:.0f} {height:.0f}" role="img"'
                f' font-family="{safe(FONTS)}" xml:lang="{self._texts.caption.lang}">',
                f"<title>{safe(' · '.join(parts))}</title>",
                f"<desc>{safe(totals)}</desc>",
                f'<rect width="100%" height="100%" fill="{_GROUND}"/>',
                *self._parts,
                "</svg>",
                "",
            ]
        )

    def _room(self, size: float) -> float:
        """Em between the margins. Bold type is wider than the estimate."""
        return (self._width - 2 * _MARGIN) / size / (1.08 if size == _TITLE else 1.0)

    def _paragraph(self, text: str, size: float, ink: str, weight: str = "400") -> None:
        """Broken to the width of the drawing, however many lines it takes."""
        for line in break_text(text, self._room(size)):
            self._y += size * 1.4
            self._text(_MARGIN, self._y - size * 0.35, line, size, ink, weight)

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        ink: str,
        weight: str = "400",
        anchor: str = "start",
    ) -> None:
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{ink}"'
            f' font-weight="{weight}" text-anchor="{anchor}">{safe(text)}</text>'
        )

    def _rect(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            f' fill="{fill}"/>'
        )

    def _head(self) -> None:
        room = (self._cell_width - 6) / _BODY
        labels = [*self._matrix.cols.labels, self._labels.all]
        heads = [break_label(label, room, 3) for label in labels]
        tallest = max(map(len, heads))
        for column, lines in enumerate(heads):
            weight = "600" if column == len(heads) - 1 else "400"
            for index, line in enumerate(lines):
                baseline = self._y + (tallest - len(lines) + index + 1) * _BODY * 1.2
                self._text(self._centre(column), baseline, line, _BODY, _INK, weight, "middle")
        self._y += tallest * _BODY * 1.2 + 8

    def _body(self) -> None:
        rows = zip(self._row_labels, self._matrix.cells, self._matrix.row_totals, strict=True)
        for lines, cells, total in rows:
            self._row_label(lines, "400")
            for column, cell in enumerate(cells):
                self._cell(column, cell)
            self._margin_cell(len(cells), total)
            self._y += _CELL_HEIGHT + _GAP
        self._y += 4
        self._row_label([self._labels.all], "600")
        for column, total in enumerate((*self._matrix.col_totals, self._matrix.total)):
            self._margin_cell(column, total)
        self._y += _CELL_HEIGHT + 14

    def _row_label(self, lines: list[str], weight: str) -> None:
        height = _BODY * 1.2
        first = self._y + (_CELL_HEIGHT - len(lines) * height) / 2 + height * 0.78
        for index, line in enumerate(lines):
            x = self._left - 12
            self._text(x, first + index * height, line, _BODY, _INK, weight, "end")

    def _cell(self, column: int, cell: MatrixCell | None) -> None:
        x = self._left + column * (self._cell_width + _GAP)
        mean = self._texts.mean(cell)
        if cell is None or cell.summary.mean is None:
            self._text(self._centre(column), self._y + 22, mean, _BODY, _MUTED, anchor="middle")
            return
        colour = shade(self._scale.position(cell.summary.mean))
        colour = paler(colour, WHITE) if cell.is_small else colour
        ground, ink = hex_code(colour), hex_code(ink_on(colour))
        self._rect(x, self._y, self._cell_width, _CELL_HEIGHT, ground)
        self._figures(column, mean, cell.n, ink, ink, "500")

    def _margin_cell(self, column: int, cell: MatrixCell) -> None:
        if cell.summary.mean is None:
            self._cell(column, cell)
            return
        ink = _MUTED if cell.is_small else _INK
        self._figures(column, self._margin_text(cell), cell.n, ink, _MUTED, "600")

    def _figures(
        self, column: int, mean: str, n: int, ink: str, fine_ink: str, weight: str
    ) -> None:
        centre = self._centre(column)
        self._text(centre, self._y + 16, mean, _BODY, ink, weight, "middle")
        self._text(centre, self._y + 29, f"{n:,}", _FINE, fine_ink, anchor="middle")

    def _margin_text(self, cell: MatrixCell) -> str:
        return f"{self._texts.mean(cell)} {self._texts.interval(cell)}".rstrip()

    def _centre(self, column: int) -> float:
        return self._left + column * (self._cell_width + _GAP) + self._cell_width / 2

    def _colour_bar(self) -> None:
        step = 5.0
        for index in range(_COLOUR_STEPS):
            fill = hex_code(shade(index / (_COLOUR_STEPS - 1)))
            # a little wider than its step, so that no seam shows between two
            self._rect(_MARGIN + index * step, self._y, step + 0.5, 10, fill)
        text = self._labels.colour.format(self._texts.write(self._scale.top))
        x = _MARGIN + _COLOUR_STEPS * step + 10
        self._text(x, self._y + 9.5, text, _FINE, _MUTED)
        self._y += 20

    def _foot(self) -> None:
        for text in self._foot_texts():
            self._paragraph(text, _FINE, _MUTED)
            self._y += 2

    def _foot_texts(self) -> Iterator[str]:
        yield self._texts.states()
        small = self._labels.pale.format(SMALL_SIGN)
        yield self._texts.sentences(self._texts.legend(self._labels.cell_form, small))
        yield from self._texts.caption.notes

"""Tables with titles, and the curves drawn from some of them, as text, CSV or a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from engine.report.escape import html as safe
from engine.report.page.document import document
from engine.report.page.style import style_sheet
from engine.report.tables import csv_text
from engine.report.text_table import sentence_lines, table_lines
from store.records import Lang

_WIDTH, _HEIGHT, _MARGIN = 640, 280, 48
_COLOURS = ("#1f6feb", "#d1495b", "#2e8b57", "#8a5cc2", "#b8860b", "#444444")


class Sheet(Struct, frozen=True):
    """A table with its title, and sentences on what it shows."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()
    curves: Mapping[str, Sequence[tuple[float, float]]] = {}
    """Lines to draw on a page, by name: points of x and y."""
    names: int = 1
    """The first columns, which say what a row is about."""


def text(sheets: Sequence[Sheet], *, width: int | None = None) -> str:
    """The sheets one below the other."""
    lines: list[str] = []
    for sheet in sheets:
        lines += [sheet.title, *table_lines(sheet.head, sheet.rows, width=width), ""]
        lines += [line for note in sheet.notes for line in sentence_lines(note, width)]
        lines += [""] if sheet.notes else []
    return "\n".join(lines[:-1]) + "\n"


def csv(sheets: Sequence[Sheet]) -> str:
    """One table of all: each row begins with its sheet's title, and a sheet with its head."""
    rows = [(sheet.title, *row) for sheet in sheets for row in (sheet.head, *sheet.rows)]
    return csv_text(("sheet", *(f"column {at}" for at in range(1, max(map(len, rows))))), rows)


def html(title: str, sheets: Sequence[Sheet], lang: Lang = "en") -> str:
    """A page that needs no network."""
    body = [f"<h1>{safe(title)}</h1>", *html_lines(sheets)]
    return document(title, lang, body, styles=style_sheet())


def html_lines(sheets: Iterable[Sheet]) -> Iterator[str]:
    """The sheets as lines of HTML, each below its heading."""
    for sheet in sheets:
        yield f"<h2>{safe(sheet.title)}</h2>"
        yield from _curves(sheet)
        if sheet.head:
            yield from _rows(sheet)
        yield from (f"<p>{safe(note)}</p>" for note in sheet.notes)


def _rows(sheet: Sheet) -> Iterator[str]:
    heads = "".join(f'<th scope="col">{safe(name)}</th>' for name in sheet.head)
    yield f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>'
    for row in sheet.rows:
        cells = [f'<th scope="row">{safe(cell)}</th>' for cell in row[: sheet.names]]
        cells += [f"<td>{safe(cell)}</td>" for cell in row[sheet.names :]]
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _curves(sheet: Sheet) -> Iterator[str]:
    points = [point for line in sheet.curves.values() for point in line]
    if not points:
        return
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = min(0.0, *(y for _, y in points)), max(0.0, *(y for _, y in points))

    def place(x: float, y: float) -> str:
        across = _MARGIN + (x - left) / ((right - left) or 1) * (_WIDTH - 2 * _MARGIN)
        down = _MARGIN + (high - y) / ((high - low) or 1) * (_HEIGHT - 2 * _MARGIN)
        return f"{across:.1f},{down:.1f}"

    yield f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{safe(sheet.title)}">'
    yield (
        f'<polyline points="{place(left, 0)} {place(right, 0)}" fill="none" stroke="#999"'
        ' stroke-dasharray="3 3"/>'
    )
    for number, (name, line) in enumerate(sheet.curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(place(x, y) for x, y in line)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield (
            f'<text x="{_MARGIN + 4}" y="{14 + 14 * number}" font-size="12" fill="{colour}">'
            f"{safe(name)}</text>"
        )
    ends = ((place(left, low), f"{left:g}"), (place(right, low), f"{right:g}"))
    marks = (*ends, (place(left, high), f"{high:.2f}"), (place(left, low), f"{low:.2f}"))
    for at, (where, shown) in enumerate(marks):
        x, y = (float(part) for part in where.split(","))
        x, y = (x, y + 16) if at < len(ends) else (x - 40, y)
        yield f'<text x="{x:.1f}" y="{y:.1f}" font-size="11">{shown}</text>'
    yield "</svg>"

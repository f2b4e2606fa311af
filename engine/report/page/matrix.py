"""A matrix as HTML: a page of its own, or a section of a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.report.escape import html as safe
from engine.report.matrix.caption import Caption, MatrixText
from engine.report.matrix.colours import Scale, scale_of
from engine.report.matrix.figures import (
    SMALL_SIGN,
    TYPOGRAPHIC,
    FormatValue,
    blank_kind,
    exact_format,
    interval_text,
    mean_text,
    percent,
    state_counts,
)
from engine.report.matrix.labels import STATES
from engine.report.page.document import document
from engine.report.page.style import STEPS, style_sheet
from engine.results.matrix import Matrix, MatrixCell


def render(matrix: Matrix, caption: Caption) -> str:
    """A page about one matrix; it needs no script."""
    texts = MatrixText(matrix, caption)
    lines = [
        "<section>",
        *section(texts, scale_of([matrix]), "h1"),
        *_every_number(texts),
        "</section>",
    ]
    return document(" · ".join(texts.title()), caption.lang, lines, styles=style_sheet())


def section(texts: MatrixText, scale: Scale, level: str) -> Iterator[str]:
    """Lines of HTML: a heading of `level` (`h1`), the overall figures, the table and its notes.

    Heads carry the keys of their row or column as `data-key`.
    """
    separator = texts.labels.separator
    run, system, *rest = texts.title()
    first, *others = texts.overall()
    yield f"<{level}>{safe(f'{run} · {system}')}</{level}>"
    yield f'<p class="about">{safe(" · ".join(rest))}</p>'
    more = "".join(separator + one for one in others)
    yield f'<p class="headline"><strong>{safe(first)}</strong>{safe(more)}</p>'
    for warning in texts.warnings():
        yield f'<p class="warning">{safe(warning)}</p>'
    yield '<div class="scroll">'
    yield from _heat_table(texts, scale)
    yield "</div>"
    yield from _notes(texts, scale)


def axis_head(columns: Iterable[tuple[str, str]], last: str = "") -> str:
    """The head of a table of cells: a field above the rows' labels, then the columns, each with
    its key and label, then the label of the margin."""
    heads = [f'<th scope="col" data-key="{safe(key)}">{safe(label)}</th>' for key, label in columns]
    margin = f'<th scope="col" class="all">{safe(last)}</th>' if last else ""
    return f"<thead><tr><td></td>{''.join(heads)}{margin}</tr></thead>"


def row_head(key: str, label: str) -> str:
    """The head of a row of cells."""
    return f'<th scope="row" data-key="{safe(key)}">{safe(label)}</th>'


def _every_number(texts: MatrixText) -> Iterator[str]:
    yield f"<details><summary>{safe(texts.labels.all_numbers)}</summary>"
    yield '<div class="scroll">'
    yield from _all_numbers(texts)
    yield "</div></details>"


def _heat_table(texts: MatrixText, scale: Scale) -> Iterator[str]:
    matrix, labels = texts.matrix, texts.labels
    yield '<table class="heat">'
    yield f'<caption class="unseen">{safe(" · ".join(texts.title()))}</caption>'
    yield axis_head(zip(matrix.cols.keys, matrix.cols.labels, strict=True), labels.all)
    yield "<tbody>"
    for key, label, cells, total in zip(
        matrix.rows.keys, matrix.rows.labels, matrix.cells, matrix.row_totals, strict=True
    ):
        fields = [*(_heat_cell(cell, texts, scale) for cell in cells), _margin_cell(total, texts)]
        yield f"<tr>{row_head(key, label)}{''.join(fields)}</tr>"
    yield "</tbody>"
    margins = [_margin_cell(cell, texts) for cell in (*matrix.col_totals, matrix.total)]
    yield f'<tfoot><tr><th scope="row">{safe(labels.all)}</th>{"".join(margins)}</tr></tfoot>'
    yield "</table>"


def _heat_cell(cell: MatrixCell | None, texts: MatrixText, scale: Scale) -> str:
    mean, tip = safe(texts.mean(cell)), _tip(cell, texts)
    if cell is None or cell.summary.mean is None:
        return f'<td class="blank"{tip}>{mean}</td>'
    step = round(scale.position(cell.summary.mean) * STEPS)
    shade = f"{'p' if cell.is_small else 'h'}{step}"
    return f'<td class="{shade}"{tip}>{mean}<span>{cell.n:,}</span></td>'


def _margin_cell(cell: MatrixCell, texts: MatrixText) -> str:
    text = safe(f"{texts.mean(cell)} {texts.interval(cell)}".strip())
    tip = _tip(cell, texts)
    if cell.summary.mean is None:
        return f'<td class="all blank"{tip}>{text}</td>'
    shade = "all small" if cell.is_small else "all"
    return f'<td class="{shade}"{tip}>{text}<span>{cell.n:,}</span></td>'


def _tip(cell: MatrixCell | None, texts: MatrixText) -> str:
    """The interval and the states of a cell, for who points at it."""
    if cell is None:
        return ""
    labels = texts.labels
    parts = [
        f"{labels.states[state]} {count:,}" for state, count in state_counts(cell).items() if count
    ]
    if ends := texts.interval(cell):
        parts.insert(0, f"{labels.interval_head} {ends}")
    return f' title="{safe(labels.separator.join(parts))}"' if parts else ""


def _notes(texts: MatrixText, scale: Scale) -> Iterator[str]:
    labels, cells = texts.labels, (cell for row in texts.matrix.cells for cell in row)
    has_small = any(cell is not None and cell.is_small for cell in cells)
    shades = labels.colour.format(texts.write(scale.top))
    explained = texts.legend(labels.cell_form, labels.pale.format(SMALL_SIGN))
    yield '<div class="notes">'
    bars = f"{_bar('h')}{_bar('p') if has_small else ''}"
    yield f'<p><span class="bars">{bars}</span>{safe(shades)}</p>'
    for text in (texts.states(), texts.sentences(explained), *texts.caption.notes):
        yield f"<p>{safe(text)}</p>"
    yield "</div>"


def _bar(kind: str) -> str:
    steps = "".join(f'<i class="{kind}{step}"></i>' for step in range(STEPS + 1))
    return f'<span class="bar">{steps}</span>'


def _all_numbers(texts: MatrixText) -> Iterator[str]:
    """Every cell on a line of its own, margins last."""
    matrix, labels = texts.matrix, texts.labels
    counts = [labels.states[state] for state in STATES]
    numbers = [labels.mean, labels.interval_head, *counts, labels.coverage_head]
    heads = "".join(f'<th scope="col" class="number">{safe(head)}</th>' for head in numbers)
    yield '<table class="figures">'
    yield (
        f'<thead><tr><th scope="col">{safe(labels.row)}</th><th scope="col">{safe(labels.col)}</th>'
        f"{heads}</tr></thead>"
    )
    write = exact_format(matrix)
    rows, cols = matrix.rows.labels, matrix.cols.labels
    yield "<tbody>"
    for row, cells in zip(rows, matrix.cells, strict=True):
        for col, cell in zip(cols, cells, strict=True):
            yield _figures_line(row, col, cell, write)
    yield "</tbody>"
    yield '<tbody class="margins">'
    for row, cell in zip(rows, matrix.row_totals, strict=True):
        yield _figures_line(row, labels.all, cell, write)
    for col, cell in zip(cols, matrix.col_totals, strict=True):
        yield _figures_line(labels.all, col, cell, write)
    yield _figures_line(labels.all, labels.all, matrix.total, write)
    yield "</tbody></table>"


def _figures_line(row: str, col: str, cell: MatrixCell | None, write: FormatValue) -> str:
    fields = [mean_text(cell, write, TYPOGRAPHIC)]
    if cell is None:
        fields += ["", *("0" for _ in STATES), ""]
    else:
        coverage = cell.summary.coverage
        fields.append(interval_text(cell, write, TYPOGRAPHIC))
        fields += [f"{count:,}" for count in state_counts(cell).values()]
        fields.append("" if coverage is None else percent(coverage))
    shade = ' class="small"' if cell is not None and cell.is_small and not blank_kind(cell) else ""
    cells = "".join(f"<td{shade}>{safe(field)}</td>" for field in fields)
    return f'<tr><th scope="row">{safe(row)}</th><th>{safe(col)}</th>{cells}</tr>'

"""Matrices as one HTML page that needs nothing else: no script, no file, no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from engine.report.escape import html as safe
from engine.report.matrix.caption import (
    Caption,
    legend,
    overall,
    sentences,
    states,
    title_parts,
    warnings,
)
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
    value_format,
)
from engine.report.matrix.html_style import STEPS, style_sheet
from engine.report.matrix.labels import STATES, Labels, labels_of
from engine.results.matrix import Matrix, MatrixCell

# Nothing may be fetched, whatever a label says; styles in the page itself are all it needs.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Section(Struct, frozen=True):
    """One matrix of a page."""

    matrix: Matrix
    caption: Caption


def render(matrix: Matrix, caption: Caption) -> str:
    """A page about one matrix."""
    return render_page([Section(matrix, caption)])


def render_page(sections: Sequence[Section], title: str = "") -> str:
    """A page about several matrices, with an overview that compares their means.

    Matrices of the same metric share a colour scale. `title` defaults to the first section's.
    Raises ValueError without a section.
    """
    if not sections:
        raise ValueError("a page needs a section")
    first = sections[0]
    heading = title or " · ".join(title_parts(first.matrix, first.caption))
    scales = {
        metric: scale_of(s.matrix for s in sections if s.matrix.metric == metric)
        for metric in {section.matrix.metric for section in sections}
    }
    bodies = [
        line
        for number, section in enumerate(sections, start=1)
        for line in _section(section, number, scales[section.matrix.metric], len(sections) > 1)
    ]
    overview = _overview(sections) if len(sections) > 1 else []
    lines = [
        "<!DOCTYPE html>",
        f'<html lang="{first.caption.lang}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{safe(heading)}</title>",
        f"<style>{style_sheet()}</style>",
        "</head>",
        "<body>",
        f"<h1>{safe(heading)}</h1>" if len(sections) > 1 or title else "",
        *overview,
        *bodies,
        "</body>",
        "</html>",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _section(section: Section, number: int, scale: Scale, is_one_of_many: bool) -> Iterator[str]:
    matrix, caption = section.matrix, section.caption
    labels = labels_of(caption.lang)
    run, system, *rest = title_parts(matrix, caption)
    level = "h2" if is_one_of_many else "h1"
    totals = overall(matrix, caption, TYPOGRAPHIC)
    yield f'<section id="s{number}" lang="{caption.lang}">'
    yield f"<{level}>{safe(f'{run} · {system}')}</{level}>"
    yield f'<p class="about">{safe(" · ".join(rest))}</p>'
    others = safe(labels.separator + labels.separator.join(totals[1:])) if totals[1:] else ""
    yield f'<p class="headline"><strong>{safe(totals[0])}</strong>{others}</p>'
    for warning in warnings(matrix, caption):
        yield f'<p class="warning">{safe(warning)}</p>'
    yield '<div class="scroll">'
    yield from _heat_table(matrix, labels, scale)
    yield "</div>"
    yield from _notes(matrix, caption, scale)
    yield f"<details><summary>{safe(labels.all_numbers)}</summary>"
    yield '<div class="scroll">'
    yield from _all_numbers(matrix, labels)
    yield "</div></details>"
    yield "</section>"


def _heat_table(matrix: Matrix, labels: Labels, scale: Scale) -> Iterator[str]:
    write = value_format(matrix)
    heads = [f'<th scope="col">{safe(label)}</th>' for label in matrix.cols.labels]
    heads.append(f'<th scope="col" class="all">{safe(labels.all)}</th>')
    yield '<table class="heat">'
    yield f"<thead><tr><td></td>{''.join(heads)}</tr></thead>"
    yield "<tbody>"
    for label, cells, total in zip(
        matrix.rows.labels, matrix.cells, matrix.row_totals, strict=True
    ):
        fields = [_heat_cell(cell, write, labels, scale) for cell in cells]
        fields.append(_margin_cell(total, write, labels))
        yield f'<tr><th scope="row">{safe(label)}</th>{"".join(fields)}</tr>'
    yield "</tbody>"
    margins = [_margin_cell(cell, write, labels) for cell in (*matrix.col_totals, matrix.total)]
    yield f'<tfoot><tr><th scope="row">{safe(labels.all)}</th>{"".join(margins)}</tr></tfoot>'
    yield "</table>"


def _heat_cell(cell: MatrixCell | None, write: FormatValue, labels: Labels, scale: Scale) -> str:
    mean = mean_text(cell, write, TYPOGRAPHIC)
    if cell is None or cell.summary.mean is None:
        return f'<td class="blank"{_tip(cell, write, labels)}>{safe(mean)}</td>'
    step = round(scale.position(cell.summary.mean) * STEPS)
    shade = f"{'p' if cell.is_small else 'h'}{step}"
    return (
        f'<td class="{shade}"{_tip(cell, write, labels)}>{safe(mean)}<span>{cell.n:,}</span></td>'
    )


def _margin_cell(cell: MatrixCell, write: FormatValue, labels: Labels) -> str:
    text = f"{mean_text(cell, write, TYPOGRAPHIC)} {interval_text(cell, write, TYPOGRAPHIC)}"
    if cell.summary.mean is None:
        return f'<td class="all blank"{_tip(cell, write, labels)}>{safe(text.strip())}</td>'
    shade = "all small" if cell.is_small else "all"
    tip = _tip(cell, write, labels)
    return f'<td class="{shade}"{tip}>{safe(text.strip())}<span>{cell.n:,}</span></td>'


def _tip(cell: MatrixCell | None, write: FormatValue, labels: Labels) -> str:
    """The interval and the states of a cell, for who points at it."""
    if cell is None:
        return ""
    parts = [
        f"{labels.states[state]} {count:,}" for state, count in state_counts(cell).items() if count
    ]
    if ends := interval_text(cell, write, TYPOGRAPHIC):
        parts.insert(0, f"{labels.interval_head} {ends}")
    return f' title="{safe(labels.separator.join(parts))}"' if parts else ""


def _notes(matrix: Matrix, caption: Caption, scale: Scale) -> Iterator[str]:
    labels = labels_of(caption.lang)
    bar = "".join(f'<i class="h{step}"></i>' for step in range(STEPS + 1))
    shades = labels.colour.format(value_format(matrix)(scale.top))
    small = labels.pale.format(SMALL_SIGN)
    explained = legend(matrix, caption, TYPOGRAPHIC, labels.cell_form, small)
    yield '<div class="notes">'
    yield f'<p><span class="bar">{bar}</span>{safe(shades)}</p>'
    yield f"<p>n: {safe(labels.separator.join(states(matrix, caption)))}</p>"
    yield f"<p>{safe(sentences(explained, caption))}</p>"
    for note in caption.notes:
        yield f"<p>{safe(note)}</p>"
    yield "</div>"


def _all_numbers(matrix: Matrix, labels: Labels) -> Iterator[str]:
    """Every cell on a line of its own, margins last."""
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


def _overview(sections: Sequence[Section]) -> Iterator[str]:
    """One line a section: its mean with the interval, as number and as a drawing."""
    labels = labels_of(sections[0].caption.lang)
    heads = [labels.mean, labels.interval_head, "", "n", labels.macro_head, labels.coverage_head]
    yield (
        f'<nav class="scroll" aria-label="{safe(labels.overview)}"><table class="figures overview">'
    )
    yield (
        f'<thead><tr><th scope="col">{safe(labels.overview)}</th>'
        + "".join(f'<th scope="col" class="number">{safe(head)}</th>' for head in heads)
        + "</tr></thead><tbody>"
    )
    for number, section in enumerate(sections, start=1):
        ends = [
            s.matrix.total.summary.high or s.matrix.total.summary.mean or 0.0
            for s in sections
            if s.matrix.metric == section.matrix.metric
        ]
        yield _overview_line(section, number, max(ends) or 1.0)
    yield "</tbody></table></nav>"


def _overview_line(section: Section, number: int, top: float) -> str:
    matrix, caption = section.matrix, section.caption
    write = exact_format(matrix)
    summary = matrix.total.summary
    run, system, *rest = title_parts(matrix, caption)
    drawing = ""
    if summary.mean is not None and summary.low is not None and summary.high is not None:
        drawing = _interval_drawing(summary.low, summary.mean, summary.high, top)
    figures = [
        mean_text(matrix.total, write, TYPOGRAPHIC),
        interval_text(matrix.total, write, TYPOGRAPHIC),
        f"{summary.n_ok:,}",
        "" if matrix.macro is None else write(matrix.macro),
        "" if summary.coverage is None else percent(summary.coverage),
    ]
    fields = [f"<td>{safe(figure)}</td>" for figure in figures]
    fields.insert(2, f'<td class="interval">{drawing}</td>')
    return (
        f'<tr><th scope="row"><a href="#s{number}">{safe(f"{run} · {system}")}</a>'
        f'<div class="about">{safe(" · ".join(rest))}</div></th>{"".join(fields)}</tr>'
    )


def _interval_drawing(low: float, mean: float, high: float, top: float) -> str:
    """A line from low to high with a tick at the mean, on an axis from 0 to `top`."""
    left, width, tick = (100 * max(part, 0.0) / top for part in (low, high - low, mean))
    return (
        f'<div><b style="left:{left:.2f}%;width:{width:.2f}%"></b>'
        f'<i style="left:{tick:.2f}%"></i></div>'
    )

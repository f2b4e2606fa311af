"""A matrix as a Markdown pipe table with its title, totals and legend."""

from __future__ import annotations

from engine.report import escape
from engine.report.matrix.caption import (
    Caption,
    legend,
    overall,
    sentences,
    states,
    title_parts,
    warnings,
)
from engine.report.matrix.figures import (
    SMALL_SIGN,
    TYPOGRAPHIC,
    FormatValue,
    interval_text,
    mean_text,
    value_format,
)
from engine.report.matrix.labels import Labels
from engine.report.tables import pipe_table
from engine.results.matrix import Matrix, MatrixCell


def render(matrix: Matrix, caption: Caption) -> str:
    """GitHub-flavoured Markdown; every label is escaped."""
    labels = Labels(caption.lang)
    write = value_format(matrix)
    form = f"{write(0.71)} (22)"
    explained = legend(matrix, caption, TYPOGRAPHIC, form, f"`{SMALL_SIGN}`")
    blocks = [
        f"### {' · '.join(escape.markdown(part) for part in title_parts(matrix, caption))}",
        *(f"> ⚠ {text}" for text in warnings(matrix, caption)),
        "\n".join(_table(matrix, labels.all, write)),
        "\n".join(
            f"- {line}"
            for line in (
                labels.separator.join(overall(matrix, caption, TYPOGRAPHIC)),
                f"n: {labels.separator.join(map(escape.markdown, states(matrix, caption)))}",
                *map(escape.markdown, caption.notes),
            )
        ),
        sentences(explained, caption),
    ]
    return "\n\n".join(blocks) + "\n"


def _table(matrix: Matrix, all_label: str, write: FormatValue) -> list[str]:
    head = ["", *map(escape.markdown, matrix.cols.labels), f"**{all_label}**"]
    rows = [
        [escape.markdown(label), *(_cell(cell, write) for cell in cells), _margin(total, write)]
        for label, cells, total in zip(
            matrix.rows.labels, matrix.cells, matrix.row_totals, strict=True
        )
    ]
    totals = [_margin(cell, write) for cell in (*matrix.col_totals, matrix.total)]
    rules = [":--", *("--:" for _ in head[1:])]
    return pipe_table(head, rules, [*rows, [f"**{all_label}**", *totals]])


def _cell(cell: MatrixCell | None, write: FormatValue) -> str:
    mean = mean_text(cell, write, TYPOGRAPHIC)
    return mean if cell is None or cell.summary.mean is None else f"{mean} ({cell.n})"


def _margin(cell: MatrixCell, write: FormatValue) -> str:
    interval = interval_text(cell, write, TYPOGRAPHIC)
    return _cell(cell, write).replace(" (", f" {interval} (" if interval else " (", 1)

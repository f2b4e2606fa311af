"""A matrix as a Markdown pipe table with its title, totals and legend."""

from __future__ import annotations

from engine.report import escape
from engine.report.matrix.caption import Caption, MatrixText
from engine.report.matrix.figures import SMALL_SIGN
from engine.report.tables import pipe_table
from engine.results.matrix import Matrix, MatrixCell


def render(matrix: Matrix, caption: Caption) -> str:
    """GitHub-flavoured Markdown; every label is escaped."""
    texts = MatrixText(matrix, caption)
    explained = texts.legend(f"{texts.write(0.71)} (22)", f"`{SMALL_SIGN}`")
    below = [texts.totals(), escape.markdown(texts.states()), *map(escape.markdown, caption.notes)]
    blocks = [
        f"### {' · '.join(map(escape.markdown, texts.title()))}",
        *(f"> ⚠ {text}" for text in texts.warnings()),
        "\n".join(_table(texts)),
        "\n".join(f"- {line}" for line in below),
        texts.sentences(explained),
    ]
    return "\n\n".join(blocks) + "\n"


def _table(texts: MatrixText) -> list[str]:
    matrix = texts.matrix
    every = f"**{texts.labels.all}**"
    head = ["", *map(escape.markdown, matrix.cols.labels), every]
    rows = [
        [escape.markdown(label), *(_cell(cell, texts) for cell in cells), _margin(total, texts)]
        for label, cells, total in zip(
            matrix.rows.labels, matrix.cells, matrix.row_totals, strict=True
        )
    ]
    totals = [_margin(cell, texts) for cell in (*matrix.col_totals, matrix.total)]
    rules = [":--", *("--:" for _ in head[1:])]
    return pipe_table(head, rules, [*rows, [every, *totals]])


def _cell(cell: MatrixCell | None, texts: MatrixText) -> str:
    mean = texts.mean(cell)
    return mean if cell is None or cell.summary.mean is None else f"{mean} ({cell.n})"


def _margin(cell: MatrixCell, texts: MatrixText) -> str:
    interval = texts.interval(cell)
    return _cell(cell, texts).replace(" (", f" {interval} (" if interval else " (", 1)

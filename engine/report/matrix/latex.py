"""A matrix as a LaTeX table in the style of booktabs."""

from __future__ import annotations

import re

from engine.report import escape
from engine.report.matrix.caption import Caption, MatrixText
from engine.report.matrix.line_breaks import break_label
from engine.results.matrix import Matrix, MatrixCell

_SLUG = re.compile("[^a-z0-9]+")

_HEAD_WIDTH = 5.5  # em, about what a cell with its n takes
_BREAK = r" \\ "

_PREAMBLE = r"""% Needs the packages booktabs and xcolor; for Chinese, xelatex with ctex or xeCJK.
\providecommand{\smallcell}[1]{\textcolor{gray}{$\sim$#1}}
\providecommand{\celln}[1]{{\scriptsize\,(#1)}}"""


def render(matrix: Matrix, caption: Caption) -> str:
    """A `table` float; every label is escaped.

    Small cells and counts are set by the macros `\\smallcell` and `\\celln`, which a paper may
    define in its own way.
    """
    texts = MatrixText(matrix, caption)
    title = texts.sentences([texts.labels.separator.join(texts.title())])
    slug = _SLUG.sub("-", f"{caption.run}-{caption.metric}".lower()).strip("-")
    lines = [
        _PREAMBLE,
        r"\begin{table}[tbp]",
        r"\setlength{\belowcaptionskip}{4pt}",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{escape.latex(title)}}}",
        rf"\label{{tab:{slug or 'matrix'}}}",
        *_tabular(texts),
        "",
        r"\smallskip",
        rf"\parbox{{\linewidth}}{{\footnotesize {_notes(texts)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _notes(texts: MatrixText) -> str:
    # private characters stand for markup until the sentence around them is escaped
    mark, form = "\ue000", "\ue001"
    parts = [
        *texts.warnings(),
        texts.totals(),
        texts.states(),
        *texts.legend(form, mark),
        *texts.caption.notes,
    ]
    text = escape.latex(texts.sentences(parts))
    return text.replace(mark, r"$\sim$").replace(form, rf"{texts.write(0.71)}\celln{{22}}")


def _tabular(texts: MatrixText) -> list[str]:
    matrix, every = texts.matrix, escape.latex(texts.labels.all)
    head = ["", *map(_heading, matrix.cols.labels), every, "n"]
    body = [
        _line(
            [escape.latex(label), *(_cell(cell, texts) for cell in cells), *_margin(total, texts)]
        )
        for label, cells, total in zip(
            matrix.rows.labels, matrix.cells, matrix.row_totals, strict=True
        )
    ]
    means, counts = zip(
        *(_margin(cell, texts) for cell in (*matrix.col_totals, matrix.total)), strict=True
    )
    return [
        rf"\begin{{tabular}}{{@{{}}l{'r' * len(matrix.cols.labels)}rr@{{}}}}",
        r"\toprule",
        _line(head),
        r"\midrule",
        *body,
        r"\midrule",
        _line([every, *means, ""]),
        _line(["n", *counts, ""]),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _heading(label: str) -> str:
    """A long label takes several lines, as the columns are narrow."""
    lines = [escape.latex(line) for line in break_label(label, _HEAD_WIDTH, 3)]
    return rf"\shortstack[r]{{{_BREAK.join(lines)}}}" if len(lines) > 1 else lines[0]


def _line(fields: list[str]) -> str:
    return " & ".join(fields) + r" \\"


def _cell(cell: MatrixCell | None, texts: MatrixText) -> str:
    if cell is None or cell.summary.mean is None:
        return escape.latex(texts.mean(cell))
    text = f"{texts.write(cell.summary.mean)}\\celln{{{cell.n}}}"
    return rf"\smallcell{{{text}}}" if cell.is_small else text


def _margin(cell: MatrixCell, texts: MatrixText) -> tuple[str, str]:
    """Mean with interval, and n."""
    if cell.summary.mean is None:
        return escape.latex(texts.mean(cell)), str(cell.n)
    text = texts.write(cell.summary.mean) + " " + escape.latex(texts.interval(cell))
    return rf"\smallcell{{{text}}}" if cell.is_small else text, f"{cell.n:,}"

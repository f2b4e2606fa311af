"""A table of runs, with OmniEval's nine measures, as text, JSON, Markdown, CSV or LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.report import escape
from engine.report.output import json_text
from engine.report.tables import csv_text, pipe_table
from engine.report.text_table import sentence_lines, table_lines
from engine.results.table import RunTable, TableCell, TableRow
from engine.statistics.aggregation import LOW_COVERAGE, SMALL_CELL

HEADINGS = ("run", "retriever", "generator")
CLOSED_BOOK = "closed-book"
SMALL_SIGN = "~"
LOW_SIGN = "!"


def value_text(cell: TableCell, decimals: int = 3) -> str:
    """`.437`; `~` before it for few values, `!` for low coverage; `-` where there is no mean."""
    if cell.mean is None:
        return "-"
    sign = SMALL_SIGN if cell.is_small else ""
    if cell.coverage is not None and cell.coverage < LOW_COVERAGE:
        sign = LOW_SIGN
    number = f"{cell.mean:.{decimals}f}"
    return sign + (number[1:] if number.startswith("0.") else number)


def names(row: TableRow) -> tuple[str, str, str]:
    """The run, its retriever and its generator, as the rows are headed."""
    generator = f"{row.generator} (baseline)" if row.baseline else row.generator
    return row.run, row.retriever or CLOSED_BOOK, generator


def legend(table: RunTable) -> str:
    """The meaning of the columns and the signs, in a sentence or two."""
    judged = f"ACC to NAC by judge {', '.join(table.judges)}" if table.judges else "no judge"
    return (
        f"MAP to F1: {table.variant} variant; {judged}; all on 0 to 1; HAL: lower is better."
        f" {SMALL_SIGN}: fewer than {SMALL_CELL} groups; {LOW_SIGN}: coverage below"
        f" {100 * LOW_COVERAGE:.0f} %; -: does not apply or was not computed."
        " Each mean is over the run's own values; compare and leaderboard pair them."
    )


WIDTH = 100
"""Of the legend where it goes to no terminal, or to a wider one."""


def render(table: RunTable, kind: str, *, width: int | None = None) -> str:
    """The table as one of RENDERERS; text takes `width` cells, any number without it."""
    return RENDERERS[kind](table, width)


def _text(table: RunTable, width: int | None) -> str:
    rows = [(*names(row), *map(value_text, row.cells)) for row in table.rows]
    lines = table_lines((*HEADINGS, *table.columns), rows, width=width, right_from=len(HEADINGS))
    return "\n".join([*lines, "", *sentence_lines(legend(table), min(width or WIDTH, WIDTH))])


def _json(table: RunTable, _: int | None) -> str:
    return json_text(table)


def _markdown(table: RunTable, _: int | None) -> str:
    lines = pipe_table(
        [*HEADINGS, *table.columns],
        ["---"] * len(HEADINGS) + ["---:"] * len(table.columns),
        [[*map(escape.markdown, names(row)), *map(value_text, row.cells)] for row in table.rows],
    )
    return "\n".join([*lines, "", escape.markdown(legend(table)), ""])


def _csv(table: RunTable, _: int | None) -> str:
    """A line for each run and measure, with everything that is known of the mean."""
    fields = TableCell.__struct_fields__
    return csv_text(
        [*HEADINGS, "dataset", "measure", *fields],
        (
            [
                *(row.run, row.retriever or CLOSED_BOOK, row.generator, row.dataset, column),
                *(getattr(cell, field) for field in fields),
            ]
            for row in table.rows
            for column, cell in zip(table.columns, row.cells, strict=True)
        ),
    )


def _latex(table: RunTable, _: int | None) -> str:
    """A `table` float in the style of booktabs."""
    lines = [
        "% Needs the package booktabs; for Chinese, xelatex with ctex or xeCJK.",
        r"\begin{table}[tbp]",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{escape.latex(legend(table))}}}",
        rf"\begin{{tabular}}{{{'l' * len(HEADINGS)}{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(map(escape.latex, [*HEADINGS, *table.columns])) + r" \\",
        r"\midrule",
    ]
    for row in table.rows:
        texts = [*names(row), *map(value_text, row.cells)]
        lines.append(" & ".join(map(escape.latex, texts)) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


RENDERERS: Mapping[str, Callable[[RunTable, int | None], str]] = {
    "text": _text,
    "markdown": _markdown,
    "csv": _csv,
    "latex": _latex,
    "json": _json,
}
"""By the name of the format; each takes the table and the width that text may have."""

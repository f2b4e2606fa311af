"""A table of runs as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping

from engine.report import latex_table, markdown_table
from engine.results.run_table import RunTable, TableCell, TableRow
from engine.statistics.aggregation import LOW_COVERAGE, SMALL_CELL

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
    """What the columns and the signs mean, as a sentence or two."""
    judged = f"ACC to NAC by judge {', '.join(table.judges)}" if table.judges else "no judge"
    return (
        f"MAP to F1: {table.variant} variant; {judged}; all on 0 to 1; HAL: lower is better."
        f" {SMALL_SIGN}: fewer than {SMALL_CELL} values; {LOW_SIGN}: coverage below"
        f" {100 * LOW_COVERAGE:.0f} %; -: does not apply or was not computed."
        " Each mean is over the run's own values; compare and leaderboard pair them."
    )


HEADINGS = ("run", "retriever", "generator")


def as_markdown(table: RunTable) -> str:
    heads = [*HEADINGS, *table.columns]
    lines = ["| " + " | ".join(heads) + " |"]
    lines.append("|" + " --- |" * len(HEADINGS) + " ---: |" * len(table.columns))
    for row in table.rows:
        texts = [*map(markdown_table.escape, names(row)), *map(value_text, row.cells)]
        lines.append("| " + " | ".join(texts) + " |")
    return "\n".join([*lines, "", markdown_table.escape(legend(table)), ""])


def as_csv(table: RunTable) -> str:
    """One line for each run and measure, with everything that is known of the mean."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    fields = TableCell.__struct_fields__
    writer.writerow([*HEADINGS, "dataset", "measure", *fields])
    for row in table.rows:
        place = (row.run, row.retriever or CLOSED_BOOK, row.generator, row.dataset)
        for column, cell in zip(table.columns, row.cells, strict=True):
            writer.writerow([*place, column, *(getattr(cell, field) for field in fields)])
    return out.getvalue()


def as_latex(table: RunTable) -> str:
    """A `table` float in the style of booktabs."""
    escape = latex_table.escape
    lines = [
        "% Needs the package booktabs; for Chinese, xelatex with ctex or xeCJK.",
        r"\begin{table}[tbp]",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{escape(legend(table))}}}",
        rf"\begin{{tabular}}{{{'l' * len(HEADINGS)}{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(map(escape, [*HEADINGS, *table.columns])) + r" \\",
        r"\midrule",
    ]
    for row in table.rows:
        texts = [*names(row), *map(value_text, row.cells)]
        lines.append(" & ".join(map(escape, texts)) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


RENDERERS: Mapping[str, Callable[[RunTable], str]] = {
    "markdown": as_markdown,
    "csv": as_csv,
    "latex": as_latex,
}
"""By the name of the format."""

"""A table of runs, with OmniEval's nine measures, as text, JSON, Markdown, CSV or LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.report import escape
from engine.report.output import json_text
from engine.report.tables import csv_text, pipe_table
from engine.report.text_table import sentence_lines, table_lines
from engine.results.table import RunTable, TableCell, TableRow
from engine.statistics.aggregation import LOW_COVERAGE, SMALL_CELL
from store.records import Lang

HEADINGS = ("run", "retriever", "generator")
_SAID: dict[Lang, tuple[str, str, str]] = {"en": HEADINGS, "zh": ("运行", "检索器", "生成器")}
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


def names(row: TableRow, lang: Lang) -> tuple[str, str, str]:
    """The run, its retriever and its generator, as the rows are headed."""
    baseline = {"en": " (baseline)", "zh": "（基线）"}
    generator = row.generator + (baseline[lang] if row.baseline else "")
    return row.run, row.retriever or CLOSED_BOOK, generator


def legend(table: RunTable, lang: Lang) -> str:
    """The meaning of the columns and the signs, in a sentence or two."""
    if lang == "zh":
        judges = "、".join(table.judges)
        judged = f"ACC 至 NAC 由评判器 {judges} 给出" if judges else "没有评判器"
        return (
            f"MAP 至 F1：变体 {table.variant}；{judged}；都在 0 到 1 之间；HAL 越低越好。"
            f"{SMALL_SIGN}：不足 {SMALL_CELL} 组；{LOW_SIGN}：覆盖率低于"
            f" {100 * LOW_COVERAGE:.0f} %；-：不适用或没有计算。"
            "每个均值取自该运行自己的取值；compare 和 leaderboard 会逐轮配对。"
        )
    judged = f"ACC to NAC by judge {', '.join(table.judges)}" if table.judges else "no judge"
    return (
        f"MAP to F1: {table.variant} variant; {judged}; all on 0 to 1; HAL: lower is better."
        f" {SMALL_SIGN}: fewer than {SMALL_CELL} groups; {LOW_SIGN}: coverage below"
        f" {100 * LOW_COVERAGE:.0f} %; -: does not apply or was not computed."
        " Each mean is over the run's own values; compare and leaderboard pair them."
    )


WIDTH = 100
"""Of the legend where it goes to no terminal, or to a wider one."""


def render(table: RunTable, kind: str, *, width: int | None = None, lang: Lang = "en") -> str:
    """The table as one of RENDERERS; text takes `width` cells, any number without it. What people
    read is in the language, JSON and CSV are not."""
    return RENDERERS[kind](table, width, lang)


def _text(table: RunTable, width: int | None, lang: Lang) -> str:
    rows = [(*names(row, lang), *map(value_text, row.cells)) for row in table.rows]
    heads = (*_SAID[lang], *table.columns)
    lines = table_lines(heads, rows, width=width, right_from=len(HEADINGS))
    below = sentence_lines(legend(table, lang), min(width or WIDTH, WIDTH))
    return "\n".join([*lines, "", *below])


def _json(table: RunTable, _: int | None, __: Lang) -> str:
    return json_text(table)


def _markdown(table: RunTable, _: int | None, lang: Lang) -> str:
    lines = pipe_table(
        [*_SAID[lang], *table.columns],
        ["---"] * len(HEADINGS) + ["---:"] * len(table.columns),
        [
            [*map(escape.markdown, names(row, lang)), *map(value_text, row.cells)]
            for row in table.rows
        ],
    )
    return "\n".join([*lines, "", escape.markdown(legend(table, lang)), ""])


def _csv(table: RunTable, _: int | None, __: Lang) -> str:
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


def _latex(table: RunTable, _: int | None, lang: Lang) -> str:
    """A `table` float in the style of booktabs."""
    lines = [
        "% Needs the package booktabs; for Chinese, xelatex with ctex or xeCJK.",
        r"\begin{table}[tbp]",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{escape.latex(legend(table, lang))}}}",
        rf"\begin{{tabular}}{{{'l' * len(HEADINGS)}{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(map(escape.latex, [*_SAID[lang], *table.columns])) + r" \\",
        r"\midrule",
    ]
    for row in table.rows:
        texts = [*names(row, lang), *map(value_text, row.cells)]
        lines.append(" & ".join(map(escape.latex, texts)) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


RENDERERS: Mapping[str, Callable[[RunTable, int | None, Lang], str]] = {
    "text": _text,
    "markdown": _markdown,
    "csv": _csv,
    "latex": _latex,
    "json": _json,
}
"""By the name of the format; each takes the table, the width of text, and the language."""

"""A comparison of two runs as text, JSON, CSV or Markdown, and a leaderboard as text or JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from engine.report import escape
from engine.report.comparison_sentences import (
    gate_sentence,
    left_out_sentence,
    power_sentence,
    tiers_sentence,
    verdict_sentence,
)
from engine.report.corrected import (
    corrected_head,
    corrected_rows,
    corrected_sentence,
    order_of,
    order_sentence,
)
from engine.report.labels import metric_label
from engine.report.output import json_text
from engine.report.tables import csv_text, pipe_table
from engine.report.text_table import sentence_lines, table_lines
from engine.results.comparison import Leaderboard, RunComparison
from engine.statistics.inference import Difference, Verdict
from store.messages import plural
from store.records import Lang
from store.runs.results import MetricKey

SIGNS = {
    Verdict.A_BETTER: "A",
    Verdict.B_BETTER: "B",
    Verdict.A_HIGHER: "A",
    Verdict.B_HIGHER: "B",
    Verdict.NO_DIFFERENCE: "",
    Verdict.TOO_FEW: "?",
}
"""What marks a cell of a comparison."""


def render(view: RunComparison, kind: str, *, width: int | None = None) -> str:
    """The comparison as one of RENDERERS; text takes `width` cells, any number without it."""
    return RENDERERS[kind](view, width)


def gate_lines(view: RunComparison) -> list[str]:
    """A sentence for each gate."""
    a, b = f"{view.a.name} (A)", f"{view.b.name} (B)"
    return [gate_sentence(result, a=a, b=b) for result in view.gates]


def _text(view: RunComparison, width: int | None) -> str:
    table = table_lines(_head(view), _rows(view), width=width, right_from=1)
    below = [line for text in _below(view) for line in sentence_lines(text, width)]
    cells = corrected_rows(view)
    corrected = table_lines(corrected_head(view.lang), cells, width=width, keys=2) if cells else []
    return "\n".join([*sentence_lines(_headline(view), width), "", *table, "", *below, *corrected])


def _markdown(view: RunComparison, _: int | None) -> str:
    rules = ["---", *("---:" for _ in view.cols.labels)]
    rows = [[escape.markdown(label), *cells] for label, *cells in _rows(view)]
    table = pipe_table([*map(escape.markdown, _head(view))], rules, rows)
    around = [escape.markdown(_headline(view)), *map(escape.markdown, _below(view))]
    cells = [[*map(escape.markdown, row[:2]), *row[2:]] for row in corrected_rows(view)]
    head = corrected_head(view.lang)
    rules = ["---", "---", *("---:" for _ in head[2:])]
    corrected = ["", *pipe_table(head, rules, cells)] if cells else []
    return "\n".join([around[0], "", *table, "", *around[1:], *corrected])


def _csv(view: RunComparison, _: int | None) -> str:
    fields = Difference.__struct_fields__
    places = [(("all", "all"), view.comparison.overall), *view.comparison.cells.items()]
    return csv_text(
        [view.rows.name, view.cols.name, *fields],
        ([*place, *(getattr(cell, field) for field in fields)] for place, cell in places),
    )


def _json(view: RunComparison, _: int | None) -> str:
    return json_text(_as_json(view))


RENDERERS: Mapping[str, Callable[[RunComparison, int | None], str]] = {
    "text": _text,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
}
"""By the name of the format; each takes the comparison and the width that text may have."""


def _as_json(view: RunComparison) -> dict[str, Any]:
    comparison = view.comparison
    return {
        "a": view.a.name,
        "b": view.b.name,
        "metric": view.metric.name,
        "variant": view.metric.variant,
        "judge": view.metric.judge,
        "higher_is_better": comparison.higher_is_better,
        "settings": comparison.settings,
        "sentence": _headline(view),
        "power": power_sentence(comparison, view.lang),
        "overall": comparison.overall,
        "cells": [
            {view.rows.name: row, view.cols.name: col, **structs.asdict(difference)}
            for (row, col), difference in comparison.cells.items()
        ],
        "corrected": _corrected_as_json(view),
        "left_out": [
            {"a": reason.a, "b": reason.b, "turns": turns}
            for reason, turns in comparison.left_out.items()
        ],
        **({"gates": _gates_as_json(view)} if view.gates else {}),
    }


def _gates_as_json(view: RunComparison) -> list[dict[str, Any]]:
    return [
        {
            "verdict": result.verdict,
            "metric": result.metric.name,
            "variant": result.metric.variant,
            "judge": result.metric.judge,
            "margin": result.margin,
            "higher_is_better": result.higher_is_better,
            "unscored": result.unscored,
            "sentence": sentence,
            "difference": result.difference,
            "corrected": result.corrected and result.corrected.overall,
        }
        for result, sentence in zip(view.gates, gate_lines(view), strict=True)
    ]


def _corrected_as_json(view: RunComparison) -> dict[str, Any] | None:
    corrected = view.corrected
    if corrected is None:
        return None
    cells = [
        {view.rows.name: row, view.cols.name: col, **structs.asdict(one)}
        for (row, col), one in corrected.cells.items()
    ]
    return {**structs.asdict(corrected), "cells": cells}


def leaderboard_text(
    key: MetricKey, board: Leaderboard, lang: Lang, *, width: int | None = None
) -> str:
    to = {"en": "to", "zh": "至"}[lang]
    rows = [
        [
            f"{rank:>3}",
            standing.run,
            "-" if standing.mean is None else f"{standing.mean:.3f}",
            ""
            if standing.low is None or standing.high is None
            else f"{standing.low:.3f} {to} {standing.high:.3f}",
            standing.letters,
        ]
        for rank, standing in enumerate(board.standings, 1)
    ]
    # without heads: the title says what the figures are
    _, *lines = table_lines([""] * 5, rows, width=width, keys=2)
    title = f"{metric_label(key, lang)}   {size_text(board, lang)}"
    texts = filter(None, (tiers_sentence(board, lang), order_sentence(board, lang)))
    below = [line for text in texts for line in sentence_lines(text, width)]
    return "\n".join([title, "", *lines, "", *below])


def size_text(board: Leaderboard, lang: Lang) -> str:
    """How many turns in how many groups a leaderboard rests on."""
    if lang == "zh":
        return f"{board.items:,} 轮，{board.groups:,} 组"
    return f"{plural(board.items, 'turn')} in {plural(board.groups, 'group')}"


def leaderboard_as_json(key: MetricKey, board: Leaderboard) -> dict[str, Any]:
    return {
        "metric": key.name,
        "variant": key.variant,
        "judge": key.judge,
        "items": board.items,
        "groups": board.groups,
        "standings": [
            {**structs.asdict(standing), "letters": standing.letters}
            for standing in board.standings
        ],
        "pairs": [
            {"a": a, "b": b, **structs.asdict(difference)}
            for (a, b), difference in board.pairs.items()
        ],
        "corrected": [
            {"a": a, "b": b, "order": order_of(board, (a, b)), **structs.asdict(one)}
            for (a, b), one in board.corrected.items()
        ],
        "left_out": board.left_out,
    }


_LEGEND: dict[Lang, str] = {
    "en": "Differences are A minus B with n, the turns compared; A or B: better after Holm's"
    " adjustment over the cells; ?: too few to tell.",
    "zh": "差值为 A 减 B，括号内为轮数；A 或 B：经 Holm 校正后更优；?：数量太少，无法判断。",
}


def _headline(view: RunComparison) -> str:
    return verdict_sentence(
        view.comparison,
        view.comparison.overall,
        a=f"{view.a.name} (A)",
        b=f"{view.b.name} (B)",
        metric=metric_label(view.metric, view.lang),
        lang=view.lang,
    )


def _cell(difference: Difference | None) -> str:
    if difference is None or difference.difference is None:
        return "-"
    return f"{difference.difference:+.2f} ({difference.items}){SIGNS[difference.verdict]}"


def _head(view: RunComparison) -> list[str]:
    return ["", *view.cols.labels]


def _rows(view: RunComparison) -> list[list[str]]:
    cells = view.comparison.cells
    return [
        [label, *(_cell(cells.get((key, col))) for col in view.cols.keys)]
        for key, label in zip(view.rows.keys, view.rows.labels, strict=True)
    ]


def _below(view: RunComparison) -> list[str]:
    left_out = left_out_sentence(
        view.comparison.left_out, a=view.a.name, b=view.b.name, lang=view.lang
    )
    power = power_sentence(view.comparison, view.lang)
    corrected = corrected_sentence(view)
    return [
        _LEGEND[view.lang],
        *filter(None, (power, corrected)),
        left_out,
        *gate_lines(view),
    ]

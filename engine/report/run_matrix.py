"""A run's matrix as text, JSON, CSV, Markdown, LaTeX, HTML or SVG."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from engine.judge.trust import family_text, trust_text
from engine.report.matrix import csv_lines, latex, markdown, svg, text
from engine.report.matrix.caption import Caption
from engine.report.output import json_text
from engine.report.page import matrix as page_matrix
from engine.results.matrix import Matrix, MatrixCell, RunMatrix

RENDERERS: Mapping[str, Callable[[Matrix, Caption], str]] = {
    "csv": csv_lines.render,
    "markdown": markdown.render,
    "latex": latex.render,
    "svg": svg.render,
    "html": page_matrix.render,
}
"""By the name of the format, in the order in which they are offered."""

WIDTH = 100
"""Of text that goes to no terminal."""


def render(view: RunMatrix, kind: str, *, width: int | None = None) -> str:
    """The matrix as `text`, `json`, `csv`, `markdown`, `latex`, `html` or `svg`.

    Text takes the `width` of the terminal that it goes to, and colours; elsewhere 100 columns.
    """
    if kind == "json":
        return json_text(as_json(view))
    if kind == "text":
        return text.render(
            view.matrix,
            caption_of(view),
            width=width or WIDTH,
            color=width is not None and _takes_colour(),
        )
    return RENDERERS[kind](view.matrix, caption_of(view))


def caption_of(view: RunMatrix) -> Caption:
    variant = view.metric.variant
    return Caption(
        run=view.run.name,
        system=view.run.system.name,
        dataset=view.release,
        metric=view.metric.name + ("" if variant == "standard" else f" ({variant})"),
        judge=_judge(view),
        baseline=view.run.system.baseline,
        lang=view.lang,
    )


def _judge(view: RunMatrix) -> str:
    """The judge, with its agreement with people where that is known, and its kinship."""
    between = {"en": ", ", "zh": "，"}[view.lang]
    parts = [view.metric.judge]
    if view.trust is not None:
        parts.append(trust_text(view.trust, view.lang))
    if view.same_family:
        parts.append(family_text(view.same_family, view.lang))
    return between.join(parts)


def as_json(view: RunMatrix) -> dict[str, Any]:
    """One object a run: its cells as a list, so that no key has to be parsed."""
    matrix = view.matrix
    return {
        "run": view.run.name,
        "system": view.run.system.name,
        "baseline": view.run.system.baseline,
        "dataset": view.release,
        "calibration": view.trust,
        "metric": view.metric.name,
        "variant": view.metric.variant,
        "judge": view.metric.judge,
        "same_family": view.same_family,
        "higher_is_better": matrix.higher_is_better,
        "rows": {"name": matrix.rows.name, "keys": matrix.rows.keys, "labels": matrix.rows.labels},
        "cols": {"name": matrix.cols.name, "keys": matrix.cols.keys, "labels": matrix.cols.labels},
        "cells": [
            {"row": row, "col": col, **_figures(cell)}
            for row, line in zip(matrix.rows.keys, matrix.cells, strict=True)
            for col, cell in zip(matrix.cols.keys, line, strict=True)
            if cell is not None
        ],
        "row_totals": [
            {"row": row, **_figures(cell)}
            for row, cell in zip(matrix.rows.keys, matrix.row_totals, strict=True)
        ],
        "col_totals": [
            {"col": col, **_figures(cell)}
            for col, cell in zip(matrix.cols.keys, matrix.col_totals, strict=True)
        ],
        "total": _figures(matrix.total),
        "macro": matrix.macro,
    }


def _figures(cell: MatrixCell) -> dict[str, Any]:
    summary = cell.summary
    return {
        "mean": summary.mean,
        "low": summary.low,
        "high": summary.high,
        "n": cell.n,
        "groups": summary.groups,
        "coverage": summary.coverage,
        "states": {**summary.n, "pending": cell.pending},
        "small": cell.is_small,
    }


def _takes_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")

"""The report on some runs: a page for people without a terminal.

Leaderboards, heat maps and comparisons are tables in the page, which are there without a script,
too. The script shows one of them at a time and finds the items behind a cell; these and the
passages lie in the page compressed, and are unpacked when the page opens and when an item does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engine.report.escape import html as safe
from engine.report.escape import legible
from engine.report.matrix.caption import MatrixText
from engine.report.matrix.colours import Scale, scale_of
from engine.report.page.comparison import comparison_section
from engine.report.page.document import document, json_block, packed_block
from engine.report.page.labels import Labels
from engine.report.page.leaderboard import board_section, overview_section
from engine.report.page.matrix import section
from engine.report.page.passages import passages_block
from engine.report.page.records import Report, ReportRun
from engine.report.page.style import style_sheet
from engine.report.run_matrix import caption_of
from engine.results.matrix import Axis
from store.messages import plural

MOST_BYTES = 15_000_000
"""Of a page; passages are cut for it, nothing else is."""

_SCRIPTS = ("report_data", "report_items", "report")


def render(report: Report) -> str:
    """The page of a report."""
    labels = Labels(report.lang)
    title = labels.title.format(report.dataset)
    items = packed_block("held-items", _items(report))
    body = "\n".join([*_head(report, title, labels), *_views(report, labels)])
    room = MOST_BYTES - len(items) - len(body.encode()) - len(_script()) - 100_000
    passages, limit = passages_block(report, max(room, 0))
    note = labels.passages_cut.format(f"{limit:,}") if limit is not None else ""
    data = "\n".join([json_block("held-facts", _facts(report, labels, note)), items, passages])
    return document(
        title,
        report.lang,
        [body],
        styles=style_sheet("report"),
        script=_script(),
        data=data,
    )


def _script() -> str:
    folder = Path(__file__).parent
    parts = "\n".join(folder.joinpath(f"{name}.js").read_text("utf-8") for name in _SCRIPTS)
    # a scope of its own; strict, as a module is, which a policy of hashes would not let in
    return f'(() => {{\n"use strict";\n{parts}}})();'


def _head(report: Report, title: str, labels: Labels) -> Iterator[str]:
    counts = labels.counts.format(
        runs=_count(len(report.runs), "run", "个运行", report),
        items=_count(len({item.key for item in report.items}), "item", "个题目", report),
        turns=_count(len(report.items), "turn", "轮", report),
    )
    yield "<header>"
    yield f'<div><h1>{safe(title)}</h1><p class="about">{safe(counts)}</p></div>'
    # filled by the script, as both lead nowhere without it
    yield f'<nav id="views" aria-label="{safe(labels.views)}"></nav>'
    yield '<div id="choices" role="group"></div>'
    yield "</header>"
    yield f'<p class="about scriptless">{safe(labels.needs_script)}</p>'


def _views(report: Report, labels: Labels) -> Iterator[str]:
    yield '<main id="main" tabindex="-1">'
    for metric in report.metrics:
        if metric.id in report.boards:
            yield f'<section data-view="board" data-metric="{safe(metric.id)}">'
            yield from board_section(metric, report.boards[metric.id], report.lang)
            yield "</section>"
    yield '<section data-view="overview">'
    runs = [run.name for run in report.runs]
    yield from overview_section(report.metrics, runs, report.maps, report.lang)
    yield "</section>"
    scales = _scales(report)
    for (run, id), view in report.maps.items():
        yield f'<section data-view="map" data-run="{safe(run)}" data-metric="{safe(id)}">'
        yield from section(MatrixText(view.matrix, caption_of(view)), scales[id], "h2")
        yield "</section>"
    for (a, b, id), comparison in report.comparisons.items():
        yield (
            f'<section data-view="compare" data-run="{safe(a)}" data-with="{safe(b)}"'
            f' data-metric="{safe(id)}">'
        )
        yield from comparison_section(comparison)
        yield "</section>"
    yield '<section data-view="items" id="list"></section>'
    yield '<section data-view="item" id="one"></section>'
    yield "</main>"


def _scales(report: Report) -> dict[str, Scale]:
    """One scale a metric, so that the maps of two runs compare."""
    return {
        metric.id: scale_of(view.matrix for (_, id), view in report.maps.items() if id == metric.id)
        for metric in report.metrics
    }


def _facts(report: Report, labels: Labels, note: str) -> dict[str, Any]:
    """What the script has to know before the items are unpacked. Names and keys are as they stand
    in the attributes of the tables, in which the script looks for them."""
    return {
        "labels": labels.by_name(),
        "runs": [{"name": legible(run.name)} for run in report.runs],
        "metrics": [replace(metric, id=legible(metric.id)) for metric in report.metrics],
        "first": legible(report.first_metric),
        "rows": _axis(report.rows),
        "cols": _axis(report.cols),
        "axes": [labels.axes.get(one.name, one.name) for one in (report.rows, report.cols)],
        "has_passages": report.texts is not None,
        "note": note,
        "pairs": _pairs_note(report, labels),
    }


def _axis(axis: Axis) -> dict[str, list[str]]:
    return {"keys": [*map(legible, axis.keys)], "labels": [*map(legible, axis.labels)]}


def _pairs_note(report: Report, labels: Labels) -> str:
    """What a page with too many runs for a comparison of every two says in its place."""
    if not report.compared_with_first:
        return ""
    return labels.compared_with_first.format(len(report.runs), report.runs[0].name)


def _items(report: Report) -> dict[str, Any]:
    return {"items": report.items, "runs": [_columns(run, report) for run in report.runs]}


def _columns(run: ReportRun, report: Report) -> dict[str, Any]:
    ids = [metric.id for metric in report.metrics]
    return {
        "answers": run.answers,
        "values": [run.values.get(id) for id in ids],
        "reasons": [run.reasons.get(id, {}) for id in ids],
    }


def _count(n: int, one: str, zh: str, report: Report) -> str:
    return f"{n:,} {zh}" if report.lang == "zh" else plural(n, one)

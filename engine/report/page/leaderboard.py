"""The leaderboards of a report, and the overview of all its runs and metrics, as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from engine.report.comparison_sentences import groups_text, tiers_sentence, turns_text
from engine.report.corrected import order_sentence
from engine.report.escape import html as safe
from engine.report.matrix.colours import Scale
from engine.report.matrix.figures import (
    TYPOGRAPHIC,
    FormatValue,
    interval_text,
    mean_text,
    short_value,
    value_format,
)
from engine.report.page.labels import Labels
from engine.report.page.records import ReportMetric
from engine.report.page.style import STEPS
from engine.results.comparison import Leaderboard
from engine.results.matrix import MatrixCell, RunMatrix
from store.records import Lang


def board_section(metric: ReportMetric, board: Leaderboard, lang: Lang) -> Iterator[str]:
    """Lines of HTML: the runs by their means, each with its interval as a drawing."""
    labels = Labels(lang)
    standings = board.standings
    top = max((one.high or one.mean or 0.0 for one in standings), default=0.0) or 1.0
    write = _format([one.mean for one in standings])
    counts = {
        "turns": turns_text(board.items, lang),
        "groups": groups_text(board.groups, lang),
    }
    yield f"<h2>{safe(labels.on_metric.format(metric.id))}</h2>"
    yield f'<p class="about">{safe(f"{metric.direction} · {labels.on_turns.format(**counts)}")}</p>'
    yield '<div class="scroll"><table class="figures board">'
    yield f'<caption class="unseen">{safe(labels.on_metric.format(metric.id))}</caption>'
    heads = [(labels.rank, ""), (labels.run, ""), (labels.mean, "number"), (labels.interval, "")]
    is_ranking = len(standings) > 1
    heads += [(labels.letters, "")] if is_ranking else []
    cells = "".join(f'<th scope="col" class="{kind}">{safe(head)}</th>' for head, kind in heads)
    yield f"<thead><tr>{cells}</tr></thead><tbody>"
    for rank, one in enumerate(standings, 1):
        mean = TYPOGRAPHIC.no_item if one.mean is None else write(one.mean)
        drawing = ends = ""
        if one.mean is not None and one.low is not None and one.high is not None:
            drawing = interval_drawing(one.low, one.mean, one.high, top)
            ends = f"{write(one.low)}{TYPOGRAPHIC.to}{write(one.high)}"
        yield (
            f'<tr><td class="rank">{rank}</td>'
            f'<th scope="row" data-run="{safe(one.run)}">{safe(one.run)}</th>'
            f'<td class="mean">{safe(mean)}</td>'
            f'<td class="ends">{drawing}<span>{safe(ends)}</span></td>'
            + (f'<td class="letters">{safe(one.letters)}</td></tr>' if is_ranking else "</tr>")
        )
    yield "</tbody></table></div>"
    if not is_ranking:
        return
    yield f"<p>{safe(tiers_sentence(board, lang))}</p>"
    if order := order_sentence(board, lang):
        yield f"<p>{safe(order)}</p>"
    yield f'<p class="notes">{safe(labels.explain_letters)}</p>'


def interval_drawing(low: float, mean: float, high: float, top: float) -> str:
    """A line from low to high with a tick at the mean, on an axis from 0 to `top`."""
    left, width, tick = (100 * max(part, 0.0) / top for part in (low, high - low, mean))
    return (
        '<svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="axis" x="0" y="11" width="100" height="1"/>'
        f'<rect x="{left:.2f}" y="4.5" width="{max(width, 0.5):.2f}" height="3"/>'
        f'<rect x="{max(tick - 0.6, 0.0):.2f}" y="1" width="1.2" height="10"/></svg>'
    )


def overview_section(
    metrics: Sequence[ReportMetric],
    runs: Sequence[str],
    maps: Mapping[tuple[str, str], RunMatrix],
    lang: Lang,
) -> Iterator[str]:
    """Lines of HTML: a row for each metric, a column for each run."""
    labels = Labels(lang)
    yield f"<h2>{safe(labels.all_metrics)}</h2>"
    yield '<div class="scroll"><table class="figures overview">'
    yield f'<caption class="unseen">{safe(labels.all_metrics)}</caption>'
    heads = "".join(f'<th scope="col" data-run="{safe(run)}">{safe(run)}</th>' for run in runs)
    yield f'<thead><tr><th scope="col">{safe(labels.metric)}</th>{heads}</tr></thead>'
    for group, members in groupby(metrics, key=lambda one: one.group):
        name = labels.groups.get(group, group)
        yield (
            f'<tbody><tr><th scope="rowgroup" colspan="{len(runs) + 1}" class="group">'
            f"{safe(name)}</th></tr>"
        )
        for metric in members:
            row = [maps.get((run, metric.id)) for run in runs]
            yield _overview_line(metric, row, labels)
        yield "</tbody>"
    yield "</table></div>"
    yield f'<p class="notes">{safe(labels.explain_overview)}</p>'


def _overview_line(metric: ReportMetric, row: Sequence[RunMatrix | None], labels: Labels) -> str:
    means = [None if one is None else one.matrix.total.summary.mean for one in row]
    known = [mean for mean in means if mean is not None]
    best: float | None = None
    if len(known) > 1 and metric.higher_is_better is not None:
        best = max(known) if metric.higher_is_better else min(known)
    # on [0, 1] in all rows alike, so that rows compare; else by the largest of the row
    scale = Scale(max([1.0, *known]))
    fields = [
        _overview_cell(one, mean is not None and mean == best, scale)
        for one, mean in zip(row, means, strict=True)
    ]
    return (
        f'<tr data-metric="{safe(metric.id)}"><th scope="row">{safe(metric.name)}'
        f'<span class="about">{safe(metric.direction if not metric.higher_is_better else "")}'
        f"</span></th>{''.join(fields)}</tr>"
    )


def _overview_cell(view: RunMatrix | None, is_best: bool, scale: Scale) -> str:
    if view is None:
        return '<td class="blank">–</td>'
    cell: MatrixCell = view.matrix.total
    write = value_format(view.matrix)
    mean = mean_text(cell, write, TYPOGRAPHIC)
    if cell.summary.mean is None:
        return f'<td class="blank">{safe(mean)}</td>'
    shade = f"{'p' if cell.is_small else 'h'}{round(scale.position(cell.summary.mean) * STEPS)}"
    tip = interval_text(cell, write, TYPOGRAPHIC)
    return (
        f'<td class="{shade}"{f" title={chr(34)}{safe(tip)}{chr(34)}" if tip else ""}>'
        f"{safe(mean)}{'*' if is_best else ''}</td>"
    )


def _format(means: Sequence[float | None]) -> FormatValue:
    if all(mean is None or abs(mean) <= 1 for mean in means):
        return lambda value: short_value(value, 3)
    return lambda value: f"{value:,.2f}"

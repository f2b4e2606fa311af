"""The statistics of raters' work as text, JSON, CSV or Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from engine.labelling.figures.statistics import TWO_KEYS, WorkFigures
from engine.labelling.figures.work_records import Estimate, WorkReport
from engine.report import escape
from engine.report.output import json_text
from engine.report.tables import csv_text, pipe_table
from engine.report.text_table import said, sentence_lines, table_lines
from engine.statistics.aggregation import SMALL_CELL
from engine.statistics.agreement.statistic import Statistic
from store.labels.forms import Verdict

VERDICTS: tuple[Verdict, ...] = ("accept", "correct", "discard")
_NONE = "-"


def report_as_json(report: WorkReport) -> dict[str, Any]:
    """The whole report with the figures that follow from it."""
    out: dict[str, Any] = msgspec.to_builtins(report)
    for name in ("rows", "by_topic", "by_task"):
        for row, figures in zip(out[name], getattr(report, name), strict=True):
            row |= _derived(figures)
    if report.total is not None:
        out["total"] |= _derived(report.total)
    if report.automatic is not None:
        out["automatic"] |= {"n": report.automatic.n, "agreeing": report.automatic.agreeing}
    return out


def _derived(row: WorkFigures) -> dict[str, float | None]:
    return {
        "acceptance": row.acceptance,
        "per_hour": row.per_hour,
        "agreement": row.agreement,
    }


def estimate_text(one: Estimate, digits: int) -> str:
    """`0.91 (0.80 to 0.97), n 22`; without ends where they are unknown, `-` where nothing is."""
    if one.value is None:
        return _NONE
    ends = ""
    if one.low is not None and one.high is not None:
        ends = f" ({one.low:.{digits}f} to {one.high:.{digits}f})"
    return f"{one.value:.{digits}f}{ends}, n {one.n:,}"


def header(report: WorkReport) -> list[str]:
    """The columns of `table`."""
    judged = ["judged", "acceptance", "95 %"] if report.decides else []
    values = [f"{report.field} {value}" for value in report.choices]
    return [
        *TWO_KEYS.get(report.by, (report.by or "all",)),
        *judged,
        "subjects",
        "labels",
        "excluded",
        "postponed",
        "seconds",
        "labels/h",
        "agreement",
        *values,
        "raters",
    ]


def table(report: WorkReport) -> list[list[str]]:
    """A line a group, and the one over all last, where there are several."""
    lines = [_line(report, row, list(row.place) or ["all"]) for row in report.rows]
    if report.by and report.total is not None:
        lines.append(_line(report, report.total, ["all", *([""] * (report.by in TWO_KEYS))]))
    return lines


def _line(report: WorkReport, row: WorkFigures, place: list[str]) -> list[str]:
    judged = []
    if report.decides:
        small = f" (n < {SMALL_CELL})" if row.judged < SMALL_CELL else ""
        judged = [str(row.judged), share_text(row.acceptance), interval_text(row) + small]
    return [
        *place,
        *judged,
        str(row.subjects),
        str(row.complete),
        str(row.excluded),
        str(row.postponed),
        seconds_text(row.median_seconds),
        pace_text(row),
        share_text(row.agreement),
        *map(str, row.values),
        ", ".join(row.raters),
    ]


def notes(report: WorkReport) -> list[str]:
    """The sentences below the table: today, distributions, agreement, automatic verdicts."""
    return [
        today_text(report),
        *(
            f"{distribution.field}: "
            + "  ".join(
                f"{said(str(value))} {count}"
                for value, count in zip(distribution.values, distribution.counts, strict=True)
            )
            for distribution in report.distributions
            if sum(distribution.counts)
        ),
        *agreement_texts(report),
        *automatic_texts(report),
        *quota_texts(report),
    ]


def today_text(report: WorkReport) -> str:
    whose = report.viewer if report.is_rater else "everybody"
    pace = "" if report.today.per_hour is None else f", {report.today.per_hour:.0f} an hour"
    return f"today ({whose}): {report.today.labels}{pace}"


def agreement_texts(report: WorkReport) -> list[str]:
    """One sentence a field with values of a second rater; what is not defined has its reason."""
    return [
        f"agreement on {second.field}: raw {_figure(second.raw)},"
        f" kappa {_figure(second.kappa)}   n {second.n}"
        for second in report.seconds
    ]


def automatic_texts(report: WorkReport) -> list[str]:
    """Decisions of people on what the automatic inspection had evaluated."""
    automatic = report.automatic
    if automatic is None:
        return []
    whose, who = ("your decisions", "you") if report.is_rater else ("people's decisions", "people")
    if not automatic.n:
        return [f"no text that {who} decided on has an automatic verdict"]
    rows = [
        f"{value}: " + ", ".join(f"{row.get(verdict, 0)} {verdict}" for verdict in VERDICTS)
        for value, row in automatic.counts.items()
    ]
    return [
        f"automatic verdicts against {whose}: {automatic.agreeing} of {automatic.n} the same"
        f"   {'   '.join(rows)}"
    ]


def quota_texts(report: WorkReport) -> list[str]:
    """One sentence a sample that has quotas: how far each of its raters is."""
    samples: dict[str, list[str]] = {}
    for one in report.progress:
        samples.setdefault(one.sample, []).append(f"{one.rater} {one.done:,}/{one.most:,}")
    return [f"quotas of {sample}: {'   '.join(raters)}" for sample, raters in samples.items()]


def _figure(statistic: Statistic) -> str:
    return (
        f"undefined ({statistic.reason})" if statistic.value is None else f"{statistic.value:.3f}"
    )


def share_text(share: float | None) -> str:
    return _NONE if share is None else f"{share:.4f}"


def interval_text(row: WorkFigures) -> str:
    if row.low is None or row.high is None:
        return _NONE
    return f"{row.low:.3f} to {row.high:.3f}"


def seconds_text(seconds: float | None) -> str:
    return _NONE if seconds is None else f"{seconds:.1f}"


def pace_text(row: WorkFigures) -> str:
    return _NONE if row.per_hour is None else f"{row.per_hour:.0f}"


def render(report: WorkReport, kind: str, *, width: int | None = None) -> str:
    """The report as one of RENDERERS; text takes `width` cells, any number without it."""
    return RENDERERS[kind](report, width)


def _text(report: WorkReport, width: int | None) -> str:
    keys = 2 if report.by in TWO_KEYS else 1
    rows = [[said(first) if first == "all" else first, *rest] for first, *rest in table(report)]
    lines = table_lines(header(report), rows, width=width, keys=keys)
    below = [line for note in notes(report) for line in sentence_lines(note, width)]
    return "\n".join([*lines, "", *below]) + "\n"


def _json(report: WorkReport, _: int | None) -> str:
    return json_text(report_as_json(report))


def _markdown(report: WorkReport, _: int | None) -> str:
    head = [escape.markdown(name) for name in header(report)]
    # in a table a number with a point begins no list
    rows = [[escape.markdown(cell).replace("\\.", ".") for cell in row] for row in table(report)]
    lines = pipe_table(head, [":--", *("--:" for _ in head[1:])], rows)
    title = f"### {escape.markdown(report.form)} by {escape.markdown(report.by or 'all')}"
    listed = [f"- {escape.markdown(note)}" for note in notes(report)]
    return "\n".join([title, "", *lines, "", *listed]) + "\n"


def _csv(report: WorkReport, _: int | None) -> str:
    """The table alone, in full precision."""
    keys = TWO_KEYS.get(report.by, (report.by or "group",))
    counts = ["judged", "accepted", "acceptance", "low", "high"]
    work = ["subjects", "labels", "excluded", "postponed", "seconds"]
    pace = ["labels_per_hour", "agreement", "compared"]
    values = [f"{report.field}_{value}" for value in report.choices]
    return csv_text(
        ["form", *keys, *counts, *work, *pace, *values],
        (
            [
                *(report.form, *(row.place or ("all",))),
                *(row.judged, row.accepted, row.acceptance, row.low, row.high),
                *(row.subjects, row.complete, row.excluded, row.postponed, row.median_seconds),
                *(row.per_hour, row.agreement, row.compared),
                *row.values,
            ]
            for row in report.rows
        ),
    )


RENDERERS: Mapping[str, Callable[[WorkReport, int | None], str]] = {
    "text": _text,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
}
"""By the name of the format; each takes the report and the width that text may have."""

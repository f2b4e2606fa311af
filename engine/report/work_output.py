"""The statistics of raters' work as text, CSV and Markdown, for the command and the screen."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import msgspec

from engine.labelling.statistics import WorkFigures
from engine.labelling.work_records import WorkReport
from engine.report.markdown_table import escape
from engine.report.text_table import sentence_lines, table_lines
from engine.statistics.aggregation import SMALL_CELL
from engine.statistics.agreement.records import Statistic
from store.labels.forms import Verdict

VERDICTS: tuple[Verdict, ...] = ("accept", "correct", "discard")
_NONE = "-"


def report_as_json(report: WorkReport) -> dict[str, Any]:
    """The whole report with the figures that follow from it."""
    out: dict[str, Any] = msgspec.to_builtins(report)
    for name in ("rows", "by_topic", "by_task"):
        for row, given in zip(out[name], getattr(report, name), strict=True):
            row["acceptance"] = given.acceptance
    if report.total is not None:
        out["total"]["acceptance"] = report.total.acceptance
    if report.automatic is not None:
        out["automatic"] |= {"n": report.automatic.n, "agreeing": report.automatic.agreeing}
    return out


def header(report: WorkReport) -> list[str]:
    """The columns of `table`."""
    judged = ["judged", "acceptance", "95 %"] if report.decides else []
    values = [f"{report.field} {value}" for value in report.choices]
    return [
        *(("topic", "task") if report.by == "cell" else (report.by or "all",)),
        *judged,
        "subjects",
        "labels",
        "excluded",
        "postponed",
        "seconds",
        *values,
        "raters",
    ]


def table(report: WorkReport) -> list[list[str]]:
    """A line a group, and the one over all last, where there are several."""
    lines = [_line(report, row, list(row.place) or ["all"]) for row in report.rows]
    if report.by and report.total is not None:
        lines.append(_line(report, report.total, ["all", *([""] * (report.by == "cell"))]))
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
        *map(str, row.values),
        ", ".join(row.raters),
    ]


def notes(report: WorkReport) -> list[str]:
    """What is said below the table: today, distributions, agreement, automatic verdicts."""
    return [
        today_text(report),
        *(
            f"{one.field}: "
            + "  ".join(
                f"{value} {count}" for value, count in zip(one.values, one.counts, strict=True)
            )
            for one in report.distributions
            if sum(one.counts)
        ),
        *agreement_texts(report),
        *automatic_texts(report),
    ]


def today_text(report: WorkReport) -> str:
    whose = report.viewer if report.is_rater else "everybody"
    pace = "" if report.today.per_hour is None else f", {report.today.per_hour:.0f} an hour"
    return f"today ({whose}): {report.today.labels}{pace}"


def agreement_texts(report: WorkReport) -> list[str]:
    """One sentence a field with values of a second rater; what is not defined has its reason."""
    return [
        f"agreement on {one.field}: raw {_figure(one.raw)}, kappa {_figure(one.kappa)}   n {one.n}"
        for one in report.seconds
    ]


def automatic_texts(report: WorkReport) -> list[str]:
    """How people decided on what the automatic inspection had evaluated."""
    found = report.automatic
    if found is None:
        return []
    whose, who = ("your decisions", "you") if report.is_rater else ("people's decisions", "people")
    if not found.n:
        return [f"no text that {who} decided on has an automatic verdict"]
    rows = [
        f"{value}: " + ", ".join(f"{row.get(verdict, 0)} {verdict}" for verdict in VERDICTS)
        for value, row in found.counts.items()
    ]
    return [
        f"automatic verdicts against {whose}: {found.agreeing} of {found.n} the same"
        f"   {'   '.join(rows)}"
    ]


def _figure(one: Statistic) -> str:
    return f"undefined ({one.reason})" if one.value is None else f"{one.value:.3f}"


def share_text(share: float | None) -> str:
    return _NONE if share is None else f"{share:.4f}"


def interval_text(row: WorkFigures) -> str:
    if row.low is None or row.high is None:
        return _NONE
    return f"{row.low:.3f} to {row.high:.3f}"


def seconds_text(seconds: float | None) -> str:
    return _NONE if seconds is None else f"{seconds:.1f}"


def render(report: WorkReport, kind: str, *, width: int | None = None) -> str:
    """The report as `text` of so many cells, `csv` (the table alone, in full precision) or
    `markdown`."""
    if kind == "text":
        return _text(report, width)
    return {"csv": _csv, "markdown": _markdown}[kind](report)


def _text(report: WorkReport, width: int | None) -> str:
    keys = 2 if report.by == "cell" else 1
    said = table_lines(header(report), table(report), width=width, keys=keys)
    below = [line for note in notes(report) for line in sentence_lines(note, width)]
    return "\n".join([*said, "", *below]) + "\n"


def _markdown(report: WorkReport) -> str:
    head = header(report)
    # in a table a number with a point begins no list
    lines = [[escape(text).replace("\\.", ".") for text in line] for line in table(report)]
    rules = [":--", *("--:" for _ in head[1:])]
    rows = [_pipes(list(map(escape, head))), _pipes(rules), *map(_pipes, lines)]
    listed = "\n".join(f"- {escape(text)}" for text in notes(report))
    title = f"### {escape(report.form)} by {escape(report.by or 'all')}"
    return f"{title}\n\n" + "\n".join(rows) + f"\n\n{listed}\n"


def _pipes(fields: Sequence[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _csv(report: WorkReport) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    keys = ["topic", "task"] if report.by == "cell" else [report.by or "group"]
    counts = ["judged", "accepted", "acceptance", "low", "high"]
    work = ["subjects", "labels", "excluded", "postponed", "seconds"]
    writer.writerow(
        ["form", *keys, *counts, *work, *(f"{report.field}_{one}" for one in report.choices)]
    )
    for row in report.rows:
        figures = [row.judged, row.accepted, row.acceptance, row.low, row.high]
        times = [row.subjects, row.complete, row.excluded, row.postponed, row.median_seconds]
        cells = [*figures, *times, *row.values]
        place = row.place or ("all",)
        writer.writerow([report.form, *place, *("" if one is None else one for one in cells)])
    return out.getvalue()

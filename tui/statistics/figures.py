"""The statistics of raters' work as sentences, rows and a heat map."""

from __future__ import annotations

from collections.abc import Sequence

from engine.labelling.figures.statistics import WorkFigures
from engine.labelling.figures.work_records import Axis, WorkReport
from engine.report.work import automatic_texts, pace_text, quota_texts, seconds_text
from engine.statistics.aggregation import SMALL_CELL
from engine.statistics.agreement.statistic import Statistic
from store.labels.samples.progress import CellLabels
from store.messages import plural
from tui.language import language, read, tr
from tui.widgets.line import Piece
from tui.widgets.matrix import SMALL_NOTE, Heading, HeatCell, Matrix, short_value, without_empty
from tui.widgets.row_source import Cell, Column, Row, widest

GROUP_LIMIT = 28
COUNT_LIMIT = 10
BY_TIME = ("day", "rater_day")


def texts(report: WorkReport) -> list[Piece]:
    """Returns the sentences above the figures, each with its role."""
    return [
        (_overall(report), "strong"),
        *((_given(report, at), "") for at in range(len(report.distributions)) if _has(report, at)),
        (agreement_text(report), "muted"),
        *((text, "muted") for text in (*automatic_texts(report), *quota_texts(report))),
    ]


def _overall(report: WorkReport) -> str:
    total = report.total
    if total is None:
        return tr("Nothing has been labelled yet.")
    parts = []
    if report.decides:
        parts.append(
            tr(
                "accepted {rate_text}  n {judged:,}",
                rate_text=rate_text(total),
                judged=total.judged,
            )
        )
    parts.append(read(plural(total.complete, "label")))
    if total.median_seconds is not None:
        parts.append(tr("{seconds:.0f} s each", seconds=total.median_seconds))
    pace = report.today.per_hour
    hourly = "" if pace is None else f", {pace:.0f}/h"
    return "   ".join(
        [*parts, tr("today {labels:,}{hourly}", labels=report.today.labels, hourly=hourly)]
    )


def agreement_text(report: WorkReport) -> str:
    """`agreement   verdict: raw .52, kappa -.10 (n 50)`; the reason of what is not defined."""

    def figure(statistic: Statistic) -> str:
        return (
            tr("undefined, {reason}", reason=statistic.reason)
            if statistic.value is None
            else short_value(statistic.value)
        )

    parts = (
        tr(
            "{field}: raw {raw}, kappa {kappa} (n {n})",
            field=agreement.field,
            raw=figure(agreement.raw),
            kappa=figure(agreement.kappa),
            n=agreement.n,
        )
        for agreement in report.seconds
        if agreement.n
    )
    return (
        "   ".join((tr("agreement"), *parts))
        if any(agreement.n for agreement in report.seconds)
        else (tr("agreement   no subject was labelled by two raters"))
    )


def _has(report: WorkReport, at: int) -> bool:
    return bool(sum(report.distributions[at].counts))


def _given(report: WorkReport, at: int) -> str:
    one = report.distributions[at]
    whole = sum(one.counts)
    parts = (
        f"{tr(str(value))}: {count} ({count / whole:.0%})"
        for value, count in zip(one.values, one.counts, strict=True)
    )
    return f"{one.field}   {'   '.join(parts)}"


def rate_text(row: WorkFigures) -> str:
    """`.83  95 % .66 to .92`; `-` where nothing is judged."""
    if row.acceptance is None or row.low is None or row.high is None:
        return "-"
    ends = tr(
        "{low} to {high}",
        low=short_value(row.low),
        high=short_value(row.high),
    )
    return f"{short_value(row.acceptance)}  95 % {ends}"


def columns(report: WorkReport, names: Sequence[str]) -> tuple[Column, ...]:
    """Of the list; `names` are those of the groups."""
    judged = (
        (Column("accepted", 8, "right"), Column("n", 6, "right"), Column("95 %", 12))
        if report.decides
        else ()
    )
    along_time = report.by in BY_TIME
    size = _count_size(report)
    heads = " ".join(f"{str(value)[:size]:>{size}}" for value in report.choices)
    return (
        Column(report.by, min(max(widest([*names, report.by]), 12), GROUP_LIMIT)),
        *judged,
        Column("labels", 6, "right"),
        Column("s each", 6, "right", drop=int(along_time)),
        Column(tr("per h"), 5, "right", drop=int(not along_time)),
        Column("agree", 5, "right", drop=int(not along_time)),
        # one column: some counts without the others would mislead
        Column(heads, max(len(heads), 1), drop=2),
    )


def rows(report: WorkReport) -> list[Row]:
    """Returns one row for each group, those with most labels first; days as they came."""
    along_time = report.by in BY_TIME
    ordered = sorted(report.rows, key=lambda row: (0 if along_time else -row.complete, row.place))
    return [_row(report, row, name_of(report, row.place)) for row in ordered]


def _row(report: WorkReport, row: WorkFigures, name: str) -> Row:
    size = _count_size(report)
    is_small = row.judged < SMALL_CELL
    role = "muted" if is_small else ""
    judged: tuple[Cell, ...] = ()
    if report.decides:
        value = "-" if row.acceptance is None else short_value(row.acceptance)
        judged = (
            Cell(f"({value})" if is_small and row.judged else f"{value} ", role or "strong"),
            Cell(f"{row.judged:,}", role),
            Cell("" if row.low is None else rate_text(row).partition("95 % ")[2], "muted"),
        )
    return Row(
        "\t".join(row.place),
        (
            name,
            *judged,
            Cell(f"{row.complete:,}"),
            Cell(seconds_text(row.median_seconds), "muted"),
            Cell(pace_text(row), "muted"),
            Cell("-" if row.agreement is None else short_value(row.agreement), "muted"),
            " ".join(f"{count:>{size}}" for count in row.values),
        ),
    )


def _count_size(report: WorkReport) -> int:
    """Cells that a count of values takes, or a value that is a word."""
    counts = [str(count) for row in report.rows for count in row.values]
    words = [str(value)[:COUNT_LIMIT] for value in report.choices]
    return max(map(len, (*counts, *words)), default=1)


def name_of(report: WorkReport, place: Sequence[str | None]) -> str:
    """Returns the label of a group."""
    axes: tuple[Axis | None, ...] = {
        "cell": (report.topics, report.tasks),
        "topic": (report.topics,),
        "task": (report.tasks,),
    }.get(report.by, (None,) * len(place))
    parts = (
        key
        if axis is None
        else dict(zip(axis.keys, axis.labels(language()), strict=True)).get(key, key)
        for axis, key in zip(axes, place, strict=False)
        if key is not None
    )
    return ("  " if report.by == "rater_day" else " x ").join(parts) or "all"


def work_matrix(report: WorkReport) -> Matrix:
    """Returns topics by tasks: the acceptance rate, or the number of labels for a form without a
    decision."""
    by_place = {row.place: row for row in report.rows}
    most = max((row.complete for row in report.rows), default=0)

    def body(row: WorkFigures | None) -> HeatCell:
        if row is None:
            return HeatCell()
        if report.decides:
            return _rate(row, shade=row.acceptance)
        return HeatCell(float(row.complete), row.complete, row.complete / max(most, 1))

    def margin(row: WorkFigures | None) -> HeatCell:
        if row is None:
            return HeatCell()
        return _rate(row) if report.decides else HeatCell(float(row.complete), row.complete)

    by_topic = {row.place[0]: row for row in report.by_topic}
    by_task = {row.place[0]: row for row in report.by_task}
    topics, tasks = _headings(report.topics), _headings(report.tasks)
    return without_empty(
        Matrix(
            topics,
            tasks,
            tuple(
                tuple(body(by_place.get((topic.key, task.key))) for task in tasks)
                for topic in topics
            ),
            tuple(margin(by_topic.get(topic.key)) for topic in topics),
            tuple(margin(by_task.get(task.key)) for task in tasks),
            margin(report.total),
            shows_n=report.decides,
        )
    )


def _rate(row: WorkFigures, shade: float | None = None) -> HeatCell:
    parts = [rate_text(row).partition("  ")[2]]
    if row.median_seconds is not None:
        parts.append(f"{seconds_text(row.median_seconds)} s each")
    is_small = 0 < row.judged < SMALL_CELL
    if is_small:
        parts.append(SMALL_NOTE)
    if not row.judged:
        parts.append(tr("{subjects:,} begun or set aside", subjects=row.subjects))
    return HeatCell(
        row.acceptance, row.judged, shade, is_small, None, "   ".join(filter(None, parts))
    )


def progress_matrix(cells: Sequence[CellLabels], topics: Axis, tasks: Axis) -> Matrix:
    """Returns the labels done and wanted in every cell; the shade is the share done."""
    by_place = {(cell.topic, cell.task): cell for cell in cells}

    def shown(of: Sequence[CellLabels], *, has_shade: bool) -> HeatCell:
        done, wanted = sum(cell.done for cell in of), sum(cell.wanted for cell in of)
        if not wanted:
            return HeatCell()
        note = "full" if done >= wanted else tr("{wanted:,} to go", wanted=wanted - done)
        yours = sum(cell.by_rater for cell in of)
        return HeatCell(
            float(done),
            wanted,
            done / wanted if has_shade else None,
            note=tr(
                "{done:.0%}   {note}   {yours:,} by you", done=done / wanted, note=note, yours=yours
            ),
            text=f"{done:,}/{wanted:,}",
        )

    rows, columns = _headings(topics), _headings(tasks)
    at = [
        [[by_place[row.key, one.key]] if (row.key, one.key) in by_place else [] for one in columns]
        for row in rows
    ]
    return without_empty(
        Matrix(
            rows,
            columns,
            tuple(tuple(shown(cell, has_shade=True) for cell in line) for line in at),
            tuple(shown([one for cell in line for one in cell], has_shade=False) for line in at),
            tuple(
                shown([one for line in at for one in line[column]], has_shade=False)
                for column in range(len(columns))
            ),
            shown(list(cells), has_shade=False),
            shows_n=False,
        )
    )


def _headings(axis: Axis) -> tuple[Heading, ...]:
    return tuple(map(Heading, axis.keys, axis.labels(language())))

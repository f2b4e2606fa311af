"""An audit of a judge as text for the terminal, as a card in Markdown or HTML, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine.calibration.audit.audit_records import Audit, Drift, MetricAudit, Probe
from engine.calibration.calibration_records import MetricCalibration
from engine.report.calibration import figure_of, percent_text
from engine.report.escape import html as safe_html
from engine.report.escape import markdown as safe_markdown
from engine.report.page.document import document
from engine.report.page.style import style_sheet
from engine.report.sheets import Sheet, html_lines
from engine.report.tables import pipe_table
from engine.report.text_table import said, sentence_lines, table_lines
from engine.statistics.agreement.statistic import Statistic
from store.messages import plural

_WORDED = {"change", "error", "verdict"}
"""Columns with words of the program, not of people."""


def audit_as_json(audit: Audit, made_at: str) -> dict[str, Any]:
    """The whole audit, and when it was made."""
    return {"made_at": made_at, **msgspec.to_builtins(audit)}


def audit_text(audit: Audit, made_at: str, *, width: int | None = None) -> str:
    """The verdict, its reasons and every table, in `width` cells."""
    parts = [[line for text in headline(audit, made_at) for line in sentence_lines(text, width)]]
    for table in _tables(audit):
        lines = [said(table.title)]
        if table.rows:
            lines += table_lines(
                table.head, table.rows, width=width, keys=table.names, worded=_WORDED
            )
        lines += [line for note in table.notes for line in sentence_lines(note, width)]
        parts.append(lines)
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def audit_markdown(audit: Audit, made_at: str) -> str:
    """The same as a card in Markdown."""
    first, *rest = (safe_markdown(text) for text in headline(audit, made_at))
    lines = [f"# {first}", "", *(f"- {text}" for text in rest)]
    for table in _tables(audit):
        cells = [[safe_markdown(cell) for cell in row] for row in table.rows]
        rules = [":--"] * table.names + ["--:"] * (len(table.head) - table.names)
        head = [safe_markdown(name) for name in table.head]
        lines += ["", f"## {safe_markdown(table.title)}"]
        lines += ["", *pipe_table(head, rules, cells)] if cells else []
        for note in table.notes:
            lines += ["", safe_markdown(note)]
    return "\n".join(lines) + "\n"


def audit_html(audit: Audit, made_at: str) -> str:
    """The same as a page that needs no network."""
    first, *rest = (safe_html(text) for text in headline(audit, made_at))
    body = [f"<h1>{first}</h1>", *(f"<p>{text}</p>" for text in rest)]
    body += html_lines(_tables(audit))
    return document(f"{audit.judge}: {audit.verdict}", "en", body, styles=style_sheet())


def headline(audit: Audit, made_at: str) -> Iterator[str]:
    """Sentences: the verdict, the reasons, what was looked at and when."""
    yield f"{audit.judge}: {audit.verdict}"
    yield from audit.reasons
    if audit.more:
        yield f"Labels to give: about {audit.more:,}."
    runs = ", ".join(audit.runs)
    yield (
        f"{audit.kind} judge, {audit.standing}; {plural(audit.labels, 'label')} and"
        f" {plural(audit.probed, 'probed answer')} of {runs}; {made_at}."
    )
    if audit.not_probed:
        yield f"Not probed: {audit.not_probed}."


def _tables(audit: Audit) -> Iterator[Sheet]:
    if audit.metrics:
        yield _agreement(audit)
        yield from _confusions(audit.metrics)
        if any(one.calibration.cells for one in audit.metrics):
            yield _cells(audit.metrics)
    yield from _confidence(audit)
    if audit.consistency:
        yield Sheet(
            "Self-consistency",
            ("metric", "answers", "same"),
            [(one.metric, f"{one.answers:,}", percent_text(one.same)) for one in audit.consistency],
            ("Share of pairs of repeats of one case that got one value.",),
        )
    stays = [one for one in audit.probes if not one.is_error and one.verdict != "na"]
    if stays:
        yield _stays(stays)
    falls = [one for one in audit.probes if one.is_error]
    if falls:
        yield _falls(falls)
    for title, drifts in (("Against another judge", audit.drifts), ("Wording", audit.wordings)):
        if drifts:
            yield _drift(title, drifts)


def _agreement(audit: Audit) -> Sheet:
    rows = []
    named = [(one.calibration.metric, one.calibration, one) for one in audit.metrics]
    if audit.pooled is not None and len(named) > 1:
        rows.append(("all pooled", *_figures(audit.pooled), "-", "-", "-"))
    for name, calibration, one in named:
        raters = f"{figure_of(one.raters)}{' (AC1)' if one.by == 'ac1' else ''}"
        rows.append((name, *_figures(calibration), raters, f"{one.bar:.2f}", one.verdict))
    return Sheet(
        "Agreement with people",
        (
            "metric",
            "n",
            "usable",
            "applies",
            "accuracy",
            "kappa",
            "95 %",
            "AC1",
            "95 %",
            "raters",
            "bar",
            "verdict",
        ),
        rows,
        (
            "applies: kappa of whether the metric applies; raters: people with each other, above"
            " which no judge can be expected; bar: what the lower end of the interval has to reach,"
            " of kappa, or of AC1 where nine in ten of people's labels are one value.",
        ),
    )


def _figures(one: MetricCalibration) -> tuple[str, ...]:
    return (
        f"{one.n:,}",
        percent_text(one.coverage),
        figure_of(one.applicability),
        figure_of(one.accuracy),
        figure_of(one.kappa),
        _ends(one.kappa),
        figure_of(one.ac1),
        _ends(one.ac1),
    )


def _confusions(metrics: Sequence[MetricAudit]) -> Iterator[Sheet]:
    for one in metrics:
        confusion = one.calibration.confusion
        if confusion is None:
            continue
        yield Sheet(
            f"{one.calibration.metric}: people's rows, judge's columns",
            ("", *map(str, confusion.values), "unusable"),
            [
                (str(value), *map(str, counts), str(lost))
                for value, counts, lost in zip(
                    confusion.values, confusion.counts, confusion.unusable, strict=True
                )
            ],
        )


def _cells(metrics: Sequence[MetricAudit]) -> Sheet:
    return Sheet(
        "By cell",
        ("metric", "topic", "task", "n", "accuracy", "kappa"),
        [
            (
                one.calibration.metric,
                cell.topic,
                cell.task,
                f"{cell.n:,}",
                figure_of(cell.accuracy),
                figure_of(cell.kappa),
            )
            for one in metrics
            for cell in one.calibration.cells
        ],
        names=3,
    )


def _confidence(audit: Audit) -> Iterator[Sheet]:
    if not audit.confidence:
        if audit.metrics:
            yield Sheet(
                "Confidence", (), (), ("The judge states no probability beside its values.",)
            )
        return
    yield Sheet(
        "Confidence",
        ("metric", "n", "Brier score", "calibration error"),
        [
            (
                one.metric,
                f"{one.n:,}",
                f"{one.brier:.3f}",
                "-" if one.error is None else f"{one.error:.3f}",
            )
            for one in audit.confidence
        ],
    )
    rows = [
        (one.metric, f"{part.n:,}", f"{part.stated:.2f}", f"{part.right:.2f}")
        for one in audit.confidence
        for part in one.bins
    ]
    if rows:
        yield Sheet("Calibration curve", ("metric", "n", "stated", "right"), rows)


def _stays(found: Sequence[Probe]) -> Sheet:
    return Sheet(
        "Changes that must leave a value",
        ("change", "metric", "answers", "lost", "effect", "95 %", "p", "flips", "verdict"),
        [
            (
                one.change,
                one.metric,
                f"{one.answers:,}",
                f"{one.lost:,}",
                _signed(one.effect),
                _between(one.low, one.high),
                "-" if one.p is None else f"{one.p:.3f}",
                "-" if one.flips is None else percent_text(one.flips),
                one.verdict,
            )
            for one in found
        ],
        (
            "; ".join(dict.fromkeys(f"{one.change}: {one.in_words}" for one in found)) + ".",
            "effect: mean change of the value on 0 to 1, of the order the share of values that"
            " change beyond those that change by themselves; p is adjusted by Holm.",
        ),
        names=2,
    )


def _falls(found: Sequence[Probe]) -> Sheet:
    return Sheet(
        "Planted errors",
        ("error", "metric", "answers", "caught", "95 %", "verdict"),
        [
            (
                one.change,
                one.metric,
                f"{one.answers:,}",
                percent_text(one.effect),
                _between(one.low, one.high),
                one.verdict,
            )
            for one in found
        ],
        (
            "Planted in golden answers that the judge accepts; "
            + "; ".join(dict.fromkeys(f"{one.change}: {one.in_words}" for one in found))
            + ".",
        ),
        names=2,
    )


def _drift(title: str, found: Sequence[Drift]) -> Sheet:
    return Sheet(
        title,
        ("other", "metric", "answers", "flips", "95 %", "p", "shift", "right", "verdict"),
        [
            (
                one.other,
                one.metric,
                f"{one.answers:,}",
                _signed(one.flips),
                _between(one.low, one.high),
                "-" if one.p is None else f"{one.p:.3f}",
                _signed(one.shift),
                _signed(one.right),
                one.verdict,
            )
            for one in found
        ],
        (
            "flips: share of values that differ, beyond those that differ between repeats of this"
            " judge; shift: its mean minus the other's; right: its share of people's labels minus"
            " the other's.",
        ),
        names=2,
    )


def _ends(one: Statistic) -> str:
    return _between(one.low, one.high)


def _between(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{low:.2f} to {high:.2f}"


def _signed(value: float | None) -> str:
    if value is None:
        return "-"
    # what rounds to nothing has no sign
    return f"{value:+.2f}" if round(value, 2) else "0.00"

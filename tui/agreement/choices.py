"""The questions of the Agreement screen: grouping, metric, statistic, form and sample."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from typing import cast

from engine.labelling.figures.agreement_records import Part
from engine.report.agreement import MEANINGS, NAMED
from store.labels.forms import Form
from store.labels.samples import samples
from tui.agreement.shown import AgreementsBy, ShownAgreement, metrics_of
from tui.agreement.table import metric_text, part_text
from tui.language import tr
from tui.screens.choose import Choose, named_rows
from tui.screens.host import Host
from tui.widgets.row_source import Cell, Column, Row, widest

Decided = Callable[[ShownAgreement], None]

LABELLED = 28
"""Cells for `1,234 labelled, 1,234 by two`."""
WAYS = {
    "metric": tr("metric by metric, all raters together"),
    "pair": tr("each pair of raters"),
    "cell": tr("topics x tasks, as a heat map of one statistic"),
    "topic": tr("each topic"),
    "task": tr("each task"),
    "again": tr("each rater against their own hidden repeats"),
}
"""What the lines can be by."""


def choose_way(host: Host, shown: ShownAgreement, usual: tuple[str, Part], done: Decided) -> None:
    """Asks what the lines are grouped by; `usual` is the metric of a heat map if none was
    chosen."""

    def chosen(by: str) -> None:
        changed = shown._replace(by=by)
        if changed.is_map and not changed.field:
            changed = changed._replace(field=usual[0], part=usual[1])
        done(changed)

    columns = (Column(width=8), Column())
    host.question(Choose(tr("Agreement by"), columns, named_rows(WAYS.items()), shown.by), chosen)


def choose_metric(
    host: Host, form: Form, shown: ShownAgreement, agreements: AgreementsBy, done: Decided
) -> None:
    """Asks for one metric, or for all of them outside a heat map."""
    rows = [] if shown.is_map else [Row("", (Cell(tr("all of them")), ""))]
    rows += [
        Row(f"{field}\t{part}", (Cell(metric_text(field), "strong"), Cell(part_text(part))))
        for field, part in metrics_of(form, agreements, shown)
    ]

    def chosen(key: str) -> None:
        field, _, part = key.partition("\t")
        done(shown._replace(field=field, part=cast(Part, part or "value")))

    current = f"{shown.field}\t{shown.part}" if shown.field else ""
    host.question(Choose(tr("Metric"), (Column(), Column(width=8)), rows, current), chosen)


def choose_statistic(host: Host, shown: ShownAgreement, done: Decided) -> None:
    """Asks for the statistic of the heat map."""
    rows = named_rows((name, MEANINGS[name]) for name in NAMED)

    columns = (Column(width=10), Column())
    host.question(
        Choose(tr("Statistic"), columns, rows, shown.statistic),
        lambda name: done(shown._replace(statistic=name)),
    )


def choose_sample(host: Host, shown: ShownAgreement | None, done: Decided) -> None:
    """Asks for another form, or for a sample of one."""
    rows = _sample_rows(host)
    if not rows:
        return

    def chosen(key: str) -> None:
        form, _, sample = key.partition("\t")
        before = shown if shown is not None and shown.form == form else ShownAgreement(form)
        done(before._replace(sample=sample or None))

    current = "\t".join(filter(None, (shown.form, shown.sample))) if shown else ""
    forms = [one.form for one in host.facts.labelled]
    columns = (Column(width=widest(forms)), Column(), Column(width=LABELLED))
    host.question(Choose(tr("Form and sample"), columns, rows, current), chosen)


def _sample_rows(host: Host) -> list[Row]:
    rows: list[Row] = []
    for count in host.facts.labelled:
        form, count_text = (
            count.form,
            tr(
                "{subjects:,} labelled, {shared:,} by two",
                subjects=count.subjects,
                shared=count.shared,
            ),
        )
        rows.append(Row(form, (Cell(form, "strong"), tr("all labels"), count_text)))
        names = host.read(partial(_sample_names, form=form)) or ()
        rows += [Row(f"{form}\t{name}", ("", name, "")) for name in names]
    return rows


def _sample_names(db: sqlite3.Connection, form: str) -> list[str]:
    return [sample.name for sample in samples.listing(db, form)]

"""How reliable raters are, over time: known answers, agreement with others, minutes a label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from textual.widget import Widget

from engine.labelling.figures.reliability import ReliabilityQuery
from engine.labelling.figures.work_records import PERIODS, Period, ReliabilityReport
from engine.report.work import estimate_text
from tui.language import later, read, tr
from tui.live.facts import Facts
from tui.screens.choose import Choose, named_rows
from tui.screens.place import PlaceScreen
from tui.statistics.keys import ACTIONS
from tui.widgets.line import TextLines
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

PERIOD_WORDS = {
    "all": tr("all time together"),
    "month": tr("each month"),
    "week": tr("each week"),
    "day": tr("each day"),
}
ESTIMATE = later("{number} ({low:.2f} to {high:.2f}), n {n:,}")
"""What an estimate with its interval is recognised by."""
NOTE = tr("share of right values on known questions; of others' values that are the same; median")
OWN = tr("You label with this form: your own figures, without attention questions.")


class ReliabilityScreen(PlaceScreen, actions=ACTIONS):
    """A line for each rater and period."""

    PLACE = "reliability"

    def __init__(self, form_key: str) -> None:
        super().__init__()
        self.form_key = form_key
        self.by: Period = "all"
        self.caption = TextLines(1, id="caption")
        self.list = Rows(ListSource(), loading=tr("Counting the labels."), id="reliability-list")

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.list

    def context(self) -> tuple[str, ...]:
        return (self.form_key, PERIOD_WORDS[self.by])

    def command(self) -> Sequence[str]:
        return ("labels", "reliability", "--form", self.form_key, "--by", self.by)

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        """Counted anew when somebody has labelled."""
        if before is None or facts.labelled != before.labelled:
            self._ask()

    def _ask(self) -> None:
        query = ReliabilityQuery(self.form_key, self.host.rater, self.by)
        self.host.ask(tr("counting the labels"), query, self._show, group="reliability")

    def _show(self, report: ReliabilityReport) -> None:
        if report.by != self.by:
            return
        self.caption.show([[(OWN if report.is_rater else NOTE, "muted")]])
        columns = (
            Column("rater", 14),
            *((Column(report.by, 10),) if report.by != "all" else ()),
            Column("labels", 7, "right"),
            Column(tr("known answers"), minimum=22),
            Column("agreement", minimum=22),
            Column("minutes", minimum=18, drop=1),
        )
        rows = [
            Row(
                f"{row.rater}\t{row.period}",
                (
                    Cell(row.rater, "strong"),
                    *((row.period,) if report.by != "all" else ()),
                    f"{row.labels:,}",
                    read(estimate_text(row.known, 2)),
                    read(estimate_text(row.agreement, 2)),
                    read(estimate_text(row.minutes, 1)),
                ),
            )
            for row in report.rows
        ]
        self.list.set_source(ListSource(rows), columns, empty=tr("Nothing has been labelled yet."))
        self.show_where()

    def action_axes(self) -> None:
        rows = named_rows((period, PERIOD_WORDS[period]) for period in PERIODS)

        def chosen(by: str | None) -> None:
            if by is not None and by != self.by:
                self.by = cast(Period, by)
                self._ask()

        question = Choose(tr("Raters by"), (Column(width=8), Column()), rows, self.by)
        self.app.push_screen(question, chosen)

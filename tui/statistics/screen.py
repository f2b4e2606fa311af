"""The Statistics screen: acceptance rates and times of raters' work, by any property."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from textual import events
from textual.widget import Widget

from engine.labelling.figures.work_records import WorkReport
from engine.labelling.queries import LabelledQuery, WorkQuery
from engine.report.work import render
from engine.text.wrapping import wrap
from store.clock import start_of_day
from tui.language import tr
from tui.live.facts import Facts
from tui.screens.choose import Choose
from tui.screens.destinations import AtQueue
from tui.screens.place import PlaceScreen
from tui.screens.write_file import EXPORTS, Format, WriteFile, ask_export
from tui.statistics.figures import columns, name_of, rows, texts, work_matrix
from tui.statistics.keys import ACTIONS
from tui.widgets.heatmap import HeatMap
from tui.widgets.line import Piece, TextLines
from tui.widgets.matrix import Matrix, short_value
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

RELIABILITY = "reliability"
"""Among what the figures can be by: how reliable raters are, on a screen of its own."""
MARGIN = 4
MOST_LINES = 9
WORK_FORMATS = {
    "markdown": Format(".md", tr("a table for a page or an issue")),
    "csv": Format(".csv", tr("one line for each group, with every figure")),
    "text": Format(".txt", tr("as the command prints it")),
}
NOTHING = tr("Nothing has been labelled yet. Esc, then label; + draws a sample.")


class StatisticsScreen(PlaceScreen, actions=ACTIONS):
    """Dismisses with what a person went on to, or None."""

    PLACE = "statistics"
    DEFAULT_CSS = """
    StatisticsScreen #list { display: none; }
    StatisticsScreen.-listed #list { display: block; }
    StatisticsScreen.-listed #map { display: none; }
    """

    def __init__(self, form_key: str) -> None:
        super().__init__()
        self.form_key = form_key
        self.by = "cell"
        self.caption = TextLines(1, id="caption")
        self.map = HeatMap(loading=tr("Counting the labels."), id="map")
        self.list = Rows(ListSource(), id="list")
        self.report: WorkReport | None = None

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.map
        yield self.list

    def on_mount(self) -> None:
        super().on_mount()
        self.map.focus()

    def context(self) -> tuple[str, ...]:
        return (self.form_key, tr("by {by}", by=tr(self.by)))

    def command(self) -> Sequence[str]:
        return ("labels", "statistics", "--form", self.form_key, "--by", self.by)

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        """Counted anew when somebody has judged."""
        if before is None or facts.labelled != before.labelled:
            self._ask()

    def _ask(self) -> None:
        query = WorkQuery(self.form_key, self.host.rater, self.by, start_of_day())
        self.host.ask(tr("counting the labels"), query, self._show, group="statistics")

    def _show(self, report: WorkReport) -> None:
        if report.by != self.by:
            return
        self.report = report
        is_map = self.by == "cell"
        had_focus = self.map.has_focus or self.list.has_focus or self.focused is None
        self.set_class(not is_map, "-listed")
        if is_map:
            write = short_value if report.decides else _count
            self.map.show(work_matrix(report), write, empty=NOTHING)
        else:
            listed = rows(report)
            names = [name_of(report, row.place) for row in report.rows]
            self.list.set_source(ListSource(listed), columns(report, names))
            self.map.show(Matrix(), empty=NOTHING)
        if had_focus:
            (self.map if is_map else self.list).focus()
        self._lay_caption()
        self.show_where()

    def on_resize(self, event: events.Resize) -> None:
        self._lay_caption()

    def _lay_caption(self) -> None:
        if self.report is None:
            return
        width = max(self.app.size.width - MARGIN, 20)
        lines: list[list[Piece]] = [
            [(text[start:end], role)]
            for text, role in texts(self.report)
            for start, end in wrap(text, width)
        ]
        most = min(MOST_LINES, max(self.app.size.height // 3, 1))
        self.caption.styles.height = min(len(lines), most)
        self.caption.show(lines)

    # Actions

    def action_axes(self) -> None:
        if self.report is None:
            return
        rows_of_axes = [
            *(Row(axis, (Cell(axis, "strong"), "")) for axis in self.report.axes),
            Row(RELIABILITY, (Cell(RELIABILITY, "strong"), Cell(tr("raters over time"), "muted"))),
        ]

        def chosen(by: str | None) -> None:
            if by == RELIABILITY:
                from tui.statistics.reliability import ReliabilityScreen

                self.app.push_screen(ReliabilityScreen(self.form_key))
            elif by is not None and by != self.by:
                self.by = by
                self._ask()

        self.app.push_screen(
            Choose(tr("By"), (Column(), Column("", 20, drop=1)), rows_of_axes, self.by), chosen
        )

    def action_export(self) -> None:
        report = self.report
        if report is None:
            return
        stem = re.sub(r"[^\w.@-]+", "-", f"statistics-{report.form}-{report.by}")
        question = WriteFile(
            self.host.folder.resolve() / EXPORTS,
            stem,
            what=tr("the statistics"),
            formats=WORK_FORMATS,
        )
        ask_export(self.host, question, lambda kind: render(report, kind))

    def action_progress(self) -> None:
        from tui.statistics.progress import ProgressScreen

        self.host.question(ProgressScreen(self.form_key), self.dismiss)

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        if not message.cell.is_there:
            self.host.advise("Nothing in this cell has been labelled.")
            return
        self._list((message.row, message.column))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self._list(tuple(str(message.row.key).split("\t")))

    def _list(self, keys: tuple[str | None, ...]) -> None:
        if self.report is None:
            return
        from tui.statistics.judged import JudgedScreen

        query = LabelledQuery(self.form_key, self.host.rater, self.by, keys)
        name = name_of(self.report, keys)
        self.host.question(
            JudgedScreen(query, name), lambda subject: self.dismiss(AtQueue(subject))
        )


def _count(value: float) -> str:
    return f"{value:,.0f}"

"""The Judges screen: every judge compared with people, and the mean of each run by both."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ClassVar

from textual.binding import BindingType

from engine.calibration.calibration_records import Calibration
from engine.calibration.queries import CalibrationQuery
from engine.report.agreement import LABELS_CHANGED, field_text
from engine.report.calibration import aids_text
from store.labels import samples
from store.messages import plural
from store.runs import audits
from store.runs.judge_coverage import JudgeCoverage
from tui.calibration.details import details
from tui.calibration.keys import ACTIONS
from tui.calibration.queries import CoverageQuery
from tui.calibration.tables import (
    Table,
    TableLine,
    coverage_table,
    difference_table,
    judge_table,
    mean_table,
)
from tui.live.facts import Facts
from tui.screens.choose import Choose
from tui.screens.labels import cell_names
from tui.screens.list_and_details import ListAndDetails
from tui.shell.actions import bindings
from tui.widgets.line import Piece
from tui.widgets.row_source import Cell, Column, ListSource, Row

FORM = "judge_labels"
WAYS = {
    "pooled": "all metrics pooled, n/a counts as a label",
    "metric": "each metric by itself",
    "tests": "which judge agrees more with people?",
    "means": "each run's mean by people (PPI++)",
    "coverage": "how much of each run is scored, and what failed",
}
_EMPTY = {
    "pooled": "No judge has scored a labelled answer. A run is scored by the rules; others judge by"
    " ragdesk judge RUN --judge NAME",
    "tests": "A test takes two judges of the same answers: ragdesk judge RUN --judge NAME",
    "coverage": "No judge has scored a run yet. ' lets one do so.",
    "means": "No labelled answer belongs to a run that a judge has scored.",
}
_NOBODY = (
    "No answer has been fully labelled yet. F7 Label, then + draws a sample of answers; in a"
    " shell:"
    "\n\nragdesk sample draw judge-1 --form judge_labels --run RUN --per-cell 5"
    "\n\nand label it on F7."
)


class CalibrationScreen(ListAndDetails):
    """The Judges screen; its figures are computed once, and again only on request."""

    PLACE = "calibration"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("calibration", ACTIONS)]

    def __init__(self, sample: str | None = None) -> None:
        super().__init__(loading="Measuring the judges.", details="details")
        self.sample = sample
        self.by = "pooled"
        self.metric = ""
        self.calibration: Calibration | None = None
        self.computed_at = -1
        self.covered: list[JudgeCoverage] = []
        self._lines: dict[str, TableLine] = {}

    @property
    def run_name(self) -> str:
        line = self.current
        if line is not None and line.coverage is not None:
            return line.coverage.run
        return line.mean.run if line is not None and line.mean is not None else ""

    def context(self) -> tuple[str, ...]:
        of = () if self.by == "coverage" else (self.sample or "all labels",)
        return (*of, WAYS[self.by])

    def on_mount(self) -> None:
        super().on_mount()
        if self.host.facts.labels(FORM) is None:
            self.by = "coverage"
        self._ask()

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        if self.calibration is not None:
            self._say()

    def _seq(self) -> int:
        count = self.host.facts.labels(FORM)
        return count.seq if count is not None else 0

    def _ask(self) -> None:
        if self.by == "coverage":
            self.host.ask("counting scores", CoverageQuery(), self._show_coverage, group="coverage")
            return
        if self.host.facts.labels(FORM) is None:
            self.list.set_source(ListSource(), empty=_NOBODY)
            return
        sample, at = self.sample, self._seq()
        self.host.ask(
            "measuring the judges",
            CalibrationQuery(sample),
            lambda calibration: self._take(calibration, sample, at),
            group="calibration",
        )

    def _take(self, calibration: Calibration, sample: str | None, at: int) -> None:
        if sample == self.sample:
            self.calibration, self.computed_at = calibration, at
            if self.by != "coverage":
                self._show_table()

    def _show_coverage(self, covered: list[JudgeCoverage]) -> None:
        self.covered = covered
        if self.by == "coverage":
            self._show(coverage_table(covered))

    def _show_table(self) -> None:
        if self.calibration is not None:
            self._show(self._table(self.calibration))

    def _show(self, table: Table) -> None:
        held = self.list.current
        self._lines = table.shown
        self.list.set_source(
            ListSource(table.rows), table.columns, empty=_EMPTY.get(self.by, _EMPTY["pooled"])
        )
        keys = [row.key for row in table.rows]
        if held is not None and held.key in keys:
            self.list.move_to(keys.index(held.key))
        self._say()
        self.show_details()
        self.show_where()

    def _table(self, calibration: Calibration) -> Table:
        tables: dict[str, Callable[[], Table]] = {
            "pooled": lambda: judge_table(calibration, None, self.host.read(audits.newest) or {}),
            "metric": lambda: judge_table(calibration, self.metric),
            "tests": lambda: difference_table(calibration),
            "means": lambda: mean_table(calibration),
        }
        return tables[self.by]()

    def _say(self) -> None:
        if self.by == "coverage":
            judges = plural(len({one.judge for one in self.covered}), "judge")
            runs = plural(len({one.run for one in self.covered}), "run")
            words = "; states without a value are shares of the scores"
            self.caption.show([[(f"{judges} on {runs}", "strong"), (words, "muted")], []])
            return
        calibration = self.calibration
        if calibration is None:
            return
        sources = ", ".join(
            f"{count:,} {name}" for name, count in sorted(calibration.sources.items())
        )
        first: list[Piece] = [
            (
                f"{plural(calibration.labels, 'label')} on {plural(calibration.answers, 'answer')}",
                "strong",
            ),
            (f" in {plural(calibration.groups, 'group')}; {sources}", "muted"),
        ]
        second: list[Piece] = []
        if self._seq() != self.computed_at:
            second = [(LABELS_CHANGED, "warn")]
        elif calibration.conflicts:
            count = plural(calibration.conflicts, "label")
            second = [(f"{count} in conflict left out; D on F8 rules on them", "warn")]
        elif calibration.with_aids:
            second = [(aids_text(calibration), "warn")]
        self.caption.show([first, second])

    @property
    def current(self) -> TableLine | None:
        row = self.list.current
        return self._lines.get(str(row.key)) if row is not None else None

    def show_details(self) -> None:
        shown = self.current
        row = self.list.current
        if shown is None or row is None:
            self.details.show(None, title="details")
            return
        title = "   ".join(field_text(part) for part in str(row.key).split("\t") if part)
        names = cell_names(self.host.facts, os.environ)
        self.details.show(details(shown, names), title=title)

    # Actions

    def action_recompute(self) -> None:
        self._ask()

    def action_axes(self) -> None:
        rows = [Row(by, (Cell(by, "strong"), Cell(what, "muted"))) for by, what in WAYS.items()]

        def chosen(by: str | None) -> None:
            if by is not None:
                self.by = by
                if by == "coverage" or self.calibration is None:
                    self._ask()
                else:
                    self._show_table()

        self.app.push_screen(
            Choose("Judges by", (Column(width=8), Column()), rows, self.by), chosen
        )

    def action_metric(self) -> None:
        if self.calibration is None:
            return
        known = dict.fromkeys(
            one.metric for judge in self.calibration.judges for one in judge.metrics if one.metric
        )
        rows = [Row("", ("all of them",)), *(Row(key, (field_text(key),)) for key in known)]

        def chosen(metric: str | None) -> None:
            if metric is not None:
                self.by, self.metric = "metric", metric
                self._show_table()

        self.app.push_screen(Choose("Metric", (Column(),), rows, self.metric), chosen)

    def action_sample(self) -> None:
        stored = self.host.read(lambda db: samples.listing(db, FORM)) or []
        names = (sample.name for sample in stored)
        rows = [Row("", ("all labels",)), *(Row(name, (name,)) for name in names)]

        def chosen(name: str | None) -> None:
            if name is not None:
                self.sample = name or None
                self.by = "pooled" if self.by == "coverage" else self.by
                self._ask()

        self.app.push_screen(Choose("Labels", (Column(),), rows, self.sample or ""), chosen)

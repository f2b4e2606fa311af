"""The Judges screen: every judge compared with people, and the mean of each run by both."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from engine.calibration.calibration_records import Calibration
from engine.calibration.queries import CalibrationQuery
from engine.report.agreement import LABELS_CHANGED, field_text
from engine.report.audit import audit_html, audit_markdown
from engine.report.calibration import aids_text
from store.labels.samples import samples
from store.messages import plural
from store.runs import audits
from store.runs.judge_coverage import JudgeCoverage
from tui.calibration.audits import audit_table, audited, progress_of
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
    report_of,
)
from tui.language import tr
from tui.live.facts import Facts
from tui.screens.choose import Choose, named_rows
from tui.screens.labels import cell_names
from tui.screens.list_and_details import ListAndDetails
from tui.screens.write_file import EXPORTS, Format, WriteFile, ask_export
from tui.widgets.line import Piece
from tui.widgets.row_source import Column, ListSource, Row

FORM = "judge_labels"
WAYS = {
    "pooled": tr("all metrics pooled, n/a counts as a label"),
    "metric": tr("each metric by itself"),
    "tests": tr("which judge agrees more with people?"),
    "means": tr("each run's mean by people (PPI++)"),
    "coverage": tr("how much of each run is scored, and what failed"),
    "audits": tr("how far to trust each judge"),
}
WITHOUT_LABELS = ("coverage", "audits")
"""The ways that show what needs no labels."""
_EMPTY = {
    "pooled": tr(
        "No judge has scored a labelled answer. A run is scored by the rules; ' lets "
        "others judge it."
    ),
    "tests": tr("A test takes two judges of the same answers: ' lets another judge them."),
    "coverage": tr("No judge has scored a run yet. ' lets one do so."),
    "means": tr("No labelled answer belongs to a run that a judge has scored."),
}
MEASURING = tr("Measuring the judges.")
CARD_FORMATS = {
    "markdown": Format(".md", tr("a card for a page or an issue")),
    "html": Format(".html", tr("a page for a browser, which needs no network")),
}
CARDS = {"markdown": audit_markdown, "html": audit_html}
_NOBODY = tr(
    "No answer has been fully labelled yet. F7 Label, then + draws a sample of "
    "answers with the form judge_labels; label it there. b shows what needs no "
    "labels."
)


class CalibrationScreen(ListAndDetails, actions=ACTIONS):
    """The Judges screen; its figures are computed once, and again only on request."""

    PLACE = "calibration"

    def __init__(self, sample: str | None = None, by: str = "") -> None:
        """`by` is one of `WAYS`; empty for what suits the labels that there are."""
        super().__init__(loading=MEASURING, details=tr("details"))
        self.sample = sample
        self.by = by
        self.metric = ""
        self.calibration: Calibration | None = None
        self.computed_at = -1
        self._lines: dict[str, TableLine] = {}
        self._detailed: tuple[str, str | int] | None = None
        self._measured: tuple[str | None, int] | None = None
        """Of what sample, and of which labels, the calibration is that was asked for last."""

    @property
    def run_name(self) -> str:
        line = self.current
        if line is not None and line.coverage is not None:
            return line.coverage.run
        return line.mean.run if line is not None and line.mean is not None else ""

    def context(self) -> tuple[str, ...]:
        of = () if self.by in WITHOUT_LABELS else (self.sample or tr("all labels"),)
        return (*of, WAYS[self.by]) if self.by else of

    def command(self) -> Sequence[str]:
        line = self.current
        if line is not None and line.audited is not None:
            return ("audit", line.audited.name, "--last")
        sample = ("--sample", self.sample) if self.sample else ()
        return ("calibrate", *sample, *(("--metric", self.metric) if self.metric else ()))

    def idle_keys(self) -> Collection[str]:
        has_audit = self.current is not None and self.current.newest_audit is not None
        return () if has_audit else ("calibration.export",)

    def on_mount(self) -> None:
        super().on_mount()
        if not self.by:
            self.by = "coverage" if self.host.facts.labels(FORM) is None else "pooled"
        self._ask()

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        if before is None:
            return
        if self.by == "audits":
            if progress_of(facts.work) != progress_of(before.work):
                self._ask()
        elif self.by == "coverage":
            if _done(facts) != _done(before):
                self._ask()
        elif self.calibration is not None:
            self._say()
        elif facts.labels(FORM) != before.labels(FORM):
            self._ask()

    def _seq(self) -> int:
        count = self.host.facts.labels(FORM)
        return count.seq if count is not None else 0

    def _ask(self) -> None:
        if self.by == "coverage":
            if not any(line.coverage for line in self._lines.values()):
                self._show_loading(tr("Counting the scores."))
            self.host.ask(
                tr("counting scores"), CoverageQuery(), self._show_coverage, group="coverage"
            )
            return
        if self.by == "audits":
            host = self.host
            known = host.read(lambda db: audited(db, host.folder, host.facts.work))
            self._show(audit_table(known or ()))
            return
        if self.host.facts.labels(FORM) is None:
            self._show(Table((Column(),), [], {}), _NOBODY)
            return
        if self.calibration is None:
            self._show_loading(MEASURING)
        sample, at = self._measured = self.sample, self._seq()
        self.host.ask(
            tr("measuring the judges"),
            CalibrationQuery(sample),
            lambda calibration: self._take(calibration, sample, at),
            group="calibration",
        )

    def _show_loading(self, text: str) -> None:
        self._lines = {}
        self.list.show_loading(text)
        self.caption.show([])

    def _take(self, calibration: Calibration, sample: str | None, at: int) -> None:
        if sample == self.sample:
            self.calibration, self.computed_at = calibration, at
            if self.by not in WITHOUT_LABELS:
                self._show_table()

    def _show_coverage(self, covered: list[JudgeCoverage]) -> None:
        if self.by == "coverage":
            self._show(coverage_table(covered))

    def _show_table(self) -> None:
        if self.calibration is not None:
            self._show(self._table(self.calibration))

    def _show(self, table: Table, empty: str = "") -> None:
        """Shows a table; the cursor keeps its line where that is in it."""
        held = self.list.current
        self._lines = table.shown
        self.list.set_source(
            ListSource(table.rows),
            table.columns,
            empty=empty or _EMPTY.get(self.by, _EMPTY["pooled"]),
        )
        if held is not None:
            self.list.move_to_key(held.key)
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
        lines = list(self._lines.values())
        if self.by == "coverage":
            covered = [line.coverage for line in lines if line.coverage is not None]
            judges = plural(len({one.judge for one in covered}), "judge")
            runs = plural(len({one.run for one in covered}), "run")
            words = tr("; states without a value are shares of the scores")
            self.caption.show(
                [
                    [
                        (tr("{judges} on {runs}", judges=judges, runs=runs), "strong"),
                        (words, "muted"),
                    ],
                    [],
                ]
            )
            return
        if self.by == "audits":
            made = sum(
                line.audited is not None and line.audited.audit is not None for line in lines
            )
            words = tr("; + audits the judge under the cursor, E writes its card")
            count = tr("{made} of {judges} audited", made=made, judges=plural(len(lines), "judge"))
            self.caption.show([[(count, "strong"), (words, "muted")], []])
            return
        calibration = self.calibration
        if calibration is None:
            self.caption.show([])
            return
        sources = ", ".join(
            f"{count:,} {tr(name)}" for name, count in sorted(calibration.sources.items())
        )
        first: list[Piece] = [
            (
                tr(
                    "{labels} on {answers}",
                    labels=plural(calibration.labels, "label"),
                    answers=plural(calibration.answers, "answer"),
                ),
                "strong",
            ),
            (
                tr(
                    " in {groups}; {sources}",
                    groups=plural(calibration.groups, "group"),
                    sources=sources,
                ),
                "muted",
            ),
        ]
        second: list[Piece] = []
        if self._seq() != self.computed_at:
            second = [(LABELS_CHANGED, "warn")]
        elif calibration.conflicts:
            count = plural(calibration.conflicts, "label")
            second = [
                (tr("{count} in conflict left out; D on F8 rules on them", count=count), "warn")
            ]
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
            self.details.show(None, title=tr("details"))
            return
        title = "   ".join(filter(None, str(row.key).split("\t")))
        names = cell_names(self.host.facts)
        is_same = self._detailed == (self.by, row.key)
        self._detailed = self.by, row.key
        self.details.show(details(shown, names), title=title, from_top=not is_same)

    # Actions

    def action_recompute(self) -> None:
        self._ask()

    def action_axes(self) -> None:
        rows = named_rows(WAYS.items())

        self.host.question(
            Choose(tr("Judges by"), (Column(width=8), Column()), rows, self.by), self._go_by
        )

    def _go_by(self, by: str) -> None:
        self.by = by
        if by not in WITHOUT_LABELS and self.calibration is not None:
            self._show_table()
        elif by not in WITHOUT_LABELS and self._measured == (self.sample, self._seq()):
            self._show_loading(MEASURING)  # it is under way
        else:
            self._ask()

    def action_audit(self) -> None:
        from tui.calibration.audit_form import open_audit

        def queued(judge: str) -> None:
            self._go_by("audits")
            self.list.move_to_key(judge)

        shown = self.current
        open_audit(self.host, shown.judge_name if shown is not None else "", queued)

    def action_export(self) -> None:
        shown = self.current
        audit = shown.newest_audit if shown is not None else None
        if audit is None:
            self.host.advise("No audit of this judge is shown: b lists all audits, + makes one.")
            return
        report = report_of(audit)
        stem = re.sub(r"[^\w.@-]+", "-", f"audit-{report.judge}")
        question = WriteFile(
            self.host.folder.resolve() / EXPORTS, stem, what=tr("the audit"), formats=CARD_FORMATS
        )
        ask_export(self.host, question, lambda kind: CARDS[kind](report, audit.made_at))

    def action_metric(self) -> None:
        if self.calibration is None:
            self._go_by("metric")
            return
        known = dict.fromkeys(
            one.metric for judge in self.calibration.judges for one in judge.metrics if one.metric
        )
        rows = [Row("", (tr("all of them"),)), *(Row(key, (field_text(key),)) for key in known)]

        def chosen(metric: str) -> None:
            self.by, self.metric = "metric", metric
            self._show_table()

        self.host.question(Choose(tr("Metric"), (Column(),), rows, self.metric), chosen)

    def action_sample(self) -> None:
        stored = self.host.read(lambda db: samples.listing(db, FORM)) or []
        names = (sample.name for sample in stored)
        rows = [Row("", (tr("all labels"),)), *(Row(name, (name,)) for name in names)]

        def chosen(name: str) -> None:
            self.sample = name or None
            self.by = "pooled" if self.by in WITHOUT_LABELS else self.by
            self._ask()

        self.host.question(Choose(tr("Labels"), (Column(),), rows, self.sample or ""), chosen)


def _done(facts: Facts) -> list[str]:
    """What has been done: with more of it there may be more scores."""
    return [fact.key for fact in facts.work if fact.status == "done"]

"""The Progress screen: the labels done and wanted in each cell of a form's samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.widget import Widget

from engine.labelling.figures.work_records import SampleProgress
from engine.labelling.queries import ProgressQuery
from tui.language import tr
from tui.live.facts import Facts
from tui.screens.choose import Choose
from tui.screens.destinations import AtQueue
from tui.screens.place import PlaceScreen
from tui.statistics.figures import progress_matrix
from tui.statistics.keys import ACTIONS
from tui.widgets.heatmap import HeatMap
from tui.widgets.line import TextLines
from tui.widgets.row_source import Cell, Column, Row

NOTHING = tr("No sample has been drawn. + draws one.")
ALL = tr("all samples")


class ProgressScreen(PlaceScreen, actions=ACTIONS):
    """Dismisses with the cell that a person wants to go through, or None."""

    PLACE = "progress"

    def __init__(self, form_key: str, sample: str | None = None) -> None:
        super().__init__()
        self.form_key, self.sample = form_key, sample
        self.caption = TextLines(1, id="caption")
        self.map = HeatMap(loading=tr("Counting the labels."), id="map")
        self.progress: SampleProgress | None = None

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.map

    def context(self) -> tuple[str, ...]:
        return (self.form_key, self.sample or ALL)

    def command(self) -> Sequence[str]:
        sample = ("--sample", self.sample) if self.sample else ()
        return ("labels", "progress", "--form", self.form_key, *sample)

    def on_mount(self) -> None:
        super().on_mount()
        self.map.focus()

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        is_new = before is None or (before.labelled, before.inspection) != (
            facts.labelled,
            facts.inspection,
        )
        if is_new:
            self.ask()

    def ask(self) -> None:
        """Has the labels counted again."""
        query = ProgressQuery(self.form_key, self.host.rater, self.sample)
        self.host.ask(tr("counting the labels"), query, self._show, group="progress")

    def _show(self, progress: SampleProgress) -> None:
        self.progress = progress
        cells = progress.cells
        done, wanted = sum(one.done for one in cells), sum(one.wanted for one in cells)
        full = sum(one.is_full for one in cells)
        note = tr("   {full:,} of {number:,} cells full", full=full, number=len(cells))
        self.caption.show(
            [
                [
                    (tr("{done:,} of {wanted:,} labels", done=done, wanted=wanted), "strong"),
                    (note, "muted"),
                ]
            ]
            if cells
            else []
        )
        matrix = progress_matrix(cells, progress.topics, progress.tasks)
        self.map.show(matrix, lambda value: f"{value:,.0f}", empty=NOTHING)
        self.show_where()

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        if not message.cell.is_there:
            self.host.advise("The samples hold nothing in this cell.")
            return
        self.dismiss(AtQueue(topic=message.row, task=message.column, sample=self.sample))

    def action_queue(self) -> None:
        names = (ALL, *(self.progress.samples if self.progress is not None else ()))
        choices = [Row(name, (Cell(name, "strong"),)) for name in names]

        def chosen(name: str) -> None:
            self.sample = None if name == ALL else name
            self.ask()

        self.host.question(Choose(tr("Sample"), (Column(),), choices, self.sample or ALL), chosen)

    def action_new_sample(self) -> None:
        from tui.statistics.new_sample import open_new_sample

        open_new_sample(self.host, self.form_key, self._drawn)

    def _drawn(self) -> None:
        if self.is_current:
            self.ask()

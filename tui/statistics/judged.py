"""The list of the labelled subjects behind a figure, with the labels that one may see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.widget import Widget

from engine.labelling.figures.work_records import LabelledSubject
from engine.labelling.queries import LabelledQuery
from engine.report.work import seconds_text
from tui.language import tr
from tui.screens.place import PlaceScreen
from tui.statistics.keys import ACTIONS
from tui.widgets.line import TextLines
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

COLUMNS = (
    Column("state", 16),
    Column("values", 16),
    Column("s", 6, "right", drop=3),
    Column("question", minimum=30),
    Column("item", 20, drop=2),
)


class JudgedScreen(PlaceScreen, actions=ACTIONS):
    """Dismisses with the subject that was chosen, or None."""

    PLACE = "judged"

    def __init__(self, asked: LabelledQuery, name: str) -> None:
        super().__init__()
        self.asked, self.name_of_group = asked, name
        self.caption = TextLines(1, id="caption")
        self.list = Rows(ListSource(), COLUMNS, loading=tr("Reading the labels."), id="judged-list")
        self.subjects: Sequence[LabelledSubject] = ()

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.list

    def context(self) -> tuple[str, ...]:
        return (self.asked.form, self.name_of_group)

    def command(self) -> Sequence[str]:
        if (row := self.list.current) is None:
            return ()
        subject = self.subjects[int(row.key)].line.subject
        return ("labels", "show", subject.base, "--form", self.asked.form)

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()
        self.host.ask(tr("reading the labels"), self.asked, self._show, group="judged")

    def _show(self, subjects: Sequence[LabelledSubject]) -> None:
        self.subjects = subjects
        hidden = sum(not subject.is_told for subject in subjects)
        note = tr("   {number:,} in all", number=len(subjects))
        if hidden:
            note += tr(
                ", {hidden:,} that you have not labelled: the labels of others are hidden",
                hidden=hidden,
            )
        self.caption.show([[(self.name_of_group, "strong"), (note, "muted")]])
        self.list.set_source(ListSource([_row(at, subject) for at, subject in enumerate(subjects)]))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.dismiss(self.subjects[int(message.row.key)].line.subject)


def _row(at: int, subject: LabelledSubject) -> Row:
    state = tr(str(subject.line.item_state)).replace("_", " ") if subject.is_told else tr("hidden")
    values = "  ".join(f"{rater} {value}" for rater, value in subject.values)
    return Row(
        at,
        (
            Cell(state, "" if subject.is_told else "muted"),
            Cell(values, "strong"),
            Cell(seconds_text(subject.seconds) if subject.seconds is not None else "", "muted"),
            subject.line.question.replace("\n", " "),
            Cell(subject.line.item_key, "muted"),
        ),
    )

"""The list of the labelled subjects behind a figure, with the labels that one may see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from engine.labelling.queries import LabelledQuery
from engine.labelling.work_records import LabelledSubject
from engine.report.work import seconds_text
from tui.screens.place import PlaceScreen
from tui.shell.actions import bindings
from tui.statistics.keys import ACTIONS
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows
from tui.widgets.text_lines import TextLines

COLUMNS = (
    Column("state", 16),
    Column("values", 16),
    Column("s", 6, "right", drop=3),
    Column("question", minimum=30),
    Column("item", 20, drop=2),
)


class JudgedScreen(PlaceScreen):
    """Dismisses with the subject that was chosen, or None."""

    PLACE = "judged"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("judged", ACTIONS)]

    def __init__(self, asked: LabelledQuery, name: str) -> None:
        super().__init__()
        self.asked, self.name_of_group = asked, name
        self.caption = TextLines(1, id="caption")
        self.list = Rows(ListSource(), COLUMNS, empty="Reading what was judged.", id="judged-list")
        self.found: Sequence[LabelledSubject] = ()

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.list

    def context(self) -> tuple[str, ...]:
        return (self.asked.form, self.name_of_group)

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()
        self.host.ask("reading what was judged", self.asked, self._show, group="judged")

    def _show(self, found: Sequence[LabelledSubject]) -> None:
        self.found = found
        hidden = sum(not one.is_told for one in found)
        said = f"   {len(found):,} in all"
        if hidden:
            said += f", {hidden:,} that you have not judged: what others said of them is hidden"
        self.caption.show([[(self.name_of_group, "strong"), (said, "muted")]])
        self.list.set_source(ListSource([_row(at, one) for at, one in enumerate(found)]))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.dismiss(self.found[int(message.row.key)].line.subject)


def _row(at: int, one: LabelledSubject) -> Row:
    state = str(one.line.item_state).replace("_", " ") if one.is_told else "hidden"
    values = "  ".join(f"{rater} {value}" for rater, value in one.values)
    return Row(
        at,
        (
            Cell(state, "" if one.is_told else "muted"),
            Cell(values, "strong"),
            Cell(seconds_text(one.seconds) if one.seconds is not None else "", "muted"),
            one.line.question.replace("\n", " "),
            Cell(one.line.item_key, "muted"),
        ),
    )

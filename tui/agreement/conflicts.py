"""The list of a form's conflicts; Enter opens one where it is ruled on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import structs
from textual.widget import Widget

from store.labels import consensus, statistics
from store.labels.consensus import PlacedConflict, Settled
from store.messages import plural
from store.workspace import Workspace
from tui.agreement.conflict_rows import COLUMNS, Part, conflict_key, conflict_rows, parts
from tui.agreement.keys import ACTIONS
from tui.language import tr
from tui.live.facts import Facts
from tui.screens.choose import Choose
from tui.screens.destinations import AtRuling
from tui.screens.label_forms import read_form
from tui.screens.labels import cell_names
from tui.screens.place import PlaceScreen
from tui.widgets.line import TextLines
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows


class ConflictsScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "conflicts"

    def __init__(self, form_key: str, sample: str | None, part: Part) -> None:
        super().__init__()
        self.form = read_form(self.host, form_key)
        self.sample = sample
        self.part = part
        self.caption = TextLines(1, id="caption")
        self.list = Rows(
            ListSource(), COLUMNS, loading=tr("Reading the conflicts."), id="conflicts"
        )
        self.every: Sequence[PlacedConflict] = ()
        self.mine: Sequence[Settled] = ()
        """Those that this person may rule on, who is not told whose labels they are."""
        self.matching: Sequence[PlacedConflict] = ()
        self._seq = -1

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.list

    def context(self) -> tuple[str, ...]:
        part = self.part.text(cell_names(self.host.facts))
        return (self.form.key, self.sample or "", part)

    def command(self) -> Sequence[str]:
        return ("adjudicate", "list", "--form", self.form.key)

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        count = facts.labels(self.form.key)
        seq = count.seq if count is not None else 0
        if seq != self._seq:
            self._seq = seq
            self.host.in_thread(
                tr("reading the conflicts"), self._read, self._show, group="conflicts"
            )

    def _read(self, workspace: Workspace) -> tuple[list[PlacedConflict], list[Settled]]:
        """The conflicts that this person may see, and those of them that they may rule on."""
        db, rater = workspace.db, self.host.rater
        placed = consensus.placed_conflicts(db, self.form, sample=self.sample)
        mine = consensus.may_rule(db, self.form.key, rater, [one.conflict for one in placed])
        if statistics.labels_with(db, self.form.key, rater):
            # what a rater has yet to label is told to nobody who may still be given it
            placed = [
                one
                for one in placed
                if one.conflict in mine or rater in {label.rater for label in one.conflict.raters}
            ]
        return placed, mine

    def _show(self, read: tuple[list[PlacedConflict], list[Settled]]) -> None:
        self.every, self.mine = read
        self._show_part()

    def _show_part(self) -> None:
        names = cell_names(self.host.facts)
        self.matching = [one for one in self.every if self.part.holds(one)]
        shown = [
            structs.replace(one, conflict=one.conflict.without_names())
            if one.conflict in self.mine
            else one
            for one in self.matching
        ]
        rows = conflict_rows(shown, self.form, names)
        at = self.list.cursor
        held = self.list.current
        self.list.set_source(ListSource(rows), empty=self._empty_words())
        if held is None or not self.list.move_to_key(held.key):
            self.list.move_to(at)
        count = tr(
            "{number:,} of {conflicts}",
            number=len(self.matching),
            conflicts=plural(len(self.every), "conflict"),
        )
        mine = sum(
            any(given.rater == self.host.rater for given in one.conflict.raters)
            for one in self.matching
        )
        note = (
            tr("   {mine:,} with labels of yours: a third person rules", mine=mine) if mine else ""
        )
        self.caption.show([[(count, "strong"), (note, "warn" if mine else "")]])
        self.show_where()

    def _empty_words(self) -> str:
        if self.every:
            return tr("No conflict matches: F chooses others.")
        return tr("Raters agree, or all conflicts have been ruled on.")

    async def on_rows_chosen(self, message: Rows.Chosen) -> None:
        one = next(one for one in self.matching if conflict_key(one) == message.row.key)
        first = (one.conflict.subject, one.conflict.field)
        await self.host.open(AtRuling(self.form.key, first))

    def action_queue(self) -> None:
        """Asks which conflicts are listed: of a metric, of two raters, of a cell, or all."""
        names = cell_names(self.host.facts)
        offered = parts(self.every)
        rows = [
            Row(str(at), (Cell(part.text(names) or "all"), Cell(f"{count:,}", "muted")))
            for at, (part, count) in enumerate(offered)
        ]
        known = [part for part, _ in offered]
        current = str(known.index(self.part)) if self.part in known else ""

        def chosen(at: str) -> None:
            self.part = known[int(at)]
            self._show_part()

        columns = (Column(), Column(width=6, align="right"))
        self.host.question(Choose(tr("Conflicts"), columns, rows, current), chosen)

"""The revisions of an item: who wrote them, why and when; Enter says what each has changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from textual.widget import Widget

from store.datasets import datasets, revisions
from store.datasets.revisions import RevisionLine, RevisionSheet
from store.records import ItemContent
from tui.correction.revision_diff import DiffBase, DiffScreen, Name, names
from tui.language import read, tr
from tui.screens.place import PlaceScreen
from tui.shell.theme import SIGNS
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

COLUMNS = (
    Column("", 1),
    Column("number", 6, "right"),
    Column("author", 14, drop=1),
    Column("why", minimum=20),
    Column(tr("when (UTC)"), 16, drop=2),
)
HIDDEN = tr("hidden")
"""In place of an author whom a form hides."""


class HistoryScreen(PlaceScreen):
    """Dismisses with None; a tick marks the revision that is the item's text now."""

    PLACE = "history"

    def __init__(self, revision: int, *, hides_author: bool = False, own: str = "") -> None:
        """The history of the item that `revision` belongs to. `hides_author` is for a form that
        blinds its raters; what `own` wrote they know anyway."""
        super().__init__()
        self.revision = revision
        self._hides_author = hides_author
        self._own = own
        self.rows = Rows(ListSource(), COLUMNS, id="revisions")
        self.sheet: RevisionSheet | None = None
        self.lines: list[RevisionLine] = []

    def compose_body(self) -> Iterator[Widget]:
        yield self.rows

    def on_mount(self) -> None:
        super().on_mount()
        self.rows.focus()
        history = self.host.read(lambda db: _load(db, self.revision))
        if history is None:
            return
        self.sheet, lines = history
        self.lines = _visible(lines, self.revision, self._own) if self._hides_author else lines
        self.rows.set_source(ListSource([self._row(line) for line in self.lines]))
        self.rows.move_to_key(self.revision)
        self.show_where()

    def context(self) -> tuple[str, ...]:
        if self.sheet is None:
            return ()
        return (self.sheet.dataset, tr("item {item_key}", item_key=self.sheet.item_key))

    def command(self) -> Sequence[str]:
        """None for one who is not told who wrote what, which the command prints."""
        if self.sheet is None or self._hides_author:
            return ()
        return ("show", "--dataset", self.sheet.dataset, self.sheet.item_key)

    def author(self, line: RevisionLine) -> str:
        """Who wrote a revision, as far as the reader may know."""
        return HIDDEN if self._hides_author and line.author != self._own else line.author

    def _row(self, line: RevisionLine) -> Row:
        return Row(
            line.id,
            (
                Cell(SIGNS.good if line.is_head else "", "good"),
                str(line.number),
                self.author(line),
                read(line.reason),
                Cell(line.at[:16].replace("T", " "), "muted"),
            ),
        )

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        line = next(one for one in self.lines if one.id == message.row.key)
        texts = self.host.read(lambda db: _texts(db, self.lines, line))
        if texts is None or self.sheet is None:
            return
        bases, after, name = texts
        where = (*self.context(), tr("revision {number}", number=line.number))
        self.app.push_screen(
            DiffScreen(bases, after, name, where=where, notes=[(read(line.reason), "muted")])
        )

    def step_back(self) -> bool:
        self.dismiss(None)
        return True


def _visible(lines: list[RevisionLine], shown: int, own: str) -> list[RevisionLine]:
    """What led to the text that is shown, and one's own: other raters' proposals are not told."""
    parents = {line.id: line.parent for line in lines}
    known, at = set(), parents.get(shown)
    while at is not None:
        known.add(at)
        at = parents.get(at)
    return [one for one in lines if one.id in known or one.id == shown or one.author == own]


def _load(db: sqlite3.Connection, revision: int) -> tuple[RevisionSheet, list[RevisionLine]]:
    sheet = revisions.sheet(db, revision)
    return sheet, revisions.history(db, sheet.item)


def _texts(
    db: sqlite3.Connection, lines: list[RevisionLine], line: RevisionLine
) -> tuple[list[DiffBase], ItemContent, Name]:
    """What a revision is compared with: the one that it corrects, then the first."""
    after = datasets.content(db, line.id)
    numbers = {one.id: one.number for one in lines}
    bases = []
    for base in dict.fromkeys((line.parent or lines[0].id, lines[0].id)):
        if base not in numbers:
            continue  # of another rater, and not to be told
        is_first = base == lines[0].id
        title = tr("against revision {numbers}", numbers=numbers[base]) + (
            tr(", the first") if is_first else ""
        )
        bases.append(DiffBase(title, datasets.content(db, base)))
    return bases, after, names(db, line.id, [after, *(base.content for base in bases)])

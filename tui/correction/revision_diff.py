"""Two texts of an item and what differs between them: a widget, and a screen around it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from textual.widget import Widget

from engine.corpus.naming import heading
from engine.text.wrapping import cell_width, pad, wrap
from store.corpora import corpora, taxonomies
from store.datasets import datasets, revisions
from store.records import ItemContent, Taxonomy
from tui.correction.keys import ACTIONS
from tui.correction.text_diff import DiffLine, item_diff
from tui.language import local_name, tr
from tui.screens.place import PlaceScreen
from tui.widgets.line import Piece
from tui.widgets.sheet import Lay, Sheet

Name = Callable[[str, str], str]
"""What a topic, task or document is called, by its sort and key."""

SIGNS_AROUND = {"gone": ("[-", "-]"), "new": ("{+", "+}"), "same": ("", "")}
ROLES = {"gone": "bad", "new": "good", "same": ""}
SHOWN = (ROLES["gone"], ROLES["new"])
"""How what differs is shown."""


def diff_lay(lines: Sequence[DiffLine]) -> Lay:
    """The lines of a diff; a changed part has a sign before its label, an unchanged one is grey."""

    def lay(width: int) -> list[list[Piece]]:
        column = max((cell_width(line.label) for line in lines), default=0)
        rows: list[list[Piece]] = []
        for line in lines:
            rows += _line(line, column, width)
        return rows

    return lay


def _line(line: DiffLine, column: int, width: int) -> list[list[Piece]]:
    text, roles = "", []
    for kind, words in line.parts:
        before, after = SIGNS_AROUND[kind]
        text += before + words + after
        roles.append((len(text), ROLES[kind] if line.is_changed else "muted"))
    start: list[Piece] = [
        ("~ " if line.is_changed else "  ", "key"),
        (pad(line.label, column) + "  ", "strong" if line.is_changed else "muted"),
    ]
    out: list[list[Piece]] = []
    for begin, end in wrap(text, max(width - column - 4, 8)):
        pieces, at = list(start), begin
        for until, role in roles:
            if until > at:
                pieces.append((text[at : min(until, end)], role))
                at = min(until, end)
            if at >= end:
                break
        out.append(pieces)
        start = [(" " * (column + 4), "")]
    return out


class RevisionDiff(Sheet):
    """What differs between two texts of an item: `[-gone-]`, `{+new+}`, a `~` before each part that
    has changed."""

    def show_diff(
        self,
        before: ItemContent,
        after: ItemContent,
        name: Name,
        *,
        title: str = "",
        notes: Sequence[Piece] = (),
    ) -> None:
        """`notes` stand above, a line each. What differs first is in view, unless a note is a
        warning, which is read before."""
        lines = item_diff(before, after, name)
        is_changed = any(line.is_changed for line in lines)
        lay_diff = diff_lay(lines)

        def lay(width: int) -> list[list[Piece]]:
            above: list[list[Piece]] = []
            for text, role in notes:
                above += [[(text[a:b], role)] for a, b in wrap(text, max(width, 8))]
            if not is_changed:
                above.append([(tr("Nothing differs."), "muted")])
            return [*above, *([[]] if above else []), *lay_diff(width)]

        def begin(width: int) -> int:
            differs = [any(role in SHOWN for _, role in line) for line in lay_diff(width)]
            first = len(lay(width)) - len(differs) + (differs.index(True) if any(differs) else 0)
            is_seen = first < self.size.height - 1 or any(role == "warn" for _, role in notes)
            return 0 if is_seen else first - 1

        self.show(lay, title=title, begin=begin)


class DiffBase(NamedTuple):
    """A text to compare with."""

    title: str
    content: ItemContent


def names(db: sqlite3.Connection, revision: int, contents: Sequence[ItemContent]) -> Name:
    """What topics, tasks and the documents of some texts are called in the item's dataset."""
    dataset = datasets.get(db, revisions.sheet(db, revision).dataset, archived=True)
    taxonomy = taxonomies.get(db, dataset.taxonomy_id)
    corpus = corpora.get_by_id(db, dataset.corpus_id)
    wanted = {document for content in contents for document in content.documents}
    held = corpora.documents_by_id(db, corpus, sorted(wanted))
    titles = {key: heading(document) for key, document in held.items()}
    return namer(taxonomy, titles)


def namer(taxonomy: Taxonomy, titles: dict[str, str]) -> Name:
    topics = {one.key: local_name(one) for one in taxonomy.topics}
    tasks = {one.key: local_name(one) for one in taxonomy.tasks}
    by_sort = {"topic": topics, "task": tasks, "document": titles}

    def name(sort: str, key: str) -> str:
        return by_sort[sort].get(key, key)

    return name


class DiffScreen(PlaceScreen, actions=ACTIONS):
    """Reads a text against another, or one of several; `v` goes from one to the next."""

    PLACE = "diff"

    def __init__(
        self,
        bases: Sequence[DiffBase],
        after: ItemContent,
        name: Name,
        *,
        where: Sequence[str] = (),
        notes: Sequence[Piece] = (),
    ) -> None:
        super().__init__()
        self.bases = tuple(bases)
        self.after = after
        self.base = 0
        self._namer = name
        self._where = tuple(where)
        self._notes = tuple(notes)
        self.diff = RevisionDiff(id="diff")

    def compose_body(self) -> Iterator[Widget]:
        yield self.diff

    def on_mount(self) -> None:
        super().on_mount()
        self.diff.focus()
        self._show()

    def context(self) -> tuple[str, ...]:
        return self._where

    def _show(self) -> None:
        shown = self.bases[self.base]
        self.diff.show_diff(
            shown.content, self.after, self._namer, title=shown.title, notes=self._notes
        )

    def action_switch(self) -> None:
        self.base = (self.base + 1) % len(self.bases)
        self._show()

    def step_back(self) -> bool:
        self.dismiss(None)
        return True

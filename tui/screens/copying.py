"""The question what of the screen to copy: to the terminal's clipboard, or into a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from store.messages import plural
from tui.language import later, read, tr
from tui.screens.choose import AnswerList
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.screens.write_file import EXPORTS, Format, WriteFile, ask_export
from tui.shell.clipboard import IN_TMUX, LIMIT, Copyable, HasCopies, cut
from tui.widgets.line import TextLines
from tui.widgets.row_source import Cell, Column, Row
from tui.widgets.rows import Rows


def offers(screen: PlaceScreen) -> list[Copyable]:
    """All there is to copy: what the cursor is on first, the screen's own last."""
    start = screen.focused or screen
    return [
        one
        for node in start.ancestors_with_self
        if isinstance(node, HasCopies)
        for one in node.copies()
    ]


class CopyScreen(AnswerList[tuple[int, bool] | None]):
    """Dismisses with the number of what is copied, and whether into a file."""

    KEYS = later("Enter or y: to the clipboard   F: into a file   Esc: cancel")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "close", show=False),
        Binding("y", "copy(False)", "to the clipboard", show=False),
        Binding("F", "copy(True)", "into a file", show=False),
    ]

    def __init__(self, copyables: Sequence[Copyable]) -> None:
        rows = [
            Row(number, (Cell(tr(one.what), "strong"), Cell(read(one.preview), "muted")))
            for number, one in enumerate(copyables)
        ]
        super().__init__(tr("Copy"), (Column("", 16), Column(minimum=20)), rows, ())

    def compose(self) -> ComposeResult:
        yield from super().compose()
        if os.environ.get("TMUX"):
            note = TextLines(1)
            note.show([[(tr(IN_TMUX), "muted")]])
            yield note

    def action_copy(self, into_file: bool) -> None:
        self.dismiss((self.rows.cursor, into_file))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.action_copy(False)


def ask_copy(host: Host, screen: PlaceScreen) -> None:
    """Asks what of the screen to copy, and copies it."""
    copyables = offers(screen)
    if not copyables:
        screen.footer.say(tr("There is nothing to copy here."))
        return

    def chosen(answer: tuple[int, bool]) -> None:
        number, into_file = answer
        (_into_file if into_file else _to_clipboard)(host, screen, copyables[number])

    host.question(CopyScreen(copyables), chosen)


def _to_clipboard(host: Host, screen: PlaceScreen, one: Copyable) -> None:
    text = one.text()
    sent = cut(text)
    host.copy_to_clipboard(sent)
    if sent == text:
        # no terminal answers whether it took it
        screen.footer.say(
            tr(
                "Sent to the terminal: {kind}, {characters}.",
                kind=one.what,
                characters=plural(len(sent), "character"),
            )
        )
        return
    host.show_problem(
        "Only the first {limit:,} of {all:,} bytes were sent: terminals take no more."
        " y, then F, writes all of it into a file.",
        limit=LIMIT,
        all=len(text.encode()),
    )


def _into_file(host: Host, screen: PlaceScreen, one: Copyable) -> None:
    text = one.text()
    kind = Format(".tsv", "a line a row") if one.is_table else Format(".txt", "as it is")
    folder = host.folder / EXPORTS
    stem = f"{screen.PLACE}-{one.what.replace(' ', '-')}"
    what = tr("the {kind}", kind=one.what)
    question = WriteFile(folder, stem, what=what, formats={kind.suffix[1:]: kind})
    ask_export(host, question, lambda _: text)

"""What differs between the guideline in force and its next version, before that is saved."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from engine.text.wrapping import wrap
from tui.language import tr
from tui.screens.confirm import confirm
from tui.widgets.heading import SectionLine
from tui.widgets.line import Piece
from tui.widgets.sheet import Lay, Sheet

Decision = Literal["save", "discard"]
NEAR = 2
"""Unchanged lines that are shown around a change."""
Line = tuple[str, str]
"""A sign (`-` gone, `+` new, a blank for the same, `~` for lines left out) and the text."""


def changed_lines(before: str, after: str) -> list[Line]:
    """The lines that differ, with those near them; empty where none differs."""
    old, new = before.splitlines(), after.splitlines()
    lines: list[Line] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(NEAR)):
        if number:
            lines.append(("~", ""))
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [(" ", line) for line in old[a:b]]
            else:
                lines += [("-", line) for line in old[a:b]]
                lines += [("+", line) for line in new[c:d]]
    return lines


def _lay(lines: list[Line]) -> Lay:
    roles = {"-": "bad", "+": "good", "~": "muted", " ": ""}

    def lay(width: int) -> list[list[Piece]]:
        out: list[list[Piece]] = []
        for sign, text in lines:
            rows = wrap(text, max(width - 2, 8)) or [(0, 0)]
            for at, (start, end) in enumerate(rows):
                out.append([(f"{sign if not at else ' '} {text[start:end]}", roles[sign])])
        return out

    return lay


class Review(ModalScreen[Decision | None]):
    """Dismisses with what is to be done, or with None to go on writing."""

    DEFAULT_CSS = """
    Review { align: center middle; }
    Review > Vertical {
        width: 94%; max-width: 120; height: 90%; padding: 1 2; background: $panel;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "dismiss('save')", show=False),
        Binding("escape", "dismiss", show=False),
        Binding("X", "discard", show=False),
    ]

    def __init__(self, before: str, after: str, version: int) -> None:
        super().__init__()
        self._lines = changed_lines(before, after)
        self._version = version
        self.sheet = Sheet(title="gone -   new +", empty=tr("Only the ends of lines differ."))

    def compose(self) -> ComposeResult:
        with Vertical():
            keys = tr("Enter: save   Esc: go on writing   X: throw away")
            yield SectionLine(tr("Version {version}", version=self._version), keys)
            yield self.sheet

    def on_mount(self) -> None:
        self.sheet.show(_lay(self._lines))
        self.sheet.focus()

    def action_discard(self) -> None:
        confirm(
            self,
            tr("Throw this text away?"),
            tr("What was typed is gone then; the guideline in force stays."),
            tr("throw it away"),
            lambda: self.dismiss("discard"),
        )

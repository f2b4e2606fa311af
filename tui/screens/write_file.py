"""The question for the format and the path of a file to export to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from tui.language import tr
from tui.screens.choose import named_rows
from tui.screens.confirm import confirm
from tui.screens.form import FieldsScreen
from tui.screens.host import Host
from tui.widgets.heading import SectionLine
from tui.widgets.path_input import PathInput
from tui.widgets.pressed import PressLine
from tui.widgets.row_source import Column, ListSource
from tui.widgets.rows import Rows

EXPORTS = "exports"
"""The workspace's folder for what is written from the app; made when it is needed."""


class Format(NamedTuple):
    suffix: str
    note: str


class Export(NamedTuple):
    """The format and path that a person chose."""

    kind: str
    path: Path
    replaces: bool = False
    """Whether a file that is there may be replaced."""


class WriteFile(FieldsScreen[Export | None]):
    """Enter goes from the format to the path, and writes from the last line."""

    DEFAULT_CSS = """
    WriteFile Rows { height: 5; margin-bottom: 1; }
    WriteFile Input { margin: 0 1 1 1; }
    """

    def __init__(
        self,
        folder: Path,
        stem: str,
        *,
        what: str,
        formats: Mapping[str, Format],
    ) -> None:
        """The file is `stem` in `folder` unless a person writes another path. The first of the
        formats is the one to begin with."""
        super().__init__()
        self._folder, self._what, self._formats = folder, what, formats
        first = next(iter(formats.values()))
        self.formats = Rows(
            ListSource(named_rows((name, one.note) for name, one in formats.items())),
            (Column("", 10), Column(minimum=20)),
            id="formats",
        )
        self.path = PathInput(str(folder / (stem + first.suffix)), compact=True)
        self.write = PressLine("Write", "Enter; asks before it replaces a file")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine(
                tr("Export {what}", what=self._what), "Enter: next field   Esc: cancel"
            )
            yield self.formats
            yield SectionLine("File", "Tab completes")
            yield self.path
            yield self.write

    def on_mount(self) -> None:
        self.formats.focus()

    @property
    def kind(self) -> str:
        current = self.formats.current
        return str(current.key) if current is not None else "markdown"

    @property
    def target(self) -> Path:
        return Path(self.path.value.strip()).expanduser()

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        """The suffix follows the format, unless it is a person's own."""
        suffixes = {one.suffix for one in self._formats.values()}
        if self.target.suffix in suffixes:
            self.path.value = str(self.target.with_suffix(self._formats[self.kind].suffix))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.path.focus()
        self.path.cursor_position = len(self.path.value)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self.write.focus()

    def on_input_changed(self, message: Input.Changed) -> None:
        self.write.say(self._trouble())

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        if self._trouble():
            return
        wanted = Export(self.kind, self.target)
        if not wanted.path.exists():
            self.dismiss(wanted)
            return
        confirm(
            self,
            tr("Replace {name}?", name=wanted.path.name),
            tr("What it holds now is lost."),
            tr("replace it"),
            lambda: self.dismiss(wanted._replace(replaces=True)),
        )

    def _trouble(self) -> str:
        """Returns what is wrong with the path; empty if nothing is."""
        if not self.path.value.strip():
            return tr("Write the path of a file.")
        if self.target.is_dir():
            return tr("This is a folder; add the name of a file.")
        if self.target.parent != self._folder and not self.target.parent.is_dir():
            return tr("There is no folder {parent}.", parent=self.target.parent)
        return ""


def ask_export(host: Host, question: WriteFile, text: Callable[[str], str]) -> None:
    """Ask, then write what `text` gives for the kind that was chosen, in a thread, and say where
    it is."""

    def decided(wanted: Export) -> None:
        host.in_thread(
            tr("writing {name}", name=wanted.path.name),
            lambda workspace: _write(text, wanted),
            lambda path: host.advise("Wrote {path}.", path=path),
        )

    host.question(question, decided)


def _write(text: Callable[[str], str], wanted: Export) -> Path:
    from store.files import write_whole
    from store.sharing.modes import make_folder

    if wanted.path.parent.name == EXPORTS:
        make_folder(wanted.path.parent)
    write_whole(text(wanted.kind), wanted.path, force=wanted.replaces)
    return wanted.path

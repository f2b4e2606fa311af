"""The question that adds files to a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input

from engine.corpus.ingest_job import Ingest
from engine.corpus.paths import path_text
from engine.text.wrapping import wrap
from store.corpora import corpora
from store.records import ChunkingSettings
from tui.language import tr
from tui.screens.form import FieldsScreen
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.screens.place import PlaceScreen
from tui.screens.workspace import make_workspace
from tui.widgets.heading import FieldLine, SectionLine
from tui.widgets.line import TextLines
from tui.widgets.path_input import PathInput, complete
from tui.widgets.pressed import PressLine

CANDIDATE_LINES = 4
UNITS = ("tokens", "chars")


class AddPaths(FieldsScreen[Ingest | None]):
    """Enter goes from field to field and starts from the last."""

    DEFAULT_CSS = """
    AddPaths FieldLine > SectionLine { width: 12; }
    AddPaths #cut Input { width: 10; }
    AddPaths TextLines { margin-bottom: 1; }
    AddPaths PressLine { margin-top: 1; }
    """

    def __init__(self, chunkings: Mapping[str, ChunkingSettings], corpus: str = "") -> None:
        """`chunkings` are those of the corpora that exist, by name; `corpus` is written in."""
        super().__init__()
        self._chunkings = chunkings
        usual = ChunkingSettings()
        self.path = PathInput(placeholder=tr("a file or a folder; Tab completes"), compact=True)
        self.candidates = TextLines(CANDIDATE_LINES)
        self.corpus = Input(
            corpus,
            placeholder=tr("a new name, or one that exists"),
            suggester=SuggestFromList(list(chunkings)),
            compact=True,
        )
        self.chunk_size = Input(str(usual.size), type="integer", max_length=7, compact=True)
        self.overlap = Input(str(usual.overlap), type="integer", max_length=7, compact=True)
        self.unit = Input(usual.unit, suggester=SuggestFromList(UNITS), max_length=6, compact=True)
        self.note = TextLines(1)
        self.start = PressLine("Read them", "Enter: start in the background")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine("Add documents", "Enter: next field   Esc: cancel")
            yield from _field(tr("Path"), self.path)
            yield self.candidates
            yield from _field(tr("Corpus"), self.corpus)
            with FieldLine(id="cut"):
                yield SectionLine("Chunks of")
                yield self.chunk_size
                yield SectionLine("shared")
                yield self.overlap
                yield SectionLine("unit")
                yield self.unit
            yield self.note
            yield self.start

    def on_mount(self) -> None:
        self._show_candidates()
        self._show_chunking()
        self.path.focus()

    # Fields

    def on_input_changed(self, message: Input.Changed) -> None:
        if message.input is self.path:
            self._show_candidates()
        elif message.input is self.corpus:
            self._show_chunking()
        self.start.say("")

    def on_input_submitted(self, message: Input.Submitted) -> None:
        if message.input is self.path and not self.corpus.value:
            self.corpus.value = Path(message.value).expanduser().absolute().stem
        self.focus_next()

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        trouble = self._trouble()
        self.start.say(trouble)
        if not trouble:
            chunking = None if self._exists else self._chunking()
            self.dismiss(Ingest(self._corpus_name, (path_text(self._path),), chunking))

    def _show_candidates(self) -> None:
        names = complete(self.path.value).candidates
        text = "   ".join(names[:200])
        width = max(self.candidates.size.width - 2, 40)
        lines = wrap(text, width)[:CANDIDATE_LINES] if text else []
        self.candidates.show([[(text[start:end], "muted")] for start, end in lines])

    def _show_chunking(self) -> None:
        own = self._chunkings.get(self._corpus_name)
        for field in (self.chunk_size, self.overlap, self.unit):
            field.disabled = own is not None
        if own is not None:
            self.chunk_size.value, self.overlap.value = str(own.size), str(own.overlap)
            self.unit.value = own.unit
        text = (
            tr("{corpus_name} keeps the chunks it was made with.", corpus_name=self._corpus_name)
            if own is not None
            else ""
        )
        self.note.show([[(text, "muted")]])

    # What is written in them

    @property
    def _path(self) -> Path:
        return Path(self.path.value.strip()).expanduser()

    @property
    def _corpus_name(self) -> str:
        return self.corpus.value.strip()

    @property
    def _exists(self) -> bool:
        return self._corpus_name in self._chunkings

    def _chunking(self) -> ChunkingSettings:
        unit: Literal["tokens", "chars"] = "chars" if self.unit.value == "chars" else "tokens"
        return ChunkingSettings(int(self.chunk_size.value), int(self.overlap.value), unit)

    def _trouble(self) -> str:
        """Returns the reason why reading cannot start; empty when it can."""
        if not self.path.value.strip():
            return tr("Name a file or a folder.")
        if not self._path.exists():
            return tr("There is no file or folder {path}.", path=self._path)
        if not self._corpus_name:
            return tr("Name the corpus.")
        if self.unit.value not in UNITS:
            return tr("The unit is tokens or chars.")
        size, overlap = self.chunk_size.value, self.overlap.value
        if not (size.isdigit() and overlap.isdigit() and int(overlap) < int(size)):
            return tr(
                "The overlap must be smaller than the chunk: such as 256, for chunks of 2048."
            )
        return ""


def _field(label: str, field: Input) -> Iterator[Widget]:
    with FieldLine():
        yield SectionLine(label)
        yield field


def ask_documents(screen: PlaceScreen) -> None:
    """Asks for files and a corpus, whatever is on the screen."""
    host = screen.host
    held = host.read(corpora.listing) if host.facts.is_open else None
    open_add_paths(host, {corpus.name: corpus.chunking for corpus in held or ()})


def open_add_paths(host: Host, chunkings: Mapping[str, ChunkingSettings], corpus: str = "") -> None:
    """Asks, then has the reading queued and makes sure that a worker runs."""

    def decided(ingest: Ingest | None) -> None:
        if ingest is None or not make_workspace(host):
            return
        queue_job(host, Path(ingest.paths[0]).name, ingest, lambda job: None)

    host.push_screen(AddPaths(chunkings, corpus), decided)

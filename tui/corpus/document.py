"""The screen of one document: its text, the limits of its chunks, its topics."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePath
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widget import Widget

from engine.corpus.naming import first_words
from store.corpora.browsing import DocumentSheet, document_sheet
from store.corpora.corpora import Corpus
from store.messages import plural
from store.records import Chunk
from tui.corpus.keys import ACTIONS
from tui.language import later, read, tr
from tui.screens.labels import topic_text
from tui.screens.place import PlaceScreen
from tui.shell.clipboard import Copyable, copyable
from tui.widgets.line import Piece
from tui.widgets.marks import Mark
from tui.widgets.passage import Passage
from tui.widgets.sheet import Block, Lay, Sheet, lay_blocks

LANGUAGES = {"zh": later("Chinese"), "en": later("English")}


class DocumentScreen(PlaceScreen, actions=ACTIONS):
    """Dismisses with the index of the document that was looked at last."""

    PLACE = "document"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,shift+tab", "other_pane", "other pane", show=False),
    ]

    def __init__(
        self, corpus: Corpus, rows: Sequence[int], index: int, search_text: str = ""
    ) -> None:
        """`search_text` is the text that the documents were found by; it is marked in each."""
        super().__init__()
        self.corpus = corpus
        self.rows = rows
        self.index = index
        self.search_text = search_text
        self.sheet = Sheet(title="Document", id="known")
        self.passage = Passage(id="text")
        self.document: DocumentSheet | None = None

    def compose_body(self) -> Iterator[Widget]:
        with Container(id="document-body"):
            yield self.sheet
            yield self.passage

    def on_mount(self) -> None:
        super().on_mount()
        self.passage.focus()
        self._load()

    def context(self) -> tuple[str, ...]:
        return (
            tr("{index} of {number:,}", index=self.index + 1, number=len(self.rows)),
            self.corpus.name,
        )

    def idle_keys(self) -> Collection[str]:
        marks = ("document.next_mark", "document.previous_mark")
        return {
            *(() if self.index + 1 < len(self.rows) else ("document.next",)),
            *(() if self.index else ("document.previous",)),
            *(marks if self.passage.body.idle_keys else ()),
        }

    def copies(self) -> Iterator[Copyable]:
        if (document := self.document) is not None:
            yield copyable("title", _title(document))
            yield copyable("text", document.text)
            yield copyable("id", document.document_id)
        yield from super().copies()

    def _load(self) -> None:
        row = self.rows[self.index]
        document = self.host.read(lambda db: document_sheet(db, self.corpus, row))
        if document is None:
            return
        self.document = document
        self.sheet.show(_known(document), title=_title(document))
        self.passage.show(document.text, chunk_marks(document.chunks), title="text")
        if self.search_text:
            self.passage.body.find(self.search_text)
        self.show_where()

    # Actions

    def action_next(self) -> None:
        self._step(1)

    def action_previous(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        if 0 <= self.index + by < len(self.rows):
            self.index += by
            self._load()

    def action_find(self) -> None:
        self.passage.body.action_find()

    def action_next_mark(self) -> None:
        self.passage.body.action_next_mark()

    def action_previous_mark(self) -> None:
        self.passage.body.action_previous_mark()

    def action_whole(self) -> None:
        self.passage.focus()
        self.toggle_class("-one-pane")

    def action_other_pane(self) -> None:
        if self.passage.has_focus_within and not self.has_class("-one-pane"):
            self.sheet.focus()
        else:
            self.passage.focus()

    def step_back(self) -> bool:
        """Back to the list, with the cursor on the document that was looked at last."""
        self.dismiss(self.index)
        return True


def chunk_marks(chunks: Sequence[Chunk]) -> list[Mark]:
    """Where each chunk begins: its first character, or all that it shares with those before."""
    marks: list[Mark] = []
    end = 0
    for number, chunk in enumerate(chunks, 1):
        shared = end - chunk.start
        place = f"{number}/{len(chunks)}"
        tokens = plural(chunk.tokens, "token")
        name = tr("chunk {place}, {tokens}", place=place, tokens=tokens)
        if shared > 0:
            name = tr(
                "chunk {place}, {tokens}, {characters} shared",
                place=place,
                tokens=tokens,
                characters=plural(shared, "character"),
            )
        marks.append(Mark(chunk.start, max(min(end, chunk.end), chunk.start + 1), "chunk", name))
        end = max(end, chunk.end)
    return marks


def _title(document: DocumentSheet) -> str:
    titles = [source.title for source in document.sources if source.title]
    title = titles[0] if titles else first_words(document.text)
    if title or not document.sources:
        return title or tr("Superseded")
    return PurePath(document.sources[0].path).name


def _known(document: DocumentSheet) -> Lay:
    pieces = len(document.chunks)
    counts = ", ".join(
        (
            tr(LANGUAGES.get(document.lang, document.lang)),
            read(plural(len(document.text), "character")),
            read(plural(document.tokens, "token")),
            read(plural(pieces, "chunk")),
        )
    )
    blocks = [Block("text", counts)]
    blocks += [
        Block(
            "topic",
            tr(
                "{topic_text}  ({taxonomy}, by {method})",
                topic_text=topic_text(topic),
                taxonomy=taxonomy,
                method=method,
            ),
        )
        for taxonomy, topic, method in document.topics
    ] or [Block("topic", tr("not classified"), "muted")]
    for source in document.sources:
        parts = (source.path, source.locator, source.external_id)
        blocks.append(Block("source", "  ".join(filter(None, parts))))
    blocks.append(Block("id", document.document_id, "muted"))
    legend: list[Piece] = [("[ ", "key"), (tr("a chunk begins; shaded: in two chunks"), "muted")]

    def lay(width: int) -> list[list[Piece]]:
        return [*lay_blocks(blocks, width), legend]

    return lay

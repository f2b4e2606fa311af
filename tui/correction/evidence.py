"""Marking a passage of a source document as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input

from engine.corpus.naming import first_words
from engine.text.wrapping import pad, truncate
from store.corpora.browsing import document_sheet
from store.corpora.corpora import Corpus
from store.records import Evidence, Turn
from tui.correction.keys import ACTIONS
from tui.correction.pick import DocumentPick
from tui.correction.queries import WordsQuery
from tui.correction.span_text import Span, SpanText
from tui.language import tr
from tui.screens.place import PlaceScreen
from tui.widgets.line import Piece, TextLines
from tui.widgets.marks import Mark, whole_occurrences
from tui.widgets.passage import Passage, PassageText


class MarkingPassage(Passage):
    """A passage whose text can be marked in; its search field is the passage's."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, empty=tr("The document is empty."))
        self.spans = SpanText()
        self.body: PassageText = self.spans


class Source(NamedTuple):
    """A document to mark in."""

    document_id: str
    text: str
    title: str


class EvidenceScreen(PlaceScreen, actions=ACTIONS):
    """Dismisses with the evidence that was marked, or None."""

    PLACE = "evidence"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,shift+tab", "other_end", tr("other end"), show=False),
    ]

    def __init__(
        self, corpus: Corpus, source: Source | None, turn: Turn, shown: Evidence | None
    ) -> None:
        """Begins in `source` with `shown` marked; without a source, with choosing one."""
        super().__init__()
        self.corpus = corpus
        self.source = source
        self.turn = turn
        self.shown = shown
        self.passage = MarkingPassage(id="source")
        self.spans = self.passage.spans
        self.about = TextLines(3, id="about")

    def compose_body(self) -> Iterator[Widget]:
        with Vertical(id="evidence-body"):
            yield self.about
            yield self.passage

    def on_mount(self) -> None:
        super().on_mount()
        self.spans.changed = self._show_about
        self.spans.focus()
        if self.source is None:
            self.action_document()
        else:
            self.call_after_refresh(self._open, self.source, self._span())

    def first_keys(self) -> Sequence[str]:
        """Those of the shortest way first: find, the sentence, take it."""
        return (
            *("passage.find", "evidence.sentences", "evidence.take", "evidence.mark"),
            "evidence.document",
        )

    def context(self) -> tuple[str, ...]:
        return (self.source.title if self.source is not None else "", self.corpus.name)

    def _span(self) -> Span | None:
        shown = self.shown
        if shown is None or shown.start is None or shown.end is None or self.source is None:
            return None
        return (shown.start, shown.end) if shown.end <= len(self.source.text) else None

    def _open(self, source: Source, span: Span | None) -> None:
        self.source = source
        self.spans.open(source.text, self._others(source), span, title=source.title)
        self.show_where()
        if any("\u4e00" <= character <= "\u9fff" for character in source.text[:2000]):
            self._ask_for_words(source)

    def _others(self, source: Source) -> Sequence[Mark]:
        """The other evidence of the turn, and where the document says its answers."""
        marks = [
            Mark(one.start, one.end, "match", tr("evidence too"))
            for one in self.turn.evidence
            if one != self.shown
            and one.document_id == source.document_id
            and one.start is not None
            and one.end is not None
        ]
        for form in self.turn.golden_answers:
            if form.strip():
                spans = whole_occurrences(source.text, form)[:20]
                marks += [Mark(start, end, "answer", tr("golden answer")) for start, end in spans]
        return marks

    def _ask_for_words(self, source: Source) -> None:
        """The words of a dictionary, from the process that has loaded it."""

        def show_words(words: tuple[Span, ...]) -> None:
            if self.source is source:
                self.spans.use_words(words)

        self.host.ask(tr("cutting words"), WordsQuery(source.text), show_words, group="words")

    def _show_about(self) -> None:
        """The question, its answers, and what would be taken."""
        width = max(self.size.width - 16, 10)
        answers = " / ".join(filter(None, self.turn.golden_answers))
        span = self.spans.span
        taken: Piece = (
            tr("nothing marked: = marks the sentence, Space begins, Enter takes"),
            "muted",
        )
        if span is not None and self.source is not None:
            quote = " ".join(self.source.text[span[0] : span[1]].split())
            taken = (_middle(quote, width), "evidence")
        self.about.show(
            [
                [(pad(tr("question"), 10), "muted"), (_line(self.turn.question, width), "strong")],
                [(pad(tr("answer"), 10), "muted"), (_line(answers, width), "")],
                [(pad(tr("passage"), 10), "muted"), taken],
            ]
        )

    # Actions

    def action_move(self, where: str) -> None:
        self.spans.action_move(where)

    def action_mark(self) -> None:
        self.spans.begin_mark()

    def action_other_end(self) -> None:
        self.spans.swap_ends()

    def action_sentences(self) -> None:
        self.spans.mark_sentences()

    def action_take(self) -> None:
        source, span = self.source, self.spans.span
        if source is None:
            return
        if span is None:
            self.spans.mark_sentences()
            return
        start, end = span
        self.dismiss(Evidence(source.document_id, start, end, source.text[start:end]))

    def action_whole_document(self) -> None:
        if self.source is not None:
            self.dismiss(Evidence(self.source.document_id))

    def action_find(self) -> None:
        self.spans.action_find()

    def action_next_mark(self) -> None:
        self.spans.action_next_mark()

    def action_previous_mark(self) -> None:
        self.spans.action_previous_mark()

    def action_document(self) -> None:
        self.app.push_screen(DocumentPick(self.corpus), self._chose)

    def _chose(self, row: str | None) -> None:
        if row is None:
            if self.source is None:
                self.dismiss(None)
            return
        sheet = self.host.read(lambda db: document_sheet(db, self.corpus, int(row)))
        if sheet is None:
            return
        titles = [one.title for one in sheet.sources if one.title]
        title = titles[0] if titles else first_words(sheet.text) or sheet.document_id[:12]
        self._open(Source(sheet.document_id, sheet.text, title), None)
        self.spans.focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        message.stop()

    def step_back(self) -> bool:
        """The first Esc drops the mark, the next one leaves the document."""
        if self.spans.pinned is not None and self.spans.span != self._span():
            self.spans.drop_mark()
        else:
            self.dismiss(None)
        return True


def _line(text: str, width: int) -> str:
    return truncate(" ".join(text.split()), width)


def _middle(text: str, width: int) -> str:
    """A long text by its two ends, since those are what one is choosing."""
    if len(text) * 2 <= width:
        return text
    half = max((width - 5) // 4, 4)
    if len(text) <= 2 * half + 3:
        return truncate(text, width)
    return f"{text[:half]} ... {text[-half:]}"

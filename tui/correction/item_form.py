"""The parts of an item as a form to edit, beside the document of the evidence."""

from __future__ import annotations

import msgspec
from textual.app import ComposeResult
from textual.containers import Container

from engine.corpus.evidence_facets import VALUES
from engine.corpus.naming import heading
from engine.labelling.items.corrections import Flaw, as_written, flaws, step_reason, usual_reason
from store.corpora.browsing import document_sheet
from store.corpora.corpora import LiveDocument
from store.records import UNASSIGNED, Evidence, ItemContent
from tui.correction import changes
from tui.correction.evidence import EvidenceScreen
from tui.correction.fields import (
    Spot,
    content_of,
    fields_of,
    flaw_text,
    index_of,
    key_of,
    reason_of,
    spot_of,
    with_said,
)
from tui.correction.pick import DocumentPick, Option, Pick
from tui.correction.subject import Corrected, documents, source_of
from tui.language import language, tr
from tui.screens.host import host_of
from tui.widgets.editor import Editor
from tui.widgets.field_lines import Field
from tui.widgets.marks import Mark
from tui.widgets.passage import Passage


class ItemForm(Container):
    """Shows nothing until `item` is set and `show` is called; knows no draft and no proposal."""

    def __init__(self, step: str = "") -> None:
        """`step` is that of authoring; empty for a correction."""
        super().__init__(id="correction-body")
        self.step = step
        self.answers: tuple[str, ...] = ()
        """What systems answered, for who writes the final answer."""
        self.editor = Editor(id="fields")
        self.passage = Passage(id="source", empty=tr("No evidence yet. ctrl+o marks some."))
        self.item: Corrected | None = None
        self.documents: dict[str, LiveDocument] = {}
        self._shown_evidence: object = None

    def compose(self) -> ComposeResult:
        yield self.editor
        yield self.passage

    def on_mount(self) -> None:
        self.passage.body.can_focus = False
        self.editor.opened = self._opened

    # What it holds

    @property
    def content(self) -> ItemContent:
        """The item as it is typed now."""
        assert self.item is not None
        return content_of(self.editor.fields, self.item.content)

    @property
    def typed_reason(self) -> str:
        return reason_of(self.editor.fields)

    @property
    def reason(self) -> str:
        """The reason of the correction: as typed, else the usual one for what has changed."""
        return self.typed_reason.strip() or self._usual_reason()

    def _usual_reason(self) -> str:
        assert self.item is not None
        if self.step:
            return step_reason(self.step, self.item.content.lang)
        return usual_reason(self.item.content, self.written)

    @property
    def written(self) -> ItemContent:
        """What would be stored of it."""
        return as_written(self.content, self.step)

    def flaws(self) -> list[Flaw]:
        """What keeps the item from being proposed as it is typed."""
        assert self.item is not None
        content = as_written(self.content, self.step) if self.step else self.content
        tasks = {task.key: task for task in self.item.taxonomy.tasks}
        texts = {key: document.text for key, document in self.documents.items()}
        return flaws(content, self.item.content, texts, tasks.get(content.task), self.step)

    # Showing

    def show(self, content: ItemContent, reason: str, part: str = "question") -> None:
        """Shows an item with the cursor in the first field of `part`."""
        self._read_documents(content)
        fields = self._fields(content, reason)
        active = next((at for at, field in enumerate(fields) if spot_of(field).part == part), 0)
        self.editor.show(fields, active)
        self.show_usual_reason()
        self.show_source(force=True)

    def show_usual_reason(self) -> None:
        """Shows, where no reason is typed, the one that will be given."""
        note = self._usual_reason()
        fields = self.editor.fields
        at = index_of(fields, "reason")
        if fields[at].note != note:
            noted = msgspec.structs.replace(fields[at], note=note)
            self.editor.relabel((*fields[:at], noted, *fields[at + 1 :]))

    def show_flaws(self, flaws: list[Flaw]) -> None:
        """Shows each flaw at its field, with the cursor at the first."""
        self.editor.show_errors({key_of(flaw): flaw_text(flaw) for flaw in reversed(flaws)})
        self.editor.go_to(index_of(self.editor.fields, key_of(flaws[0])))

    def _fields(self, content: ItemContent, reason: str) -> tuple[Field, ...]:
        assert self.item is not None
        return fields_of(content, reason, self.item.taxonomy, self._title, self.answers)

    def _title(self, document_id: str) -> str:
        document = self.documents.get(document_id)
        return heading(document) if document is not None else ""

    def _read_documents(self, content: ItemContent) -> None:
        item = self.item
        assert item is not None
        contents = [content, item.content, item.first]
        wanted = set(content.documents)
        if not self.documents or not wanted <= set(self.documents):
            read = host_of(self).read(lambda db: documents(db, item.corpus, contents))
            # those of before stay: an undo may bring a passage of theirs back
            self.documents |= read or {}

    def show_source(self, *, force: bool = False) -> None:
        """The document of the evidence with the cursor, or of the first of its turn; the hidden one
        with the cursor."""
        if self.item is None or not self.editor.fields:
            return
        content, spot = self.content, spot_of(self.editor.field)
        turn = content.turns[spot.turn]
        mine = spot.held if isinstance(spot.held, Evidence) else None
        evidence = mine or (turn.evidence[0] if turn.evidence else None)
        state = (spot.turn, evidence, turn.evidence, spot if spot.part == "hidden" else None)
        if state == self._shown_evidence and not force:
            return
        self._shown_evidence = state
        if spot.part == "hidden" and isinstance(spot.held, str):
            hidden = self.documents.get(spot.held)
            text, title = (hidden.text, heading(hidden)) if hidden is not None else ("", "")
            self.passage.show(text, title=title)
            return
        document = self.documents.get(evidence.document_id) if evidence is not None else None
        if document is None or evidence is None:
            self.passage.show("")
            return
        marks = [
            Mark(one.start, one.end, "evidence", tr("evidence {number}", number=number))
            for number, one in enumerate(turn.evidence, 1)
            if one.document_id == document.document_id
            and one.start is not None
            and one.end is not None
        ]
        self.passage.show(document.text, marks, title=heading(document))
        for mark in marks:
            if (mark.start, mark.end) == (evidence.start, evidence.end):
                self.passage.go_to(mark)

    # What is done with the part under the cursor

    def _change(self, changed: changes.Changed) -> bool:
        if changed is None:
            return False
        content, key = changed
        fields = self._fields(content, self.typed_reason)
        self.editor.errors = {}
        self.editor.change(fields, index_of(fields, key))
        return True

    def add(self) -> None:
        """Adds a part of the kind under the cursor; of evidence, by marking a passage, of hidden
        documents, by choosing one."""
        spot = self._spot()
        if spot is None:
            return
        if spot.part == "evidence":
            self._mark_evidence(Spot("evidence", spot.turn, -1))
        elif spot.part == "hidden":
            self._hide(Spot("hidden", at=-1), "")
        else:
            self._change(changes.added(self.content, spot))

    def delete(self) -> None:
        spot = self._spot()
        if spot is not None:
            self._change(changes.deleted(self.content, spot))

    def move_part(self, by: int) -> None:
        """Exchanges the part with its neighbour: -1 for the one before, 1 for the one after."""
        spot = self._spot()
        if spot is not None:
            self._change(changes.moved(self.content, spot, by))

    def mark_evidence(self) -> None:
        """Opens the document in which evidence is marked."""
        spot = self._spot()
        if spot is not None:
            self._mark_evidence(spot)

    def _spot(self) -> Spot | None:
        return spot_of(self.editor.field) if self.item is not None else None

    def _opened(self, field: Field, typed: str) -> None:
        """Enter, or a letter, on a row that is chosen and not typed."""
        spot = spot_of(field)
        if spot.part == "evidence":
            self._mark_evidence(spot)
        elif spot.part == "hidden":
            self._hide(spot, typed)
        elif isinstance(spot.held, str):
            self._pick(spot.part, spot.held, typed)

    def _pick(self, part: str, current: str, typed: str) -> None:
        assert self.item is not None
        taxonomy, is_chinese = self.item.taxonomy, language() == "zh"
        if part in VALUES:
            named = [(key, zh, en) for key, (zh, en) in VALUES[part].items()]
        else:
            known = taxonomy.topics if part == "topic" else taxonomy.tasks
            named = [(one.key, one.zh, one.en) for one in known]
        options = [
            Option(key, zh if is_chinese else en, en if is_chinese else zh) for key, zh, en in named
        ]
        none = Option("", tr("as the evidence says"))
        options.append(none if part in VALUES else Option(UNASSIGNED, tr("unassigned")))

        def chosen(key: str | None) -> None:
            if key is not None and key != current:
                self._set_choice(part, key)

        self.app.push_screen(Pick(part.capitalize(), options, current, typed), chosen)

    def _set_choice(self, part: str, key: str) -> None:
        content = self.content
        if part in VALUES:
            facets = with_said(content.facets, part, key)
            self._change((msgspec.structs.replace(content, facets=facets), part))
        else:
            self._change((msgspec.structs.replace(content, **{part: key}), part))

    def _hide(self, spot: Spot, typed: str) -> None:
        """Asks which document systems must not see, in place of the one at `spot` or besides."""
        assert self.item is not None
        corpus = self.item.corpus

        def chosen(row: str | None) -> None:
            self.editor.focus()
            if row is None:
                return
            sheet = host_of(self).read(lambda db: document_sheet(db, corpus, int(row)))
            if sheet is not None:
                content, key = changes.with_hidden(self.content, spot, sheet.document_id)
                self._read_documents(content)
                self._change((content, key))

        self.app.push_screen(DocumentPick(corpus, typed), chosen)

    def _mark_evidence(self, spot: Spot) -> None:
        assert self.item is not None
        turn = self.content.turns[spot.turn]
        mine = spot.held if isinstance(spot.held, Evidence) else None
        near = mine or (turn.evidence[0] if turn.evidence else None)
        if near is None:
            near = next((one for t in self.content.turns for one in t.evidence), None)
        document = self.documents.get(near.document_id) if near is not None else None
        source = source_of(document) if document is not None else None

        def marked(evidence: Evidence | None) -> None:
            self.editor.focus()
            if evidence is not None and evidence != mine:
                content, key = changes.with_evidence(self.content, spot, evidence)
                self._read_documents(content)
                self._change((content, key))

        self.app.push_screen(EvidenceScreen(self.item.corpus, source, turn, mine), marked)

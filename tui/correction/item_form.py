"""An item as a form to edit, beside the document of its evidence: its parts, and what is done with
each. Drafts and proposals are `tui.correction.screen`'s."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import msgspec
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget

from store.corpora.corpora import LiveDocument
from store.records import UNASSIGNED, Evidence, ItemContent
from tui.correction import changes
from tui.correction.evidence import EvidenceScreen
from tui.correction.fields import Spot, content_of, fields_of, index_of, reason_of, spot_of
from tui.correction.keys import ACTIONS
from tui.correction.pick import Option, Pick
from tui.correction.revision_diff import document_title
from tui.correction.subject import Corrected, documents, source_of
from tui.screens.place import PlaceScreen
from tui.shell.actions import EVERYWHERE, bindings
from tui.widgets.editor import Editor
from tui.widgets.field_lines import Field
from tui.widgets.footer import FooterLine
from tui.widgets.marks import Mark
from tui.widgets.passage import Passage


class ItemForm(PlaceScreen):
    """Shows nothing until `item` is set and the editor has its fields."""

    PLACE = "correction"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("correction", ACTIONS)]

    def __init__(self) -> None:
        super().__init__()
        self.editor = Editor(id="fields")
        self.passage = Passage(id="source", empty="No evidence yet. ctrl+o marks some.")
        self.footer = FooterLine(
            [("Esc", "review"), ("Tab", "next field"), *self.host.registry.footer(self.PLACE)],
            more=("ctrl+p", "commands"),
        )
        self.item: Corrected | None = None
        self.documents: dict[str, LiveDocument] = {}
        self._shown_evidence: object = None

    def compose_body(self) -> Iterator[Widget]:
        with Container(id="correction-body"):
            yield self.editor
            yield self.passage

    def on_mount(self) -> None:
        super().on_mount()
        self.passage.body.can_focus = False
        self.editor.edited = self.edited
        self.editor.opened = self._opened
        self.editor.moved = self.moved
        self.editor.commanded = self._command
        self.editor.focus()

    @abstractmethod
    def edited(self) -> None:
        """A text or a part has changed."""

    @abstractmethod
    def moved(self) -> None:
        """The cursor is in another field."""

    # What it holds

    @property
    def content(self) -> ItemContent:
        """The item as it is typed now."""
        assert self.item is not None
        return content_of(self.editor.fields, self.item.content)

    def _fields(self, content: ItemContent, reason: str) -> tuple[Field, ...]:
        assert self.item is not None
        return fields_of(content, reason, self.item.taxonomy, self._title)

    def _title(self, document_id: str) -> str:
        document = self.documents.get(document_id)
        return document_title(document) if document is not None else ""

    def _read_documents(self, content: ItemContent) -> None:
        item = self.item
        assert item is not None
        contents = [content, item.content, item.first]
        wanted = {one.document_id for turn in content.turns for one in turn.evidence}
        if not self.documents or not wanted <= set(self.documents):
            found = self.host.read(lambda db: documents(db, item.corpus, contents))
            # those of before stay: an undo may bring a passage of theirs back
            self.documents |= found or {}

    def _show_source(self, *, force: bool = False) -> None:
        """The document of the evidence with the cursor, or of the first of its turn."""
        if self.item is None or not self.editor.fields:
            return
        content, spot = self.content, spot_of(self.editor.field)
        turn = content.turns[spot.turn]
        mine = spot.held if isinstance(spot.held, Evidence) else None
        evidence = mine or (turn.evidence[0] if turn.evidence else None)
        state = (spot.turn, evidence, turn.evidence)
        if state == self._shown_evidence and not force:
            return
        self._shown_evidence = state
        document = self.documents.get(evidence.document_id) if evidence is not None else None
        if document is None or evidence is None:
            self.passage.show("")
            return
        marks = [
            Mark(one.start, one.end, "evidence", f"evidence {number}")
            for number, one in enumerate(turn.evidence, 1)
            if one.document_id == document.document_id
            and one.start is not None
            and one.end is not None
        ]
        self.passage.show(document.text, marks, title=document_title(document))
        for mark in marks:
            if (mark.start, mark.end) == (evidence.start, evidence.end):
                self.passage.go_to(mark)

    # Actions

    def _command(self, key: str) -> bool:
        """A control key, done before what is typed after it."""
        registry = self.host.registry
        back = next(one for one in registry.scoped(EVERYWHERE) if one.verb == "back")
        if key in back.keys and not self.problem.text:
            return self.step_back()
        for action in registry.scoped(self.PLACE):
            if key in action.keys:
                name, _, argument = action.action.partition("(")
                getattr(self, f"action_{name}")(*([argument.strip("')")] if argument else []))
                return True
        return False

    def _change(self, changed: changes.Changed) -> bool:
        if changed is None:
            return False
        content, key = changed
        fields = self._fields(content, reason_of(self.editor.fields))
        self.editor.errors = {}
        self.editor.change(fields, index_of(fields, key))
        return True

    def action_add(self) -> None:
        spot = self._spot()
        if spot is None:
            return
        if spot.part == "evidence":
            self._mark_evidence(Spot("evidence", spot.turn, -1))
        else:
            self._change(changes.added(self.content, spot))

    def action_delete(self) -> None:
        spot = self._spot()
        if spot is not None:
            self._change(changes.deleted(self.content, spot))

    def action_earlier(self) -> None:
        self._exchange(-1)

    def action_later(self) -> None:
        self._exchange(1)

    def _exchange(self, by: int) -> None:
        spot = self._spot()
        if spot is not None:
            self._change(changes.moved(self.content, spot, by))

    def action_undo(self) -> None:
        self.editor.undo()

    def action_redo(self) -> None:
        self.editor.redo()

    def action_page(self, where: str) -> None:
        self.passage.body.action_move(where)

    def action_source(self) -> None:
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
        elif isinstance(spot.held, str):
            self._pick(spot.part, spot.held, typed)

    def _pick(self, part: str, current: str, typed: str) -> None:
        assert self.item is not None
        taxonomy, is_chinese = self.item.taxonomy, self.item.content.lang == "zh"
        known = taxonomy.topics if part == "topic" else taxonomy.tasks
        options = [
            Option(
                one.key,
                one.zh if is_chinese else one.en,
                one.en if is_chinese else one.zh,
            )
            for one in known
        ]
        options.append(Option(UNASSIGNED, UNASSIGNED))

        def chosen(key: str | None) -> None:
            if key is not None and key != current:
                self._set_choice(part, key)

        self.app.push_screen(Pick(part.capitalize(), options, current, typed), chosen)

    def _set_choice(self, part: str, key: str) -> None:
        changed = msgspec.structs.replace(self.content, **{part: key})
        self._change((changed, part))

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

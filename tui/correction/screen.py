"""Correcting an item: its questions, answers, evidence, topic and task, as a rater's proposal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import msgspec
from textual.binding import BindingType
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from engine.labelling.corrections import (
    DRAFT,
    CorrectionDraft,
    Flaw,
    carried_over,
    draft_text,
    flaws,
    read_draft,
    tidied,
    usual_reason,
)
from engine.labelling.session import Labelling
from store.corpora import LiveDocument
from store.errors import Conflict, RagdeskError
from store.label_events import IDLE_CUT_MS, Subject
from store.records import UNASSIGNED, Evidence, ItemContent
from tui.actions import EVERYWHERE
from tui.correction import changes
from tui.correction.evidence import EvidenceScreen
from tui.correction.fields import (
    Spot,
    content_of,
    fields_of,
    index_of,
    key_of,
    reason_of,
    spot_of,
)
from tui.correction.keeper import DraftKeeper
from tui.correction.pick import Option, Pick
from tui.correction.review import ReviewScreen
from tui.correction.revision_diff import DiffBase, document_title, namer
from tui.correction.subject import Corrected, documents, load, source_of
from tui.keymap import REGISTRY
from tui.screens.confirm import Confirm
from tui.screens.place import PlaceScreen
from tui.widgets.editor import Editor, Field
from tui.widgets.footer import FooterLine
from tui.widgets.marks import Mark
from tui.widgets.passage import Passage

FOCUS = {"passages": "evidence", "evidence": "evidence", "answer": "answer", "topic": "topic"}


class CorrectionScreen(PlaceScreen):
    """Dismisses with the number of the new revision, or None when nothing was proposed.

    What is typed is kept as a draft all along; the screen opens with it again.
    """

    PLACE = "correction"
    BINDINGS: ClassVar[list[BindingType]] = [*REGISTRY.bindings("correction")]

    @dataclass
    class DraftFailed(Message):
        """The draft could not be written; or, with nothing said, it can be again."""

        problem: str

    def __init__(self, labelling: Labelling, subject: Subject, *, focus: str | None = None) -> None:
        """`subject` is the revision that is shown; `focus` the part to begin with: `question`,
        `answer`, `evidence`, `topic` or `task`."""
        super().__init__()
        self.labelling = labelling
        self.subject = subject
        self.editor = Editor(id="fields")
        self.passage = Passage(id="source", empty="No evidence yet. ctrl+o marks some.")
        self.footer = FooterLine(
            [("Esc", "review"), ("Tab", "next field"), *self.desk.registry.footer(self.PLACE)],
            more=("ctrl+p", "commands"),
        )
        self.item: Corrected | None = None
        self.documents: dict[str, LiveDocument] = {}
        self._focus_part = focus
        self._keeper: DraftKeeper | None = None
        self._opened_with: ItemContent | None = None
        self._is_kept = False
        self._shown_evidence: object = None
        self._active_ms = 0
        self._last_key = time.monotonic()

    def compose_body(self) -> Iterator[Widget]:
        with Container(id="correction-body"):
            yield self.editor
            yield self.passage

    # Opening and leaving

    def on_mount(self) -> None:
        super().on_mount()
        self.passage.body.can_focus = False
        self.editor.edited = self._edited
        self.editor.opened = self._opened
        self.editor.moved = self._moved
        self.editor.commanded = self._command
        self.editor.focus()
        self._keeper = DraftKeeper(
            self.desk.folder, self.labelling.form.key, self.labelling.rater, self._draft_failed
        )
        self._open()

    def on_unmount(self) -> None:
        if self._keeper is not None:
            self._keeper.close()

    def _open(self) -> None:
        """Read the item, and show the draft, or what was proposed before, or the text itself."""
        try:
            proposal = self.labelling.values(self.subject).get(self._field)
            kept = self.labelling.drafts(self.subject).get(self._draft_field)
        except RagdeskError as error:
            self.desk.show_problem(str(error))
            return
        number = proposal if isinstance(proposal, int) else None
        item = self.desk.read(lambda db: load(db, self.subject.numbers[0], number))
        if item is None:
            return
        self.item = item
        self._opened_with = item.proposed or item.content
        draft = read_draft(kept) if kept is not None else None
        self._is_kept = draft is not None
        if draft is None:
            self._show(self._opened_with, "", focus=self._focus_part)
        else:
            self._show(draft.content, draft.reason)
            self.editor.go_to(draft.active, draft.cursor)
        self._last_key = time.monotonic()
        self.show_where()

    def _show(self, content: ItemContent, reason: str, *, focus: str | None = None) -> None:
        self._read_documents(content)
        fields = self._fields(content, reason)
        part = FOCUS.get(focus or "", focus or "question")
        active = next((at for at, one in enumerate(fields) if spot_of(one).part == part), 0)
        self.editor.show(fields, active)
        self._tell_reason()
        self._show_source(force=True)

    def _read_documents(self, content: ItemContent) -> None:
        item = self.item
        assert item is not None
        contents = [content, item.content, item.first]
        wanted = {one.document_id for turn in content.turns for one in turn.evidence}
        if not self.documents or not wanted <= set(self.documents):
            found = self.desk.read(lambda db: documents(db, item.corpus, contents))
            # those of before stay: an undo may bring a passage of theirs back
            self.documents |= found or {}

    def context(self) -> tuple[str, ...]:
        if self.item is None:
            return ()
        sheet = self.item.sheet
        kept = "draft kept" if self._is_kept else ""
        return (sheet.dataset, f"item {sheet.item_key}", kept)

    @property
    def _field(self) -> str:
        decision = self.labelling.form.decision
        return decision.correction if decision is not None else ""

    @property
    def _draft_field(self) -> str:
        return f"{self._field}/{DRAFT}"

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

    def _is_changed(self) -> bool:
        assert self.item is not None
        content = tidied(self.content)
        return content != tidied(self.item.content) and content != tidied(
            self._opened_with or content
        )

    def _flaws(self) -> list[Flaw]:
        assert self.item is not None
        content = self.content
        shapes = {task.key: task.shape for task in self.item.taxonomy.tasks}
        texts = {key: document.text for key, document in self.documents.items()}
        return flaws(content, self.item.content, texts, shape=shapes.get(content.task))

    # Typing

    def _edited(self) -> None:
        self._count_time()
        self._tell_reason()
        self._keep_draft()
        self._show_source()

    def _tell_reason(self) -> None:
        """Show, where no reason is typed, the one that will be given."""
        assert self.item is not None
        note = usual_reason(self.item.content, tidied(self.content))
        fields = self.editor.fields
        at = index_of(fields, "reason")
        if fields[at].note != note:
            told = msgspec.structs.replace(fields[at], note=note)
            self.editor.relabel((*fields[:at], told, *fields[at + 1 :]))

    def _moved(self) -> None:
        self._count_time()
        self._show_source()

    def _count_time(self) -> None:
        now = time.monotonic()
        self._active_ms += min(round((now - self._last_key) * 1000), IDLE_CUT_MS)
        self._last_key = now

    def _keep_draft(self) -> None:
        if self._keeper is None or self.item is None:
            return
        draft = CorrectionDraft(
            self.content, reason_of(self.editor.fields), self.editor.active, self.editor.cursor
        )
        self._keeper.keep(self.subject, self._draft_field, draft_text(draft))
        if not self._is_kept:
            self._is_kept = True
            self.show_where()

    def _draft_failed(self, problem: str) -> None:
        """Called in the keeper's thread, which must not wait for this one."""
        self.post_message(self.DraftFailed(problem))

    def on_correction_screen_draft_failed(self, message: DraftFailed) -> None:
        text = f"The draft is not saved: {message.problem} What you typed stays here."
        self.problem.show(text if message.problem else "")

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
        registry = self.desk.registry
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

    # Proposing

    def step_back(self) -> bool:
        """Esc: out again when nothing has changed, else to what has."""
        if self.item is None or not self._is_changed():
            self._leave_unchanged()
        else:
            self._review()
        return True

    def _leave_unchanged(self) -> None:
        if self._is_kept and not self._forget_draft():
            return
        self.dismiss(None)

    def _forget_draft(self) -> bool:
        if self._keeper is not None:
            self._keeper.drop()
        try:
            self.labelling.discard_draft(self.subject, self._field)
        except RagdeskError as error:
            self.desk.show_problem(str(error))
            return False
        self._is_kept = False
        return True

    def _reason(self) -> str:
        assert self.item is not None
        typed = reason_of(self.editor.fields).strip()
        return typed or usual_reason(self.item.content, tidied(self.content))

    def _review(self) -> None:
        item = self.item
        assert item is not None
        found = self._flaws()
        bases = [DiffBase("against the text that was shown", item.content)]
        if item.first != item.content:
            bases.append(DiffBase("against the text that was generated", item.first))
        titles = {key: document_title(one) for key, one in self.documents.items()}
        self.app.push_screen(
            ReviewScreen(
                bases,
                tidied(self.content),
                namer(item.taxonomy, titles, item.content.lang),
                where=self.context(),
                reason=self._reason(),
                flaws=[flaw.text for flaw in found],
            ),
            self._reviewed,
        )

    def _reviewed(self, decision: str | None) -> None:
        self.editor.focus()
        if decision == "propose":
            self._propose()
        elif decision == "keep" or (decision == "discard" and self._forget_draft()):
            self.dismiss(None)

    def _propose(self) -> None:
        found = self._flaws()
        if found:
            self.editor.show_errors({key_of(flaw): flaw.text for flaw in reversed(found)})
            self.editor.go_to(index_of(self.editor.fields, key_of(found[0])))
            return
        if self._keeper is not None:
            self._keeper.drop()
        try:
            revision = self.labelling.propose(
                self.subject, tidied(self.content), self._reason(), active_ms=self._active_ms
            )
        except Conflict as conflict:
            self._keep_draft()
            self._offer_reload(conflict)
        except RagdeskError as error:
            self._keep_draft()
            self.desk.show_problem(f"{error} Your correction is still here.")
        else:
            self.dismiss(revision)

    def _offer_reload(self, conflict: Conflict) -> None:
        def decided(is_wanted: bool | None) -> None:
            if is_wanted:
                self._carry_over()

        self.app.push_screen(
            Confirm(
                "This item has another text by now.",
                "Your draft is kept. Its changes can be made to the text that stands now, for you"
                " to look through.",
                "make them there",
            ),
            decided,
        )

    def _carry_over(self) -> None:
        """Go on with the item's text of now, with what was changed here."""
        item, mine, reason = self.item, self.content, reason_of(self.editor.fields)
        assert item is not None
        old = self.subject
        head = self.desk.read(lambda db: load(db, item.sheet.id, None))
        if head is None:
            return
        now = Subject("revision", str(head.sheet.head))
        if now == old:
            self.desk.show_problem("The item still has the text that you were shown. Try again.")
            return
        theirs = self.desk.read(lambda db: load(db, head.sheet.head, None))
        if theirs is None:
            return
        self.subject, self.item, self._opened_with = now, theirs, theirs.content
        self.documents = {}
        self._show(carried_over(item.content, mine, theirs.content), reason)
        self._keep_draft()
        if self._keeper is not None and self._keeper.flush():
            # only once its changes are kept for the other text
            self.labelling.discard_draft(old, self._field)
        self.show_where()

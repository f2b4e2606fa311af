"""Correcting an item: its questions, answers, evidence, topic and task, as a rater's proposal."""

from __future__ import annotations

import time
from dataclasses import dataclass

import msgspec
from textual.message import Message

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
from engine.labelling.session import LabelSession
from store.errors import Conflict, RagdeskError
from store.labels.events import IDLE_CUT_MS, Subject
from store.records import ItemContent
from tui.correction.fields import (
    index_of,
    key_of,
    reason_of,
    spot_of,
)
from tui.correction.item_form import ItemForm
from tui.correction.keeper import DraftKeeper
from tui.correction.review import ReviewScreen
from tui.correction.revision_diff import DiffBase, document_title, namer
from tui.correction.subject import load
from tui.screens.confirm import Confirm

FOCUS = {"passages": "evidence", "evidence": "evidence", "answer": "answer", "topic": "topic"}


class CorrectionScreen(ItemForm):
    """Dismisses with the number of the new revision, or None when nothing was proposed.

    What is typed is kept as a draft all along; the screen opens with it again.
    """

    @dataclass
    class DraftFailed(Message):
        """The draft could not be written; or, with nothing said, it can be again."""

        problem: str

    def __init__(
        self, session: LabelSession, subject: Subject, *, focus: str | None = None
    ) -> None:
        """`subject` is the revision that is shown; `focus` the part to begin with: `question`,
        `answer`, `evidence`, `topic` or `task`."""
        super().__init__()
        self.session = session
        self.subject = subject
        self._focus_part = focus
        self._keeper: DraftKeeper | None = None
        self._opened_with: ItemContent | None = None
        self._is_kept = False
        self._active_ms = 0
        self._last_key = time.monotonic()

    # Opening and leaving

    def on_mount(self) -> None:
        super().on_mount()
        self._keeper = DraftKeeper(
            self.host.folder, self.session.form.key, self.session.rater, self._draft_failed
        )
        self._open()

    def on_unmount(self) -> None:
        if self._keeper is not None:
            self._keeper.close()

    def _open(self) -> None:
        """Read the item, and show the draft, or what was proposed before, or the text itself."""
        try:
            proposal = self.session.values(self.subject).get(self._field)
            kept = self.session.drafts(self.subject).get(self._draft_field)
        except RagdeskError as error:
            self.host.show_problem(str(error))
            return
        number = proposal if isinstance(proposal, int) else None
        item = self.host.read(lambda db: load(db, self.subject.numbers[0], number))
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

    def context(self) -> tuple[str, ...]:
        if self.item is None:
            return ()
        sheet = self.item.sheet
        kept = "draft kept" if self._is_kept else ""
        return (sheet.dataset, f"item {sheet.item_key}", kept)

    @property
    def _field(self) -> str:
        decision = self.session.form.decision
        return decision.correction if decision is not None else ""

    @property
    def _draft_field(self) -> str:
        return f"{self._field}/{DRAFT}"

    # What it holds

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

    def edited(self) -> None:
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

    def moved(self) -> None:
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
            self.session.discard_draft(self.subject, self._field)
        except RagdeskError as error:
            self.host.show_problem(str(error))
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
            revision = self.session.propose(
                self.subject, tidied(self.content), self._reason(), active_ms=self._active_ms
            )
        except Conflict as conflict:
            self._keep_draft()
            self._offer_reload(conflict)
        except RagdeskError as error:
            self._keep_draft()
            self.host.show_problem(f"{error} Your correction is still here.")
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
        head = self.host.read(lambda db: load(db, item.sheet.id, None))
        if head is None:
            return
        now = Subject("revision", str(head.sheet.head))
        if now == old:
            self.host.show_problem("The item still has the text that you were shown. Try again.")
            return
        theirs = self.host.read(lambda db: load(db, head.sheet.head, None))
        if theirs is None:
            return
        self.subject, self.item, self._opened_with = now, theirs, theirs.content
        self.documents = {}
        self._show(carried_over(item.content, mine, theirs.content), reason)
        self._keep_draft()
        if self._keeper is not None and self._keeper.flush():
            # only once its changes are kept for the other text
            self.session.discard_draft(old, self._field)
        self.show_where()

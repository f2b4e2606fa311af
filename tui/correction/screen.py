"""Correcting an item: its questions, answers, evidence, topic and task, as a rater's proposal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from textual.message import Message
from textual.widget import Widget

from engine.corpus.naming import heading
from engine.labelling.items.corrections import (
    DRAFT,
    CorrectionDraft,
    carried_over,
    draft_text,
    read_draft,
    tidied,
    with_given,
)
from engine.labelling.session import LabelSession
from store.errors import Conflict, RagdeskError
from store.labels.log.authoring import ANSWER, system_answers
from store.labels.log.events import IDLE_CUT_MS, Subject
from store.records import ItemContent
from tui.correction.fields import flaw_text
from tui.correction.item_form import ItemForm
from tui.correction.keeper import DraftKeeper
from tui.correction.keys import ACTIONS
from tui.correction.review import ReviewScreen
from tui.correction.revision_diff import DiffBase, namer
from tui.correction.subject import load
from tui.language import tr
from tui.screens.confirm import Confirm
from tui.screens.place import PlaceScreen
from tui.shell.actions import EVERYWHERE, KeyLabel

FOCUS = {"passages": "evidence", "evidence": "evidence", "answer": "answer", "topic": "topic"}


class CorrectionScreen(PlaceScreen, actions=ACTIONS):
    """Dismisses with the number of the new revision, or None when nothing was proposed.

    What is typed is kept as a draft all along; the screen opens with it again.
    """

    PLACE = "correction"

    FOOTER_START = (
        KeyLabel(tr("Esc"), "review", "escape"),
        KeyLabel(tr("Tab"), tr("next field"), "tab"),
    )

    @dataclass
    class DraftFailed(Message):
        """The draft could not be written; an empty problem says that it can be again."""

        problem: str

    def __init__(
        self, session: LabelSession, subject: Subject, *, focus: str | None = None
    ) -> None:
        """`subject` is the revision that is shown; `focus` the part to begin with: `question`,
        `answer`, `evidence`, `topic`, `task` or `hidden`."""
        super().__init__()
        self.form = ItemForm(session.authoring_step)
        self.session = session
        self.subject = subject
        self._focus_part = focus or "question"
        self._keeper: DraftKeeper | None = None
        self._opened_with: ItemContent | None = None
        self._is_kept = False
        self._active_ms = 0
        self._last_key = time.monotonic()

    def compose_body(self) -> Iterator[Widget]:
        yield self.form

    # Opening and leaving

    def on_mount(self) -> None:
        super().on_mount()
        self.form.editor.edited = self._edited
        self.form.editor.moved = self._moved
        self.form.editor.commanded = self._command
        self.form.editor.focus()
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
        step = self.session.authoring_step
        number = proposal if isinstance(proposal, int) and not step else None
        item = self.host.read(lambda db: load(db, self.session.text_of(self.subject), number))
        if item is None:
            return
        self.form.item = item
        self._opened_with = item.proposed or item.content
        if step:
            self._opened_with = with_given(item.content, item.first, step)
        if step == ANSWER:
            question = item.content.turns[0].question
            found = self.host.read(lambda db: system_answers(db, item.sheet.item, question))
            self.form.answers = tuple(one.answer for one in found or ())
        draft = read_draft(kept) if kept is not None else None
        self._is_kept = draft is not None
        if draft is None:
            part = FOCUS.get(self._focus_part, self._focus_part)
            self.form.show(self._opened_with, "", part)
        else:
            self.form.show(draft.content, draft.reason)
            self.form.editor.go_to(draft.active, draft.cursor)
        self._last_key = time.monotonic()
        self.show_where()

    def context(self) -> tuple[str, ...]:
        if self.form.item is None:
            return ()
        sheet = self.form.item.sheet
        kept = tr("draft kept") if self._is_kept else ""
        return (sheet.dataset, tr("item {item_key}", item_key=sheet.item_key), kept)

    @property
    def _field(self) -> str:
        return self.session.form.proposal

    @property
    def _draft_field(self) -> str:
        return f"{self._field}/{DRAFT}"

    def _is_changed(self) -> bool:
        item = self.form.item
        if item is None:
            return False
        if self.form.step == ANSWER and not self.form.flaws():
            return True  # an answer may be right as it stands
        content = tidied(self.form.content)
        return content != tidied(item.content) and content != tidied(self._opened_with or content)

    # Typing

    def _edited(self) -> None:
        self._count_time()
        self.form.show_usual_reason()
        self._keep_draft()
        self.form.show_source()

    def _moved(self) -> None:
        self._count_time()
        self.form.show_source()

    def _command(self, key: str) -> bool:
        """Does what a control key means, before what is typed after it; False where it has no
        meaning."""
        registry = self.host.registry
        back = next(action for action in registry.scoped(EVERYWHERE) if action.verb == "back")
        if key in back.keys and not self.problem.text:
            return self.step_back()
        for action in registry.scoped(self.PLACE):
            if key in action.keys:
                name, _, argument = action.action.partition("(")
                getattr(self, f"action_{name}")(*([argument.strip("')")] if argument else []))
                return True
        return False

    def action_add(self) -> None:
        self.form.add()

    def action_delete(self) -> None:
        self.form.delete()

    def action_earlier(self) -> None:
        self.form.move_part(-1)

    def action_later(self) -> None:
        self.form.move_part(1)

    def action_source(self) -> None:
        self.form.mark_evidence()

    def action_undo(self) -> None:
        self.form.editor.undo()

    def action_redo(self) -> None:
        self.form.editor.redo()

    def sideways_keys(self) -> KeyLabel:
        return self.host.registry.joint(self.PLACE, ("column_left", "column_right"), "columns")

    def action_page(self, where: str) -> None:
        self.form.passage.body.action_move(where)

    # Drafts

    def _count_time(self) -> None:
        now = time.monotonic()
        self._active_ms += min(round((now - self._last_key) * 1000), IDLE_CUT_MS)
        self._last_key = now

    def _keep_draft(self) -> None:
        form = self.form
        if self._keeper is None or form.item is None:
            return
        draft = CorrectionDraft(
            form.content, form.typed_reason, form.editor.active, form.editor.cursor
        )
        self._keeper.keep(self.subject, self._draft_field, draft_text(draft))
        if not self._is_kept:
            self._is_kept = True
            self.show_where()

    def _draft_failed(self, problem: str) -> None:
        """Called in the keeper's thread, which must not wait for this one."""
        self.post_message(self.DraftFailed(problem))

    def on_correction_screen_draft_failed(self, message: DraftFailed) -> None:
        text = tr(
            "The draft is not saved: {problem} What you typed stays here.", problem=message.problem
        )
        self.problem.show(text if message.problem else "")

    # Proposing

    def step_back(self) -> bool:
        """Esc: out again when nothing has changed, else to what has."""
        if self._is_changed():
            self._review()
        else:
            self._leave_unchanged()
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

    def _review(self) -> None:
        item = self.form.item
        assert item is not None
        bases = [DiffBase(tr("against the text that was shown"), item.content)]
        if item.first != item.content:
            bases.append(DiffBase(tr("against the text that was generated"), item.first))
        titles = {key: heading(document) for key, document in self.form.documents.items()}
        self.app.push_screen(
            ReviewScreen(
                bases,
                self.form.written,
                namer(item.taxonomy, titles),
                where=self.context(),
                notes=[
                    *((f"! {flaw_text(flaw)}", "warn") for flaw in self.form.flaws()),
                    (tr("reason: {reason}", reason=self.form.reason), "muted"),
                ],
            ),
            self._reviewed,
        )

    def _reviewed(self, decision: str | None) -> None:
        self.form.editor.focus()
        if decision == "propose":
            self._propose()
        elif decision == "keep" or (decision == "discard" and self._forget_draft()):
            self.dismiss(None)

    def _propose(self) -> None:
        if flaws := self.form.flaws():
            self.form.show_flaws(flaws)
            return
        if self._keeper is not None:
            self._keeper.drop()
        try:
            assert self.form.item is not None
            revision = self.session.propose(
                self.subject,
                self.form.written,
                self.form.reason,
                shown=self.form.item.sheet.id,
                active_ms=self._active_ms,
            )
        except Conflict as conflict:
            self._keep_draft()
            self._offer_reload(conflict)
        except RagdeskError as error:
            self._keep_draft()
            self.host.show_problem("{error} Your correction is still here.", error=error)
        else:
            self.dismiss(revision)

    def _offer_reload(self, conflict: Conflict) -> None:
        def decided(is_wanted: bool | None) -> None:
            if is_wanted:
                self._carry_over()

        self.app.push_screen(
            Confirm(
                tr("This item has another text by now."),
                tr(
                    "Your draft is kept. Its changes can be made to the text that stands now, "
                    "for you to look through."
                ),
                tr("make them there"),
            ),
            decided,
        )

    def _carry_over(self) -> None:
        """Go on with the item's text of now, with what was changed here."""
        item, mine, reason = self.form.item, self.form.content, self.form.typed_reason
        assert item is not None
        old = self.subject
        head = self.host.read(lambda db: load(db, item.sheet.id, None))
        if head is None:
            return
        if head.sheet.head == item.sheet.id:
            self.host.show_problem("The item still has the text that you were shown. Try again.")
            return
        now = old if self.form.step else Subject("revision", str(head.sheet.head))
        theirs = self.host.read(lambda db: load(db, head.sheet.head, None))
        if theirs is None:
            return
        self.subject, self._opened_with = now, theirs.content
        self.form.item, self.form.documents = theirs, {}
        self.form.show(carried_over(item.content, mine, theirs.content), reason)
        self._keep_draft()
        if now != old and self._keeper is not None and self._keeper.flush():
            # only once its changes are kept for the other text
            self.session.discard_draft(old, self._field)
        self.show_where()

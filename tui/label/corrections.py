"""Correcting an item from where it is labelled: the editor, what was changed, and its versions."""

from __future__ import annotations

import sqlite3

from engine.generate.making import MadeStage, made_in
from store.corpora import corpora
from store.datasets import datasets, revisions
from store.datasets.revisions import RevisionSheet
from store.labels.forms import Field, Value
from store.labels.log.authoring import ANSWER
from store.labels.log.events import Subject
from tui.label.desk_protocol import Desk
from tui.label.form.lines import checks
from tui.language import tr


class ItemCorrections:
    """Does something where the form is about items; answers are labelled as they are."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def opens_after(self, field: Field, value: Value | None) -> bool:
        """Whether a value calls for a correction, whose editor is then open; `go_on` comes after
        it."""
        decision = self._desk.form.decision
        if decision is None or field.key != decision.field or value not in decision.correct:
            return False
        self.edit()
        return True

    def resume(self) -> None:
        """Opens the editor again where something was half typed in it."""
        desk, session, opened = self._desk, self._desk.session, self._desk.opened
        if opened is None or session is None or not desk.form.proposal:
            return
        drafts = session.drafts(opened.subject)
        if any(field.startswith(f"{desk.form.proposal}/") for field in drafts):
            self.edit()

    def edit(self) -> None:
        """The correction editor, with the cursor in what the first failing check is about."""
        desk, session, opened = self._desk, self._desk.session, self._desk.opened
        if opened is None or session is None or self._is_of_answers():
            return
        if not desk.form.proposal:
            desk.flash(tr("this form takes no corrections"))
            return
        from tui.correction.screen import CorrectionScreen

        failing = (one.key for one in checks(desk.form) if opened.values.get(one.key) == 0)
        first = "answer" if session.authoring_step == ANSWER else None
        editor = CorrectionScreen(session, opened.subject, focus=next(failing, first))
        desk.host.push_screen(editor, self._corrected)

    def _corrected(self, revision: int | None) -> None:
        desk, session = self._desk, self._desk.session
        desk.restart_clock()
        if session is None or session.subject is None:
            return
        if revision is None:
            desk.saving.attempt(desk.show_stale, desk.show_stale)
            desk.say(tr("no correction: e opens it again, Enter goes on"))
            return
        if session.authoring_step:
            desk.advance()
            return
        subject = session.subject
        parent = session.read(lambda db: revisions.parent(db, revision))
        if parent is not None and str(parent) != subject.base:
            # the item had another text by then, and the correction was carried over to it
            subject = Subject("revision", str(parent))
            session.show(subject)
            desk.show_opened()

        def accept() -> None:
            is_text = session.settle_correction(subject, revision)
            desk.show_values()
            desk.say(
                tr("the correction is the text now") if is_text else tr("proposed: others rule")
            )

        if desk.saving.attempt(accept, lambda: self._corrected(revision)):
            desk.go_on()

    def diff(self) -> None:
        """What people have changed of the generated text; of one's own proposal if there is one."""
        desk, session, opened = self._desk, self._desk.session, self._desk.opened
        if opened is None or session is None or self._is_of_answers():
            return
        from tui.correction.revision_diff import DiffBase, DiffScreen, names

        own = None if session.authoring_step else opened.values.get(desk.form.proposal)
        number = own if isinstance(own, int) else session.text_of(opened.subject)
        sheet = session.read(lambda db: revisions.sheet(db, number))
        lines = session.read(lambda db: revisions.history(db, sheet.item))
        before = dict.fromkeys((lines[0].id, sheet.parent or lines[0].id))
        sheets = session.read(lambda db: [revisions.sheet(db, one) for one in before])
        bases = [
            DiffBase(tr("against version {number}", number=one.number), one.content)
            for one in sheets
            if one.id != number
        ]
        if not bases:
            desk.flash(tr("nobody has changed it: this is the text that it began with"))
            return
        contents = [sheet.content, *(one.content for one in bases)]
        name = session.read(lambda db: names(db, number, contents))
        where = (*desk.view.context(), tr("version {number}", number=sheet.number))
        desk.host.push_screen(DiffScreen(bases, sheet.content, name, where=where))

    def history(self) -> None:
        """All versions, without their authors as long as the form hides who wrote them."""
        desk, opened = self._desk, self._desk.opened
        if opened is None or self._is_of_answers():
            return
        from tui.correction.history import HistoryScreen

        (shown,) = opened.subject.numbers
        is_blind = bool({"author", "other_raters"} & desk.hidden(opened))
        screen = HistoryScreen(shown, hides_author=is_blind, own=desk.host.rater)
        desk.host.push_screen(screen)

    def making(self) -> None:
        """The stages that it was written in, once the form does not hide who wrote it."""
        desk, session, opened = self._desk, self._desk.session, self._desk.opened
        if opened is None or session is None or self._is_of_answers():
            return
        if "author" in desk.hidden(opened):
            desk.flash(tr("label it first: the stages say who wrote it"))
            return
        from tui.screens.making import MakingScreen

        (shown,) = opened.subject.numbers
        sheet, stages = session.read(lambda db: _made(db, shown))
        desk.host.push_screen(MakingScreen(stages, sheet.item_key))

    def _is_of_answers(self) -> bool:
        """Says so where there is no item to correct."""
        if self._desk.form.subject_kind == "revision":
            return False
        self._desk.flash(tr("an answer is labelled as it is; items can be corrected"))
        return True


def _made(db: sqlite3.Connection, revision: int) -> tuple[RevisionSheet, tuple[MadeStage, ...]]:
    sheet = revisions.sheet(db, revision)
    corpus = corpora.get_by_id(db, datasets.get(db, sheet.dataset).corpus_id)
    return sheet, made_in(db, corpus, sheet.item)

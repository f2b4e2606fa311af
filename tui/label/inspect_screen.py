"""Inspect: one item after the other, read beside its evidence, scored and corrected."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from store.datasets import revisions
from store.labels.events import Subject
from store.labels.forms import Field, Value
from tui.label.form_lines import checks
from tui.label.judgement import JudgementScreen
from tui.label.keys import ACTIONS
from tui.shell.actions import bindings


class InspectScreen(JudgementScreen):
    PLACE = "inspect"
    FORM = "inspection"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("inspect", ACTIONS),
        Binding("tab,shift+tab", "other_pane", "other pane", show=False),
    ]

    def empty_words(self) -> str:
        names = [fact.dataset.name for fact in self.host.facts.datasets]
        name = names[0] if names else "NAME"
        return (
            "No item waits for you. + draws a sample of drafts, so many a cell; in a shell:\n\n"
            f"ragdesk sample draw first --dataset {name} --per-cell 20\n\n"
            "What arrives shows here by itself."
        )

    def said(self, field: Field, value: Value | None) -> bool:
        """A score that calls for a correction opens it."""
        decision = self.form.decision
        if decision is None or field.key != decision.field or value not in decision.correct:
            return False
        self.action_edit()
        return True

    def resumed(self) -> None:
        opened, session = self.opened, self.session
        if opened is None or session is None or self.form.decision is None:
            return
        drafts = session.drafts(opened.subject)
        if any(field.startswith(f"{self.form.decision.correction}/") for field in drafts):
            self.action_edit()

    # Correcting

    def action_edit(self) -> None:
        """The correction editor, with the cursor in what the first failing check is about."""
        opened, session = self.opened, self.session
        if opened is None or session is None:
            return
        from tui.correction.screen import CorrectionScreen

        editor = CorrectionScreen(session, opened.subject, focus=self._defect())
        self.app.push_screen(editor, self._corrected)

    def _corrected(self, revision: int | None) -> None:
        session = self.session
        self.restart_clock()
        if session is None or session.opened is None:
            return
        if revision is None:
            self.attempt(self.show_stale, self.show_stale)
            self.panel.say("no correction: e opens it again, Enter goes on")
            return
        subject = session.opened.subject
        parent = session.read(lambda db: revisions.parent(db, revision))
        if parent is not None and str(parent) != subject.base:
            # the item had another text by then, and the correction was carried over to it
            subject = Subject("revision", str(parent))
            session.show(subject)
            self.show_opened()

        def accept() -> None:
            is_text = session.settle_correction(subject, revision)
            self.show_values()
            self.panel.say("the correction is the text now" if is_text else "proposed: others rule")

        if self.attempt(accept, lambda: self._corrected(revision)):
            self.go_on()

    def action_diff(self) -> None:
        """What people have changed of the generated text; of one's own proposal if there is one."""
        opened, session = self.opened, self.session
        if opened is None or session is None or self.form.decision is None:
            return
        from tui.correction.revision_diff import DiffBase, DiffScreen, names

        own = opened.values.get(self.form.decision.correction)
        (shown,) = opened.subject.numbers
        number = own if isinstance(own, int) else shown
        sheet = session.read(lambda db: revisions.sheet(db, number))
        lines = session.read(lambda db: revisions.history(db, sheet.item))
        before = dict.fromkeys((lines[0].id, sheet.parent or lines[0].id))
        found = session.read(lambda db: [revisions.sheet(db, one) for one in before])
        bases = [
            DiffBase(f"against version {one.number}", one.content)
            for one in found
            if one.id != number
        ]
        if not bases:
            self.flash("nobody has changed it: this is the text that it began with")
            return
        contents = [sheet.content, *(one.content for one in bases)]
        name = session.read(lambda db: names(db, number, contents))
        where = (*self.view.context(), f"version {sheet.number}")
        self.app.push_screen(DiffScreen(bases, sheet.content, name, where=where))

    def action_history(self) -> None:
        opened = self.opened
        if opened is None:
            return
        from tui.correction.history import HistoryScreen

        (shown,) = opened.subject.numbers
        is_blind = bool({"author", "other_raters"} & self.hidden(opened))
        screen = HistoryScreen(shown, hides_author=is_blind, own=self.host.rater)
        self.app.push_screen(screen)

    def _defect(self) -> str | None:
        opened = self.opened
        if opened is None:
            return None
        failing = (one.key for one in checks(self.form) if opened.values.get(one.key) == 0)
        return next(failing, None)

"""What a rater can do at any desk beside giving values."""

from __future__ import annotations

import os
from contextlib import suppress

from engine.labelling.session import Route
from store.errors import RagdeskError
from store.labels.events import LabelEvent, Subject
from store.labels.queue import Filter
from tui.label.ask import AskReason, AskText
from tui.label.form_lines import name_of
from tui.label.messages import event_text
from tui.label.routes import named, route_rows, routes
from tui.label.value_keys import ValueDesk
from tui.screens.choose import Choose
from tui.screens.destinations import AtQueue
from tui.screens.topic_labels import cell_names
from tui.widgets.row_source import Column

NOTE = "comment"
"""The draft of a note; no form has a field of that name."""


class JudgementScreen(ValueDesk):
    """A rater judges one subject after the other with one form.

    A subclass names its place (`PLACE`) and its form (`FORM`), whose kind of subject `views` has a
    widget for; its BINDINGS are those of its place, which `tui.label.keys` lists in `DESKS`, so
    that all judgement screens share their keys. It says what the empty screen tells
    (`empty_words`), and may open something after a value (`said`, then `go_on`).

    What is common is here and below: in `SubjectScreen` the panes and the guideline; in
    `JudgementDesk` the queue with its leases, reading ahead, and what is hidden until one has
    judged; in `ValueDesk` the form's keys and the durable write before the paint.
    """

    # On and back

    def action_confirm(self) -> None:
        """Enter: try again what was not saved; else go on, where all is said."""
        opened = self.opened
        if self.retry() or self.session is None:
            return
        if opened is not None and not opened.is_done:
            missing = self._first_field(opened)
            self.panel.move_to(missing)
            self.flash("not all is said yet; ] goes on without")
            return
        self.advance()

    def step(self, by: int) -> None:
        session = self.session
        if session is None:
            return

        def go() -> None:
            if session.step(by):
                self.show_opened()
            else:
                self.flash("nothing further this way")

        self.attempt(go, lambda: self.step(by))

    def reverse(self, *, is_undo: bool) -> None:
        session = self.session
        if session is None:
            return

        def reverse() -> None:
            before = session.subject
            undone = session.undo() if is_undo else session.redo()
            if undone is None:
                self.flash(f"nothing to {'undo' if is_undo else 'redo'}")
                return
            if before == undone.event.subject:
                self.show_values()
            else:
                self.show_opened()
            self.panel.say(f"{'undone' if is_undo else 'again'}: {self.told(undone.event)}")

        self.attempt(reverse, lambda: self.reverse(is_undo=is_undo))

    def told(self, event: LabelEvent) -> str:
        field = self.form.field(event.field) if event.field else None
        return event_text(event, field, self.lang)

    # About the whole subject

    def action_flag(self) -> None:
        session = self.session
        if session is None or session.opened is None:
            return
        opened = session.opened
        self.attempt(
            lambda: session.flag(opened.subject, on=not opened.is_flagged), self.action_flag
        )
        self.show_values()

    def action_postpone(self) -> None:
        session = self.session
        if session is None or session.opened is None:
            return
        subject = session.opened.subject
        if session.opened.is_done:
            self.flash("it is judged already; u takes that back")
        elif self.attempt(lambda: session.postpone(subject), self.action_postpone):
            self.advance()

    def action_exclude(self) -> None:
        session = self.session
        if session is None or session.opened is None:
            return
        opened = session.opened

        def exclude(reason: str | None) -> None:
            if reason is None:
                return
            # the reason that stands takes the exclusion back
            said = None if opened.excluded == reason else reason
            if self.attempt(lambda: session.exclude(opened.subject, said), lambda: exclude(reason)):
                self.show_values()
                if self.opened is not None and self.opened.excluded:
                    self.advance()

        title = "It cannot be judged, because"
        self.host.push_screen(AskReason(title, self.form.exclude_reasons, self.lang), exclude)

    def action_comment(self, field: str = "") -> None:
        """A note on the subject, or on one field of it."""
        session = self.session
        if session is None or session.opened is None:
            return
        opened = session.opened
        subject = opened.subject
        standing = opened.notes.get(field, "") if field else opened.comment
        draft = f"{NOTE}/{field}" if field else NOTE
        labelling = session

        def keep(text: str) -> None:
            with suppress(RagdeskError):  # what is typed stays on the screen; Enter will tell
                labelling.save_draft(subject, draft, text)

        def note(text: str | None) -> None:
            if text is None or text == standing:
                return

            def write() -> None:
                session.comment(subject, text, field)
                labelling.discard_draft(subject, draft)

            self.attempt(write, lambda: note(text))
            self.show_values()

        half = labelling.drafts(subject).get(draft, standing)
        title = f"Note on {name_of(self.form.field(field), self.lang)}" if field else "Note"
        self.host.push_screen(AskText(title, half, keep), note)

    def action_comment_field(self) -> None:
        """A note on the field that the cursor is on."""
        field = self.panel.focus_field
        if field is not None:
            self.action_comment(field.key)

    def action_reveal(self) -> None:
        """Show what was hidden, once one has judged; the log keeps that one has looked."""
        session, opened = self.session, self.opened
        if session is None or opened is None:
            return
        if not opened.is_done:
            self.flash("judge it first: what is hidden would lead you")
            return
        if not opened.is_revealed:
            what = " ".join(self.form.hidden)
            if not self.attempt(lambda: session.reveal(opened.subject, what), self.action_reveal):
                return
        self.show_opened()
        self.panel.say(self.view.revealed_words())

    # Which come

    def action_auto_advance(self) -> None:
        self.advances = not self.advances
        how = "by itself once all is said" if self.advances else "on Enter"
        self.panel.say(f"the next one comes {how}")

    def action_queue(self) -> None:
        session = self.session
        if session is None:
            return
        found = routes(session, cell_names(self.host.facts, os.environ), self.home)

        def follow(key: str | None) -> None:
            if key is not None:
                self.follow(found[int(key)].route)

        columns = (Column(minimum=24), Column("", 16, "right"), Column("", 5, "right", drop=1))
        self.host.push_screen(Choose("Which come", columns, route_rows(found)), follow)

    def follow(self, route: Route) -> None:
        """Go through other subjects from here on."""
        session = self.session
        if session is None:
            return

        def go() -> None:
            if session.follow(route):
                self.show_opened()
            else:
                self.flash(f"nothing waits there: {route.title}")
                self._look_ahead()

        self.attempt(go, lambda: self.follow(route))

    def step_back(self) -> bool:
        """Esc: out of the guideline, then out of a narrower queue."""
        if self.has_class("-guided"):
            self.action_guideline()
            return True
        if self.session is not None and self.session.route != self.home:
            self.follow(self.home)
            return True
        return False

    # Ruling

    def action_conflicts(self) -> None:
        """What raters differ on, to be ruled on."""
        from tui.label.adjudication import AdjudicationScreen

        self.app.push_screen(AdjudicationScreen(self.form.key), self._ruled)

    def _ruled(self, _: object) -> None:
        self.restart_clock()
        self.attempt(self.show_stale, self.show_stale)

    # Figures over the work, and what is drawn

    def action_statistics(self) -> None:
        from tui.statistics.screen import StatisticsScreen

        self.app.push_screen(StatisticsScreen(self.form.key), self._went)

    def action_progress(self) -> None:
        from tui.statistics.progress import ProgressScreen

        sample = self.session.route.filter.sample if self.session is not None else None
        self.app.push_screen(ProgressScreen(self.form.key, sample), self._went)

    def action_new_sample(self) -> None:
        from tui.statistics.new_sample import open_new_sample

        open_new_sample(self.host, self.form.key, self._drawn)

    def _drawn(self) -> None:
        if self.is_current and self.opened is None and self.session is not None:
            self.advance()

    def _went(self, left: AtQueue | None) -> None:
        """Back from the figures, perhaps to a subject or to a part of the queue."""
        self.restart_clock()
        if left is None:
            return
        if left.subject is not None:
            self._visit(left.subject)
            return
        part = Filter(left.sample, left.topic, left.task)
        names = cell_names(self.host.facts, os.environ)
        title = named(names, left.topic or "", left.task or "") or left.sample or "the whole queue"
        self.follow(Route(title, part))

    def _visit(self, subject: Subject) -> None:
        """Open a subject that was labelled before, or that is still to be had."""
        session = self.session
        if session is None:
            return

        def go() -> None:
            if not session.labels(subject) and not session.take(subject):
                self.flash("it is not in your queue: others have it, or have done it")
                return
            session.show(subject)
            self.show_opened()

        self.attempt(go, lambda: self._visit(subject))

    # The subject's panes

    def action_other_pane(self) -> None:
        """From pane to pane, and to the form where it has fields to go through."""
        if self.panel.has_focus:
            self.view.first_pane()
        elif not self.view.other_pane():
            self.focus_first()

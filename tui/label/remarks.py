"""What a rater says of a whole subject: a note, a flag, for later, not at all, what is hidden."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from store.errors import RagdeskError
from tui.label.ask import AskReason, AskText
from tui.label.desk_protocol import Desk
from tui.language import local_name, tr

NOTE = "comment"
"""The draft of a note; no form has a field of that name."""


class Remarks:
    """Each is saved before it is shown."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def flag(self) -> None:
        """Flags the subject, or takes the flag away."""
        desk, session, opened = self._desk, self._desk.session, self._desk.opened
        if session is None or opened is None:
            return
        subject, on = opened.subject, not opened.is_flagged
        desk.saving.attempt(lambda: session.flag(subject, on=on), self.flag)
        desk.show_values()

    def postpone(self) -> None:
        desk, session, opened = self._desk, self._desk.session, self._desk.opened
        if session is None or opened is None:
            return
        if opened.is_done:
            desk.flash(tr("it is labelled already; u takes that back"))
        elif desk.saving.attempt(lambda: session.postpone(opened.subject), self.postpone):
            desk.advance()

    def exclude(self) -> None:
        """Asks for the reason; the one that stands takes the exclusion back."""
        desk, session, opened = self._desk, self._desk.session, self._desk.opened
        if session is None or opened is None:
            return

        def exclude(reason: str | None) -> None:
            if reason is None:
                return
            wanted = None if opened.excluded == reason else reason
            if desk.saving.attempt(
                lambda: session.exclude(opened.subject, wanted), lambda: exclude(reason)
            ):
                desk.show_values()
                if desk.opened is not None and desk.opened.excluded:
                    desk.advance()

        step = session.authoring_step
        title = tr("It is skipped, because") if step else tr("It cannot be labelled, because")
        desk.host.push_screen(AskReason(title, desk.form.exclude_reasons), exclude)

    def comment(self, field: str = "", then: Callable[[], None] | None = None) -> None:
        """A note on the subject, or on one field of it. `then` is done once there is one."""
        desk, session, opened = self._desk, self._desk.session, self._desk.opened
        if session is None or opened is None:
            return
        subject = opened.subject
        standing = opened.notes.get(field, "") if field else opened.comment
        draft = f"{NOTE}/{field}" if field else NOTE

        def keep(text: str) -> None:
            with suppress(RagdeskError):  # what is typed stays on the screen; Enter will tell
                session.save_draft(subject, draft, text)

        def note(text: str | None) -> None:
            if text is None:
                return

            def write() -> None:
                session.comment(subject, text, field)
                session.discard_draft(subject, draft)

            if text != standing:
                if not desk.saving.attempt(write, lambda: note(text)):
                    return
                desk.show_values()
            if then is not None and text.strip():
                then()

        half = session.drafts(subject).get(draft, standing)
        title = (
            tr("Note on {field}", field=local_name(desk.form.field(field))) if field else tr("Note")
        )
        desk.host.push_screen(AskText(title, half, keep), note)

    def reveal(self) -> None:
        """Shows what was hidden, once one has labelled; the log keeps that one has looked."""
        desk, session, opened = self._desk, self._desk.session, self._desk.opened
        if session is None or opened is None:
            return
        if not opened.is_done:
            desk.flash(tr("label it first: what is hidden would lead you"))
            return
        if not opened.is_revealed:
            what = " ".join(desk.form.hidden)
            if not desk.saving.attempt(lambda: session.reveal(opened.subject, what), self.reveal):
                return
        desk.show_opened()
        desk.say(desk.view.revealed_words())

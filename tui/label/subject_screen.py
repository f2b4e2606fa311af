"""What every screen has on which people judge: one subject, the guideline, a session, and the keys
that read on in the subject."""

from __future__ import annotations

import os
from abc import abstractmethod

from engine.labelling.forms import load_form
from engine.labelling.session import LabelSession
from tui.label.guideline import GuidelinePane
from tui.label.saving import SavingScreen
from tui.label.views import view_of
from tui.shell.language import form_language
from tui.widgets.paragraphs import paragraphs
from tui.widgets.sheet import Sheet


class SubjectScreen(SavingScreen):
    """Subclasses yield `view`, `guideline` and `nothing`, and open the session."""

    def __init__(self, form_key: str) -> None:
        super().__init__()
        self.form = load_form(form_key)
        self.lang = form_language(os.environ)
        self.view_type = view_of(self.form.subject_kind)
        self.view = self.view_type(id="judged")
        self.guideline = GuidelinePane()
        self.nothing = Sheet(title="", id="nothing")
        """Shown in place of a subject."""
        self.session: LabelSession | None = None

    def on_unmount(self) -> None:
        if self.session is not None:
            self.session.close()

    @property
    def form_name(self) -> str:
        return self.form.zh if self.lang == "zh" else self.form.en

    def show_where(self) -> None:
        super().show_where()
        if self.session is not None:
            self.top.show(self.top.where._replace(saved=self.session.saved))

    def show_nothing(self, text: str, title: str) -> None:
        """Say why there is no subject."""
        self.nothing.show(paragraphs(text), title=title)
        self.nothing.focus()
        self.show_where()

    def focus_first(self) -> None:
        """Give the focus to where one begins."""
        self.view.first_pane()

    # On and back

    @abstractmethod
    def step(self, by: int) -> None:
        """To the subject so many further."""

    @abstractmethod
    def reverse(self, *, is_undo: bool) -> None:
        """Take back the last step of one's own, or take it again."""

    def action_next(self) -> None:
        self.step(1)

    def action_previous(self) -> None:
        self.step(-1)

    def action_undo(self) -> None:
        self.reverse(is_undo=True)

    def action_redo(self) -> None:
        self.reverse(is_undo=False)

    # What one goes by

    def action_guideline(self) -> None:
        is_shown = not self.has_class("-guided")
        if is_shown and self.session is not None:
            self.guideline.tell(self.session.guideline(), self.form, self.lang)
        self.set_class(is_shown, "-guided")
        if is_shown:
            self.guideline.focus()
        else:
            self.focus_first()

    # The subject's panes

    def action_next_passage(self) -> None:
        self.view.next_passage()

    def action_previous_passage(self) -> None:
        self.view.previous_passage()

    def action_whole(self) -> None:
        self.view.whole()

    def action_find(self) -> None:
        self.view.find()

    def action_next_mark(self) -> None:
        self.view.next_mark()

    def action_previous_mark(self) -> None:
        self.view.previous_mark()

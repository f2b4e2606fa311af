"""What the parts of a label desk may ask of it."""

from __future__ import annotations

from typing import Protocol

from engine.labelling.session import LabelSession
from engine.labelling.subject_state import SubjectState
from store.labels.forms import Field, Form, Hidden
from tui.label.saving import Saving
from tui.label.subjects.subject_view import SubjectView
from tui.screens.host import Host


class Desk(Protocol):
    """A rater before one subject after the other, with one form."""

    form: Form
    view: SubjectView
    saving: Saving
    session: LabelSession | None
    """None until the workspace is open."""

    @property
    def host(self) -> Host:
        """The app."""

    @property
    def opened(self) -> SubjectState | None:
        """The subject before the rater."""

    def hidden(self, opened: SubjectState) -> frozenset[Hidden]:
        """What is withheld now."""

    def say(self, text: str, role: str = "") -> None:
        """One line of news in the form."""

    def flash(self, text: str) -> None:
        """Says why a key did nothing."""

    def show_opened(self) -> None:
        """Shows another subject, or that there is none."""

    def show_values(self) -> None:
        """Shows the labels of the open subject."""

    def show_stale(self) -> None:
        """Shows what the workspace holds."""

    def look_ahead(self) -> None:
        """Reads what comes next, and the figures, in the background."""

    def restart_clock(self) -> None:
        """What was done elsewhere meanwhile is counted there."""

    def go_on(self, field: Field | None = None) -> None:
        """To the next field, or to the next subject once the form is complete."""

    def advance(self) -> None:
        """Opens the next subject that is not done."""

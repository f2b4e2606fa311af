"""What the screens share that people label and rule at: a subject, a guideline, a session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from engine.labelling.forms.rules import NA_KEY
from engine.labelling.session import LabelSession
from engine.prompts.languages import by_lang
from store.labels.forms import Form, Value
from store.labels.guidelines import Guideline
from store.labels.log.authoring import is_authoring
from store.labels.log.events import Subject
from store.labels.log.log import Undone
from tui.label.messages import event_text
from tui.label.saving import Saving
from tui.label.subjects.subject_view import SubjectView
from tui.label.timing import KeyGuard
from tui.language import language, local_name, tr
from tui.screens.label_forms import read_form
from tui.screens.place import PlaceScreen
from tui.shell.actions import key_text
from tui.shell.clipboard import Copyable
from tui.shell.terminal import key_name
from tui.widgets.line import Piece
from tui.widgets.sheet import Lay, Sheet, Unseen, paragraphs, wrapped


class SubjectScreen(PlaceScreen):
    """Subclasses yield `view`, `guideline` and `nothing`, and open the session."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # bindings, as all other keys are, so that keys typed ahead of the screen act in the order
        # in which they were typed: Down, then 2, is a 2 for the next field
        *(
            Binding(key_name(character), f"value({character!r})", show=False)
            for character in f"0123456789{NA_KEY}"
        ),
        Binding("tab,shift+tab", "other_pane", tr("other pane"), show=False),
    ]

    def __init__(self, form_key: str) -> None:
        super().__init__()
        self.form = read_form(self.host, form_key)
        self.view_type = view_of(self.form)
        self.view = self.view_type(id="subject")
        self.guideline = GuidelinePane()
        self.nothing = Sheet(title="", id="nothing")
        """Shown in place of a subject."""
        self.session: LabelSession | None = None
        self.saving = Saving(self, show_stale=self.show_stale, show_unsaved=self.show_unsaved)
        self.key_guard = KeyGuard()
        self._undone_at = -1
        """Number of the rater's last event if that was an undo, which can be taken back."""

    def on_unmount(self) -> None:
        if self.session is not None:
            self.session.close()

    @property
    def form_name(self) -> str:
        return local_name(self.form)

    def show_top(self) -> None:
        super().show_top()
        if self.session is not None:
            self.top.show(self.top.where._replace(saved=self.session.saved))

    def command(self) -> Sequence[str]:
        subject = self.session.subject if self.session is not None else None
        if subject is None:
            return ()
        # a repeat is named as what it repeats: that it is one is hidden
        return ("labels", "show", subject.base, "--form", self.form.key)

    def copies(self) -> Iterator[Copyable]:
        yield from self.view.copies()
        yield from super().copies()

    def show_nothing(self, text: str, title: str) -> None:
        """Say why there is no subject."""
        self.nothing.show(paragraphs(text), title=title)
        self.nothing.focus()
        self.show_where()

    def focus_first(self) -> None:
        """Give the focus to where one begins."""
        self.view.first_pane()

    def on_key(self, event: events.Key) -> None:
        self.key_guard.typed(event.time)

    @abstractmethod
    def action_value(self, character: str) -> None:
        """A digit or `-` was typed, wherever the focus is."""

    @abstractmethod
    def action_other_pane(self) -> None:
        """From pane to pane."""

    @abstractmethod
    def show_stale(self) -> None:
        """What is shown is no longer what the workspace holds: shows that."""

    def show_unsaved(self, value: tuple[str, Value]) -> None:
        """Keeps a value that could not be saved on the screen, as what it is."""

    def idle_in_panes(self) -> set[str]:
        """The actions on documents and labels that would do nothing now."""
        idle = set() if self.view.has_more_documents else {"next_passage", "previous_passage"}
        if self.view.passage.body.idle_keys:
            idle |= {"next_mark", "previous_mark"}
        if self.session is None or self.session.saved != self._undone_at:
            idle.add("redo")
        return {f"{scope}.{verb}" for scope in ("judging", "adjudication") for verb in idle}

    # On and back

    @abstractmethod
    def step(self, by: int) -> None:
        """To the subject so many further."""

    @abstractmethod
    def say(self, text: str, role: str = "") -> None:
        """One line of news below the subject."""

    @abstractmethod
    def show_reversed(self, undone: Undone, before: Subject | None) -> None:
        """Shows what an undo or redo changed; `before` is the subject that was open."""

    def reverse(self, *, is_undo: bool) -> None:
        """Undoes the rater's last event, or brings it back."""
        session = self.session
        if session is None:
            return

        def write() -> None:
            before = session.subject
            undone = session.undo() if is_undo else session.redo()
            if undone is None:
                self.say(tr("nothing to undo") if is_undo else tr("nothing to redo"), "bad")
                return
            self._undone_at = session.saved
            self.show_reversed(undone, before)
            self.show_footer()
            event = undone.event
            field = self.form.field(event.field) if event.field else None
            text = event_text(event, field)
            if undone.events > 1:
                text += tr(", of all {events:,} of the act", events=undone.events)
            said = tr("undone: {text}", text=text) if is_undo else tr("again: {text}", text=text)
            self.say(said)

        self.saving.attempt(write, lambda: self.reverse(is_undo=is_undo))

    def action_next(self) -> None:
        self.step(1)

    def action_previous(self) -> None:
        self.step(-1)

    def action_undo(self) -> None:
        self.reverse(is_undo=True)

    def action_redo(self) -> None:
        self.reverse(is_undo=False)

    def unseen_text(self, unseen: Unseen) -> str:
        """Why a value is not taken yet: what was never on the screen, and the key that shows it."""
        actions = self.host.registry.at(self.PLACE)
        key = next(key_text(one.keys[0]) for one in actions if one.verb == unseen.verb)
        return tr("not on the screen yet: {parts}; {key} shows it", parts=unseen.parts, key=key)

    # What one goes by

    def action_guideline(self) -> None:
        is_shown = not self.has_class("-guided")
        if is_shown and self.session is not None:
            self.guideline.tell(self.session.guideline(), self.form)
        self.set_class(is_shown, "-guided")
        if is_shown:
            self.guideline.focus()
        else:
            self.focus_first()

    def action_do(self, what: str) -> None:
        """Has a part of the screen do something, such as `view.find`."""
        part, _, verb = what.partition(".")
        getattr(getattr(self, part), verb)()


def view_of(form: Form) -> type[SubjectView]:
    """The view for the subjects of a form; imported when the first of them is shown."""
    match form.subject_kind:
        case "revision" if is_authoring(form.key):
            from tui.label.subjects.authored_view import AuthoredView

            return AuthoredView
        case "revision":
            from tui.label.subjects.revision_view import RevisionView

            return RevisionView
        case "prediction":
            from tui.label.subjects.answer_view import AnswerView

            return AnswerView
        case "pair":
            from tui.label.subjects.pair_view import PairView

            return PairView


class GuidelinePane(Sheet):
    """Hidden until it is asked for; beside the subject where there is room, else in its place."""

    DEFAULT_CSS = """
    GuidelinePane { display: none; height: 1fr; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__(title="guideline", id="guideline")

    def tell(self, guideline: Guideline | None, form: Form) -> None:
        """Show a version, with what each field asks below it."""
        title = (
            tr("guideline version {version}", version=guideline.version)
            if guideline
            else "guideline"
        )
        self.show(_lay(guideline.text if guideline else "", form), title=title)


def _lay(text: str, form: Form) -> Lay:
    def lay(width: int) -> list[list[Piece]]:
        lines: list[list[Piece]] = []
        if not text:
            lines += wrapped(
                tr("Nobody has written one yet: ctrl+p, then guideline."),
                width,
                "muted",
            )
        for line in text.splitlines():
            is_heading = line.startswith("#")
            shown = line.lstrip("#").strip() if is_heading else line
            lines += wrapped(shown, width, "header" if is_heading else "")
        lines += [[], [(local_name(form), "header")]]
        for field in form.fields:
            help = by_lang(language(), field.help_zh, field.help_en)
            lines += wrapped(f"{local_name(field)}: {help}", width)
        return lines

    return lay

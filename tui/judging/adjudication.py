"""Ruling on what raters differ on: what each said side by side, for a third person to choose."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from engine.forms import load_form
from engine.forms.keys import value_keys, value_of_key
from store import datasets, label_queue, label_review
from store.errors import RagdeskError
from store.forms import Field
from store.label_events import Subject
from store.label_review import Settled
from tui.correction.revision_diff import RevisionDiff, names
from tui.judging.guideline import GuidelinePane
from tui.judging.saving import SavingScreen, Waiting
from tui.judging.screen import paragraphs
from tui.judging.sitting import Sitting
from tui.judging.subject_view import SubjectView
from tui.judging.value_bindings import VALUE_BINDINGS
from tui.judging.words import event_text, form_language, value_text
from tui.keymap import REGISTRY
from tui.widgets.line import Piece
from tui.widgets.sheet import Sheet
from tui.widgets.text_lines import TextLines

OPTIONS = 5
"""Raters that are shown of one conflict."""


class AdjudicationScreen(SavingScreen):
    """The conflicts of one form, one after the other; `VIEW` shows what they are about.

    The keys are those of the field: the digit is the value that shall hold. Of corrections the
    digit is the number of the version, and `e` writes another. What the raters said stays with the
    ruling. Who has labelled a subject does not rule on it.
    """

    PLACE = "adjudication"
    BINDINGS: ClassVar[list[BindingType]] = [
        *REGISTRY.bindings("adjudication"),
        *VALUE_BINDINGS,
        Binding("enter", "confirm", "again", show=False),
        Binding("tab,shift+tab", "other_pane", "other pane", show=False),
    ]
    DEFAULT_CSS = """
    AdjudicationScreen #judged { height: 1fr; }
    AdjudicationScreen #versions { height: 9; display: none; background: $surface; }
    AdjudicationScreen.-texts #versions { display: block; }
    AdjudicationScreen #said { background: $surface; }
    AdjudicationScreen #nothing { height: 1fr; display: none; }
    AdjudicationScreen.-nothing #nothing { display: block; }
    AdjudicationScreen.-nothing #ruling { display: none; }
    AdjudicationScreen.-guided #guideline { display: block; }
    AdjudicationScreen.-guided #judged { display: none; }
    """

    def __init__(
        self,
        form_key: str,
        view: type[SubjectView],
        *,
        first: tuple[Subject, str] | None = None,
    ) -> None:
        """`first` is the conflict to begin with, by its subject and field."""
        super().__init__()
        self._first = first
        self.form = load_form(form_key)
        self.lang = form_language(os.environ)
        self.view_type = view
        self.view = view(id="judged")
        self.versions = (RevisionDiff(), RevisionDiff())
        self.said = TextLines(OPTIONS + 2, id="said")
        self.guideline = GuidelinePane()
        self.nothing = Sheet(title="", id="nothing")
        self.sitting: Sitting | None = None
        self.conflicts: list[Settled] = []
        self.at = 0
        self._viewed: Subject | None = None
        self._message: Piece = ("", "")

    def compose_body(self) -> Iterator[Widget]:
        yield self.nothing
        with Vertical(id="ruling"):
            yield self.view
            yield self.guideline
            with Horizontal(id="versions"):
                yield from self.versions
            yield self.said

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._begin)

    def on_unmount(self) -> None:
        if self.sitting is not None:
            self.sitting.close()

    def _begin(self) -> None:
        try:
            self.sitting = Sitting(self.desk.folder, self.form.key, self.desk.rater)
        except RagdeskError as error:
            self.fail(error, Waiting(self._begin))
            return
        self._look()
        places = [(one.subject, one.field) for one in self.conflicts]
        if self._first in places:
            self.at = places.index(self._first)
            self._show()
        self.view.first_pane()

    # What is in conflict

    @property
    def conflict(self) -> Settled | None:
        return self.conflicts[self.at] if self.at < len(self.conflicts) else None

    @property
    def field(self) -> Field | None:
        return self.form.field(self.conflict.field) if self.conflict is not None else None

    def _look(self) -> None:
        """Read the queue of conflicts; one stays where one was in it."""
        assert self.sitting is not None
        self.conflicts = self.sitting.read(lambda db: label_review.conflicts(db, self.form))
        self.at = min(self.at, max(len(self.conflicts) - 1, 0))
        self._show()

    def _show(self) -> None:
        conflict, sitting = self.conflict, self.sitting
        self.set_class(conflict is None, "-nothing")
        if conflict is None or sitting is None:
            words = "Raters agree, or what they differ on has been ruled on."
            self.nothing.show(paragraphs(words), title="No conflicts")
            self.nothing.focus()
            self.show_where()
            return
        if conflict.subject != self._viewed:
            self._viewed = conflict.subject
            loaded = sitting.read(lambda db: self.view_type.load(db, conflict.subject))
            self.view.show(loaded, frozenset(self.form.hidden) - {"other_raters"})
        is_text = self.form.field(conflict.field).kind == "revision"
        self.set_class(is_text, "-texts")
        if is_text:
            self._show_versions(conflict, sitting)
        self._show_said()
        self.show_where()

    def _show_versions(self, conflict: Settled, sitting: Sitting) -> None:
        """What each of two raters made of the text that was shown."""
        before = sitting.read(lambda db: datasets.content(db, conflict.subject.numbers[0]))
        revisions = [int(str(given.value)) for given in conflict.raters]
        texts = sitting.read(lambda db: [datasets.content(db, one) for one in revisions])
        name = sitting.read(lambda db: names(db, revisions[0], [before, *texts]))
        shown = zip(self.versions, conflict.raters, texts, strict=False)
        for number, (widget, given, after) in enumerate(shown, 1):
            widget.show_diff(before, after, name, title=f"{number} {given.rater}", notes=[])

    def _show_said(self) -> None:
        conflict, field, sitting = self.conflict, self.field, self.sitting
        if conflict is None or field is None or sitting is None:
            return
        notes = sitting.read(lambda db: label_queue.comments(db, self.form.key, conflict.subject))
        name = field.zh if self.lang == "zh" else field.en
        lines: list[list[Piece]] = [
            [
                (f"{name}  ", "strong"),
                (self._keys_text(field, conflict), "muted"),
            ]
        ]
        for number, given in enumerate(conflict.raters[:OPTIONS], 1):
            text = (
                f"{number} version"
                if field.kind == "revision"
                else value_text(field, given.value, self.lang)
            )
            said = notes.get((given.rater, field.key)) or notes.get((given.rater, ""), "")
            lines.append(
                [(f"{given.rater:<12.12}", ""), (f" {text}", "key"), (f"   {said}", "muted")]
            )
        lines.append([self._message])
        if self.said.styles.height is None or self.said.styles.height.value != len(lines):
            self.said.styles.height = len(lines)
        self.said.show(lines)

    def _keys_text(self, field: Field, conflict: Settled) -> str:
        if field.kind == "revision":
            count = min(len(conflict.raters), OPTIONS)
            return f"1-{count} chooses a version   e writes another   d compares them"
        names = " ".join(
            f"{key} {value_text(field, value, self.lang).partition(' ')[2] or value}"
            for key, value in value_keys(field).items()
        )
        return f"what holds: {names}"

    def context(self) -> tuple[str, ...]:
        if self.conflict is None:
            return (self.form.zh if self.lang == "zh" else self.form.en,)
        return (f"conflict {self.at + 1} of {len(self.conflicts)}", *self.view.context())

    def show_where(self) -> None:
        super().show_where()
        if self.sitting is not None:
            self.top.show(self.top.where._replace(saved=self.sitting.saved))

    def say(self, text: str, role: str = "") -> None:
        self._message = (text, role)
        self._show_said()

    # Ruling

    def action_value(self, character: str) -> None:
        """A digit or `-`: a value, or one of the versions side by side."""
        conflict, field = self.conflict, self.field
        if conflict is None or field is None:
            return
        if field.kind == "revision":
            chosen = int(character) if character in "123456789" else 0
            if 1 <= chosen <= min(len(conflict.raters), OPTIONS):
                self.rule(conflict, conflict.raters[chosen - 1].value)
            return
        value = value_of_key(field, character)
        if value is not None:
            self.rule(conflict, value)

    def rule(self, conflict: Settled, value: object, *, allow_own: bool = False) -> None:
        """Make a value hold, with what the raters said as its grounds."""
        sitting = self.sitting
        if sitting is None:
            return

        def write() -> None:
            sitting.saved = sitting.labelling.adjudicate(
                conflict.subject, conflict.field, value, allow_own=allow_own
            )
            self._message = ("", "")
            self._look()

        self.attempt(write, lambda: self.rule(conflict, value, allow_own=allow_own))

    def show_stale(self) -> None:
        self._look()

    def action_confirm(self) -> None:
        self.retry()

    def action_undo(self) -> None:
        self._reverse(is_undo=True)

    def action_redo(self) -> None:
        self._reverse(is_undo=False)

    def _reverse(self, *, is_undo: bool) -> None:
        sitting = self.sitting
        if sitting is None:
            return

        def write() -> None:
            undone = sitting.undo() if is_undo else sitting.redo()
            self._look()
            if undone is None:
                self.say("nothing to undo" if is_undo else "nothing to redo", "bad")
                return
            places = [(one.subject, one.field) for one in self.conflicts]
            place = (undone.event.subject, undone.event.field)
            if place in places:
                self.at = places.index(place)
                self._show()
            field = self.form.field(undone.event.field) if undone.event.field else None
            told = event_text(undone.event, field, self.lang)
            self.say(f"{'undone' if is_undo else 'again'}: {told}")

        self.attempt(write, lambda: self._reverse(is_undo=is_undo))

    def action_next(self) -> None:
        self._step(1)

    def action_previous(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        if 0 <= self.at + by < len(self.conflicts):
            self.at += by
            self._message = ("", "")
            self._show()

    def action_edit(self) -> None:
        """A version of one's own, as the ruling."""
        conflict, field, sitting = self.conflict, self.field, self.sitting
        if conflict is None or field is None or sitting is None:
            return
        if field.kind != "revision":
            self.say("only a text can be written anew", "bad")
            return
        if sitting.labelling.values(conflict.subject):
            self.say("you have labelled it: a third person rules", "bad")
            return
        from tui.correction.screen import CorrectionScreen

        def written(revision: int | None) -> None:
            if revision is not None:
                self.rule(conflict, revision, allow_own=True)

        self.app.push_screen(CorrectionScreen(sitting.labelling, conflict.subject), written)

    def action_diff(self) -> None:
        """One rater's version against the other's."""
        conflict, field, sitting = self.conflict, self.field, self.sitting
        if conflict is None or field is None or sitting is None or field.kind != "revision":
            return
        from tui.correction.revision_diff import DiffBase, DiffScreen

        revisions = [int(str(given.value)) for given in conflict.raters]
        texts = sitting.read(lambda db: [datasets.content(db, one) for one in revisions])
        name = sitting.read(lambda db: names(db, revisions[0], texts))
        bases = [
            DiffBase(f"{conflict.raters[-1].rater}'s version against {given.rater}'s", text)
            for given, text in zip(conflict.raters[:-1], texts[:-1], strict=True)
        ]
        self.app.push_screen(DiffScreen(bases, texts[-1], name, where=self.context()))

    # The rest of the screen

    def action_guideline(self) -> None:
        is_shown = not self.has_class("-guided")
        if is_shown and self.sitting is not None:
            self.guideline.tell(self.sitting.labelling.guideline(), self.form, self.lang)
        self.set_class(is_shown, "-guided")
        (self.guideline if is_shown else self.view).focus()

    def step_back(self) -> bool:
        if self.has_class("-guided"):
            self.action_guideline()
        else:
            self.dismiss(None)
        return True

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

    def action_other_pane(self) -> None:
        panes: Sequence[Widget] = self.versions if self.has_class("-texts") else ()
        focused = [pane for pane in panes if pane.has_focus]
        if focused:
            rest = panes[panes.index(focused[0]) + 1 :]
            (rest[0] if rest else self.view).focus()
        elif not self.view.other_pane() and panes:
            panes[0].focus()

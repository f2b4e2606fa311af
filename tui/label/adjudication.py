"""Resolving conflicts: the raters' labels side by side, for a third person to choose from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar, cast

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from engine.labelling.forms.rules import value_keys, value_of_key
from engine.labelling.session import LabelSession
from store.errors import RagdeskError
from store.labels import consensus
from store.labels.consensus import Settled
from store.labels.forms import Field, Value
from store.labels.log import reading
from store.labels.log.events import Subject
from store.labels.log.log import Undone
from tui.correction.revision_diff import RevisionDiff
from tui.label.ask import AskText
from tui.label.conflict_lines import (
    OPTIONS,
    conflict_lines,
    read_versions,
    version_chosen,
    versions_shown,
)
from tui.label.form.lines import clicked_key, legal_text
from tui.label.keys import ACTIONS
from tui.label.messages import value_message
from tui.label.saving import Waiting
from tui.label.subject_screen import SubjectScreen
from tui.label.timing import TOO_EARLY
from tui.language import tr
from tui.shell.terminal import key_name
from tui.widgets.line import Piece, TextLines


class RulingLines(TextLines):
    """A conflict's lines; a click on a key with its words presses it, one on a version the number
    of the version."""

    def __init__(self) -> None:
        super().__init__(OPTIONS + 2, id="given")
        self.keys: tuple[str, ...] = ()
        """Those of the field; empty where versions of a text are chosen."""

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if self.keys:
            line = [("  ", ""), *self._lines[0]]
            key = clicked_key(line, offset.x, self.keys) if offset.y == 0 else ""
        else:
            key = str(offset.y) if offset.y else ""
        if key:
            self.app.post_message(events.Key(key_name(key), key))


WITHOUT_CONFLICT = ("adjudication.undo", "adjudication.redo", "adjudication.guideline")
"""The actions that do something while there is no conflict."""
OF_TEXTS = ("adjudication.diff", "adjudication.edit")
"""Those that do something only where texts differ."""


class AdjudicationScreen(SubjectScreen, actions=ACTIONS):
    """The conflicts of one form, one after the other.

    The keys are those of the field: the digit is the value that shall hold. Of corrections the
    digit is the number of the version, and `e` writes another. What the raters said stays with the
    ruling, and raters have numbers in place of names. Who has labelled a subject does not rule on
    it: such conflicts come after the rest, and say whose they are. Where a sample names
    adjudicators, nobody else sees its conflicts but the raters of the subject.
    """

    PLACE = "adjudication"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "confirm", "again", show=False),
    ]
    DEFAULT_CSS = """
    AdjudicationScreen #subject { height: 1fr; }
    AdjudicationScreen #versions { height: 9; display: none; background: $surface; }
    AdjudicationScreen.-texts #versions { display: block; }
    AdjudicationScreen #given { background: $surface; }
    AdjudicationScreen #nothing { height: 1fr; display: none; }
    AdjudicationScreen.-nothing #nothing { display: block; }
    AdjudicationScreen.-nothing #ruling { display: none; }
    AdjudicationScreen.-guided #guideline { display: block; }
    AdjudicationScreen.-guided #subject { display: none; }
    """

    def __init__(self, form_key: str, *, first: tuple[Subject, str] | None = None) -> None:
        """`first` is the conflict to begin with, by its subject and field."""
        super().__init__(form_key)
        self._first = first
        self.versions = (RevisionDiff(), RevisionDiff())
        self.labels = RulingLines()
        self.conflicts: list[Settled] = []
        """Those that this rater may rule on, then those for a third person."""
        self.own = 0
        """How many this rater may rule on, as Home counts them."""
        self.at = 0
        self._viewed: tuple[Subject, str] | None = None
        """The conflict that is shown, by its subject and field."""
        self._message: Piece = ("", "")
        self._reason = ""
        """Why the next ruling on the shown conflict is so; empty where nothing was typed."""

    def compose_body(self) -> Iterator[Widget]:
        yield self.nothing
        with Vertical(id="ruling"):
            yield self.view
            yield self.guideline
            with Horizontal(id="versions"):
                yield from self.versions
            yield self.labels

    def on_mount(self) -> None:
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        try:
            self.session = LabelSession.open(self.host.folder, self.form.key, self.host.rater)
        except RagdeskError as error:
            self.saving.fail(error, Waiting(self._begin))
            return
        self._look()
        places = [(one.subject, one.field) for one in self.conflicts]
        if self._first in places:
            self.at = places.index(self._first)
            self._show()
        self.view.first_pane()

    def idle_keys(self) -> Collection[str]:
        if self.conflict is None:
            actions = self.host.registry.scoped(self.PLACE)
            return {one.id for one in actions} - set(WITHOUT_CONFLICT)
        return {*self.idle_in_panes(), *(() if self.has_class("-texts") else OF_TEXTS)}

    # What is in conflict

    @property
    def conflict(self) -> Settled | None:
        return self.conflicts[self.at] if self.at < len(self.conflicts) else None

    @property
    def field(self) -> Field | None:
        return self.form.field(self.conflict.field) if self.conflict is not None else None

    @property
    def is_for_others(self) -> bool:
        """Whether this rater has labelled what is shown, so that a third person rules."""
        return self.own <= self.at < len(self.conflicts)

    def _look(self) -> None:
        """Read the queue of conflicts; one stays where one was in it."""
        assert self.session is not None
        rater = self.session.rater
        conflicts = self.session.read(lambda db: consensus.conflicts(db, self.form))
        own = self.session.read(lambda db: consensus.may_rule(db, self.form.key, rater, conflicts))
        open_to = self.session.read(
            lambda db: consensus.may_rule(db, self.form.key, rater, conflicts, allow_own=True)
        )
        self.conflicts = own + [
            one
            for one in conflicts
            if one not in own and (one in open_to or rater in {given.rater for given in one.raters})
        ]
        self.own = len(own)
        self.at = min(self.at, max(len(self.conflicts) - 1, 0))
        self._show()

    def _show(self) -> None:
        conflict, session = self.conflict, self.session
        self.set_class(conflict is None, "-nothing")
        if conflict is None or session is None:
            words = tr("Raters agree, or what they differ on has been ruled on.")
            self.show_nothing(words, tr("No conflicts"))
            return
        before, self._viewed = self._viewed, (conflict.subject, conflict.field)
        if self._viewed != before:
            self._reason = ""
            self.key_guard.lose()
            self.call_after_refresh(self.key_guard.gain)
        if before is None or conflict.subject != before[0]:
            loaded = session.read(lambda db: self.view_type.load(db, conflict.subject))
            self.view.show(loaded, frozenset(self.form.hidden) - {"other_raters"})
        is_text = self.form.field(conflict.field).kind == "revision"
        self.set_class(is_text, "-texts")
        if is_text:
            self._show_versions(conflict, session)
        self._show_labels()
        self.show_where()

    def _show_versions(self, conflict: Settled, session: LabelSession) -> None:
        """What each of two raters made of the text that was shown."""
        versions = session.read(lambda db: read_versions(db, conflict))
        shown = zip(self.versions, versions.texts, strict=False)
        for number, (widget, after) in enumerate(shown, 1):
            title = tr("version {number}", number=number)
            widget.show_diff(versions.before, after, versions.name, title=title)

    def _show_labels(self) -> None:
        conflict, field, session = self.conflict, self.field, self.session
        if conflict is None or field is None or session is None:
            return
        notes = session.read(lambda db: reading.comments(db, self.form.key, conflict.subject))
        lines = conflict_lines(conflict, field, notes, is_for_others=self.is_for_others)
        lines.append([self._message])
        if self.labels.styles.height is None or self.labels.styles.height.value != len(lines):
            self.labels.styles.height = len(lines)
        self.labels.keys = () if field.kind == "revision" else tuple(value_keys(field))
        self.labels.show(lines)

    def context(self) -> tuple[str, ...]:
        if self.conflict is None:
            return (self.form_name,)
        at, last = self.at + 1, len(self.conflicts)
        place = (
            tr("third person: {at} of {last}", at=at - self.own, last=last - self.own)
            if self.is_for_others
            else tr("conflict {at} of {own}", at=at, own=self.own)
        )
        return (place, *self.view.context())

    def say(self, text: str, role: str = "") -> None:
        self._message = (text, role)
        self._show_labels()

    # Ruling

    def action_value(self, character: str) -> None:
        """A digit or `-`: a value, or one of the versions side by side."""
        conflict, field = self.conflict, self.field
        if conflict is None or field is None:
            return
        if self.is_for_others:
            self.say(tr("no key rules on it for you"), "bad")
            return
        if field.kind == "revision":
            value = version_chosen(conflict, character)
        else:
            value = value_of_key(field, character)
        if value is None:
            self.say(self._legal(conflict, field), "bad")
        elif self.key_guard.is_too_early:
            self.say(TOO_EARLY, "bad")
        elif unseen := self.view.unseen:
            self.say(self.unseen_text(unseen), "bad")
        else:
            self.rule(conflict, value)

    def _legal(self, conflict: Settled, field: Field) -> str:
        """Which keys rule, for someone who pressed another."""
        if field.kind == "revision":
            return tr("versions: 1 to {versions_shown}", versions_shown=versions_shown(conflict))
        return legal_text(field)

    def rule(self, conflict: Settled, value: object, *, allow_own: bool = False) -> None:
        """Make a value hold, with what the raters said as its grounds."""
        session, reason = self.session, self._reason
        if session is None:
            return

        def write() -> None:
            session.adjudicate(
                conflict.subject, conflict.field, value, reason=reason, allow_own=allow_own
            )
            self._message = (tr("ruled: {ruling}", ruling=self._ruling(conflict, value)), "")
            self._look()

        self.saving.attempt(write, lambda: self.rule(conflict, value, allow_own=allow_own))

    def _ruling(self, conflict: Settled, value: object) -> str:
        """What holds now: the next conflict stands on the screen by then."""
        field = self.form.field(conflict.field)
        if field.kind != "revision":
            return value_message(field, cast(Value, value))
        values = [one.value for one in conflict.raters]
        return (
            tr("version {index}", index=values.index(value) + 1)
            if value in values
            else tr("your own version")
        )

    def show_stale(self) -> None:
        self._look()

    def action_confirm(self) -> None:
        self.saving.retry()

    def show_reversed(self, undone: Undone, before: Subject | None) -> None:
        self._look()
        places = [(one.subject, one.field) for one in self.conflicts]
        place = (undone.event.subject, undone.event.field)
        if place in places:
            self.at = places.index(place)
            self._show()

    def step(self, by: int) -> None:
        if 0 <= self.at + by < len(self.conflicts):
            self.at += by
            self._message = ("", "")
            self._show()
        elif self.conflicts:
            self.say(
                tr("this is the last conflict") if by > 0 else tr("this is the first conflict")
            )

    def action_reason(self) -> None:
        """Asks why, before the key that rules."""
        if self.conflict is None or self.is_for_others:
            return

        def given(text: str) -> None:
            self._reason = text.strip()
            self.say(tr("reason: {reason}", reason=self._reason) if self._reason else "")

        self.host.question(AskText(tr("Why you rule so"), self._reason, lambda text: None), given)

    def action_edit(self) -> None:
        """A version of one's own, as the ruling."""
        conflict, field, session = self.conflict, self.field, self.session
        if conflict is None or field is None or session is None:
            return
        if field.kind != "revision":
            self.say(tr("only a text can be written anew"), "bad")
            return
        if self.is_for_others:
            self.say(tr("no key rules on it for you"), "bad")
            return
        from tui.correction.screen import CorrectionScreen

        self.host.question(
            CorrectionScreen(session, conflict.subject),
            lambda revision: self.rule(conflict, revision, allow_own=True),
        )

    def action_diff(self) -> None:
        """One rater's version against the other's."""
        conflict, field, session = self.conflict, self.field, self.session
        if conflict is None or field is None or session is None:
            return
        if field.kind != "revision":
            self.say(tr("values have no versions to compare"), "bad")
            return
        from tui.correction.revision_diff import DiffScreen

        versions = session.read(lambda db: read_versions(db, conflict))
        bases, after = versions.bases(), versions.texts[-1]
        self.app.push_screen(DiffScreen(bases, after, versions.name, where=self.context()))

    # The rest of the screen

    def step_back(self) -> bool:
        if self.has_class("-guided"):
            self.action_guideline()
        else:
            self.dismiss(None)
        return True

    def action_other_pane(self) -> None:
        panes: Sequence[Widget] = self.versions if self.has_class("-texts") else ()
        focused = [pane for pane in panes if pane.has_focus]
        if focused:
            rest = panes[panes.index(focused[0]) + 1 :]
            (rest[0] if rest else self.view).focus()
        elif not self.view.other_pane() and panes:
            panes[0].focus()

"""The desk: what is before a rater, for every form and over any kind of subject."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from textual import events
from textual.containers import Container, Vertical
from textual.widget import Widget

from engine.labelling.forms.rules import value_of_key
from engine.labelling.session import WHOLE_QUEUE, LabelSession, Route
from engine.labelling.subject_state import SubjectState
from store.errors import RagdeskError
from store.labels.forms import Field, Hidden, Value, same
from store.labels.log.authoring import is_authoring
from store.labels.log.events import Subject
from store.labels.log.log import Undone
from store.labels.samples.queue import LEASE_SECONDS, Filter
from store.workspace import FILE_NAME
from tui.label.corrections import ItemCorrections
from tui.label.form.lines import FormState, checks, legal_text, next_check
from tui.label.form.panel import FormPanel
from tui.label.form.recent import Recent
from tui.label.messages import own_text, progress_text, standing_text, told_text, warning_text
from tui.label.queue.going import Going
from tui.label.queue.prefetcher import Prefetcher
from tui.label.remarks import Remarks
from tui.label.saving import Waiting
from tui.label.subject_screen import SubjectScreen
from tui.label.timing import TOO_EARLY, ActiveClock
from tui.language import tr
from tui.live.facts import Facts

IDLE = ("desk.new_sample", "label.sample", "judging.previous", "judging.undo", "desk.progress")
"""The actions of the footer while there is nothing to label."""
AUTHORING = (
    *("label.edit", "judging.exclude", "judging.undo", "judging.postpone", "label.history"),
    *("judging.guideline", "label.sample"),
)
"""Those at a step of authoring."""


class LabelDesk(SubjectScreen):
    """A rater labels one subject after the other with one form.

    A subclass names its place (`PLACE`), with the bindings of that place, which `tui.label.keys`
    lists in `DESKS`, so that all desks share their keys; and it says what an empty screen tells
    (`empty_text`). The parts: `view` shows the subject, `panel` the form; `saving` writes before
    anything is painted; `key_guard` drops values typed before the subject was seen; `prefetcher`
    reads ahead; `remarks` and `corrections` are what a rater does beside giving values;
    `going` leads elsewhere in the queue.
    """

    DEFAULT_CSS = """
    LabelDesk #labelling { height: 1fr; layout: horizontal; }
    LabelDesk #subject-column { width: 2fr; height: 1fr; }
    LabelDesk #subject { height: 1fr; }
    LabelDesk #nothing { height: 1fr; display: none; }
    LabelDesk.-guided #guideline { display: block; width: 1fr; margin-left: 1; }
    LabelDesk.-narrow.-guided #subject { display: none; }
    LabelDesk.-narrow #labelling { layout: vertical; }
    LabelDesk.-narrow #subject-column { width: 1fr; }
    LabelDesk.-narrow.-guided #subject-column { height: auto; dock: bottom; }
    LabelDesk.-narrow.-guided #guideline { margin-left: 0; }
    LabelDesk.-nothing #nothing { display: block; }
    LabelDesk.-nothing #labelling { display: none; }
    """

    def __init__(self, form_key: str, home: Route = WHOLE_QUEUE) -> None:
        """`home` is what Esc leads back to from a narrower part of the queue."""
        super().__init__(form_key)
        self.going = Going(self, home)
        self.panel = FormPanel(self.form)
        self.advances = len(self.panel.fields) <= 1
        """Whether the next subject comes by itself when the form is complete."""
        self.prefetcher = Prefetcher(
            self.host.folder, self.form.key, self.host.rater, self.view_type.load
        )
        self.remarks = Remarks(self)
        self.corrections = ItemCorrections(self)
        self.recent = Recent(self.form)
        self._idle: set[str] = set()
        self._clock = ActiveClock(time.monotonic())
        self._is_told = False
        """Whether a known answer is shown."""
        self.goal = ""
        """How far the labels are from answering what they are for; nothing where nobody asked."""

    @abstractmethod
    def empty_text(self) -> str:
        """What to do when the queue holds nothing."""

    def looked_ahead(self) -> None:
        """What comes next has been read."""

    # Life

    def compose_body(self) -> Iterator[Widget]:
        yield self.nothing
        with Container(id="labelling"):
            with Vertical(id="subject-column"):
                yield self.view
                yield self.panel
            yield self.guideline

    def on_mount(self) -> None:
        self.panel.name_keys(self._check_keys(), self.host.registry.key("judging.undo"))
        self.set_interval(LEASE_SECONDS / 3, self._renew)
        self.call_after_refresh(self._begin)

    def on_unmount(self) -> None:
        self.prefetcher.close()

    def on_screen_resume(self) -> None:
        if self.is_attached and self.session is not None and self.session.opened is None:
            self.advance()

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        """Something was drawn or assigned, or came free, while there was nothing to label."""
        if self.session is None:
            if before is not None and facts.is_open and self.saving.waiting is None:
                self._begin()
            return
        has_more = before is not None and (
            (before.inspection, before.to_label, before.own)
            != (facts.inspection, facts.to_label, facts.own)
        )
        if has_more and self.opened is None and self.saving.waiting is None:
            self.advance()

    def first_keys(self) -> Sequence[str]:
        if self.opened is None:
            return IDLE
        return AUTHORING if is_authoring(self.form.key) else ()

    def idle_keys(self) -> Collection[str]:
        return self._idle

    def _idle_now(self) -> set[str]:
        """Asked once a subject: another footer would cost more bytes than a value itself."""
        opened = self.opened
        if opened is None:
            actions = self.host.registry.scoped(self.PLACE)
            return {one.id for one in actions} - set(IDLE)
        idle = self.idle_in_panes()
        if not self.hidden(opened) or not opened.is_done:
            idle.add("judging.reveal")
        if self.form.subject_kind != "revision":
            idle |= {f"{self.PLACE}.{verb}" for verb in ("edit", "diff", "history", "making")}
        return idle | {f"{self.PLACE}.{field.key}" for field in checks(self.form)}

    def _check_keys(self) -> dict[str, str]:
        """The keys of the form's checks, as the person's own key map has them."""
        registry = self.host.registry
        keys = {action.id: action.keys[0] for action in registry.scoped(self.PLACE)}
        return {
            field.key: keys.get(f"{self.PLACE}.{field.key}", field.shortcut)
            for field in checks(self.form)
        }

    def _begin(self) -> None:
        """Opens the workspace and what the rater was at."""
        if self.session is None:
            folder, rater = self.host.folder, self.host.rater
            if not (folder / FILE_NAME).exists():
                # nothing to label yet; `show_facts` begins again when there is a workspace
                self.show_opened()
                return
            try:
                self.session = LabelSession.open(folder, self.form.key, rater, self.going.home)
            except RagdeskError as error:
                self.saving.fail(error, Waiting(self._begin))
                return
        self.saving.attempt(self.open_first, self._begin)

    def open_first(self) -> None:
        """Opens what the rater was at, and the editor where something was half typed in it."""
        assert self.session is not None
        self.recent.begin(self.session)
        self.session.begin()
        self.show_opened()
        self.corrections.resume()

    def _renew(self) -> None:
        if self.session is not None and self.saving.waiting is None:
            with suppress(RagdeskError):  # the next time will do: a lease outlives two of them
                self.session.renew()

    # What is before the rater

    @property
    def opened(self) -> SubjectState | None:
        return self.session.opened if self.session is not None else None

    def hidden(self, opened: SubjectState) -> frozenset[Hidden]:
        """What is withheld now: all that the form hides, until the rater has labelled and asked."""
        if opened.is_done and opened.is_revealed:
            return frozenset()
        return frozenset(self.form.hidden)

    def show_opened(self) -> None:
        """Shows another subject, or that there is none."""
        opened = self.opened
        self.set_class(opened is None, "-nothing")
        self.key_guard.lose()
        if opened is None or self.session is None:
            self._idle = self._idle_now()
            self._tell(None)
            self.show_nothing(self.empty_text(), tr("Nothing waits here"))
            self.look_ahead()
            return
        foreseen = self.prefetcher.foreseen
        loaded = foreseen.loaded.get(opened.subject)
        if loaded is None or self.session.authoring_step:
            # others may have written at it since it was read ahead
            loaded = self.session.read(lambda db: self.view_type.load(db, opened.subject))
        self.view.show(loaded, self.hidden(opened))
        # with the subject, so that they need no second picture when they have been read
        self.prefetcher.figures = self.prefetcher.figures.at(foreseen.cells.get(opened.subject))
        self._show_state(opened, self._first_field(opened))
        self.show_progress()
        self._idle = self._idle_now()
        self.show_where()
        if self.focused is None or not self.focused.display or self.focused is self.nothing:
            self.focus_first()
        self.restart_clock()
        self.call_after_refresh(self.key_guard.gain)
        self.look_ahead()

    def show_values(self) -> None:
        """Shows the labels of the open subject; nothing else is painted."""
        if self.opened is not None:
            self._show_state(self.opened, self.panel.shown.focus)
        self.show_top()

    def show_stale(self) -> None:
        if self.session is not None:
            self.session.refresh()
        self.show_values()

    def show_unsaved(self, value: tuple[str, Value]) -> None:
        # what could not be saved stays in sight below the problem
        self.problem.styles.margin = (0, 0, self.panel.size.height + 1, 0)
        self.panel.show(self.panel.shown._replace(unsaved=value))
        self.say(tr("not saved: {field} {value}", field=value[0], value=value[1]), "bad")

    def _show_state(self, opened: SubjectState, focus: str) -> None:
        """The values, and warnings or else the notes on the whole subject."""
        self.recent.note(opened)
        self.panel.show(FormState(opened.values, opened.not_applicable, focus, None, opened.notes))
        self.panel.show_recent(self.recent.texts(but=opened.subject))
        warned = warning_text(opened.warnings)
        self.say(warned or standing_text(opened, self.form), "warn")
        self._tell(opened)

    def _tell(self, opened: SubjectState | None) -> None:
        """Shows the known answer of a training question until another subject is opened."""
        if opened is not None and opened.told is not None:
            text = told_text(opened.told, opened, self.form)
            self.problem.show(text, is_trouble=False)
            self._is_told = True
        elif self._is_told:
            self.problem.show("")
            self._is_told = False

    def _first_field(self, opened: SubjectState) -> str:
        """Where the cursor begins: the first field that is asked and has no value yet."""
        asked = [one.key for one in self.panel.fields if one.key not in opened.not_applicable]
        empty = (key for key in asked if key not in opened.values)
        return next(empty, asked[0] if asked else "")

    def say(self, text: str, role: str = "") -> None:
        self.panel.say(text, role)

    def flash(self, text: str) -> None:
        """Says in the form's last line why a key did nothing."""
        self.say(text, "bad")

    def focus_first(self) -> None:
        if len(self.panel.fields) > 1:
            self.panel.focus()
        else:
            self.view.first_pane()

    def restart_clock(self) -> None:
        """What was done elsewhere meanwhile is counted there."""
        self._clock.restart(time.monotonic())

    def context(self) -> tuple[str, ...]:
        if self.opened is None:
            return (self.form_name,)
        route = self.session.route.title if self.session is not None else ""
        return (route, *self.view.context())

    # Reading ahead

    def look_ahead(self) -> None:
        """Reads what comes next, and the figures, in the background."""
        self.run_worker(self._foresee(), group="prefetching")

    async def _foresee(self) -> None:
        if await self.prefetcher.look(self._place, self.show_progress):
            self.looked_ahead()

    def _place(self) -> tuple[Subject | None, Filter] | None:
        session = self.session
        return None if session is None else (session.subject, session.route.filter)

    def show_progress(self) -> None:
        figures = self.prefetcher.figures
        own = own_text(figures.done, figures.done + figures.waiting)
        self.panel.show_progress(
            progress_text(figures.done_today, figures.median_seconds, figures.cell, own, self.goal)
        )

    # Giving values: saved first, then painted, then on to the next

    def on_key(self, event: events.Key) -> None:
        """Every key is time at work."""
        self._clock.tick(event.time)
        if self.opened is not None and ord(event.character or " ") > 0x2E80:
            self.flash(tr("an input method is on: digits work with it, letters do not"))

    def action_value(self, character: str) -> None:
        field = self.panel.focus_field
        if self.opened is None or field is None:
            return
        value = value_of_key(field, character)
        if value is None:
            self.flash(legal_text(field))
        elif self.key_guard.is_too_early:
            self.flash(TOO_EARLY)
        elif self._is_new and (unseen := self.view.unseen):
            self.flash(self.unseen_text(unseen))
        elif any(same(value, one) for one in field.noted):
            self.remarks.comment(field.key, lambda: self.give(field, value))
        else:
            self.give(field, value)

    @property
    def _is_new(self) -> bool:
        """Whether the open subject was given no value yet: one that was, has been read."""
        opened = self.opened
        return opened is not None and not any(one.key in opened.values for one in self.panel.fields)

    def action_check(self, key: str) -> None:
        """Turns a check on: failed, passed, empty."""
        if self.opened is not None:
            self.give(self.form.field(key), next_check(self.opened.values.get(key)))

    def on_form_panel_moved(self, message: FormPanel.Moved) -> None:
        """The page keys read on in the subject while the form has the focus."""
        message.stop()
        self.view.move(message.where)

    def give(self, field: Field, value: Value | None) -> None:
        """Saves a value (none clears the field), then shows it, then goes on."""
        session, before, waiting = self.session, self.opened, self.saving.waiting
        if session is None or before is None:
            return
        if waiting is not None and waiting.value is not None and waiting.value[0] != field.key:
            self.flash(tr("{value} is not saved yet: Enter tries again", value=waiting.value[0]))
            return

        def write() -> None:
            if value is None:
                session.clear(before.subject, field.key)
            else:
                spent = self._clock.read_ms()
                session.set(before.subject, field.key, value, active_ms=spent)
                self._clock.spend()

        shown = None if value is None else (field.key, value)
        if not self.saving.attempt(write, lambda: self.give(field, value), shown):
            return
        if self.opened is not None and self.opened.is_done and not before.is_done:
            self.prefetcher.figures = self.prefetcher.figures.with_one_more()
        self.show_values()
        if not self.corrections.opens_after(field, value):
            self.go_on(field, is_revised=before.is_done and not before.warnings)

    def go_on(self, field: Field | None = None, *, is_revised: bool = False) -> None:
        """To the next field, or to the next subject once the form is complete without warnings.

        A subject that was complete before (`is_revised`) is left by Enter where the form has
        several fields: whoever came back to it may want to change another one, too. So is a
        training question, whose answer is read first.
        """
        opened = self.opened
        if opened is None:
            return
        stays = (is_revised and len(self.panel.fields) > 1) or opened.told is not None
        is_check = field is not None and field.key not in {one.key for one in self.panel.fields}
        if opened.is_done and not opened.warnings and not is_check and self.advances and not stays:
            self.advance()
        elif field is not None and field.key == self.panel.shown.focus:
            self.panel.step(1)

    # On and back

    def advance(self) -> None:
        """Opens the next subject that is not done."""

        def go() -> None:
            assert self.session is not None
            self.session.advance(self.prefetcher.foreseen.subjects)
            self.show_opened()

        self.saving.attempt(go, self.advance)

    def action_confirm(self) -> None:
        """Enter: try again what was not saved; else go on, where the form is complete."""
        opened = self.opened
        if self.saving.retry() or self.session is None:
            return
        if opened is not None and not opened.is_done:
            if not self.panel.fields:
                self.corrections.edit()
                return
            self.panel.move_to(self._first_field(opened))
            self.flash(tr("a field is empty; ] skips this one"))
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
                self.flash(tr("nothing further this way"))

        self.saving.attempt(go, lambda: self.step(by))

    def show_reversed(self, undone: Undone, before: Subject | None) -> None:
        if before == undone.event.subject:
            self.show_values()
            self._idle = self._idle_now()
        else:
            self.show_opened()

    def action_auto_advance(self) -> None:
        self.advances = not self.advances
        how = tr("by itself when the form is complete") if self.advances else tr("on Enter")
        self.say(tr("the next one comes {how}", how=how))

    def step_back(self) -> bool:
        """Esc: out of the guideline, then out of a narrower queue."""
        if self.has_class("-guided"):
            self.action_guideline()
            return True
        return self.going.go_home()

    def action_comment_field(self) -> None:
        """A note on the field that the cursor is on."""
        field = self.panel.focus_field
        if field is not None:
            self.remarks.comment(field.key)

    # Screens above this one

    def action_conflicts(self) -> None:
        """Conflicts between raters, to be ruled on."""
        from tui.label.adjudication import AdjudicationScreen

        def ruled(_: object) -> None:
            self.restart_clock()
            self.saving.attempt(self.show_stale, self.show_stale)

        self.app.push_screen(AdjudicationScreen(self.form.key), ruled)

    def action_statistics(self) -> None:
        self.going.statistics()

    def action_new_sample(self) -> None:
        from tui.statistics.new_sample import open_new_sample

        def drawn() -> None:
            if self.is_current and self.opened is None and self.session is not None:
                self.advance()

        open_new_sample(self.host, self.form.key, drawn)

    def action_other_pane(self) -> None:
        """From pane to pane, and to the form where it has fields to go through."""
        if self.panel.has_focus:
            self.view.first_pane()
        elif not self.view.other_pane():
            self.focus_first()

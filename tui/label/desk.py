"""The desk: what is before a rater, for every form and over any kind of subject."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar

from textual.containers import Container, Vertical
from textual.widget import Widget

from engine.labelling.session import WHOLE_QUEUE, LabelSession, Route, SubjectState
from store.errors import RagdeskError
from store.labels.forms import Hidden
from store.labels.queue import LEASE_SECONDS
from store.workspace import FILE_NAME
from tui.label.clock import ActiveClock
from tui.label.form_lines import Shown, checks
from tui.label.form_panel import FormPanel
from tui.label.key_guard import KeyGuard
from tui.label.messages import own_text, progress_text, standing_text, warning_text
from tui.label.prefetcher import Figures, Foreseen, Prefetcher
from tui.label.saving import Waiting
from tui.label.subject_screen import SubjectScreen
from tui.live.facts import Facts

IDLE = ("desk.new_sample", "label.sample", "judging.previous", "judging.undo", "desk.progress")
"""The actions of the footer while there is nothing to judge."""


class JudgementDesk(SubjectScreen):
    """A rater before one subject after the other, with one form. `ValueDesk` and `JudgementScreen`
    add what keys do; use the last."""

    FORM: ClassVar[str]
    DEFAULT_CSS = """
    JudgementDesk #judging { height: 1fr; layout: horizontal; }
    JudgementDesk #judged-column { width: 2fr; height: 1fr; }
    JudgementDesk #judged { height: 1fr; }
    JudgementDesk #nothing { height: 1fr; display: none; }
    JudgementDesk.-guided #guideline { display: block; width: 1fr; margin-left: 1; }
    JudgementDesk.-narrow.-guided #judged { display: none; }
    JudgementDesk.-narrow #judging { layout: vertical; }
    JudgementDesk.-narrow #judged-column { width: 1fr; }
    JudgementDesk.-narrow.-guided #judged-column { height: auto; dock: bottom; }
    JudgementDesk.-narrow.-guided #guideline { margin-left: 0; }
    JudgementDesk.-nothing #nothing { display: block; }
    JudgementDesk.-nothing #judging { display: none; }
    """

    def __init__(self, form_key: str = "", home: Route = WHOLE_QUEUE) -> None:
        """The form is that of the class, unless told otherwise; `home` is what Esc leads back to
        from a narrower part of the queue."""
        super().__init__(form_key or self.FORM)
        self.home = home
        self.panel = FormPanel(self.form, self.lang)
        self.foresight: Prefetcher | None = None
        self.foreseen = Foreseen()
        self.figures = Figures()
        self._wants_look = False
        self._is_looking = False
        self.advances = len(self.panel.fields) == 1
        """Whether the next subject comes by itself once all is said."""
        self._clock = ActiveClock(time.monotonic())
        self.sight = KeyGuard()

    @abstractmethod
    def empty_words(self) -> str:
        """What to do when the queue holds nothing."""

    def resumed(self) -> None:
        """What the rater was at is on the screen again: a subclass goes on with what was half
        typed."""

    # Life

    def compose_body(self) -> Iterator[Widget]:
        yield self.nothing
        with Container(id="judging"):
            with Vertical(id="judged-column"):
                yield self.view
                yield self.panel
            yield self.guideline

    def on_mount(self) -> None:
        super().on_mount()
        self.panel.name_keys(self._check_keys())
        self.set_interval(LEASE_SECONDS / 3, self._renew)
        self.call_after_refresh(self._begin)

    def on_unmount(self) -> None:
        if self.foresight is not None:
            self.foresight.close()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.is_attached and self.session is not None and self.session.opened is None:
            self.advance()

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        """Something was drawn, or came free, while there was nothing to judge."""
        if self.session is None:
            if before is not None and facts.is_open and self.waiting is None:
                self._begin()
            return
        has_more = before is not None and (
            (before.inspection, before.to_label) != (facts.inspection, facts.to_label)
        )
        if has_more and self.opened is None and self.waiting is None:
            self.advance()

    def _check_keys(self) -> dict[str, str]:
        """The keys of the form's checks, as the person's own key map has them."""
        registry = self.host.registry
        keys = {action.id: action.keys[0] for action in registry.scoped(self.PLACE)}
        return {
            field.key: keys.get(f"{self.PLACE}.{field.key}", field.shortcut)
            for field in checks(self.form)
        }

    def _begin(self) -> None:
        """Open the workspace and what the rater was at."""
        if self.session is None and not (self.host.folder / FILE_NAME).exists():
            # nothing to judge yet; `show_facts` begins again when there is a workspace
            self.show_opened()
            return
        if self.session is None:
            folder, rater = self.host.folder, self.host.rater
            try:
                self.session = LabelSession.open(folder, self.form.key, rater, self.home)
            except RagdeskError as error:
                self.fail(error, Waiting(self._begin))
                return
            self.foresight = Prefetcher(folder, self.form.key, rater, self.view_type.load)
        self.attempt(self._open_first, self._begin)

    def _open_first(self) -> None:
        assert self.session is not None
        self.session.begin()
        self.show_opened()
        self.resumed()

    # What is before the rater

    @property
    def opened(self) -> SubjectState | None:
        return self.session.opened if self.session is not None else None

    def hidden(self, opened: SubjectState) -> frozenset[Hidden]:
        """What is withheld now: all that the form hides, until the rater has judged and asked."""
        if opened.is_done and opened.is_revealed:
            return frozenset()
        return frozenset(self.form.hidden)

    def show_opened(self) -> None:
        """Show another subject, or that there is none."""
        opened = self.opened
        self.set_class(opened is None, "-nothing")
        self.footer.show(self.host.registry.footer(self.PLACE, IDLE if opened is None else ()))
        self.sight.lose()
        if opened is None or self.session is None:
            self.show_nothing(self.empty_words(), "Nothing waits here")
            self._look_ahead()
            return
        loaded = self.foreseen.loaded.get(opened.subject)
        if loaded is None:
            loaded = self.session.read(lambda db: self.view_type.load(db, opened.subject))
        self.view.show(loaded, self.hidden(opened))
        # with the subject, so that they need no second picture when they have been read
        self.figures = self.figures.at(self.foreseen.cells.get(opened.subject))
        self.panel.show(self._to_show(opened, self._first_field(opened)))
        self.panel.say(self._remarks(opened), "warn")
        self._show_progress()
        self.show_where()
        if self.focused is None or not self.focused.display or self.focused is self.nothing:
            self.focus_first()
        self.restart_clock()
        self.call_after_refresh(self.sight.gain)
        self._look_ahead()

    def show_values(self) -> None:
        """Show what has been said of the open subject; nothing else is painted."""
        opened = self.opened
        if opened is not None:
            self.panel.show(self._to_show(opened, self.panel.shown.focus))
            self.panel.say(self._remarks(opened), "warn")
        self.show_where()

    @staticmethod
    def _to_show(opened: SubjectState, focus: str) -> Shown:
        return Shown(opened.values, opened.not_applicable, focus, None, opened.notes)

    def _remarks(self, opened: SubjectState) -> str:
        """What contradicts, else what is said of the whole subject."""
        warned = warning_text(opened.warnings, self.lang)
        return warned or standing_text(opened, self.form, self.lang)

    def _first_field(self, opened: SubjectState) -> str:
        """Where the cursor begins: the first field that is asked and has no value yet."""
        asked = [one.key for one in self.panel.fields if one.key not in opened.not_applicable]
        empty = (key for key in asked if key not in opened.values)
        return next(empty, asked[0] if asked else "")

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

    def _look_ahead(self) -> None:
        self._wants_look = True
        if not self._is_looking:
            self._is_looking = True
            self.run_worker(self._foresee(), group="foresight")

    async def _foresee(self) -> None:
        """Look ahead until what is open has been looked past.

        A look that a key overtakes is finished, and what it found is used: a rater who is faster
        than it would else never have anything foreseen.
        """
        try:
            while self._wants_look and self.foresight is not None and self.session is not None:
                self._wants_look = False
                here, filter = self.session.subject, self.session.route.filter
                # the figures first: they are on the screen, the queue is for the next key
                figures = await self.foresight.figures(here, filter)
                if figures is not None and not self._wants_look:
                    self.figures = figures
                    self._show_progress()
                found = await self.foresight.look(here, filter)
                if found is not None and filter == self.session.route.filter:
                    self.foreseen = found
        finally:
            self._is_looking = False

    def _show_progress(self) -> None:
        figures = self.figures
        own = own_text(figures.done, figures.done + figures.waiting)
        self.panel.show_progress(
            progress_text(figures.done_today, figures.median_seconds, figures.cell, own)
        )

    # What could not be written

    def show_stale(self) -> None:
        if self.session is not None:
            self.session.refresh()
        self.show_values()

    def _renew(self) -> None:
        if self.session is not None and self.waiting is None:
            with suppress(RagdeskError):  # the next time will do: a lease outlives two of them
                self.session.renew()

    def advance(self) -> None:
        """Open the next subject that is not done."""

        def go() -> None:
            assert self.session is not None
            self.session.advance(self.foreseen.subjects)
            self.show_opened()

        self.attempt(go, self.advance)

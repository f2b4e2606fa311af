"""The base class of the screens of a place: top line, footer, problems, news."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget

from tui.live.facts import Facts
from tui.screens.destinations import Destination
from tui.screens.host import Host, host_of
from tui.shell.actions import Action, KeyLabel, bindings
from tui.shell.clipboard import Copyable, command, copyable
from tui.shell.key_events import is_typing
from tui.widgets.frame import (
    MORE,
    MORE_WHILE_TYPING,
    FooterLine,
    ProblemLines,
    TopLine,
    Where,
    key_labels,
)
from tui.widgets.scrolling import ScrollingLines


class PlaceScreen(Screen[Any]):
    """Subclasses name their place in `PLACE`, take the `actions` of its room, and yield their
    widgets in `compose_body`."""

    PLACE: ClassVar[str]
    FOOTER_START: ClassVar[tuple[KeyLabel, ...]] = ()
    """Keys that are no actions, before all others in the footer."""
    DEFAULT_CSS = "PlaceScreen { layers: default over; }"

    def __init_subclass__(cls, *, actions: Sequence[Action] = (), **kwargs: Any) -> None:
        """Binds the keys of those of the `actions` that are the place's, before keys of its own."""
        if actions:
            cls.BINDINGS = [*bindings(cls.PLACE, actions), *cls.__dict__.get("BINDINGS", ())]
        super().__init_subclass__(**kwargs)

    def __init__(self) -> None:
        super().__init__()
        self.top = TopLine(Where(self.host.registry.place(self.PLACE).title))
        self.footer = FooterLine()
        self.problem = ProblemLines()
        self._shown: Facts | None = None
        self._bound: set[str | None] = set()
        self._wide: set[ScrollingLines] = set()
        """The texts with a table in view that is wider than its place."""

    @property
    def host(self) -> Host:
        """The app, with what a screen may ask of it."""
        return host_of(self)

    def compose(self) -> ComposeResult:
        yield self.top
        yield from self.compose_body()
        yield self.problem
        yield self.footer

    @abstractmethod
    def compose_body(self) -> Iterator[Widget]:
        """The widgets between the top line and the footer."""

    def on_mount(self) -> None:
        self.take_news()
        self._find_keys()

    def on_screen_resume(self) -> None:
        self.take_news()

    def take_news(self) -> None:
        """Repaints what differs from the facts shown so far, once they are known."""
        facts = self.host.facts
        if facts.is_known and facts is not self._shown:
            before, self._shown = self._shown, facts
            self.show_facts(facts, before)
        self.show_where()

    def on_scrolling_lines_widened(self, message: ScrollingLines.Widened) -> None:
        """The footer says how wide tables are scrolled while one is in view."""
        message.stop()
        (self._wide.add if message.is_wide else self._wide.discard)(message.lines)
        self.show_footer()

    def sideways_keys(self) -> KeyLabel:
        """The keys that scroll wide tables, as the footer names them."""
        return self.host.registry.joint("passage", ("left", "right"), "columns")

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        """Repaint what differs from `before`, which is None the first time."""

    def show_where(self) -> None:
        """Updates the top line, and the keys."""
        self.show_top()
        self.show_footer()

    def show_top(self) -> None:
        """Updates the top line."""
        self.top.show(
            self.top.where._replace(
                context=self.context(), rater=self.host.rater, status=self.host.status_text()
            )
        )

    # Keys of the footer

    def first_keys(self) -> Sequence[str]:
        """The ids of the actions that the footer begins with, if not those marked so."""
        return ()

    def idle_keys(self) -> Collection[str]:
        """The ids of the actions that would do nothing now."""
        return ()

    def on_descendant_focus(self) -> None:
        self._find_keys()

    def on_descendant_blur(self) -> None:
        if self.focused is None:
            self._find_keys()

    def _find_keys(self) -> None:
        """Looks for the keys that are bound where the focus is."""
        self._bound = {one.binding.id for one in self.active_bindings.values()}
        self.show_footer()

    def show_footer(self) -> None:
        """Shows the keys that do something now, as many as the width holds."""
        is_text = is_typing(self.focused)
        idle = {*self.idle_keys(), *getattr(self.focused, "idle_keys", ())}
        actions = (
            action
            for action in self.host.registry.footer(self.PLACE, self.first_keys())
            if action.id in self._bound
            and action.id not in idle
            and not (is_text and len(action.keys[0]) == 1)
        )
        more = MORE_WHILE_TYPING if is_text else MORE
        start = (self.sideways_keys(), *self.FOOTER_START) if self._wide else self.FOOTER_START
        self.footer.show((*start, *key_labels(actions)), more)

    def context(self) -> tuple[str, ...]:
        """The position within the place, from the general to the special."""
        return (str(self.host.facts.folder.name),)

    def arrive(self, destination: Destination) -> bool:
        """Shows what was asked for elsewhere; False where another screen of the place does."""
        return False

    @property
    def dataset(self) -> str:
        """The dataset that the screen is about; empty where it is about none, or several."""
        return ""

    @property
    def run_name(self) -> str:
        """The run that the screen is about; empty where it is about none, or several."""
        return ""

    def copies(self) -> Iterator[Copyable]:
        """What there is to copy beside what a widget offers: of the subject, then the command."""
        if words := self.command():
            yield copyable("command", command(self.host.folder, words))

    def command(self) -> Sequence[str]:
        """The words of the command that shows or does the same; none where there is no such."""
        return ()

    def step_back(self) -> bool:
        """One step back within the screen; False when there is none."""
        return False

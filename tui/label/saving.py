"""Writing from a screen so that nothing is lost: a failure is shown, stays, and is tried again."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from textual.timer import Timer

from store.errors import Busy, Conflict, RagdeskError
from store.labels.forms import Value
from tui.language import tr
from tui.screens.place import PlaceScreen

RETRY_SECONDS = 0.5
"""How often a write is tried again while another process holds the workspace."""


class Waiting(NamedTuple):
    """A write that failed: what to do again, and the typed value that waits for it."""

    again: Callable[[], object]
    value: tuple[str, Value] | None = None


class Saving:
    """The writes of a screen: nothing is shown as done before it is on the disk."""

    def __init__(
        self,
        screen: PlaceScreen,
        *,
        show_stale: Callable[[], None],
        show_unsaved: Callable[[tuple[str, Value]], None] = lambda value: None,
    ) -> None:
        """`show_stale` shows what the workspace holds where the screen no longer does;
        `show_unsaved` keeps a value that could not be saved on the screen, as what it is."""
        self._screen = screen
        self._show_stale = show_stale
        self._show_unsaved = show_unsaved
        self.waiting: Waiting | None = None
        self._retry: Timer | None = None

    def attempt(
        self,
        write: Callable[[], object],
        again: Callable[[], object],
        value: tuple[str, Value] | None = None,
    ) -> bool:
        """Writes; False when that failed.

        A failure is shown and stays, with the `value` as it was typed. `again` is done by itself
        while another process holds the workspace, otherwise by Enter (`retry`).
        """
        try:
            write()
        except Conflict as error:
            self._let_go()
            self._screen.host.show_problem(str(error))
            self._show_stale()
            return False
        except RagdeskError as error:
            self.fail(error, Waiting(again, value))
            return False
        self._let_go()
        return True

    def fail(self, error: RagdeskError, waiting: Waiting) -> None:
        """Says that something could not be written, and keeps it."""
        is_first, self.waiting = self.waiting is None, waiting
        if waiting.value is not None:
            self._show_unsaved(waiting.value)
        show_problem = self._screen.host.show_problem
        if isinstance(error, Busy):
            if is_first:
                show_problem(tr("Not saved yet. {error} It is tried again by itself.", error=error))
            if self._retry is None:
                self._retry = self._screen.set_interval(RETRY_SECONDS, self.retry)
            return
        self._stop_retrying()
        show_problem(tr("Not saved. {error} Enter tries again.", error=error))

    def retry(self) -> bool:
        """Tries again what could not be written; False when there is nothing of the kind."""
        if self.waiting is None:
            return False
        self.waiting.again()
        return True

    def _let_go(self) -> None:
        was_waiting, self.waiting = self.waiting is not None, None
        self._stop_retrying()
        if was_waiting:
            self._screen.host.advise("Saved now; nothing was lost.")

    def _stop_retrying(self) -> None:
        if self._retry is not None:
            self._retry.stop()
            self._retry = None

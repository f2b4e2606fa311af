"""Writing from a screen so that nothing is lost: a failure is shown, stays, and is tried again."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from textual.timer import Timer

from store.errors import Busy, Conflict, RagdeskError
from store.labels.forms import Value
from tui.screens.place import PlaceScreen

RETRY_SECONDS = 0.5
"""How often a write is tried again while another process holds the workspace."""


class Waiting(NamedTuple):
    """A write that failed: what to do again, and the typed value that waits for it."""

    again: Callable[[], object]
    value: tuple[str, Value] | None = None


class SavingScreen(PlaceScreen):
    """A screen that writes as one works: nothing is shown as done before it is on the disk."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: Waiting | None = None
        self._retry: Timer | None = None

    def show_unsaved(self, value: tuple[str, Value]) -> None:
        """Keep a value that could not be saved on the screen, as what it is."""

    def show_stale(self) -> None:
        """What is shown is no longer what the workspace holds: show that."""

    def attempt(
        self,
        write: Callable[[], object],
        again: Callable[[], object],
        value: tuple[str, Value] | None = None,
    ) -> bool:
        """Write; False when that failed.

        A failure is shown and stays, with the `value` as it was typed. `again` is done by itself
        while another process holds the workspace, otherwise by Enter (`retry`).
        """
        try:
            write()
        except Conflict as error:
            self._let_go()
            self.host.show_problem(str(error))
            self.show_stale()
            return False
        except RagdeskError as error:
            self.fail(error, Waiting(again, value))
            return False
        self._let_go()
        return True

    def fail(self, error: RagdeskError, waiting: Waiting) -> None:
        """Say that something could not be written, and keep it."""
        is_first, self.waiting = self.waiting is None, waiting
        if waiting.value is not None:
            self.show_unsaved(waiting.value)
        if isinstance(error, Busy):
            if is_first:
                self.host.show_problem(f"Not saved yet. {error} It is tried again by itself.")
            if self._retry is None:
                self._retry = self.set_interval(RETRY_SECONDS, self.retry)
            return
        self._stop_retrying()
        self.host.show_problem(f"Not saved. {error} Enter tries again.")

    def retry(self) -> bool:
        """Try again what could not be written; False when there is nothing of the kind."""
        if self.waiting is None:
            return False
        self.waiting.again()
        return True

    def _let_go(self) -> None:
        was_waiting, self.waiting = self.waiting is not None, None
        self._stop_retrying()
        if was_waiting:
            self.host.show_problem("Saved now; nothing was lost.", is_trouble=False)

    def _stop_retrying(self) -> None:
        if self._retry is not None:
            self._retry.stop()
            self._retry = None

"""The protocol of the app towards its screens."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from textual.dom import DOMNode
from textual.screen import Screen

from store.workspace import Workspace
from tui.calculator.calculator import Calculator
from tui.calculator.protocol import Query
from tui.live.facts import Facts
from tui.screens.destinations import Destination
from tui.shell.registry import Registry

T = TypeVar("T")


class Host(Protocol):
    """The app as seen by its screens: facts of the workspace, work in threads, other screens."""

    facts: Facts
    """What the workspace holds now."""
    rater: str
    """Who judges; empty where nobody was named."""
    registry: Registry
    """Every action of the app, with this person's own keys."""
    calculator: Calculator

    @property
    def folder(self) -> Path:
        """The folder of the workspace."""

    def read(self, question: Callable[[sqlite3.Connection], T]) -> T | None:
        """The answer to a question that takes a few milliseconds; None, and the problem is shown,
        when there is no answer."""

    def in_thread(
        self,
        what: str,
        task: Callable[[Workspace], T],
        done: Callable[[T], Awaitable[None] | None],
        *,
        group: str = "",
    ) -> None:
        """Does `task` in a thread with a workspace of its own, then `done` with its result here.

        A failure is shown as a problem. `what` says what is being waited for. With a `group`, for
        reading only, a later task of it takes the place of an earlier one, whose result is dropped.
        """

    def ask(
        self,
        what: str,
        query: Query[T],
        done: Callable[[T], Awaitable[None] | None],
        *,
        group: str = "",
    ) -> None:
        """Has a query answered beside the app, then does `done` with the answer here; otherwise as
        `in_thread`."""

    def ask_apart(
        self, what: str, query: Query[T], done: Callable[[T], Awaitable[None] | None]
    ) -> None:
        """Has a query answered by a process of its own, since it takes long or writes; otherwise
        as `in_thread`."""

    def reopen_as(self, rater: str) -> None:
        """Leaves the app and opens it anew for this rater."""

    def show_problem(self, english: str, /, **given: object) -> None:
        """Says what went wrong and what to do, with each `{name}` filled from `given`; it stays
        until Esc."""

    def advise(self, english: str, /, **given: object) -> None:
        """Gives advice or news where a problem would be shown."""

    def status_text(self) -> str:
        """Describes the work going on, for the top line: waits first, then jobs."""

    def copy_to_clipboard(self, text: str) -> None:
        """Sends a text to the terminal's clipboard."""

    async def open(self, destination: Destination) -> None:
        """Goes to another place, or opens a screen of one."""

    def push_screen(
        self, screen: Screen[T], callback: Callable[[T | None], Any] | None = None
    ) -> Any:
        """Shows a question or a further screen; `callback` gets what it is dismissed with."""

    def question(self, screen: Screen[T | None], then: Callable[[T], object]) -> None:
        """Shows a question; `then` gets the answer, unless it was left without one."""


def host_of(node: DOMNode) -> Host:
    """The app that a screen or a widget is shown by."""
    return cast(Host, node.app)

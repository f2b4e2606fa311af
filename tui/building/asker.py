"""Who asks the questions of the Build screen, and has the answers done beside the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from engine.jobs.operation import Operation, encoded
from store.errors import RagdeskError
from tui.building.form import BuildForm, Values
from tui.building.queries import StartQuery
from tui.calculator.calculator import Calculator
from tui.calculator.protocol import Query
from tui.screens.host import Host

T = TypeVar("T")


class Asker(NamedTuple):
    """Who asks, and the process that estimates while a question is open."""

    host: Host
    estimator: Calculator

    def do(self, what: str, query: Query[T], done: Callable[[T], None]) -> None:
        """Have it done beside the app; a failure is shown as a problem."""
        self.host.ask(what, query, done, group="build-jobs", exclusive=False)

    def start(self, what: str, operation: Operation, done: Callable[[int], None]) -> None:
        """Have a job queued beside the app; `done` gets its number."""
        self.do(f"queueing {what}", StartQuery(encoded(operation)), done)

    def model_form(self, make: Callable[[], BuildForm], decided: Callable[[Values], None]) -> None:
        """Ask for a model, unless what is written of models cannot be read."""
        try:
            form = make()
        except RagdeskError as error:
            self.host.show_problem(str(error))
            return
        self.host.push_screen(form, lambda values: decided(values) if values is not None else None)

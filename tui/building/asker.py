"""Who asks the questions of the Build screen, and has the answers done beside the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from store.errors import RagdeskError
from tui.building.form import BuildForm, Values
from tui.building.queries import BuildQuery
from tui.building.requests import BuildRequest, Built
from tui.calculator.calculator import Calculator
from tui.screens.host import Host

Done = Callable[[Built], None]


class Asker(NamedTuple):
    """Who asks, and the process that estimates while a question is open."""

    host: Host
    estimator: Calculator

    def do(self, what: str, request: BuildRequest, done: Done) -> None:
        """Have it done beside the app; a failure is shown as a problem."""
        self.host.ask(what, BuildQuery(request), done, group="build-jobs", exclusive=False)

    def model_form(self, make: Callable[[], BuildForm], decided: Callable[[Values], None]) -> None:
        """Ask for a model, unless what is written of models cannot be read."""
        try:
            form = make()
        except RagdeskError as error:
            self.host.show_problem(str(error))
            return
        self.host.push_screen(form, lambda values: decided(values) if values is not None else None)

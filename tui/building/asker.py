"""Who asks the questions of the Build screen, and has the answers done beside the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from store.errors import RagdeskError
from tui.building.form import Form, Values
from tui.building.requests import BuildRequest, Built
from tui.calculator.calculator import Calculator

if TYPE_CHECKING:
    from tui.app import Ragdesk

Done = Callable[[Built], None]


class Asker(NamedTuple):
    """Who asks, and the process that estimates while a question is open."""

    desk: Ragdesk
    estimator: Calculator

    def do(self, what: str, request: BuildRequest, done: Done) -> None:
        """Have it done beside the app; a failure is shown as a problem."""
        calculator = self.desk.calculator
        self.desk.in_thread(what, lambda _: calculator.build(request), done, group="build-jobs")

    def model_form(self, make: Callable[[], Form], decided: Callable[[Values], None]) -> None:
        """Ask for a model, unless what is written of models cannot be read."""
        try:
            form = make()
        except RagdeskError as error:
            self.desk.show_problem(str(error))
            return
        self.desk.push_screen(form, lambda values: decided(values) if values is not None else None)

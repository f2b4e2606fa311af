"""The question before a job that may ask a model: which model, what it may spend, what it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from textual.timer import Timer

from engine.generate.asked import GenerationEstimate
from engine.jobs.operation import Budget, Estimate
from engine.models.settings import Provider, providers
from store.errors import RagdeskError
from store.messages import plural
from tui.calculator.calculator import Calculator
from tui.calculator.protocol import Query
from tui.screens.form import BuildForm, Line, Pick, Values
from tui.screens.host import Host, host_of

OFFLINE = "offline"
SETTLED = 0.3
"""Seconds without a change after which an estimate is begun."""

E = TypeVar("E", bound=Estimate)


class ModelForm(BuildForm, Generic[E]):
    """Shows what the job would take, computed beside the app while one chooses.

    Values are `model`, `max_tokens`, `max_cost` and those of its other parts.
    """

    def __init__(
        self,
        title: str,
        host: Host,
        start: str,
        *,
        baseline: str,
        estimate: Callable[[Values], Query[E]],
        words: Callable[[E, str], Sequence[str]],
        parts: Sequence[Pick | Line] = (),
        model: str = OFFLINE,
        trouble: Callable[[Values], str] = lambda values: "",
    ) -> None:
        """`baseline` says what is done without a model; `words` what an estimate by a model of
        that name means. Raises InputError for a broken ragdesk.toml."""
        super().__init__(
            title,
            [
                Pick("model", "Model", model_options(host, baseline), model),
                *parts,
                Line("max_tokens", "At most, tokens", hint="no bound; a model only"),
                Line("max_cost", "At most, money", hint="no bound; a model only"),
            ],
            start,
            trouble=lambda values: bounds_trouble(values) or trouble(values),
        )
        self._estimator = Calculator(host.folder)
        self._estimate = estimate
        self._words = words
        self._asked: Query[E] | None = None
        self._timer: Timer | None = None

    def on_unmount(self) -> None:
        self._estimator.close()

    def changed(self) -> None:
        super().changed()
        if bounds_trouble(self.values) or self._estimate(self.values) == self._asked:
            return
        self.say("What it takes is being computed; it can be started before.")
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(SETTLED, self._begin)

    def _begin(self) -> None:
        query, model = self._estimate(self.values), self.values["model"]
        if query == self._asked:
            return
        self._asked = query
        self._estimator.close()  # what was asked before is of no use any more
        host_of(self).in_thread(
            "estimating",
            lambda _: _answered(self._estimator, query),
            lambda answer: self._show(query, answer, model),
            group="estimate",
            exclusive=True,
        )

    def _show(self, query: Query[E], answer: E | RagdeskError, model: str) -> None:
        if query != self._asked or not self.is_attached:
            return
        lines = [str(answer)] if isinstance(answer, RagdeskError) else self._words(answer, model)
        self.say(*lines)


def _answered(estimator: Calculator, query: Query[E]) -> E | RagdeskError:
    try:
        return estimator.ask(query)
    except RagdeskError as error:
        return error


def ask_model(host: Host, make: Callable[[], BuildForm], decided: Callable[[Values], None]) -> None:
    """Shows the form that `make` gives, unless what is written of models cannot be read."""
    try:
        form = make()
    except RagdeskError as error:
        host.show_problem(str(error))
        return
    host.push_screen(form, lambda values: decided(values) if values is not None else None)


def model_options(host: Host, baseline: str) -> list[tuple[str, str]]:
    """The built-in way, then the providers of the workspace, with what each is."""
    named = [known for known in providers(host.folder).values() if known.kind != OFFLINE]
    return [
        (OFFLINE, baseline),
        *((known.name, _provider_words(known)) for known in named),
    ]


def _provider_words(provider: Provider) -> str:
    prices = "" if provider.prices else ", no prices stated"
    return f"{provider.model} at {provider.base_url}{prices}"


def budget_of(values: Values) -> Budget:
    """What the job may spend, of values without `bounds_trouble`."""
    tokens, cost = values["max_tokens"], values["max_cost"]
    return Budget(int(tokens) if tokens else None, float(cost) if cost else None)


def bounds_trouble(values: Values) -> str:
    """Why the bounds will not do; empty when they will."""
    tokens, cost = values["max_tokens"], values["max_cost"]
    if tokens and not (tokens.isdecimal() and int(tokens)):
        return "At most so many tokens: a whole number above 0, or nothing."
    try:
        is_right = not cost or 0 < float(cost) < float("inf")
    except ValueError:
        is_right = False
    return "" if is_right else "At most so much money: a number above 0, or nothing."


def calls_words(estimate: Estimate, model: str, calls_at_most: int = 0) -> list[str]:
    """What a job takes of a model, in sentences."""
    if model == OFFLINE:
        return ["No model is asked."]
    most = f" to {calls_at_most:,}" if calls_at_most > estimate.calls else ""
    money = "Cost unknown: the provider states no prices."
    if estimate.cost is not None:
        money = f"Cost about {estimate.cost:,.2f} {estimate.currency}."
    return [
        f"{estimate.calls:,}{most} calls, {estimate.cached:,} of them in the cache.",
        f"About {estimate.tokens_in:,} tokens in, at most {estimate.tokens_out:,} out. {money}",
    ]


def drafts_words(estimate: GenerationEstimate, model: str) -> list[str]:
    """What a generation takes, in sentences."""
    if not estimate.missing:
        return ["Every cell holds its target already: nothing is missing."]
    cells = plural(estimate.open_cells, "cell")
    unreachable = (
        f" {estimate.unreachable} of them have no documents, or none that fit the task."
        if estimate.unreachable
        else ""
    )
    missing = f"{plural(estimate.missing, 'item')} missing in {cells}.{unreachable}"
    if model != OFFLINE:
        return [missing, *calls_words(estimate, model, estimate.calls_at_most)]
    drafts = plural(estimate.calls, "draft")
    return [missing, f"Tries at least {drafts} by rule; no model is asked."]

"""The question before a job that may ask a model: which model, what it may spend, what it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.timer import Timer

from engine.models.settings import Provider, providers
from store.errors import RagdeskError
from store.messages import plural
from tui.building.form import BuildForm, Line, Pick, Values
from tui.building.queries import BuildQuery
from tui.building.requests import Bounds, BuildRequest, Built
from tui.calculator.calculator import Calculator
from tui.screens.host import Host, host_of

OFFLINE = "offline"
SETTLED = 0.3
"""Seconds without a change after which an estimate is begun."""

Request = Callable[[Values], BuildRequest]


class ModelForm(BuildForm):
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
        estimator: Calculator,
        estimate: Request,
        words: Callable[[Built], Sequence[str]],
        parts: Sequence[Pick | Line] = (),
        model: str = OFFLINE,
        trouble: Callable[[Values], str] = lambda values: "",
    ) -> None:
        """`baseline` says what is done without a model; `words` what an estimate means. Raises
        InputError for a broken ragdesk.toml."""
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
        self._estimator = estimator
        self._estimate = estimate
        self._words = words
        self._asked: BuildRequest | None = None
        self._timer: Timer | None = None

    def changed(self) -> None:
        super().changed()
        if bounds_trouble(self.values) or self._estimate(self.values) == self._asked:
            return
        self.say("What it takes is being computed; it can be started before.")
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(SETTLED, self._begin)

    def _begin(self) -> None:
        request = self._estimate(self.values)
        if request == self._asked:
            return
        self._asked = request
        self._estimator.close()  # what was asked before is of no use any more
        host_of(self).in_thread(
            "estimating",
            lambda _: _answered(self._estimator, request),
            lambda found: self._show(request, found),
            group="estimate",
            exclusive=True,
        )

    def _show(self, request: BuildRequest, found: Built | RagdeskError) -> None:
        if request != self._asked or not self.is_attached:
            return
        self.say(str(found)) if isinstance(found, RagdeskError) else self.say(*self._words(found))


def _answered(estimator: Calculator, request: BuildRequest) -> Built | RagdeskError:
    try:
        return estimator.ask(BuildQuery(request))
    except RagdeskError as error:
        return error


def model_options(host: Host, baseline: str) -> list[tuple[str, str]]:
    """The built-in way, then the providers of the workspace, with what each is."""
    found = [one for one in providers(host.folder).values() if one.kind != OFFLINE]
    return [(OFFLINE, baseline), *((one.name, _provider_words(one)) for one in found)]


def _provider_words(provider: Provider) -> str:
    prices = "" if provider.prices else ", no prices stated"
    return f"{provider.model} at {provider.base_url}{prices}"


def bounds_of(values: Values) -> Bounds:
    """What the job may spend, of values without `bounds_trouble`."""
    tokens, cost = values["max_tokens"], values["max_cost"]
    return Bounds(int(tokens) if tokens else None, float(cost) if cost else None)


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


def calls_words(found: Built) -> list[str]:
    """What a job takes of a model, in sentences."""
    if not found.asks_model:
        return ["No model is asked."]
    most = f" to {found.calls_at_most:,}" if found.calls_at_most > found.calls else ""
    money = "Cost unknown: the provider states no prices."
    if found.cost is not None:
        money = f"Cost about {found.cost:,.2f} {found.currency}."
    return [
        f"{found.calls:,}{most} calls, {found.cached:,} of them in the cache.",
        f"About {found.tokens_in:,} tokens in, at most {found.tokens_out:,} out. {money}",
    ]


def drafts_words(found: Built) -> list[str]:
    """What a generation takes, in sentences."""
    if not found.missing:
        return ["Every cell holds its target already: nothing is missing."]
    cells = plural(found.open_cells, "cell")
    unreachable = (
        f" {found.unreachable} of them have no documents, or none that fit the task."
        if found.unreachable
        else ""
    )
    missing = f"{plural(found.missing, 'item')} missing in {cells}.{unreachable}"
    if found.asks_model:
        return [missing, *calls_words(found)]
    return [missing, f"Tries at least {plural(found.calls, 'draft')} by rule; no model is asked."]

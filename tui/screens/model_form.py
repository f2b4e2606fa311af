"""The question before a job that may ask a model: which model, what it may spend, what it takes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from msgspec.structs import replace
from textual.timer import Timer

from engine.jobs.operation import Budget, Estimate, Operation
from engine.jobs.start import EstimateQuery
from engine.models.settings import Provider, providers
from store.errors import RagdeskError
from store.jobs.jobs import Job
from tui.calculator.calculator import Calculator
from tui.calculator.protocol import Query
from tui.language import tr
from tui.screens.form import Concern, Form, Line, Pick, Values, is_count
from tui.screens.host import Host, host_of
from tui.screens.job_requests import queue_job

OFFLINE = "offline"
SETTLED = 0.3
"""Seconds without a change after which an estimate is begun."""

START = tr("Start in the background")
ESTIMATING = tr("Estimating. You can start now.")

E = TypeVar("E", bound=Estimate)


class ModelForm(Form, Generic[E]):
    """Shows what the job would take, computed beside the app while one chooses; asks once more
    before a model is asked that costs money.

    Values are those of its parts, `max_tokens` and `max_cost`.
    """

    def __init__(
        self,
        title: str,
        host: Host,
        *,
        parts: Sequence[Pick | Line],
        estimate: Callable[[Values], Query[E]],
        words: Callable[[E, str], Sequence[str]],
        models_of: Callable[[Values], Sequence[str]] = lambda values: (values["model"],),
        trouble: Callable[[Values], str] = lambda values: "",
        concerns: Callable[[Values], Sequence[Concern]] = lambda values: (),
    ) -> None:
        """`words` says what an estimate by a model of that name means, the first of those that
        `models_of` names. Raises InputError for a
        broken ragdesk.toml."""
        super().__init__(
            title,
            [
                *parts,
                Line("max_tokens", "Token limit", hint="none; of a model"),
                Line("max_cost", "Cost limit", hint="none; of a model with prices"),
            ],
            START,
            trouble=lambda values: bounds_trouble(values) or trouble(values),
        )
        self._estimator = Calculator(host.folder)
        self._providers = providers(host.folder)
        self._estimate = estimate
        self._words = words
        self._models_of = models_of
        self._concerns = concerns
        self._asked: Query[E] | None = None
        self._answer: E | RagdeskError | None = None
        """To what was asked; None while it is computed."""
        self._timer: Timer | None = None

    def on_unmount(self) -> None:
        self._estimator.close()

    def changed(self) -> None:
        super().changed()
        if self._timer is not None:
            self._timer.stop()
        if trouble := self._check(self.values):
            self.say(trouble)
            return
        if self._estimate(self.values) == self._asked:
            self._say_estimate()
            return
        self.say(ESTIMATING)
        self._timer = self.set_timer(SETTLED, self._begin)

    def _begin(self) -> None:
        if self._check(self.values):
            return  # a change that is not dealt with yet
        query = self._estimate(self.values)
        self._asked, self._answer = query, None
        self._estimator.close()  # what was asked before is of no use any more
        host_of(self).in_thread(
            "estimating",
            lambda _: _answered(self._estimator, query),
            lambda answer: self._take(query, answer),
            group="estimate",
        )

    def _take(self, query: Query[E], answer: E | RagdeskError) -> None:
        if query == self._asked and self.is_attached:
            self._answer = answer
            self._say_estimate()

    def _say_estimate(self) -> None:
        self.say(*self._estimate_texts(self.values))

    def _estimate_texts(self, values: Values) -> Sequence[str]:
        if trouble := self._check(values):
            return [trouble]
        if self._answer is None or self._estimate(values) != self._asked:
            return [ESTIMATING]
        if isinstance(self._answer, RagdeskError):
            return [str(self._answer)]
        return self._words(self._answer, self._models_of(values)[0])

    def concerns(self, values: Values) -> Sequence[Concern]:
        models = [
            model for model in self._models_of(values) if _may_cost(self._providers.get(model))
        ]
        concerns = list(self._concerns(values))
        if models or any(map(_costs, self.asked_of(self._answer))):
            known = self._answer is not None and self._estimate(values) == self._asked
            takes = self._estimate_texts(values)[-1] if known else tr("Not estimated yet.")
            if not (values["max_tokens"] or values["max_cost"]):
                takes = tr("{takes} No limit is set.", takes=takes)
            asked = tr(" and ").join(models) or tr("models")
            concerns.append(Concern(tr("Ask {asked}?", asked=asked), takes, tr("start")))
        return concerns

    def asked_of(self, answer: E | RagdeskError | None) -> Sequence[object]:
        """The parts of an estimate that have calls of their own."""
        return (answer,)


def _costs(answer: object) -> bool:
    """Whether an estimate has calls that may cost money, whoever is asked."""
    if not isinstance(answer, Estimate):
        return False
    return answer.calls > answer.cached and answer.tokens_in > 0 and answer.cost != 0


def _may_cost(provider: Provider | None) -> bool:
    """Whether asking it costs money, as far as its prices say."""
    if provider is None or provider.kind == OFFLINE:
        return False
    return provider.prices is None or bool(provider.prices.input or provider.prices.output)


def _answered(estimator: Calculator, query: Query[E]) -> E | RagdeskError:
    try:
        return estimator.ask(query)
    except RagdeskError as error:
        return error


def ask_model(host: Host, make: Callable[[], Form], decided: Callable[[Values], object]) -> None:
    """Shows the form that `make` gives, unless what is written of models cannot be read."""
    try:
        form = make()
    except RagdeskError as error:
        host.show_problem(str(error))
        return
    host.question(form, decided)


def ask_job(
    host: Host,
    title: str,
    parts: Callable[[], Sequence[Pick | Line]],
    asked: Callable[[Values], Operation],
    named: Callable[[Values], str],
    done: Callable[[Job], Awaitable[None] | None],
    trouble: Callable[[Values], str] = lambda values: "",
) -> None:
    """Asks for a job that a model may do, and what it may spend, and has it queued. `asked` says
    which operation the values of the parts mean, `named` what it is called while it is queued;
    `done` gets the job."""
    ask_model(
        host,
        lambda: ModelForm(
            title,
            host,
            parts=parts(),
            estimate=lambda values: EstimateQuery.of(asked(values)),
            words=calls_words,
            trouble=trouble,
        ),
        lambda values: queue_job(
            host, named(values), replace(asked(values), budget=budget_of(values)), done
        ),
    )


def model_pick(host: Host, baseline: str, current: str = OFFLINE) -> Pick:
    """The list of models; `baseline` says what is done without one."""
    return Pick("model", "Model", model_options(host, baseline), current)


def model_options(host: Host, baseline: str) -> list[tuple[str, str]]:
    """The built-in way, then the providers of the workspace, with what each is."""
    named = [known for known in providers(host.folder).values() if known.kind != OFFLINE]
    return [
        (OFFLINE, baseline),
        *((known.name, _provider_words(known)) for known in named),
    ]


def _provider_words(provider: Provider) -> str:
    about = tr("{model} at {url}", model=provider.model, url=provider.base_url)
    return about if provider.prices else tr("{about}, no prices stated", about=about)


def budget_of(values: Values) -> Budget:
    """What the job may spend, of values without `bounds_trouble`."""
    tokens, cost = values["max_tokens"], values["max_cost"]
    return Budget(int(tokens) if tokens else None, float(cost) if cost else None)


def bounds_trouble(values: Values) -> str:
    """Why the bounds will not do; empty when they will."""
    tokens, cost = values["max_tokens"], values["max_cost"]
    if tokens and not is_count(tokens):
        return tr("At most so many tokens: a whole number above 0, or nothing.")
    try:
        is_right = not cost or 0 < float(cost) < float("inf")
    except ValueError:
        is_right = False
    return "" if is_right else tr("At most so much money: a number above 0, or nothing.")


def calls_words(estimate: Estimate, model: str, calls_at_most: int = 0) -> list[str]:
    """What a job takes of a model, in sentences."""
    if model == OFFLINE:
        return [tr("No model is asked.")]
    calls = f"{estimate.calls:,}"
    if calls_at_most > estimate.calls:
        calls = tr("{least:,} to {most:,}", least=estimate.calls, most=calls_at_most)
    money = tr("Cost unknown: the provider states no prices.")
    if estimate.cost is not None:
        money = tr(
            "Cost about {cost:,.2f} {currency}.", cost=estimate.cost, currency=estimate.currency
        )
    return [
        tr("{calls} calls, {n:,} of them in the cache.", calls=calls, n=estimate.cached),
        tr(
            "About {tokens_in:,} tokens in, at most {tokens_out:,} out. {money}",
            tokens_in=estimate.tokens_in,
            tokens_out=estimate.tokens_out,
            money=money,
        ),
    ]

"""The questions before a job of Build: by which model, of what, and for how much at most."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from tui.building.asker import Asker, Done
from tui.building.form import BuildForm, Line, Pick, Values
from tui.building.model_form import (
    OFFLINE,
    ModelForm,
    bounds_of,
    calls_words,
    drafts_words,
    model_options,
)
from tui.building.plan import Plan
from tui.building.requests import Built, DraftsRequest, TopicsRequest, VerdictsRequest

NEW = "new documents"
ALL = "every document"
START = "Start; it works in the background"


def ask_generate(asker: Asker, plan: Plan, model: str, done: Callable[[Built, str], None]) -> None:
    """Model, order, bounds and inspection; then the generation is queued."""

    def request(values: Values) -> DraftsRequest:
        seed = values["seed"]
        return DraftsRequest(
            plan.corpus,
            plan.dataset,
            plan.taxonomy.key if plan.is_new else "",
            plan.wanted,
            values["model"],
            int(seed) if seed.lstrip("-").isdecimal() else 0,
        )

    def trouble(values: Values) -> str:
        if not values["seed"].lstrip("-").isdecimal():
            return "The seed is a whole number, such as 0."
        inspectors = [name for name, _ in model_options(asker.host, "")]
        if values["inspect_by"] not in ("", *inspectors):
            return f"Inspect by {', '.join(inspectors)}, or nothing."
        return ""

    def make() -> BuildForm:
        names = [name for name, _ in model_options(asker.host, "")]
        return ModelForm(
            f"Generate into {plan.dataset}",
            asker.host,
            START,
            baseline="drafts by rule: a baseline, no network",
            estimator=asker.estimator,
            estimate=request,
            words=drafts_words,
            parts=(
                Line("seed", "Seed", "0", "of the order of documents"),
                Line("inspect_by", "Then inspect by", OFFLINE, "nobody", names),
            ),
            model=model,
            trouble=trouble,
        )

    def decided(values: Values) -> None:
        begins = replace(
            request(values),
            bounds=bounds_of(values),
            inspect_by=values["inspect_by"] or None,
            starts=True,
        )
        asker.do(f"queueing {plan.dataset}", begins, lambda built: done(built, values["model"]))

    asker.model_form(make, decided)


def ask_classify(asker: Asker, plan: Plan, done: Done) -> None:
    """Model, which documents and bounds; then the classification is queued."""

    def request(values: Values) -> TopicsRequest:
        return TopicsRequest(
            plan.corpus, plan.taxonomy.key, values["model"], values["again"] == ALL
        )

    def make() -> BuildForm:
        return ModelForm(
            f"Classify {plan.corpus}",
            asker.host,
            START,
            baseline="by the topics' words: a baseline, no network",
            estimator=asker.estimator,
            estimate=request,
            words=calls_words,
            parts=(
                Pick(
                    "again",
                    "Which",
                    ((NEW, "those that have no topic yet"), (ALL, "also those that have one")),
                    NEW,
                ),
            ),
        )

    def decided(values: Values) -> None:
        begins = replace(request(values), bounds=bounds_of(values), starts=True)
        asker.do(f"queueing {plan.corpus}", begins, done)

    asker.model_form(make, decided)


def ask_inspect(asker: Asker, plan: Plan, done: Done) -> None:
    """Model and bounds; then the inspection is queued."""

    def request(values: Values) -> VerdictsRequest:
        return VerdictsRequest(plan.dataset, values["model"])

    def make() -> BuildForm:
        return ModelForm(
            f"Inspect the drafts of {plan.dataset}",
            asker.host,
            START,
            baseline="by the five checks: a baseline, no network",
            estimator=asker.estimator,
            estimate=request,
            words=calls_words,
        )

    def decided(values: Values) -> None:
        begins = replace(request(values), bounds=bounds_of(values), starts=True)
        asker.do(f"queueing {plan.dataset}", begins, done)

    asker.model_form(make, decided)

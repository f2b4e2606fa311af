"""The questions before a job of Build: by which model, of what, and for how much at most."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from msgspec.structs import replace

from engine.generate.generate_job import Generate
from engine.generate.inspect_job import Inspect
from engine.jobs.start import EstimateQuery
from store.jobs.jobs import Job
from tui.building.plan import Plan
from tui.building.queries import DraftsQuery
from tui.screens.form import BuildForm, Line, Pick, Values
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.screens.model_form import (
    OFFLINE,
    ModelForm,
    ask_model,
    budget_of,
    calls_words,
    drafts_words,
    model_options,
)

NEW = "new documents"
ALL = "every document"
START = "Start; it works in the background"


def ask_generate(host: Host, plan: Plan, model: str, done: Callable[[str], None]) -> None:
    """Model, order, bounds and inspection; then the generation is queued, and `done` gets the name
    of the model."""

    def asked(values: Values) -> Generate:
        seed = values["seed"]
        topics = tuple(dict.fromkeys(topic for topic, _, _ in plan.wanted))
        tasks = tuple(dict.fromkeys(task for _, task, _ in plan.wanted))
        items = {(topic, task): items for topic, task, items in plan.wanted}
        return Generate(
            plan.corpus,
            plan.dataset,
            1,
            topics,
            tasks,
            plan.taxonomy.key if plan.is_new else "",
            values["model"],
            int(seed) if seed.lstrip("-").isdecimal() else 0,
            tuple((*cell, items.get(cell, 0)) for cell in product(topics, tasks)),
        )

    def trouble(values: Values) -> str:
        if not values["seed"].lstrip("-").isdecimal():
            return "The seed is a whole number, such as 0."
        inspectors = [name for name, _ in model_options(host, "")]
        if values["inspect_by"] not in ("", *inspectors):
            return f"Inspect by {', '.join(inspectors)}, or nothing."
        return ""

    def make() -> BuildForm:
        names = [name for name, _ in model_options(host, "")]
        return ModelForm(
            f"Generate into {plan.dataset}",
            host,
            START,
            baseline="drafts by rule: a baseline, no network",
            estimate=lambda values: DraftsQuery(asked(values)),
            words=drafts_words,
            parts=(
                Line("seed", "Seed", "0", "of the order of documents"),
                Line("inspect_by", "Then inspect by", OFFLINE, "nobody", names),
            ),
            model=model,
            trouble=trouble,
        )

    def decided(values: Values) -> None:
        operation = replace(
            asked(values), budget=budget_of(values), inspect_by=values["inspect_by"] or None
        )
        queue_job(host, plan.dataset, operation, lambda _: done(values["model"]))

    ask_model(host, make, decided)


def ask_classify(host: Host, plan: Plan, done: Callable[[Job], None]) -> None:
    """Model, which documents and bounds; then the classification is queued."""
    # imported on use: it brings the classifier with it
    from engine.taxonomy.classify_job import Classify

    def asked(values: Values) -> Classify:
        again = values["again"] == ALL
        return Classify(plan.corpus, plan.taxonomy.key, again, model=values["model"])

    def make() -> BuildForm:
        return ModelForm(
            f"Classify {plan.corpus}",
            host,
            START,
            baseline="by the topics' words: a baseline, no network",
            estimate=lambda values: EstimateQuery.of(asked(values)),
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
        queue_job(host, plan.corpus, replace(asked(values), budget=budget_of(values)), done)

    ask_model(host, make, decided)


def ask_inspect(host: Host, plan: Plan, done: Callable[[Job], None]) -> None:
    """Model and bounds; then the inspection is queued."""

    def asked(values: Values) -> Inspect:
        return Inspect(plan.dataset, model=values["model"])

    def make() -> BuildForm:
        return ModelForm(
            f"Inspect the drafts of {plan.dataset}",
            host,
            START,
            baseline="by the five checks: a baseline, no network",
            estimate=lambda values: EstimateQuery.of(asked(values)),
            words=calls_words,
        )

    def decided(values: Values) -> None:
        queue_job(host, plan.dataset, replace(asked(values), budget=budget_of(values)), done)

    ask_model(host, make, decided)

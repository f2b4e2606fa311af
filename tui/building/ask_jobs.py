"""The questions before a job of Build: by which model, of what, and for how much at most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from msgspec.structs import replace

from engine.generate.filling.asked import GenerationEstimate, only_models_write, stands_in
from engine.generate.filling.generate_job import Generate
from engine.generate.inspection.inspect_job import Inspect
from store.jobs.jobs import Job
from store.messages import plural
from tui.building.plan import Plan
from tui.building.queries import DraftsQuery
from tui.language import tr
from tui.screens.form import Concern, Form, Line, Pick, Values, seed_trouble
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.screens.model_form import (
    OFFLINE,
    ModelForm,
    ask_job,
    ask_model,
    budget_of,
    calls_words,
    model_options,
    model_pick,
)

NEW = tr("new documents")
ALL = tr("every document")
GROWTH = 10
"""So many times the items that the plan asked for before are asked about."""


def ask_generate(
    host: Host, plan: Plan, before: Plan, model: str, done: Callable[[str], None]
) -> None:
    """Model, order, bounds and inspection; then the generation is queued, and `done` gets the name
    of the model. `before` is the plan as nobody had changed it."""
    topics = tuple(dict.fromkeys(topic for topic, _, _ in plan.wanted))
    tasks = tuple(dict.fromkeys(task for _, task, _ in plan.wanted))
    items = {(topic, task): items for topic, task, items in plan.wanted}
    inspectors = [name for name, _ in model_options(host, "")]

    def asked(values: Values) -> Generate:
        seed = values["seed"]
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
            values.get("related_by", ""),
        )

    def trouble(values: Values) -> str:
        if trouble := seed_trouble(values):
            return trouble
        if values["inspect_by"] not in ("", *inspectors):
            return tr("Inspect by {inspectors}, or nothing.", inspectors=", ".join(inspectors))
        return ""

    def make() -> Form:
        return ModelForm(
            tr("Generate into {dataset}", dataset=plan.dataset),
            host,
            parts=(
                model_pick(host, tr("drafts by rule: a baseline, no network"), model),
                Line("seed", "Seed", "0", "of the order of documents"),
                Line("inspect_by", "Then inspect by", OFFLINE, "nobody", inspectors),
                *_related_by(plan, tasks),
            ),
            estimate=lambda values: DraftsQuery(asked(values)),
            words=drafts_words,
            trouble=trouble,
            concerns=lambda values: growth(plan, before),
        )

    def decided(values: Values) -> None:
        operation = replace(
            asked(values), budget=budget_of(values), inspect_by=values["inspect_by"] or None
        )
        queue_job(host, plan.dataset, operation, lambda _: done(values["model"]))

    ask_model(host, make, decided)


def _related_by(plan: Plan, tasks: Sequence[str]) -> list[Line]:
    """A line for what chooses other reports, where a task makes items that hide theirs."""
    from engine.generate import related
    from engine.retrieve.names import RETRIEVERS

    if not any(related.is_reversed(task) for task in plan.taxonomy.tasks if task.key in tasks):
        return []
    hint = tr("a retriever that is not to be tested")
    return [Line("related_by", "Other reports by", related.DEFAULT, hint, tuple(RETRIEVERS))]


def growth(plan: Plan, before: Plan) -> Sequence[Concern]:
    """Asks about a plan that grew tenfold: a digit too many is easily typed."""
    now, then = plan.items, before.items
    if not then or now < GROWTH * then:
        return ()
    most = max(items for _, _, items in plan.wanted)
    consequence = tr(
        "The plan asked for {then:,} before; now it asks for up to {most:,} in each of {cells}.",
        then=then,
        most=most,
        cells=plural(len(plan.wanted), "cell"),
    )
    return (
        Concern(
            tr("Fill {dataset} with {items}?", dataset=plan.dataset, items=plural(now, "item")),
            consequence,
            tr("go on"),
        ),
    )


def ask_classify(host: Host, plan: Plan, done: Callable[[Job], None]) -> None:
    """Model, which documents and bounds; then the classification is queued."""
    # imported on use: it brings the classifier with it
    from engine.taxonomy.classify_job import Classify

    which = ((NEW, tr("those that have no topic yet")), (ALL, tr("also those that have one")))
    ask_job(
        host,
        tr("Classify {corpus}", corpus=plan.corpus),
        lambda: (
            model_pick(host, tr("by the topics' words: a baseline, no network")),
            Pick("again", "Which", which, NEW),
        ),
        lambda values: Classify(
            plan.corpus, plan.taxonomy.key, values["again"] == ALL, model=values["model"]
        ),
        lambda values: plan.corpus,
        done,
    )


def ask_inspect(host: Host, plan: Plan, done: Callable[[Job], None]) -> None:
    """Model and bounds; then the inspection is queued."""
    ask_job(
        host,
        tr("Inspect the drafts of {dataset}", dataset=plan.dataset),
        lambda: (model_pick(host, tr("by the five checks: a baseline, no network")),),
        lambda values: Inspect(plan.dataset, model=values["model"]),
        lambda values: plan.dataset,
        done,
    )


def drafts_words(estimate: GenerationEstimate, model: str) -> list[str]:
    """What a generation takes, in sentences."""
    if not estimate.missing:
        return [tr("Every cell holds its target already: nothing is missing.")]
    cells = plural(estimate.open_cells, "cell")
    unreachable = (
        tr(
            " {unreachable} of them have no documents, or none that fit the task.",
            unreachable=estimate.unreachable,
        )
        if estimate.unreachable
        else ""
    )
    missing = tr(
        "{items} missing in {cells}.{unreachable}",
        items=plural(estimate.missing, "item"),
        cells=cells,
        unreachable=unreachable,
    )
    if model != OFFLINE:
        calls = calls_words(estimate, model, estimate.calls_at_most)
        absent = stands_in(estimate.absent_prompts)
        return [missing, *calls, *([f"{absent}."] if absent else [])]
    drafts = plural(estimate.calls, "draft")
    models = only_models_write(estimate.for_models)
    sentences = [missing, tr("Tries at least {drafts} by rule; no model is asked.", drafts=drafts)]
    return [*sentences, f"{models[0].upper()}{models[1:]}."] if models else sentences

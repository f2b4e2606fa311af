"""A plan as the workspace has it: documents by topic, items by cell, and how its job goes."""

from __future__ import annotations

import sqlite3
from collections.abc import Container
from typing import NamedTuple

from engine.taxonomy.definitions import shipped_taxonomies
from engine.taxonomy.stored import find_taxonomy
from store.corpora import corpora, document_topics, taxonomies
from store.datasets import datasets, generation_figures, generations
from store.datasets.datasets import Dataset
from store.datasets.generation_figures import CellProgress
from store.datasets.generations import Generation
from store.errors import RagdeskError
from store.faults import explain
from store.jobs import jobs
from store.workspace import FILE_NAME, Workspace
from tui.building.plan import Cell, Plan, as_before, usual_targets
from tui.language import tr

SHIPPED = tr("comes with ragdesk")
"""Origin of a taxonomy that is no workspace's own."""


class Figures(NamedTuple):
    documents: dict[str, int]
    """By topic key; those that are not classified yet under ''."""
    filled: dict[Cell, int]
    """Items by cell, discarded ones apart."""
    states: dict[str, int]
    """Items by state."""
    cells: dict[Cell, CellProgress]
    """Of the latest generation into the dataset."""
    job: int | None
    """That generation's."""
    model: str = ""
    tokens: int = 0
    cost: float = 0.0
    currency: str = ""
    is_known: bool = True
    """False until they have been counted."""

    @property
    def unclassified(self) -> int:
        return self.documents.get("", 0)


NOTHING = Figures({}, {}, {}, {}, None)
UNKNOWN = NOTHING._replace(is_known=False)

PlanRead = tuple[Plan | None, Figures, dict[str, str]]
"""The plan, its figures, and where each taxonomy comes from, by name."""


def read_figures(db: sqlite3.Connection, plan: Plan) -> Figures:
    """Takes as long as counting the corpus' documents and the dataset's items does."""
    corpus = corpora.get(db, plan.corpus)
    documents = document_topics.counts(db, corpus, plan.taxonomy.key)
    dataset = find_dataset(db, plan.dataset)
    if dataset is None:
        return NOTHING._replace(documents=documents)
    figures = Figures(
        documents,
        generations.filled(db, dataset.id),
        datasets.state_counts(db, dataset),
        {},
        None,
    )
    made = latest_generation(db, dataset)
    return figures if made is None else _with_job(db, figures, made)


def _with_job(db: sqlite3.Connection, figures: Figures, made: Generation) -> Figures:
    tokens, cost = generations.spent(db, made.job_id)
    prices = (made.settings.provider or {}).get("prices") or {}
    return figures._replace(
        cells={
            (cell.topic, cell.task): cell for cell in generation_figures.progress(db, made.job_id)
        },
        job=made.job_id,
        model=made.settings.model,
        tokens=tokens,
        cost=cost,
        currency=prices.get("currency", "USD") if prices else "",
    )


def latest_generation(db: sqlite3.Connection, dataset: Dataset) -> Generation | None:
    """The newest generation into a dataset that is a job of this workspace."""
    for job_id in generations.of_dataset(db, dataset.id):
        return generations.get(db, job_id)
    return None


def find_dataset(db: sqlite3.Connection, name: str) -> Dataset | None:
    return next((dataset for dataset in datasets.listing(db) if dataset.name == name), None)


def taxonomy_names(db: sqlite3.Connection) -> dict[str, str]:
    """Where each taxonomy comes from, by name: the shipped ones, then the workspace's own."""
    own = {named.taxonomy.key: named.origin for named in taxonomies.listing(db)}
    return {**dict.fromkeys(shipped_taxonomies(), SHIPPED), **own}


def make_plan(db: sqlite3.Connection, corpus: str, dataset: str, taxonomy: str) -> Plan:
    """What to build into a dataset: as its latest generation had it, else the usual targets.

    `taxonomy` is for a new dataset; one that is there has its own. Raises NotFound for a corpus or
    taxonomy that there is not.
    """
    held = find_dataset(db, dataset)
    if held is None:
        rows = find_taxonomy(db, taxonomy)
        name = corpora.get(db, corpus).name
        return Plan(name, dataset, rows, True, usual_targets(rows))
    rows = taxonomies.get(db, held.taxonomy_id)
    name = corpora.get_by_id(db, held.corpus_id).name
    made = latest_generation(db, held)
    if made is None:
        return Plan(name, held.name, rows, False, usual_targets(rows))
    return as_before(name, held.name, rows, generations.targets(db, made.job_id))


def first_plan(db: sqlite3.Connection) -> Plan | None:
    """What to begin with: what was generated last, else a new dataset for the first corpus.

    None in a workspace without a corpus.
    """
    for job in jobs.listing(db):
        if job.kind == "generate":
            dataset = datasets.get_by_id(db, generations.get(db, job.id).dataset_id)
            return make_plan(db, "", dataset.name, "")
    held = corpora.listing(db)
    if not held:
        return None
    corpus = held[0].name
    return make_plan(db, corpus, free_name(dataset_names(db), corpus), "omnieval")


def dataset_names(db: sqlite3.Connection) -> set[str]:
    return {dataset.name for dataset in datasets.listing(db)}


def free_name(taken: Container[str], corpus: str) -> str:
    """A name for a new dataset of a corpus."""
    name, number = f"{corpus}-drafts", 1
    while name in taken:
        number += 1
        name = f"{corpus}-drafts-{number}"
    return name


def read_plan(workspace: Workspace, plan: Plan | None, awaited: str) -> PlanRead | Exception:
    """`plan` as it is now, or one to begin with; over the taxonomy called `awaited` once that is
    there. What went wrong is returned, so that the next look is not waited for in vain."""
    try:
        return _plan_now(workspace.db, plan, awaited)
    except sqlite3.Error as error:
        return explain(error, workspace.folder / FILE_NAME)
    except RagdeskError as error:
        return error


def _plan_now(db: sqlite3.Connection, plan: Plan | None, awaited: str) -> PlanRead:
    names = taxonomy_names(db)
    plan = first_plan(db) if plan is None else plan
    if plan is None:
        return None, NOTHING, names
    held = make_plan(db, plan.corpus, plan.dataset, plan.taxonomy.key)
    if plan.is_new != held.is_new:
        # made meanwhile, or gone
        plan = held
    wanted = awaited if awaited in names and plan.is_new else held.taxonomy.key
    taxonomy = find_taxonomy(db, wanted) if plan.is_new else held.taxonomy
    if taxonomy != plan.taxonomy:
        plan = plan.with_taxonomy(taxonomy)
    return plan, read_figures(db, plan), names

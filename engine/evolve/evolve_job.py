"""The job `evolve`: initial questions from a corpus, and harder ones grown from them.

What does the work is imported on use, because commands and screens build operations.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.difficulty.difficulty_job import find_embedding
from engine.evolve.asked import EvolutionAsked, EvolveEstimate
from engine.jobs.model_choice import (
    check_model,
    chosen_provider,
    freeze_prompts,
    load_prompts,
)
from engine.jobs.operation import Progress, no_progress, put
from store.corpora import corpora, taxonomies
from store.datasets import datasets, lineages
from store.errors import Conflict, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.context import JobContext

TAXONOMY = "autoevolve"
"""Of a new dataset: the types of initial questions and the operations as tasks."""


class Evolve(EvolutionAsked, frozen=True, tag="evolve"):
    """By rule where no model is named."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown corpus or model, InputError for a corpus without a
        current entity graph, UsageError for settings that make no sense and for a dataset of
        another corpus or taxonomy, and what `check_model` raises."""
        from engine.graph.entity_graph import current_graph

        db = workspace.db
        corpus = corpora.get(db, self.corpus)
        for name, value, least, option in (
            ("The number of initial items", self.initial, 1, "--initial"),
            ("The weight of the steps", self.weight, 0, "--lambda"),
            ("The length of the queue", self.queue, 1, "--queue"),
            ("The number of partners", self.partners, 1, "--partners"),
            ("The number of rounds", self.rounds, 0, "--rounds"),
            ("The least gain", self.gain, 0, "--gain"),
        ):
            if value < least:
                raise UsageError(f"{name} is {value:g}.", f"Use {least} or more.", option)
        provider = check_model(workspace, self.model, self.budget)
        if self.rewrite and provider is None:
            raise UsageError("Rewriting needs a model.", "Name one: a provider of ragdesk.toml.")
        find_embedding(workspace, self.embedding)
        current_graph(db, corpus)
        if self.source and datasets.get(db, self.source).corpus_id != corpus.id:
            raise UsageError(
                f"Dataset {self.source!r} is of another corpus than {self.corpus!r}.",
                "Name one of that corpus.",
            )
        if datasets.for_items(db, self.dataset, corpus.name, TAXONOMY) is None:
            datasets.check_new_name(db, self.dataset)

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> EvolveEstimate:
        """Counts calls, whose number depends on replies, and tokens by the length of chunks."""
        if chosen_provider(workspace, self.model) is None:
            return EvolveEstimate()
        from engine.evolve.estimate import estimate_evolution

        return estimate_evolution(workspace, self)

    def enqueue(self, workspace: Workspace) -> Job:
        from engine.evolve.by_model import PROMPTS
        from engine.graph.entity_graph import current_graph
        from engine.taxonomy.definitions import load_taxonomy

        db = workspace.db
        corpus = corpora.get(db, self.corpus)
        provider = chosen_provider(workspace, self.model)
        hashes: dict[str, str] = {}
        if provider is not None:
            texts = {
                f"{lang}/{name}": text
                for name in PROMPTS
                for lang, text in load_prompts(workspace, name).items()
            }
            hashes = freeze_prompts(db, texts)
        dataset = datasets.find(db, self.dataset) or datasets.create(
            db, self.dataset, corpus.id, taxonomies.put(db, load_taxonomy(TAXONOMY))
        )
        frozen = replace(
            self,
            provider=provider,
            prompts=hashes,
            retrieval=find_embedding(workspace, self.embedding),
            graph=current_graph(db, corpus).graph.id,
        )
        who = "by rule" if provider is None else f"by {provider.model}"
        job = put(db, frozen, f"{self.dataset} {who}")
        shown = {
            name: getattr(self, name)
            for name in self.__struct_fields__
            if name not in ("budget", "prompts", "provider", "retrieval")
        }
        lineages.begin(db, job.id, dataset.id, {**shown, "graph": frozen.graph})
        jobs.set_progress(db, job.id, 0, self.initial)
        return jobs.get(db, job.id)

    async def run(self, context: JobContext) -> None:
        from engine.evolve.evolve_work import evolve_families
        from engine.graph.entity_graph import current_graph

        db = context.workspace.db
        corpus = corpora.get(db, self.corpus)
        if current_graph(db, corpus).graph.id != self.graph:
            raise Conflict(
                f"Corpus {self.corpus!r} has another entity graph than when this began.",
                "Begin anew.",
                "ragdesk evolve",
            )
        await evolve_families(context, self)

    def failure(self, db: sqlite3.Connection, job_id: int) -> str:
        families = lineages.of_job(db, job_id)
        if any(step.item_id for family in families for step in family.steps):
            return ""
        return "No question could be written."

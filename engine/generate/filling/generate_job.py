"""The job `generate`: items for the cells of a dataset, up to their targets.

What does the work is imported on use: the rules hold dictionaries of words, and screens build
operations.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.generate.filling.asked import GenerationEstimate, ItemsAsked, stands_in
from engine.generate.inspection.inspect_job import Inspect
from engine.jobs.model_choice import check_model, check_spending, freeze_prompts
from engine.jobs.operation import (
    Progress,
    encoded,
    no_progress,
    put,
    queue,
    stored_operation,
)
from store.corpora import taxonomies
from store.datasets import datasets, generation_figures, generations
from store.datasets.generations import AttemptState
from store.errors import RagdeskError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.context import JobContext


class Generate(ItemsAsked, frozen=True, tag="generate"):
    """A generation to carry out. What is frozen is in the store, as the job's generation."""

    inspect_by: str | None = None
    """A provider's name, or `offline`: what is drafted is inspected when it is done, by a job of
    its own with the same budget. Null for no inspection."""
    inspection: int | None = None
    """That job, once there is one."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown corpus, taxonomy, topic, task or provider, UsageError for
        a name that a dataset cannot have, for a dataset of another corpus or taxonomy, and for
        figures that make no sense, InputError for a key that is not set."""
        from engine.generate.filling.setup import find_scope

        scope = find_scope(workspace, self)
        if scope.dataset is None:
            datasets.check_new_name(workspace.db, self.dataset)
        check_spending(scope.provider, self.budget)
        if self.inspect_by is not None:
            check_model(workspace, self.inspect_by, self.budget)

    def estimate(
        self, workspace: Workspace, progress: Progress = no_progress
    ) -> GenerationEstimate:
        """Plays the generation through and builds its prompts; writes nothing but the search index.

        `progress` is given items, done and missing.
        """
        from engine.generate.filling.estimate import estimate_generation

        return estimate_generation(workspace, self, progress)

    def enqueue(self, workspace: Workspace) -> Job:
        from engine.generate.filling.setup import find_scope

        db = workspace.db
        scope = find_scope(workspace, self)
        taxonomy_id = taxonomies.put(db, scope.taxonomy)
        dataset = scope.dataset or datasets.create(db, self.dataset, scope.corpus.id, taxonomy_id)
        freeze_prompts(db, scope.prompts)
        job = put(db, self, f"{scope.settings.model} into {dataset.name}")
        targets = list(scope.targets.items())
        generations.create(db, job.id, dataset.id, scope.settings, targets)
        filled = generations.filled(db, dataset.id)
        done = sum(min(target, filled.get(cell, 0)) for cell, target in targets)
        jobs.set_progress(db, job.id, done, sum(scope.targets.values()))
        if scope.absent_prompts:
            jobs.note(db, job.id, "prompts", stands_in(scope.absent_prompts))
        return jobs.get(db, job.id)

    async def run(self, context: JobContext) -> None:
        from engine.generate.filling.generate_work import fill_cells

        await fill_cells(context, self.budget)
        self._queue_inspection(context)

    def failure(self, db: sqlite3.Connection, job_id: int) -> str:
        """Says so where every cell is empty afterwards, or every call failed."""
        cells = generation_figures.progress(db, job_id)
        attempts = sum(cell.attempts for cell in cells)
        failed = sum(cell.states.get(AttemptState.FAILED, 0) for cell in cells)
        is_empty = any(cell.target for cell in cells) and not any(cell.filled for cell in cells)
        if not is_empty and (not attempts or failed < attempts):
            return ""
        return "No item was written."

    def _queue_inspection(self, context: JobContext) -> None:
        """Queues the inspection that was asked for with the generation, once."""
        # as it is stored by now: the budget may have been changed meanwhile
        now = stored_operation(jobs.get(context.workspace.db, context.job.id))
        assert isinstance(now, Generate)
        if now.inspect_by is None or now.inspection is not None:
            return
        asked = Inspect(now.dataset, model=now.inspect_by, budget=now.budget)
        try:
            made = queue(context.workspace, asked)
        except RagdeskError as error:
            context.note("inspects", f"nothing: {error}")
            return
        with context.workspace.write() as db:
            jobs.set_params(db, context.job.id, encoded(replace(now, inspection=made.id)))
            jobs.note(db, context.job.id, "inspects", f"job {made.id} inspects what was drafted")

"""The job `inspect`: an automatic verdict of 0, 1 or 2 on every drafted item.

What does the work is imported on use: the checks hold dictionaries of words, and screens build
operations.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from engine.jobs.model_choice import ModelOperation, check_model, chosen_provider
from engine.jobs.operation import Estimate, Progress, no_progress, put
from store.datasets import datasets, inspections
from store.datasets.inspections import OFFLINE
from store.errors import InputError
from store.jobs.jobs import Job
from store.records import ItemState
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.context import JobContext


class Inspect(ModelOperation, frozen=True, tag="inspect"):
    """By the five checks where no model is named."""

    dataset: str
    states: tuple[ItemState, ...] = (ItemState.DRAFTED,)
    """Items in these states are inspected."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown dataset or model, InputError when nothing is to inspect,
        and what `check_model` raises."""
        db = workspace.db
        provider = check_model(workspace, self.model, self.budget)
        dataset = datasets.get(db, self.dataset)
        inspector = OFFLINE if provider is None else provider.model
        if inspections.pending(db, dataset, 0, inspector, self.states):
            return
        counted = datasets.state_counts(db, dataset)
        have = ", ".join(f"{count:,} {state}" for state, count in sorted(counted.items())) or "none"
        before = inspections.held(db, dataset, self.states)
        raise InputError(
            f"Dataset {dataset.name!r} has no {' or '.join(self.states)} item that {inspector} has"
            f" yet to inspect. Its items: {have}."
            + (f" {before:,} lie before a rater now." if before else ""),
            "Items that a person has judged are left alone; name other states.",
            "--only-state",
        )

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        """Every item asked about once: corrected ones are asked about a second time, which nobody
        can foresee."""
        from engine.generate.inspection.inspect_work import estimate_inspection

        provider = chosen_provider(workspace, self.model)
        if provider is None:
            return Estimate()
        return estimate_inspection(workspace, self.dataset, self.states, provider)

    def enqueue(self, workspace: Workspace) -> Job:
        from engine.generate.requests import INSPECTION

        frozen = self.frozen(workspace, INSPECTION)
        inspector = OFFLINE if frozen.provider is None else frozen.provider.model
        return put(workspace.db, frozen, f"{self.dataset} by {inspector}")

    async def run(self, context: JobContext) -> None:
        from engine.generate.inspection.inspect_work import inspect_items

        await inspect_items(context, self.dataset, self.states, self)

    def failure(self, db: sqlite3.Connection, job_id: int) -> str:
        verdicts = inspections.counts(db, job_id)
        if not sum(verdicts.values()) or any(verdicts.get(key) for key in ("2", "1", "0")):
            return ""
        return "No item has a verdict. Mend the cause, then inspect again."

"""The job `experiment`: the arms of an experiment are worked, first on the train side.

What does the work is imported on use, because commands and screens build operations.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from engine.jobs.operation import Operation, Progress, no_progress, put
from store.jobs.jobs import Job
from store.messages import plural
from store.runs import experiments, runs
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.experiments.estimate import ExperimentEstimate
    from engine.jobs.context import JobContext


class RunExperiment(Operation, frozen=True, tag="experiment"):
    experiment: str
    """Its name."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown experiment, InputError for an arm that is no system any
        more, and what a run of each arm would be refused for."""
        from engine.evaluate.new_run import check_system
        from engine.experiments.design import read_design
        from engine.experiments.new_experiment import arm_system
        from store.datasets import datasets

        experiment = experiments.get(workspace.db, self.experiment)
        release = datasets.release_by_id(workspace.db, experiment.release_id)
        design = read_design(experiment)
        for arm in experiment.arms:
            system = arm_system(workspace.folder, design, arm)
            check_system(workspace, system, release, self.budget)

    def estimate(
        self, workspace: Workspace, progress: Progress = no_progress
    ) -> ExperimentEstimate:
        from engine.experiments.design import read_design
        from engine.experiments.estimate import estimate_arms
        from engine.experiments.new_experiment import arm_system
        from engine.experiments.sides import read_sides

        experiment = experiments.get(workspace.db, self.experiment)
        design = read_design(experiment)
        sides = read_sides(workspace.db, experiment, design.seed)
        items = [item for item in sides.items if item.item_key in sides.side_of]
        systems = [
            (
                arm_system(workspace.folder, design, arm),
                0 if arm.run_id is None else runs.progress(workspace.db, arm.run_id).finished,
            )
            for arm in experiment.arms
        ]
        return estimate_arms(workspace, sides.release, items, systems, progress)

    def enqueue(self, workspace: Workspace) -> Job:
        count = len(experiments.get(workspace.db, self.experiment).arms)
        return put(workspace.db, self, f"{self.experiment}: {plural(count, 'arm')}")

    async def run(self, context: JobContext) -> None:
        """Works the arms; which of them go on follows from the stored scores alone, so that the
        same code begins and resumes."""
        from engine.experiments.working import work_experiment

        await work_experiment(context, self.experiment, self.budget)

    def reopen_failed(self, db: sqlite3.Connection) -> str:
        failed = 0
        for arm in experiments.get(db, self.experiment).arms:
            if arm.run_id is not None:
                failed += sum(runs.reopen_failed(db, arm.run_id).values())
        return plural(failed, "prediction") if failed else ""

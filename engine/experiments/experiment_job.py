"""The job `experiment`: the arms of an experiment are worked, first on the train side.

What does the work is imported on use, because commands and screens build operations.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.jobs.operation import Operation, Progress, no_progress, put
from engine.judge.judge_job import JudgeRun, check_idle
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
    judges: tuple[JudgeRun, ...] = ()
    """What scores the answers of every arm that lack a score, within bounds of the same size as
    those of the answers, which hold for all arms together."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown experiment, InputError for an arm that is no system any
        more, and what a run of each arm, and its judges, would be refused for."""
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
        for judge in self.judges:
            specs = judge.check_judge(workspace, self.budget)
            for arm in experiment.arms:
                if arm.run_id is not None:
                    check_idle(workspace.db, runs.get(workspace.db, arm.run_id), specs)

    def estimate(
        self, workspace: Workspace, progress: Progress = no_progress
    ) -> ExperimentEstimate:
        from engine.experiments.design import read_design
        from engine.experiments.estimate import estimate_arms
        from engine.experiments.judging import estimate_judges
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
        made = estimate_arms(workspace, sides.release, items, systems, progress)
        if not self.judges:
            return made
        arms = [
            (system, arm.run_id, sides.after(finished))
            for arm, (system, finished) in zip(experiment.arms, systems, strict=True)
        ]
        return replace(made, judging=estimate_judges(workspace, sides.release, self.judges, arms))

    def enqueue(self, workspace: Workspace) -> Job:
        count = len(experiments.get(workspace.db, self.experiment).arms)
        judges = tuple(judge.frozen(workspace) for judge in self.judges)
        title = f"{self.experiment}: {plural(count, 'arm')}"
        return put(workspace.db, replace(self, judges=judges), title)

    def judging(self, db: sqlite3.Connection) -> list[JudgeRun]:
        """What it does as a judge of the runs that its arms have so far."""
        arms = experiments.get(db, self.experiment).arms if self.judges else ()
        begun = [arm.run_id for arm in arms if arm.run_id is not None]
        return [judge.about(run_id) for run_id in begun for judge in self.judges]

    async def run(self, context: JobContext) -> None:
        """Works the arms; which of them go on follows from the stored scores alone, so that the
        same code begins and resumes."""
        from engine.experiments.working import work_experiment

        await work_experiment(context, self.experiment, self.budget, self.judges)

    def reopen_failed(self, db: sqlite3.Connection) -> str:
        failed = 0
        for arm in experiments.get(db, self.experiment).arms:
            if arm.run_id is not None:
                failed += sum(runs.reopen_failed(db, arm.run_id).values())
        said = [plural(failed, "prediction") if failed else ""]
        said += [judge.reopen_failed(db) for judge in self.judging(db)]
        return " and ".join(filter(None, said))

"""The queries of the questions that make and start experiments; imported by these alone, since they
bring what reads and retrieves."""

from __future__ import annotations

from msgspec import Struct

from engine.experiments.estimate import ExperimentEstimate
from engine.experiments.experiment_job import RunExperiment
from engine.experiments.judging import metric_judges
from engine.experiments.new_experiment import make_experiment
from engine.experiments.plan import Plan, Wanted, plan
from engine.jobs.operation import Budget, dry_run
from engine.jobs.start import start
from store.jobs.jobs import Job
from store.workspace import Workspace


class PlanQuery(Struct, frozen=True):
    """The arms of an experiment that is not made yet, and what they would take."""

    wanted: Wanted

    def answer(self, workspace: Workspace) -> Plan:
        """Raises what `plan` raises."""
        return plan(workspace, self.wanted)


class LeftQuery(Struct, frozen=True):
    """What is left to do of an experiment."""

    operation: RunExperiment

    def answer(self, workspace: Workspace) -> ExperimentEstimate:
        """Raises what refuses its job."""
        return dry_run(workspace, self.operation)


class BeginQuery(Struct, frozen=True):
    """Have an experiment made and its job put into the queue, with a worker that will do it."""

    name: str
    wanted: Wanted
    budget: Budget

    def answer(self, workspace: Workspace) -> Job:
        """Raises what making it and its job raise."""
        design = self.wanted.design(workspace.folder)
        judges = metric_judges(design) if self.wanted.judged else ()
        make_experiment(workspace, self.name, self.wanted.dataset, design)
        return start(workspace, RunExperiment(self.name, judges, budget=self.budget))

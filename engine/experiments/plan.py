"""An experiment before it is made: its arms, and what they would take."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict, replace

from engine.evaluate.new_run import check_system
from engine.experiments.design import Design, Factor, How, label
from engine.experiments.estimate import ExperimentEstimate, estimate_arms
from engine.experiments.judging import estimate_judges, metric_judges
from engine.experiments.new_experiment import checked_arms, parse_factor, split_of, system_of
from engine.experiments.recipes import recipe_design
from engine.experiments.sides import check_sides, sides_of
from engine.jobs.operation import Budget
from store.datasets import datasets
from store.workspace import Workspace


class Wanted(Struct, frozen=True, omit_defaults=True):
    """An experiment as a person asks for it."""

    dataset: str
    """A release, as `gold@1`."""
    base: str = ""
    """The name of a system; empty for what the recipe's paper has in its place offline."""
    recipe: str = ""
    """Empty for an experiment of one's own, which the rest describes."""
    factors: tuple[str, ...] = ()
    """As `parse_factor` reads them."""
    metrics: tuple[str, ...] = ("f1",)
    how: How = "grid"
    finalists: int | None = None
    judged: bool = False
    """Whether the judges of its metrics score the answers of every arm."""

    def design(self, folder: Path) -> Design:
        """Raises UsageError for a factor that cannot be read, and what `recipe_design` raises."""
        if self.recipe:
            return recipe_design(folder, self.recipe, self.base or None)
        factors = tuple(Factor(*parse_factor(text)) for text in self.factors)
        return Design(self.base, {}, factors, self.metrics, self.how, self.finalists)


class Plan(ExperimentEstimate, frozen=True, kw_only=True):
    changes: tuple[tuple[str, str], ...]
    """The name of each arm, and what it changes about the base."""
    train: int
    """Items of the side that chooses; 0 where the sides are drawn when it is made."""
    test: int


def plan(workspace: Workspace, wanted: Wanted) -> Plan:
    """The arms of an experiment and what they would take; writes nothing but indexes.

    Raises what making it raises, and what its job would be refused for.
    """
    db = workspace.db
    release = datasets.find_release(db, wanted.dataset)
    design, arms = checked_arms(workspace.folder, wanted.design(workspace.folder))
    split = split_of(db, release)
    items = list(datasets.released_items(db, release.id))
    train = test = 0
    if split is not None:
        check_sides(db, release, split)
        sides = sides_of(db, release, split)
        train, test = sides.train, sides.test
        items = [item for item in items if item.item_key in sides.side_of]
    systems = [system_of(workspace.folder, design, name, levels) for name, levels in arms]
    for system in systems:
        check_system(workspace, system, release, Budget())
    made = estimate_arms(workspace, release, items, [(system, 0) for system in systems])
    if wanted.judged:
        judges = metric_judges(design)
        for judge in judges:
            judge.check_judge(workspace, Budget())
        ahead = [(system, None, items) for system in systems]
        made = replace(made, judging=estimate_judges(workspace, release, judges, ahead))
    changes = tuple((name, label(levels)) for name, levels in arms)
    return Plan(**asdict(made), changes=changes, train=train, test=test)

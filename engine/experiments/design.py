"""The design of an experiment: a base system, what is changed about it, and how arms follow."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Literal

from msgspec import Struct, convert

from store.errors import UsageError
from store.messages import plural
from store.runs.experiments import Experiment

How = Literal["grid", "one-at-a-time", "halving"]
MOST_ARMS = 200
BASE = "base"


class Factor(Struct, frozen=True):
    """Something about a system that an experiment changes."""

    name: str
    levels: tuple[dict[str, Any], ...]
    """Settings of a system, one or several together, such as a chunk size with its top k."""


class Design(Struct, frozen=True, omit_defaults=True):
    base: str
    """The name of the base system."""
    table: dict[str, Any]
    """Its settings, as they were when the experiment was made."""
    factors: tuple[Factor, ...]
    metrics: tuple[str, ...]
    """As `NAME` or `VARIANT:NAME`; the first one chooses."""
    how: How = "grid"
    finalists: int | None = None
    """How many arms, best first on the train side, are tried on the test side, beside the base;
    null for all."""
    seed: int = 0
    recipe: str = ""
    """The paper's experiment that it follows."""


def read_design(experiment: Experiment) -> Design:
    """The design that an experiment stores."""
    return convert(experiment.design, Design)


def arms(design: Design) -> list[tuple[str, dict[str, Any]]]:
    """The name and levels of every arm; the first is the base system itself.

    One at a time changes one factor; a grid, also the one that halving begins with, combines all.
    Raises UsageError for none or more than `MOST_ARMS`.
    """
    if not design.factors or not all(factor.levels for factor in design.factors):
        raise UsageError("The experiment changes nothing.", "Name factors, each with levels.")
    if design.how == "one-at-a-time":
        changes = [level for factor in design.factors for level in factor.levels]
    else:
        changes = [
            {key: value for level in levels for key, value in level.items()}
            for levels in product(*(factor.levels for factor in design.factors))
        ]
    made: dict[str, dict[str, Any]] = {BASE: {}}
    for change in changes:
        levels = {
            key: value for key, value in change.items() if design.table.get(key, False) != value
        }
        if levels:
            made.setdefault(label(levels), levels)
    if not 2 <= len(made) <= MOST_ARMS:
        raise UsageError(
            f"The experiment has {plural(len(made), 'arm')}.",
            f"Name factors that give 2 to {MOST_ARMS}.",
        )
    return list(made.items())


def label(levels: Mapping[str, Any]) -> str:
    """Levels in words: `retriever=lsa top_k=4`."""
    return " ".join(f"{key}={_shown(value)}" for key, value in levels.items())


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        options = {key: option for key, option in value.items() if key != "stage"}
        stage = str(value.get("stage", ""))
        return f"{stage}({label(options)})" if options else stage
    if isinstance(value, list):
        return "+".join(map(_shown, value)) or "none"
    if value is False:
        return "none"
    return str(value)


def rungs(arms: int, items: int) -> list[tuple[int, int]]:
    """(items, arms kept) of each round of successive halving (Jamieson and Talwalkar 2016): every
    round has twice the items of the one before and half its arms; the last has all items."""
    rounds = max(1, (arms - 1).bit_length())
    plan = []
    for number in range(1, rounds + 1):
        arms = max(1, (arms + 1) // 2)
        plan.append((max(1, items >> (rounds - number)), arms))
    return plan

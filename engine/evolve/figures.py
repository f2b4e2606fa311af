"""What an evolution came to, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from msgspec import Struct

from engine.difficulty.formulas import LAMBDA, difficulty
from store.datasets.lineages import Family, LineageStep


class OperationFigures(Struct, frozen=True):
    operation: str
    made: int
    """Children that could be taken."""
    kept: int
    """Of those, in the queue at the end."""
    items: int
    rejected: int


class EvolutionFigures(Struct, frozen=True):
    families: int
    """With an initial question."""
    threshold: float
    evolved: int
    """Families whose hardest question is above the threshold."""
    before: tuple[float, ...]
    """RGD of the initial questions."""
    after: tuple[float, ...]
    """RGD of the hardest question of each family."""
    mean_before: float | None
    mean_after: float | None
    operations: tuple[OperationFigures, ...]
    evolutions: dict[int, int]
    """Families above the threshold by the number of operations that led there (table 7)."""
    reasons: dict[str, int]
    """Why something was rejected, the most frequent first."""


def figures(
    families: Sequence[Family], weight: float = LAMBDA, threshold: float = 1.2
) -> EvolutionFigures:
    """The figures of some families."""
    begun = [family for family in families if family.steps[0].content is not None]
    before = [_rgd(family.steps[0], weight) for family in begun]
    hardest = [_hardest(family, weight) for family in begun]
    after = [_rgd(step, weight) for step in hardest]
    depths = Counter(
        _depth(family, step)
        for family, step in zip(begun, hardest, strict=True)
        if _rgd(step, weight) > threshold
    )
    rejected = Counter(
        step.reason for family in begun for step in family.steps if step.outcome == "rejected"
    )
    return EvolutionFigures(
        len(begun),
        threshold,
        sum(depths.values()),
        tuple(before),
        tuple(after),
        fmean(before) if before else None,
        fmean(after) if after else None,
        tuple(_operations(families)),
        dict(sorted(depths.items())),
        dict(rejected.most_common()),
    )


def _rgd(step: LineageStep, weight: float) -> float:
    return difficulty(step.rd or 0.0, step.gd or 0.0, weight)


def _hardest(family: Family, weight: float) -> LineageStep:
    """The hardest question of those that were in the queue at the end; else the initial one."""
    queue = [
        step
        for step in family.steps
        if step.outcome in ("initial", "kept") and step.operation != "rewriting"
    ]
    return max(queue, key=lambda step: _rgd(step, weight))


def _depth(family: Family, step: LineageStep) -> int:
    return 0 if not step.parents else 1 + _depth(family, family.steps[step.parents[0]])


def _operations(families: Iterable[Family]) -> Iterable[OperationFigures]:
    steps = [step for family in families for step in family.steps if step.parents]
    for name in dict.fromkeys(sorted(step.operation for step in steps)):
        own = [step for step in steps if step.operation == name]
        taken = [step for step in own if step.outcome != "rejected"]
        yield OperationFigures(
            name,
            len(taken),
            sum(step.outcome == "kept" for step in taken),
            sum(step.item_id is not None for step in taken),
            len(own) - len(taken),
        )

"""Answers with a known truth, a judge of known faults, and draws of labels: what `benchmarks.trust`
and its neighbours measure on. The designs were written down before any was run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.calibration.populations import Design as Sampling
from engine.calibration.populations import stands_for
from engine.statistics.chances import chances, drawn, expected_by_class
from engine.statistics.draws import Labels, label_weights, variance_strata

Random = np.random.Generator
NAN = float("nan")
ANSWERS = 1_000
CELLS = 15


class World(NamedTuple):
    """Answers of a run, on one metric."""

    people: np.ndarray
    """On [0, 1]; NaN where it does not apply."""
    judge: np.ndarray
    groups: np.ndarray
    cells: np.ndarray
    new: float
    """The mean over questions like these."""

    @property
    def run(self) -> float:
        return float(np.nanmean(self.people))


Make = Callable[[Random, int], World]
Draw = Callable[[Random, World, int], Labels]


def world(
    *,
    rate: float = 0.65,
    alike: float = 0.3,
    wrong: float = 0.2,
    partly: float = 0.0,
    outside: float = 0.0,
) -> Make:
    """Answers of groups whose rates vary around `rate`, as correlated within groups as `alike`
    says; a judge that guesses, kindly, on a share `wrong`; a share `partly` is half right, and to a
    share `outside` the metric does not apply, on which the judge may differ."""

    def make(random: Random, groups: int) -> World:
        group = random.integers(0, groups, ANSWERS)
        spread = (1 - alike) / alike
        likely = random.beta(rate * spread, (1 - rate) * spread, groups)[group]
        people = (random.random(ANSWERS) < likely).astype(np.float64)
        if partly:
            people = np.where(random.random(ANSWERS) < partly, 0.5, people)
        judge = np.where(random.random(ANSWERS) < wrong, random.random(ANSWERS) < 0.8, people)
        if partly:
            judge = np.where(random.random(ANSWERS) < partly / 2, 0.5, judge)
        judge = judge.astype(np.float64)
        if outside:
            not_asked = random.random(ANSWERS) < outside
            people = np.where(not_asked, NAN, people)
            judge = np.where(not_asked ^ (random.random(ANSWERS) < 0.05), NAN, judge)
        # cells of unlike size and difficulty, so that a quota takes answers at unlike rates
        cells = (CELLS * random.random(ANSWERS) ** np.where(people == 1, 2.0, 0.7)).astype(np.int64)
        return World(people, judge, group, cells, rate * (1 - partly) + 0.5 * partly)

    return make


def independent(make: Make) -> Make:
    """The same, each answer a group of its own."""

    def alone(random: Random, groups: int) -> World:
        return make(random, ANSWERS * 20)._replace(groups=np.arange(ANSWERS))

    return alone


def uniform(random: Random, given: World, labels: int) -> Labels:
    """So many answers, all as likely."""
    at = np.sort(random.choice(ANSWERS, labels, replace=False))
    return Labels(at, given.people[at], np.ones(labels))


def quota(random: Random, given: World, labels: int) -> Labels:
    """As even over the cells as they allow."""
    order = random.permutation(ANSWERS)
    # the turn at which a cell takes an answer
    turn = np.empty(ANSWERS, dtype=np.int64)
    for cell in range(CELLS):
        mine = order[given.cells[order] == cell]
        turn[mine] = np.arange(len(mine))
    at = np.sort(order[np.argsort(turn[order], kind="stable")][:labels])
    strata = [(int(cell),) for cell in given.cells]
    weights = label_weights(strata, at.tolist())
    return Labels(at, given.people[at], weights, None, *variance_strata(strata, at.tolist()))


def actively(random: Random, given: World, labels: int) -> Labels:
    """Half drawn alike, at most 30; the rest by chances that these teach, by the judge's value."""
    start = min(30, labels // 2)
    order = random.permutation(ANSWERS)
    first, left = order[:start], np.sort(order[start:])
    judge = np.nan_to_num(given.judge, nan=2.0)
    gaps = (given.people - np.nan_to_num(given.judge, nan=0.5)) ** 2
    known = np.full(ANSWERS, NAN)
    known[first] = gaps[first]
    fallback = np.full(ANSWERS, np.nanmean(known) if not np.isnan(known).all() else 1.0)
    classes = np.unique(judge, return_inverse=True)[1]
    uncertainty = np.sqrt(expected_by_class(classes, known, fallback))
    wanted = chances(uncertainty[left], labels - start)
    taken = drawn(wanted, int(random.integers(2**31)))
    batches: tuple[dict[int, float], ...] = (
        {int(at): start / ANSWERS for at in first},
        {int(left[row]): float(wanted[row]) for row in taken},
    )
    stands = stands_for(Sampling("", batches=batches), {*batches[0], *batches[1]})
    at = np.array(sorted(stands))
    weights, spread = (np.array([stands[int(one)][part] for one in at]) for part in (0, 1))
    return Labels(at, given.people[at], weights, spread)


class Design(NamedTuple):
    make: Make
    draw: Draw = uniform
    has_conflicts: bool = False
    """Whether raters differ on a quarter of the failures and a twentieth of the others, and the
    interval is the hull of those with all of these at the lowest and at the highest value."""


DESIGNS: dict[str, Design] = {
    "independent": Design(independent(world())),
    "grouped": Design(world()),
    "by quota": Design(world(), quota),
    "rate .97": Design(world(rate=0.97)),
    "near-perfect judge": Design(world(wrong=0.02)),
    "active draw": Design(world(), actively),
    "10 % in conflict, bounds": Design(world(rate=0.75), has_conflicts=True),
    "useless judge": Design(world(wrong=1.0)),
    "values 0, 1, 2": Design(world(partly=0.3)),
    "30 % not applicable": Design(world(outside=0.3)),
}
GROUPS = (12, 20, 50, 100)
LABELS = (20, 30, 50, 100, 300)

"""How often nominal 95 % intervals hold the true figure: the table in docs/results.md.

    python -m benchmarks.coverage [--repetitions 1000] [--only WORD]

The designs were written down before any was run. Each line is one: the share of repetitions whose
interval holds the truth, in per cent, and its mean width, at 6, 10, 20, 50 and 100 groups.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from engine.statistics.agreement.intervals import measures
from engine.statistics.difference import difference
from engine.statistics.draws import Labels, variance_strata
from engine.statistics.inference import Settings
from engine.statistics.means import mean_interval
from engine.statistics.pairing import CommonSet
from engine.statistics.prediction_powered import powered_mean

GROUPS = (6, 10, 20, 50, 100)
LARGE = 200_000
SETTINGS = Settings(resamples=1_999)

Random = np.random.Generator
Ends = tuple[float | None, float | None]
Design = Callable[[Random, int], tuple[Ends, float]]


def turns(random: Random, groups: int) -> np.ndarray:
    """The group of each turn: 1 to 6 turns a group."""
    return np.repeat(np.arange(groups), random.integers(1, 7, groups))


def rates(random: Random, groups: int, rate: float, alike: float = 0.3) -> np.ndarray:
    """A rate for each group around `rate`; `alike` is the correlation within groups."""
    spread = (1 - alike) / alike
    return random.beta(rate * spread, (1 - rate) * spread, groups)


def mean_of(values: np.ndarray, group_of: np.ndarray, groups: int, are_shares: bool) -> Ends:
    sums = np.bincount(group_of, values, groups)
    sizes = np.bincount(group_of, minlength=groups).astype(np.float64)
    return mean_interval(sums, sizes, are_shares, SETTINGS)


def binary_mean(rate: float) -> Design:
    def design(random: Random, groups: int) -> tuple[Ends, float]:
        group_of = turns(random, groups)
        values = random.random(len(group_of)) < rates(random, groups, rate)[group_of]
        return mean_of(values.astype(np.float64), group_of, groups, True), rate

    return design


def single_rate(random: Random, groups: int) -> tuple[Ends, float]:
    values = (random.random(groups) < 0.05).astype(np.float64)
    return mean_of(values, np.arange(groups), groups, True), 0.05


def partly(random: Random, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Values as of F1: a third is 0, the rest anywhere, alike within groups."""
    group_of = turns(random, groups)
    level = random.beta(1, 2, groups)[group_of]
    some = random.beta(2 * level + 0.2, 2 * (1 - level) + 0.2)
    return np.where(random.random(len(group_of)) < 0.35, 0.0, some), group_of


PARTLY_MEAN = float(partly(np.random.default_rng(1), LARGE)[0].mean())


def partly_mean(random: Random, groups: int) -> tuple[Ends, float]:
    values, group_of = partly(random, groups)
    return mean_of(values, group_of, groups, False), PARTLY_MEAN


def of_runs(a: np.ndarray, b: np.ndarray, group_of: np.ndarray) -> Ends:
    cells = (("", ""),) * len(a)
    found = difference(CommonSet(np.column_stack([a, b]), group_of, cells, {}), True, SETTINGS)
    return found.low, found.high


def normal_difference(random: Random, groups: int) -> tuple[Ends, float]:
    group_of = turns(random, groups)
    shared = random.normal(0, 0.1, groups)[group_of]
    gain = 0.05 + shared + random.normal(0, 0.2, len(group_of))
    return of_runs(gain, np.zeros(len(gain)), group_of), 0.05


def right_or_wrong(change: float) -> Design:
    """Two runs that are right or wrong, and differ on a share `change` of the turns."""

    def design(random: Random, groups: int) -> tuple[Ends, float]:
        a = random.random(groups) < 0.5
        b = np.where(random.random(groups) < change, random.random(groups) < 0.3, a)
        ends = of_runs(a.astype(np.float64), b.astype(np.float64), np.arange(groups))
        return ends, change * (0.5 - 0.3)

    return design


EVEN = (1 / 3, 1 / 3, 1 / 3)
UNEVEN = (0.7, 0.2, 0.1)


def raters(name: str, size: int = 1, shares: tuple[float, float, float] = EVEN) -> Design:
    """Two raters and three values of these shares: eight times of ten the second says what the
    first does, else any value by its share. `size` subjects a group, all rated alike."""
    at, common = np.arange(3), np.array(shares)
    likeness = 1 - np.square((at[:, None] - at) / 2)
    by_kappa = common @ likeness @ common
    by_gwet = likeness.sum() / 6 * (common * (1 - common)).sum()
    agreed = 0.8 + 0.2 * by_kappa
    # kappa, alpha and the correlation of ranks see the eight of ten alone, whatever the shares
    truth = float((agreed - by_gwet) / (1 - by_gwet)) if name == "ac2" else 0.8

    def design(random: Random, groups: int) -> tuple[Ends, float]:
        one, other = random.choice(3, (2, groups), p=common)
        second = np.where(random.random(groups) < 0.8, one, other)
        ratings = np.repeat(np.stack([one, second], 1), size, axis=0)
        of = np.repeat(np.arange(groups), size).tolist()
        found = measures(ratings.tolist(), [0, 1, 2], [name], of)[name]
        return (found.low, found.high), truth

    return design


def powered(zipf: float, wrong: float) -> Design:
    """A run of 1,500 answers in half as many cells as there are labelled groups, the k-th of size
    1 / k**zipf; two labels a cell, and a judge who guesses on a share `wrong`."""

    def design(random: Random, groups: int) -> tuple[Ends, float]:
        cells = groups // 2
        share = 1 / np.arange(1, cells + 1) ** zipf
        sizes = np.maximum(3, (1_500 * share / share.sum()).astype(int))
        cell = np.repeat(np.arange(cells), sizes)
        likely = np.random.default_rng(3).beta(3, 2, cells)
        people = (random.random(len(cell)) < likely[cell]).astype(np.float64)
        guess = random.integers(0, 2, len(cell)).astype(np.float64)
        judge = np.where(random.random(len(cell)) < wrong, guess, people)
        drawn = [random.choice(np.flatnonzero(cell == c), 2, replace=False) for c in range(cells)]
        labelled = np.sort(np.concatenate(drawn))
        strata = [(int(one),) for one in cell]
        weights = sizes[cell[labelled]] / 2
        drawn_by = variance_strata(strata, labelled.tolist())
        labels = Labels(labelled, people[labelled], weights, None, *drawn_by)
        new = powered_mean(judge, np.arange(len(cell)), labels).new
        return (new.low, new.high), float(sizes @ likely / sizes.sum())

    return design


DESIGNS: dict[str, Design] = {
    "mean, rate 30 %, 1 to 6 turns a group": binary_mean(0.3),
    "mean, rate 5 %, 1 to 6 turns a group": binary_mean(0.05),
    "mean, rate 5 %, one turn a group": single_rate,
    "mean, values as of F1, 1 to 6 turns a group": partly_mean,
    "difference, normal, 1 to 6 turns a group": normal_difference,
    "difference, right or wrong, 60 % differ": right_or_wrong(0.6),
    "difference, right or wrong, 15 % differ": right_or_wrong(0.15),
    "joined mean, equal cells, 2 labels each": powered(0, 0.25),
    "joined mean, cells by Zipf 1, 2 labels each": powered(1, 0.25),
    "joined mean, cells by Zipf 1.6, 2 labels each": powered(1.6, 0.25),
    "joined mean, Zipf 1, judge wrong on 2 %": powered(1, 0.04),
    "agreement, kappa, one subject a group": raters("kappa_plain"),
    "agreement, quadratic, one subject a group": raters("kappa_quadratic"),
    "agreement, quadratic, four like subjects a group": raters("kappa_quadratic", 4),
    "agreement, ordinal alpha, four like subjects a group": raters("alpha_ordinal", 4),
    "agreement, AC2, one subject a group": raters("ac2"),
    "agreement, AC2, four like subjects a group": raters("ac2", 4),
    "agreement, AC2, values of 70, 20, 10 %": raters("ac2", shares=UNEVEN),
    "agreement, Spearman, one subject a group": raters("spearman"),
    "agreement, Spearman, four like subjects a group": raters("spearman", 4),
    "agreement, Spearman, values of 70, 20, 10 %": raters("spearman", shares=UNEVEN),
}


def line(name: str, design: Design, repetitions: int) -> str:
    """A row of the table; samples without an interval are left out."""
    cells = []
    for groups in GROUPS:
        held = widths = count = 0.0
        for repetition in range(repetitions):
            (low, high), truth = design(np.random.default_rng([groups, repetition]), groups)
            if low is not None and high is not None:
                held += low <= truth <= high
                widths += high - low
                count += 1
        cells.append(f"{100 * held / count:.1f} ({widths / count:.2f})" if count else "none")
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1_000)
    parser.add_argument("--only", default="", help="designs with this in their name")
    parser.add_argument("--quick", action="store_true", help="ten repetitions: only that it runs")
    given = parser.parse_args()
    print(f"| interval, {given.repetitions:,} repetitions | {' | '.join(map(str, GROUPS))} |")
    print("|---|---|---|---|---|---|")
    for name, design in DESIGNS.items():
        if given.only in name:
            print(line(name, design, 10 if given.quick else given.repetitions), flush=True)


if __name__ == "__main__":
    main()

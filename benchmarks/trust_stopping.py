"""Stopping while one looks at every label: docs/trust.md.

    python -m benchmarks.trust_stopping [--repetitions 1000]

`decide`: two runs, labels of both answers of a question, a judge that is kinder to the first; one
looks from the 30th label on and stops when no difference is excluded, or at 300. `precise`: the
mean of a run, stopped when half of the interval is at most .06.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from benchmarks.trust_designs import ANSWERS, world
from engine.statistics.draws import all_alike
from engine.statistics.linearised import FIRST_LOOK, sequence_interval
from engine.statistics.prediction_powered import linear_difference, powered_mean

MOST = 300
PLANNED = 100
WITHIN = 0.06
FEWEST = 20


class Decided(NamedTuple):
    by_sequence: float
    """Share of the repetitions that a sequence called a difference at any look."""
    by_interval: float
    """The same of the ordinary interval."""
    wrong_way: float
    """Share in which the sequence named the worse run."""
    held: float
    """Share in which the sequence held the true difference at every look."""
    labels: float
    """Mean number at which the sequence stopped."""


def decide(repetitions: int, *, gap: float, every: int = 1) -> Decided:
    """Two runs whose rates differ by `gap`, the first higher."""
    totals = np.zeros(5)
    for repetition in range(repetitions):
        random = np.random.default_rng([11, repetition])
        level = random.beta(2, 1, 2 * ANSWERS)
        a = (random.random(2 * ANSWERS) < np.minimum(level + gap / 2, 1)).astype(np.float64)
        b = (random.random(2 * ANSWERS) < np.maximum(level - gap / 2, 0)).astype(np.float64)
        # kinder to the first: half of its wrong answers pass
        kind = np.where(random.random(2 * ANSWERS) < 0.3, 1.0, a)
        fair = np.where(random.random(2 * ANSWERS) < 0.15, 1 - b, b)
        order = random.permutation(2 * ANSWERS)
        groups = np.arange(2 * ANSWERS)
        truth = _true_gap(gap)
        stopped, called, wrong, held = MOST, False, False, True
        for n in range(FIRST_LOOK, MOST + 1, every):
            at = order[:n]
            one, two = (all_alike(at, values[at], 2 * ANSWERS) for values in (a, b))
            found = linear_difference(kind, fair, groups, one, two)
            assert found is not None
            plain = found.interval("new", (-1.0, 1.0), tested=False)
            called |= plain.low is not None and not plain.low <= 0 <= (plain.high or 0.0)
            sequence = sequence_interval(found, "new", PLANNED, (-1.0, 1.0))
            if sequence.low is None or sequence.high is None:
                continue
            held &= sequence.low <= truth <= sequence.high
            if stopped == MOST and not sequence.low <= 0 <= sequence.high:
                stopped, wrong = min(n, MOST - 1), sequence.high < 0
        totals += (stopped < MOST, called, wrong, held, stopped)
    return Decided(*(float(total) / repetitions for total in totals))


def _true_gap(gap: float) -> float:
    """The true difference: rates are cut at 0 and 1."""
    level = np.linspace(0.0005, 0.9995, 1_000)
    density = 2 * level
    cut = np.minimum(level + gap / 2, 1) - np.maximum(level - gap / 2, 0)
    return float(cut @ density / density.sum())


class Precise(NamedTuple):
    held: float
    """Share of the intervals that held the mean of the run where one stopped."""
    labels: float


def precise(repetitions: int, *, every: int = 1) -> Precise:
    """The mean of a run, looked at until its interval is narrow enough."""
    held = labels = 0.0
    make = world(partly=0.3)
    for repetition in range(repetitions):
        random = np.random.default_rng([12, repetition])
        given = make(random, 100)
        order = random.permutation(ANSWERS)
        for n in range(FEWEST, MOST + 1, every):
            at = order[:n]
            labelled = all_alike(at, given.people[at], ANSWERS)
            interval = powered_mean(given.judge, given.groups, labelled).run
            if interval.half is not None and interval.half <= WITHIN:
                break
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= given.run <= interval.high
        labels += n
    return Precise(held / repetitions, labels / repetitions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1_000)
    parser.add_argument("--every", type=int, default=1, help="labels between two looks")
    parser.add_argument("--quick", action="store_true", help="few repetitions: only that it runs")
    given = parser.parse_args()
    repetitions, every = (3, 30) if given.quick else (given.repetitions, given.every)
    print("| true difference | sequence decides | wrongly | labels | holds | interval decides |")
    print("|---|---|---|---|---|---|")
    for gap in (0.0, 0.1, 0.2):
        one = decide(repetitions, gap=gap, every=every)
        wrong = one.by_sequence if not gap else one.wrong_way
        print(
            f"| {_true_gap(gap):.3f} | {100 * one.by_sequence:.1f} | {100 * wrong:.1f}"
            f" | {one.labels:.0f} | {100 * one.held:.1f} | {100 * one.by_interval:.1f} |",
            flush=True,
        )
    stop = precise(repetitions, every=every)
    print(f"\nprecise enough: holds {100 * stop.held:.1f}, {stop.labels:.0f} labels")


if __name__ == "__main__":
    main()

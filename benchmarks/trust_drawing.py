"""Labels saved by choosing what to label next, and stopping while one looks: docs/trust.md.

    python -m benchmarks.trust_drawing [--repetitions 2000]

1,000 answers, judge and people on [0, 1]; the first labels are drawn alike, the rest as `sample
draw --choose precision` draws them. Where hard answers are known, a flag, such as another judge
that differs, marks those whose squared error is `of_hard` against `easy`; where the flag says
nothing it is drawn at random; where it misleads, the flagged are given the least chance, whatever
the first labels say. Saved are labels, of those that would have to be drawn alike for an interval
as narrow; half^2 goes as 1 / n - 1 / 1,000.
"""

from __future__ import annotations

import argparse
from typing import Literal, NamedTuple

import numpy as np

from benchmarks.trust_designs import ANSWERS, Random
from engine.calibration.next_labels import BURN_IN
from engine.calibration.populations import Design, stands_for
from engine.statistics.chances import UNIFORM_SHARE, chances, drawn, expected_by_class
from engine.statistics.draws import Labels, all_alike
from engine.statistics.inference import Powered
from engine.statistics.linearised import linear
from engine.statistics.prediction_powered import powered_mean

Knowledge = Literal["known", "says nothing", "misleads"]
KNOWLEDGE: tuple[Knowledge, ...] = ("known", "says nothing", "misleads")
LABELS = (100, 300)


class Kind(NamedTuple):
    """What answers are like."""

    share: float
    """Of those that are hard."""
    of_hard: float
    easy: float


KINDS = {
    "30 % hard, .36 against .06": Kind(0.3, 0.36, 0.06),
    "10 % hard, .5 against .02": Kind(0.1, 0.5, 0.02),
}


class Hard(NamedTuple):
    """Answers of which some are hard to judge."""

    people: np.ndarray
    judge: np.ndarray
    hard: np.ndarray


def answers(random: Random, kind: Kind) -> Hard:
    """Answers whose expected squared residual is `of_hard` on a share, `easy` on the others."""
    hard = random.random(ANSWERS) < kind.share
    people = (random.random(ANSWERS) < 0.6).astype(np.float64)
    wrong = random.random(ANSWERS) < np.where(hard, kind.of_hard, kind.easy)
    # graded verdicts, so that the interval is the general one
    judge = np.where(wrong, 1 - people, people) * 0.98 + 0.01
    return Hard(people, judge, hard)


def actively(
    random: Random, given: Hard, kind: Kind, knows: Knowledge, labels: int, uniform_share: float
) -> Labels:
    """Some labels drawn alike, then the others by chances."""
    first = random.choice(ANSWERS, BURN_IN, replace=False)
    left = np.setdiff1d(np.arange(ANSWERS), first)
    flag = given.hard if knows != "says nothing" else random.random(ANSWERS) < given.hard.mean()
    if knows == "misleads":
        uncertainty = np.where(flag, kind.easy, kind.of_hard) ** 0.5
    else:
        found = linear(given.judge, np.arange(ANSWERS), all_alike(first, given.people[first], 1000))
        weight = 0.0 if found is None else found.weight
        gaps = given.people - weight * given.judge
        known = np.full(ANSWERS, np.nan)
        known[first] = (gaps[first] - gaps[first].mean()) ** 2
        fallback = np.full(ANSWERS, np.nanmean(known))
        uncertainty = np.sqrt(expected_by_class(flag.astype(np.int64), known, fallback))
    wanted = chances(uncertainty[left], labels - BURN_IN, uniform_share)
    taken = drawn(wanted, int(random.integers(2**31)))
    batches: tuple[dict[int, float], ...] = (
        {int(at): BURN_IN / ANSWERS for at in first},
        {int(left[row]): float(wanted[row]) for row in taken},
    )
    stands = stands_for(Design("", batches=batches), {*batches[0], *batches[1]})
    at = np.array(sorted(stands))
    weights, spread = (np.array([stands[int(one)][part] for one in at]) for part in (0, 1))
    return Labels(at, given.people[at], weights, spread)


class Outcome(NamedTuple):
    """What repeated draws came to."""

    half: float
    """Mean of half the interval's width, of this run."""
    held: float
    error: float
    """Root of the mean squared error of the estimate."""


def outcome(
    kind: Kind,
    knows: Knowledge | None,
    labels: int,
    repetitions: int,
    uniform_share: float = UNIFORM_SHARE,
) -> Outcome:
    """Of draws with this knowledge; of uniform ones for None."""
    squares = halves = held = 0.0
    for repetition in range(repetitions):
        random = np.random.default_rng([7, repetition])
        given = answers(random, kind)
        if knows is None:
            at = random.choice(ANSWERS, labels, replace=False)
            drawn_by = all_alike(at, given.people[at], ANSWERS)
        else:
            drawn_by = actively(random, given, kind, knows, labels, uniform_share)
        found: Powered = powered_mean(given.judge, np.arange(ANSWERS), drawn_by)
        truth = float(given.people.mean())
        assert found.mean is not None
        assert found.run.low is not None
        assert found.run.high is not None
        squares += (found.mean - truth) ** 2
        halves += found.run.half or 0.0
        held += found.run.low <= truth <= found.run.high
    return Outcome(halves / repetitions, held / repetitions, (squares / repetitions) ** 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1_000)
    parser.add_argument("--quick", action="store_true", help="few repetitions: only that it runs")
    given = parser.parse_args()
    repetitions = 5 if given.quick else given.repetitions
    print("| answers | the hard ones | drawn alike | labels | half | covers | error | saved |")
    print("|---|---|---|---|---|---|---|---|")
    for name, kind in KINDS.items():
        for labels in LABELS:
            plain = outcome(kind, None, labels, repetitions)
            print(line(name, "-", 1.0, labels, plain, plain), flush=True)
            for knows in KNOWLEDGE:
                for share in (UNIFORM_SHARE, 0.05):
                    found = outcome(kind, knows, labels, repetitions, share)
                    print(line(name, knows, share, labels, found, plain), flush=True)


def line(name: str, knows: str, share: float, labels: int, found: Outcome, plain: Outcome) -> str:
    """A row of the table."""
    left = (found.half / plain.half) ** 2 * (1 / labels - 1 / ANSWERS)
    saved = 1 - labels * (left + 1 / ANSWERS)
    return (
        f"| {name} | {knows} | {100 * share:.0f} % | {labels} | {found.half:.4f}"
        f" | {100 * found.held:.1f} | {found.error:.4f} | {100 * saved:+.0f} % |"
    )


if __name__ == "__main__":
    main()

"""Ten things that hold of every corrected number, measured: the second table in docs/trust.md.

python -m benchmarks.trust_laws [--repetitions 1000]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from msgspec import structs

from benchmarks.trust_designs import ANSWERS, actively, quota, uniform, world
from engine.statistics.chances import chances, drawn
from engine.statistics.draws import Labels, all_alike
from engine.statistics.inference import Interval, Powered
from engine.statistics.prediction_powered import powered_difference, powered_mean

MAKE = world(partly=0.3)
GROUPS = 50


def ends(found: Powered) -> np.ndarray:
    """Point and both intervals."""
    both = (found.run.low, found.run.high, found.new.low, found.new.high)
    return np.array([found.mean, *both], dtype=np.float64)


def targets(repetitions: int) -> str:
    """Measures both targets where all is labelled."""
    run, new = 0.0, 1.0
    for at in range(min(repetitions, 50)):
        given = MAKE(np.random.default_rng(at), GROUPS)
        found = powered_mean(
            given.judge, given.groups, all_alike(np.arange(ANSWERS), given.people, ANSWERS)
        )
        assert (found.run.target, found.new.target) == ("run", "new")
        run, new = max(run, found.run.half or 0.0), min(new, found.new.half or 0.0)
    return f"all labelled: half of `run` {run:.3f}, of `new` at least {new:.3f}"


def copies(repetitions: int) -> str:
    """Measures what copies of each row within its group move."""
    most = 0.0
    for at in range(min(repetitions, 100)):
        random = np.random.default_rng(at)
        given = MAKE(random, GROUPS)
        labels = uniform(random, given, 60)
        once = powered_mean(given.judge, given.groups, labels)
        places = (4 * labels.at[:, None] + np.arange(4)).ravel()
        again = powered_mean(
            np.repeat(given.judge, 4),
            np.repeat(given.groups, 4),
            Labels(places, np.repeat(labels.values, 4), np.ones(240)),
        )
        moved = (once.mean or 0) - (again.mean or 0), (once.new.half or 0) - (again.new.half or 0)
        most = max(most, *map(abs, moved))
    return f"each row four times: point and half of `new` move by at most {most:.0e}"


def order(repetitions: int) -> str:
    """Measures what order and names of rows and groups move."""
    most = 0.0
    for at in range(min(repetitions, 100)):
        random = np.random.default_rng(at)
        given = MAKE(random, GROUPS)
        labels = (quota, uniform, actively)[at % 3](random, given, 60)
        once = ends(powered_mean(given.judge, given.groups, labels))
        rows, names = random.permutation(ANSWERS), random.permutation(GROUPS)
        where = np.empty(ANSWERS, dtype=np.int64)
        where[rows] = np.arange(ANSWERS)
        strata = None if labels.strata is None else labels.strata[rows]
        moved = structs.replace(labels, at=where[labels.at], strata=strata)
        again = ends(powered_mean(given.judge[rows], names[given.groups[rows]], moved))
        most = max(most, float(np.abs(once - again).max()))
    return f"in any order: everything moves by at most {most:.0e}"


def factors(repetitions: int) -> str:
    """Measures what equal chances, and a factor of all, move."""
    most = 0.0
    for at in range(min(repetitions, 100)):
        random = np.random.default_rng(at)
        given = MAKE(random, GROUPS)
        plain = uniform(random, given, 60)
        same = structs.replace(plain, weights=np.full(60, 7.3))
        uneven = structs.replace(plain, weights=1 / random.random(60))
        scaled = structs.replace(uneven, weights=9 * uneven.weights)
        for one, other in ((plain, same), (uneven, scaled)):
            both = [ends(powered_mean(given.judge, given.groups, x)) for x in (one, other)]
            most = max(most, float(np.abs(both[0] - both[1]).max()))
    return f"equal chances, and all times a constant: moves by at most {most:.0e}"


def doubt(repetitions: int) -> str:
    """Measures the interval where no disagreement is seen."""
    least = 1.0
    for at in range(min(repetitions, 200)):
        random = np.random.default_rng(at)
        given = world(wrong=0.0, partly=0.3 * (at % 2))(random, GROUPS)
        found = powered_mean(given.people, given.groups, uniform(random, given, 50))
        least = min(least, found.run.half or 0.0)
    return f"judge right on all of 50 labels: half of `run` at least {least:.3f}"


def tests(repetitions: int) -> str:
    """Counts where p and the interval disagree."""
    otherwise = 0
    for at in range(repetitions):
        random = np.random.default_rng(at)
        a, b = (MAKE(random, GROUPS) for _ in range(2))
        one, two = (uniform(random, x, 40) for x in (a, b))
        if at % 2:
            two = structs.replace(two, at=one.at, values=b.people[one.at])
        found = powered_difference(a.judge, b.judge, a.groups, one, two)
        for part in (found.run, found.new):
            otherwise += _contradicts(part)
    return f"p below .05 and interval without 0 differ in {otherwise} of {2 * repetitions:,}"


def _contradicts(part: Interval) -> bool:
    if part.p is None or part.low is None or part.high is None:
        return True
    return (part.p < 0.05) != (not part.low <= 0 <= part.high)


def wins(repetitions: int) -> str:
    """Counts how often two equal runs are told apart by a judge kinder to one."""
    shares = []
    for labels in (40, 100, 300):
        told = 0
        for at in range(repetitions):
            random = np.random.default_rng([labels, at])
            level = random.beta(2, 1, ANSWERS)
            a, b = ((random.random(ANSWERS) < level).astype(np.float64) for _ in range(2))
            kind = np.where(random.random(ANSWERS) < 0.2, 1.0, a)
            fair = np.where(random.random(ANSWERS) < 0.1, 1 - b, b)
            where = random.choice(ANSWERS, labels, replace=False)
            one, two = (all_alike(where, x[where], ANSWERS) for x in (a, b))
            found = powered_difference(kind, fair, np.arange(ANSWERS), one, two)
            told += found.new.p is not None and found.new.p < 0.05
        shares.append(f"{100 * told / repetitions:.1f}")
    return f"false wins at 40, 100, 300 labels: {', '.join(shares)} %"


def rebuilt(repetitions: int) -> str:
    """Rebuilds chances from what is stored, and the draw from the seed."""
    most, others = 0.0, 0
    for at in range(min(repetitions, 200)):
        random = np.random.default_rng(at)
        uncertainty = random.random(400)
        wanted = chances(uncertainty, 60)
        stored = [float(repr(one)) for one in uncertainty.tolist()]
        most = max(most, float(np.abs(chances(np.array(stored), 60) - wanted).max()))
        others += drawn(wanted, at).tolist() != drawn(wanted, at).tolist()
    return f"chances rebuilt within {most:.0e}, {others} draws other than their seed's"


def states(repetitions: int) -> str:
    """Says the states of missing numbers."""
    random = np.random.default_rng(repetitions)
    given = MAKE(random, GROUPS)
    few, none, whole = (
        powered_mean(given.judge, given.groups, labels).run.state
        for labels in (
            uniform(random, given, 4),
            Labels(np.arange(9), np.full(9, np.nan), np.ones(9)),
            all_alike(np.arange(ANSWERS), given.people, ANSWERS),
        )
    )
    return f"4 labels: {few}; none applies: {none}; all labelled: {whole}"


LAWS: dict[str, Callable[[int], str]] = {
    "1 every number names its target": targets,
    "3 copies within a group say nothing new": copies,
    "4 order and names move nothing": order,
    "4 equal chances are none, and only their ratio counts": factors,
    "5 no disagreement seen is no certainty": doubt,
    "6 test and interval say the same": tests,
    "7 a judge kinder to one of two equal runs": wins,
    "8 the log rebuilds the draw": rebuilt,
    "10 a missing number has a state": states,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1_000)
    parser.add_argument("--quick", action="store_true", help="few repetitions: only that it runs")
    given = parser.parse_args()
    print("| | measured |\n|---|---|")
    for name, law in LAWS.items():
        print(f"| {name} | {law(20 if given.quick else given.repetitions)} |", flush=True)


if __name__ == "__main__":
    main()

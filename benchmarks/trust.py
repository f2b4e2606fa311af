"""Ten things that must be true of numbers corrected by people: the tables in docs/trust.md.

    python -m benchmarks.trust [--repetitions 1000] [--only WORD]

Every design of `benchmarks.trust_designs` at every number of groups and labels, for both targets:
the share of nominal 95 % intervals that hold the truth, the lowest over the numbers of groups, with
the mean of half their width there. Corners below 93 % by more than two Monte Carlo errors are
listed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from msgspec import structs

from benchmarks.trust_designs import DESIGNS, GROUPS, LABELS, Design
from engine.calibration.populations import hull
from engine.statistics.draws import Labels
from engine.statistics.prediction_powered import TARGETS, powered_mean

ASKED = 0.93


def covered(design: Design, groups: int, labels: int, repetitions: int) -> dict[str, np.ndarray]:
    """For each target the intervals that hold the truth, those there are, and the sum of half
    their widths."""
    out = {target: np.zeros(3) for target in TARGETS}
    for repetition in range(repetitions):
        random = np.random.default_rng([groups, labels, repetition])
        given = design.make(random, groups)
        drawn = design.draw(random, given, labels)
        ways = readings(random, drawn) if design.has_conflicts else [drawn]
        found = [powered_mean(given.judge, given.groups, way) for way in ways]
        for target, truth in (("run", given.run), ("new", given.new)):
            ends = hull([getattr(one, target) for one in found])
            if ends is not None:
                held = ends[0] - 1e-12 <= truth <= ends[1] + 1e-12
                out[target] += (held, 1, (ends[1] - ends[0]) / 2)
    return out


def readings(random: np.random.Generator, drawn: Labels) -> list[Labels]:
    """Labels without those in conflict, and with these at the lowest and at the highest value."""
    likely = np.where(drawn.values < 1, 0.25, 0.05)
    differ = random.random(len(drawn.at)) < likely
    low, high = (
        structs.replace(drawn, values=np.where(differ, value, drawn.values)) for value in (0.0, 1.0)
    )
    kept = structs.replace(
        drawn,
        at=drawn.at[~differ],
        values=drawn.values[~differ],
        weights=drawn.weights[~differ],
    )
    return [kept, low, high]


def lines(name: str, design: Design, repetitions: int, failing: list[str]) -> Iterator[str]:
    """A row of the table for each target; corners that fail are added to `failing`."""
    error = 2 * (ASKED * (1 - ASKED) / repetitions) ** 0.5
    by_corner = {
        (groups, labels): covered(design, groups, labels, repetitions)
        for labels in LABELS
        for groups in (GROUPS if name != "independent" else GROUPS[-1:])
    }
    for target in TARGETS:
        cells = []
        for labels in LABELS:
            worst = (2.0, 0.0)
            for (groups, n), found in by_corner.items():
                held, there, halves = found[target]
                if n != labels or not there:
                    continue
                worst = min(worst, (held / there, halves / there))
                if held / there < ASKED - error:
                    failing.append(
                        f"{name}, `{target}`, {groups} groups, {labels} labels:"
                        f" {100 * held / there:.1f}"
                    )
            cells.append(f"{100 * worst[0]:.1f} ({worst[1]:.3f})" if worst[0] < 2 else "none")
        yield f"| {name} | `{target}` | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1_000)
    parser.add_argument("--only", default="", help="designs with this in their name")
    parser.add_argument("--quick", action="store_true", help="five repetitions: only that it runs")
    given = parser.parse_args()
    failing: list[str] = []
    print(f"| design | target | {' | '.join(map(str, LABELS))} |")
    print("|---|---|---|---|---|---|---|")
    for name, design in DESIGNS.items():
        if given.only in name:
            repetitions = 5 if given.quick else given.repetitions
            for line in lines(name, design, repetitions, failing):
                print(line, flush=True)
    print("\nBelow:", "; ".join(failing) or "none")


if __name__ == "__main__":
    main()

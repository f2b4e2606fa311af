"""Side by side with truescore and judgegate, over the same files: the table in docs/trust.md.

    python -m venv /tmp/peers && /tmp/peers/bin/pip install truescore==0.7.4 judgegate==0.1.0
    python -m benchmarks.trust_peers --python /tmp/peers/bin/python [--repetitions 400]

Every case is written to a file, which both read; the peer answers with its intervals or alarms, by
its own functions (`ppi_estimate`, `ppi_compare`, `judge_drift`, `kappa_interval`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.trust_designs import ANSWERS, Random, independent, quota, uniform, world
from engine.statistics.agreement.intervals import measures
from engine.statistics.draws import all_alike
from engine.statistics.drift import judge_drift
from engine.statistics.inference import Interval
from engine.statistics.prediction_powered import powered_difference, powered_mean

Case = dict[str, object]
"""What a file holds: `kind` says which function answers it."""

PEER = """
import json, sys
import numpy as np

def ends(one):
    return [one.low, one.high]

def mean(case):
    from truescore import ppi_estimate
    return ends(ppi_estimate(case["judge"], case["gold"], case["at"]))

def compare(case):
    from truescore import ppi_compare
    names = ("judge_a", "judge_b", "gold_a", "gold_b", "at")
    return ends(ppi_compare(*(case[name] for name in names)))

def drift(case):
    from truescore import judge_drift
    found = judge_drift([row[0] for row in case["before"]], [row[0] for row in case["after"]],
                        case["gold"])
    return [1.0, 1.0] if found.behavior_changed else [-1.0, 1.0]

def kappa(case):
    from judgegate.stats import confusion_matrix, kappa_interval
    pairs = [[str(one) for one in case[name]] for name in ("people", "judge")]
    return ends(kappa_interval(confusion_matrix(*pairs, ["0", "1"]), seed=0))

answers = {"mean": mean, "compare": compare, "drift": drift, "kappa": kappa}
for line in sys.stdin:
    case = json.loads(line)
    try:
        print(json.dumps(answers[case["kind"]](case)))
    except ValueError as error:
        print(json.dumps(str(error)))
"""


class Made(NamedTuple):
    """A case for the peer, our interval of it, and the truth."""

    case: Case
    ours: Interval
    truth: float


def mean_of(
    labels: int, *, rate: float = 0.65, groups: int = 0, by_quota: bool = False
) -> Callable[[Random], Made]:
    """A mean over questions like these."""
    make = world(rate=rate) if groups else independent(world(rate=rate))

    def case(random: Random) -> Made:
        given = make(random, groups or ANSWERS)
        drawn = (quota if by_quota else uniform)(random, given, labels)
        found = powered_mean(given.judge, given.groups, drawn).new
        asked = {
            "kind": "mean",
            "judge": given.judge.tolist(),
            "gold": given.people[drawn.at].tolist(),
            "at": drawn.at.tolist(),
        }
        return Made(asked, found, given.new)

    return case


def two_runs(labels: int, gap: float) -> Callable[[Random], Made]:
    """Two runs, a judge that is kinder to the first."""

    def case(random: Random) -> Made:
        level = random.beta(2, 1, ANSWERS) * (1 - gap)
        a = (random.random(ANSWERS) < level + gap).astype(np.float64)
        b = (random.random(ANSWERS) < level).astype(np.float64)
        kind = np.where(random.random(ANSWERS) < 0.2, 1.0, a)
        fair = np.where(random.random(ANSWERS) < 0.1, 1 - b, b)
        at = np.sort(random.choice(ANSWERS, labels, replace=False))
        one, two = (all_alike(at, values[at], ANSWERS) for values in (a, b))
        found = powered_difference(kind, fair, np.arange(ANSWERS), one, two).new
        asked = {
            "kind": "compare",
            "judge_a": kind.tolist(),
            "judge_b": fair.tolist(),
            "gold_a": a[at].tolist(),
            "gold_b": b[at].tolist(),
            "at": at.tolist(),
        }
        return Made(asked, found, gap)

    return case


def at_two_times(noise: float, changed: float = 0.0) -> Callable[[Random], Made]:
    """120 answers judged at two times, three reruns each; a share `changed` of them otherwise."""

    def case(random: Random) -> Made:
        people = random.integers(0, 2, 120)
        verdict = np.where(random.random(120) < 0.15, 1 - people, people)
        later = np.where(random.random(120) < changed, 1 - verdict, verdict)
        before, after = (
            np.where(random.random((120, 3)) < noise, 1 - of[:, None], of[:, None])
            for of in (verdict, later)
        )
        found = judge_drift(before, after, np.arange(120)).excess
        asked = {
            "kind": "drift",
            "before": before.tolist(),
            "after": after.tolist(),
            "gold": people.tolist(),
        }
        return Made(asked, found, 0.0)

    return case


def agreeing(size: int) -> Callable[[Random], Made]:
    """100 labels in groups of so many; right together, wrong together. True kappa .6."""

    def case(random: Random) -> Made:
        groups = np.repeat(np.arange(100 // size), size)
        people = random.integers(0, 2, 100 // size)[groups]
        right = (random.random(100 // size) < 0.8)[groups]
        judge = np.where(right, people, 1 - people)
        ratings = [list(pair) for pair in zip(people.tolist(), judge.tolist(), strict=True)]
        found = measures(ratings, [0, 1], ["kappa_plain"], groups.tolist())["kappa_plain"]
        interval = Interval("new", "ok", found.low, found.high)
        asked = {"kind": "kappa", "people": people.tolist(), "judge": judge.tolist()}
        return Made(asked, interval, 0.6)

    return case


CASES: dict[str, tuple[str, Callable[[Random], Made]]] = {
    "mean, 120 labels": ("truescore", mean_of(120)),
    "mean, 30 labels": ("truescore", mean_of(30)),
    "mean, 20 labels": ("truescore", mean_of(20)),
    "mean, 100 labels spread over 20 groups": ("truescore", mean_of(100, groups=20)),
    "mean, 60 labels by quota": ("truescore", mean_of(60, by_quota=True)),
    "mean, rate .97, 60 labels": ("truescore", mean_of(60, rate=0.97)),
    "difference of .1, 100 questions": ("truescore", two_runs(100, 0.1)),
    "equal runs, 40 questions": ("truescore", two_runs(40, 0.0)),
    "equal runs, 100 questions": ("truescore", two_runs(100, 0.0)),
    "equal runs, 300 questions": ("truescore", two_runs(300, 0.0)),
    "unchanged judge, noise .2 %": ("truescore", at_two_times(0.002)),
    "unchanged judge, noise 1 %": ("truescore", at_two_times(0.01)),
    "unchanged judge, noise 3 %": ("truescore", at_two_times(0.03)),
    "judge changed on 10 %, noise 1 %": ("truescore", at_two_times(0.01, 0.1)),
    "kappa, 100 labels": ("judgegate", agreeing(1)),
    "kappa, 20 groups of 5": ("judgegate", agreeing(5)),
}


def share(ends: list[tuple[float, float]], truths: list[float]) -> str:
    """The share of intervals that hold the truth, and half their mean width."""
    held = [low <= truth <= high for (low, high), truth in zip(ends, truths, strict=True)]
    half = np.mean([(high - low) / 2 for low, high in ends])
    return f"{100 * np.mean(held):.1f} ({half:.3f})"


def line(name: str, peer: str, python: str, repetitions: int) -> str:
    """A row of the table: the case, we, the peer."""
    made = [CASES[name][1](np.random.default_rng([21, at])) for at in range(repetitions)]
    ours = [(one.ours.low, one.ours.high) for one in made]
    mine = [(low, high) for low, high in ours if low is not None and high is not None]
    truths = [one.truth for one in made]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases.jsonl"
        file.write_text("".join(json.dumps(one.case) + "\n" for one in made), "utf-8")
        with file.open() as asked:
            done = subprocess.run(
                [python, "-c", PEER], stdin=asked, capture_output=True, text=True, check=True
            )
    theirs = [json.loads(one) for one in done.stdout.splitlines()]
    refused = [one for one in theirs if isinstance(one, str)]
    given = [(one, truth) for one, truth in zip(theirs, truths, strict=True) if one not in refused]
    said = share([one for one, _ in given], [truth for _, truth in given]) if given else "refused"
    if name.startswith(("equal", "unchanged", "judge")):
        wins = [100 - float(one.split()[0]) for one in (share(mine, truths), said)]
        what = "found" if name.startswith("judge") else "false alarms"
        return f"| {name} | {what} | {wins[0]:.1f} | {wins[1]:.1f} ({peer}) |"
    return f"| {name} | holds (half) | {share(mine, truths)} | {said} ({peer}) |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="a Python that has the peers")
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--only", default="", help="cases with this in their name")
    given = parser.parse_args()
    print("| case | measured | ragdesk | peer |\n|---|---|---|---|")
    for name, (peer, _) in CASES.items():
        if given.only in name:
            print(line(name, peer, given.python, given.repetitions), flush=True)


if __name__ == "__main__":
    main()

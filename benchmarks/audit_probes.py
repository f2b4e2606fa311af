"""How often the probes of an audit find a planted bias, and how often they find one where none is.

    python -m benchmarks.audit_probes

Scripted judges read real cases, changed by the audit's own rules, and its own figures decide. The
designs below were written down before any was run.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator

from msgspec import Struct

from engine.calibration.audit.changes import CHANGES, SAME, Around
from engine.calibration.audit.effects import probes
from engine.calibration.audit.probing import RERUNS
from engine.judge.base import Case
from engine.metrics.spec import resolve
from store.records import Passage, ScoreState

OWN = "qwen2.5-7b-instruct"
ACCURACY = resolve("accuracy")
PLANTED = {"position": "order", "length": "length", "family": "own-family"}
"""Bias, and the change that has to find it."""


class Design(Struct, frozen=True):
    bias: str
    """`none`, or one of `PLANTED`."""
    share: float
    """Of the answers on which the judge gives way to it, whenever it is asked."""
    guesses: float
    """Of all values: noise that is no bias."""
    answers: int


NOISE = (0.0, 0.05, 0.2)
NUMBERS = (50, 100)
DESIGNS = (
    *(Design("none", 0.0, noise, number) for noise in NOISE for number in NUMBERS),
    *(
        Design(bias, share, noise, number)
        for bias in PLANTED
        for share in (0.2, 0.4, 1.0)
        for noise in NOISE[1:]
        for number in NUMBERS
    ),
)


def cases(number: int, chance: random.Random) -> Iterator[Case]:
    """Questions with short answers, half of them right, and the evidence in any of 3 passages."""
    for at in range(number):
        golden = f"{1200 + 7 * at} million"
        wrong = f"{9100 + 7 * at} million"
        texts = [f"The turnover of firm {at} was {golden}.", "About the board.", "About the town."]
        chance.shuffle(texts)
        yield Case(
            at,
            f"What was the turnover of firm {at}?",
            (),
            (golden,),
            golden if chance.random() < 0.5 else wrong,
            tuple(Passage(f"d{place}", "", text, 0) for place, text in enumerate(texts)),
            "en",
        )


def value(case: Case, design: Design, seed: int, chance: random.Random) -> float:
    """What the scripted judge says of a case."""
    if chance.random() < design.guesses:
        return float(chance.choice((0, 1, 2)))
    plain = case.answer.replace(",", "").translate(_HALF_WIDTH)
    right = case.golden_answers[0] in plain and "is false" not in plain
    if random.Random(f"{seed} {case.prediction_id}").random() < design.share:
        if design.bias == "position" and case.golden_answers[0] not in case.passages[0].text:
            return 0.0
        if design.bias == "length" and len(case.answer) > 40:
            return 2.0
        if design.bias == "family" and OWN in case.answer:
            return 2.0
    return 2.0 if right else 0.0


_HALF_WIDTH = str.maketrans("０１２３４５６７８９％", "0123456789%")


def found(design: Design, seed: int) -> set[str]:
    """The changes that one audit calls a bias."""
    chance = random.Random(seed)
    asked: Counter[tuple[str, str]] = Counter()
    values: dict[str, dict[tuple[int, str], dict[int, tuple[ScoreState, float | None]]]] = {}
    held = list(cases(design.answers, chance))
    for case in held:
        around = Around(OWN, held[(case.prediction_id + 1) % len(held)])
        for change in CHANGES:
            changed = change.make(case, around)
            if changed is None or change.must == "fall":
                continue
            asked[change.key, ACCURACY.name] += 1
            repeats = RERUNS if change.key == SAME else 1
            values.setdefault(change.key, {})[case.prediction_id, ACCURACY.name] = {
                repeat: (ScoreState.OK, value(changed, design, seed, chance))
                for repeat in range(repeats)
            }
    groups = {case.prediction_id: str(case.prediction_id) for case in held}
    made = probes(values, [ACCURACY], groups, asked)
    return {one.change for one in made if one.verdict == "biased"}


def row(design: Design, repetitions: int) -> str:
    """A line of the table."""
    # false alarms are rare, so that it takes more repetitions to count them
    times = repetitions * (1 if design.share else 2)
    results = [found(design, seed) for seed in range(times)]
    sought = PLANTED.get(design.bias, "")

    def share(is_so: Callable[[set[str]], bool]) -> str:
        return f"{100 * sum(map(is_so, results)) / times:.0f}"

    hit = share(lambda said: sought in said) if sought else "-"
    others = share(lambda said: bool(said - {sought}))
    cells = (design.bias, f"{design.share:.0%}", f"{design.guesses:.0%}", design.answers)
    return " | ".join(["", *(str(cell).replace("%", " %") for cell in cells), hit, others, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100)
    repetitions = parser.parse_args().repetitions
    print("| planted | gives way | guesses | answers | found, % | anything else, % |")
    print("|---|---|---|---|---|---|")
    for design in DESIGNS:
        print(row(design, repetitions).strip(), flush=True)


if __name__ == "__main__":
    main()

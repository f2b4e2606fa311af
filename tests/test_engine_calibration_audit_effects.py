"""What probes find in judges with and without bias: their values, without a model."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from engine.calibration.audit.audit_records import Probe
from engine.calibration.audit.changes import CHANGES, SAME
from engine.calibration.audit.effects import Values, drifts, probes
from engine.metrics.spec import resolve
from store.records import ScoreState

ACCURACY = resolve("accuracy")
Judge = Callable[[random.Random, str, int], int]
"""The value of a changed answer whose own is given."""


def steady(chance: random.Random, change: str, value: int) -> int:
    if change in ("wrong-number", "denied", "wrong-answer"):
        return 0
    return 2 if change == "golden" else value


def noisy(chance: random.Random, change: str, value: int) -> int:
    """One in five values is a guess."""
    held = steady(chance, change, value)
    return chance.choice((0, 1, 2)) if chance.random() < 0.2 else held


def biased(change: str, share: float, towards: int = 2) -> Judge:
    """As noisy, and by a change takes a share of the answers to another value."""

    def judge(chance: random.Random, given: str, value: int) -> int:
        moved = given == change and chance.random() < share
        return towards if moved else noisy(chance, given, value)

    return judge


def found(judge: Judge, seed: int, answers: int = 50) -> dict[str, Probe]:
    chance = random.Random(seed)
    values: dict[str, dict[tuple[int, str], dict[int, tuple[ScoreState, float | None]]]] = {}
    for answer in range(answers):
        own = chance.choice((0, 1, 2))
        for change in CHANGES:
            repeats = range(3 if change.key == SAME else 1)
            values.setdefault(change.key, {})[answer, "accuracy"] = {
                repeat: (ScoreState.OK, float(judge(chance, change.name, own)))
                for repeat in repeats
            }
    asked = Counter({(change.key, "accuracy"): answers for change in CHANGES})
    groups = {answer: str(answer) for answer in range(answers)}
    return {one.change: one for one in probes(values, [ACCURACY], groups, asked)}


def test_a_steady_judge_without_bias_is_clean() -> None:
    probed = found(steady, 1)
    assert {one.verdict for one in probed.values()} == {"clean", "caught"}
    assert all(one.effect == 0 for one in probed.values() if one.verdict == "clean")


def test_no_change_seen_in_few_answers_is_not_clean() -> None:
    assert {one.verdict for one in found(steady, 1, answers=20).values()} >= {"unsettled"}


@pytest.mark.parametrize("change", ["length", "own-family", "authority", "notation"])
def test_a_planted_bias_is_found(change: str) -> None:
    seen = [found(biased(change, 0.6), seed, answers=80) for seed in range(6)]
    assert [one[change].verdict for one in seen] == ["biased"] * 6
    others = [one for probed in seen for name, one in probed.items() if name != change]
    assert sum(one.verdict == "biased" for one in others) <= 1


def test_a_metric_that_never_applies_has_nothing_against_it() -> None:
    na = {0: (ScoreState.NA, None)}
    values: Values = {change.key: {(at, "accuracy"): na for at in range(9)} for change in CHANGES}
    asked = {(change.key, "accuracy"): 9 for change in CHANGES}
    made = probes(values, [ACCURACY], {at: str(at) for at in range(9)}, asked)
    assert {one.verdict for one in made if not one.is_error and one.change != "order"} == {"na"}


def test_a_rounded_value_beyond_the_scale_is_at_its_end() -> None:
    beyond = {0: (ScoreState.OK, 2.0000001)}
    values: Values = {one.key: {(at, "accuracy"): beyond for at in range(9)} for one in CHANGES}
    asked = {(change.key, "accuracy"): 9 for change in CHANGES}
    made = probes(values, [ACCURACY], {at: str(at) for at in range(9)}, asked)
    assert {one.effect for one in made} == {0.0}


def test_a_value_that_moves_with_the_order_is_found() -> None:
    def judge(chance: random.Random, change: str, value: int) -> int:
        moved = change == "order" and chance.random() < 0.5
        return (value + 1) % 3 if moved else steady(chance, change, value)

    seen = [found(judge, seed, answers=80)["order"].verdict for seed in range(6)]
    assert seen == ["biased"] * 6


def test_a_judge_that_is_only_unsteady_is_not_called_biased() -> None:
    wrong = sum(
        any(one.verdict == "biased" for one in found(noisy, seed).values()) for seed in range(40)
    )
    assert wrong <= 3


def test_errors_that_pass_are_missed() -> None:
    def blind(chance: random.Random, change: str, value: int) -> int:
        return 2 if change == "wrong-number" else steady(chance, change, value)

    probed = found(blind, 1)
    assert (probed["wrong-number"].verdict, probed["wrong-number"].effect) == ("missed", 0.0)
    assert probed["denied"].verdict == "caught"


def drifted(share: float, noise: float, seed: int) -> str:
    chance = random.Random(seed)

    def said(value: int) -> tuple[ScoreState, float | None]:
        return ScoreState.OK, float(chance.choice((0, 1, 2)) if chance.random() < noise else value)

    own = [chance.choice((0, 1, 2)) for _ in range(120)]
    mine: Values = {
        SAME: {(at, "accuracy"): {k: said(value) for k in range(3)} for at, value in enumerate(own)}
    }
    theirs = {
        (at, "accuracy"): said((value + 1) % 3 if chance.random() < share else value)
        for at, value in enumerate(own)
    }
    groups = {at: str(at) for at in range(len(own))}
    (one,) = drifts("old", mine, theirs, [ACCURACY], groups, lambda *given: None)
    return one.verdict


def test_an_unsteady_judge_has_not_drifted_and_a_changed_one_has() -> None:
    alarms = [drifted(0.0, noise, seed) for seed in range(10) for noise in (0.01, 0.03, 0.2)]
    assert alarms.count("drift") <= 3
    assert [drifted(0.3, 0.03, seed) for seed in range(4)] == ["drift"] * 4

"""Judges against people: equal to scikit-learn and scipy, and to worked examples."""

from __future__ import annotations

import random

import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from engine.calibration.calibration_records import Given, Truth
from engine.calibration.measures import Key, calibrate, paired_tests
from store.records import ScoreState

OK = ScoreState.OK


def truth(at: int, value: int | str, metric: str = "accuracy", group: str = "") -> Truth:
    cell = ("rates", "funds")[at % 2]
    return Truth(at, 1, metric, value, "single", group or f"g{at}", cell, "extractive")  # type: ignore[arg-type]


def said(values: dict[int, int | str | None], metric: str = "accuracy") -> dict[Key, Given]:
    """None stands for a reply that could not be used."""
    found: dict[Key, Given] = {}
    for at, value in values.items():
        if isinstance(value, int):
            found[at, metric] = Given(OK, float(value))
        else:
            found[at, metric] = Given(ScoreState.NA if value else ScoreState.UNPARSED, None)
    return found


def drawn(seed: int, wrong: float, n: int = 300) -> tuple[list[Truth], dict[Key, Given]]:
    """A judge that errs on a share `wrong` of the labels of two metrics."""
    rng = random.Random(seed)
    truths: list[Truth] = []
    given: dict[Key, Given] = {}
    scales: dict[str, list[int | str]] = {"accuracy": [0, 1, 2], "completeness": ["na", 0, 1, 2]}
    for metric, values in scales.items():
        for at in range(n):
            value = rng.choice(values)
            its = rng.choice(values) if rng.random() < wrong else value
            truths.append(truth(at, value, metric))
            given |= said({at: its}, metric)
    return truths, given


def test_figures_equal_those_of_scikit_learn_and_scipy() -> None:
    truths, given = drawn(1, 0.4)
    pooled, accuracy, completeness = calibrate(truths, given, resamples=0)
    mine = [str(one.value) for one in truths]
    its = [str(given[one.prediction_id, one.metric].grade) for one in truths]
    assert pooled.kappa.value == pytest.approx(cohen_kappa_score(mine, its))
    assert pooled.accuracy.value == pytest.approx(
        sum(a == b for a, b in zip(mine, its, strict=True)) / len(mine)
    )
    both = [
        (one.value, given[one.prediction_id, one.metric].grade)
        for one in truths
        if one.metric == "completeness"
    ]
    applicable = [(a, b) for a, b in both if isinstance(a, int) and isinstance(b, int)]
    people, judge = [a for a, _ in applicable], [b for _, b in applicable]
    assert completeness.kappa_quadratic.value == pytest.approx(
        cohen_kappa_score(people, judge, weights="quadratic")
    )
    assert completeness.spearman.value == pytest.approx(spearmanr(people, judge).statistic)
    assert completeness.confusion is not None
    order = [str(value) for value in completeness.confusion.values]
    expected = confusion_matrix([str(a) for a, _ in both], [str(b) for _, b in both], labels=order)
    assert [list(row) for row in completeness.confusion.counts] == expected.tolist()
    assert (accuracy.metric, accuracy.n, accuracy.groups) == ("accuracy", 300, 300)
    assert pooled.kappa_quadratic.value is None
    assert "no common order" in pooled.kappa_quadratic.reason


def test_the_layout_of_table_3_by_hand() -> None:
    # 10 labels, 7 equal; people: 5 x 0, 5 x 2; the judge: 6 x 0, 4 x 2; chance (5*6 + 5*4) / 100
    truths = [truth(at, 0 if at < 5 else 2) for at in range(10)]
    given = said({0: 0, 1: 0, 2: 0, 3: 0, 4: 2, 5: 2, 6: 2, 7: 2, 8: 0, 9: 0})
    pooled = calibrate(truths, given, resamples=0)[0]
    assert pooled.accuracy.value == pytest.approx(0.7)
    assert pooled.kappa.value == pytest.approx((0.7 - 0.5) / (1 - 0.5))


def test_replies_that_could_not_be_used_are_left_out_and_counted() -> None:
    truths = [truth(at, at % 3) for at in range(9)]
    given = said({at: (None if at < 2 else at % 3) for at in range(8)})
    one = calibrate(truths, given, resamples=0)[1]
    assert (one.n, one.left_out) == (6, {ScoreState.MISSING: 1, ScoreState.UNPARSED: 2})
    assert one.coverage == pytest.approx(6 / 9)
    assert one.accuracy.value == 1.0
    assert one.confusion is not None
    assert sum(one.confusion.unusable) == 3


def test_what_is_not_defined_says_why_and_never_nan() -> None:
    truths = [truth(at, 2) for at in range(8)]
    one = calibrate(truths, said(dict.fromkeys(range(8), 2)), resamples=99)[1]
    assert (one.kappa.value, one.accuracy.value) == (None, 1.0)
    assert "all gave the value 2" in one.kappa.reason
    assert calibrate(truths, {}) == ()


def test_a_metric_that_never_applies_to_both_says_so_and_not_that_nobody_labelled_it() -> None:
    truths = [truth(at, "na", "completeness") for at in range(10)]
    one = calibrate(truths, said(dict.fromkeys(range(10), 1), "completeness"), resamples=0)[1]
    assert (one.n, one.kappa_quadratic.value) == (10, None)
    for found in (one.kappa_quadratic, one.spearman):
        assert found.reason == "people and judge never both say that the metric applies"
    unread = calibrate(truths, said(dict.fromkeys(range(10)), "completeness"), resamples=0)[1]
    assert (unread.n, unread.kappa.value) == (0, None)
    assert unread.kappa.reason == "the judge gave no usable value where people gave one"


def test_cells_hold_their_own_labels() -> None:
    truths = [truth(at, at % 3) for at in range(12)]
    given = said({at: (at % 3 if at % 2 else (at + 1) % 3) for at in range(12)})
    cells = {cell.topic: cell for cell in calibrate(truths, given, resamples=0)[1].cells}
    assert {topic: cell.n for topic, cell in cells.items()} == {"funds": 6, "rates": 6}
    assert (cells["funds"].accuracy.value, cells["rates"].accuracy.value) == (1.0, 0.0)


def test_a_better_judge_is_told_from_a_worse_one_and_equal_ones_are_not() -> None:
    truths, good = drawn(2, 0.15)
    _, bad = drawn(2, 0.7)
    _, twin = drawn(2, 0.15)
    tests = paired_tests(truths, {"good": good, "bad": bad, "twin": twin})
    assert [(test.first, test.second) for test in tests] == [
        ("good", "bad"),
        ("good", "twin"),
        ("bad", "twin"),
    ]
    assert tests[0].pooled.verdict == "a better"
    assert tests[0].pooled.p_holm is not None
    assert tests[0].metrics["accuracy"].mcnemar is not None
    assert tests[1].pooled.difference == 0.0
    assert tests[1].pooled.verdict == "no difference found"
    assert tests[2].pooled.verdict == "b better"


def test_a_pair_is_compared_on_what_both_judged() -> None:
    truths = [truth(at, at % 3) for at in range(30)]
    every = said({at: at % 3 for at in range(30)})
    some = said({at: (at % 3 if at < 20 else None) for at in range(30)})
    (test,) = paired_tests(truths, {"every": every, "some": some})
    assert test.pooled.items == 20


def test_judges_without_labels_in_common_are_not_compared() -> None:
    truths = [truth(at, at % 3) for at in range(9)]
    given = {"all": said({at: at % 3 for at in range(9)}), "none": {}}
    assert paired_tests(truths, given) == ()

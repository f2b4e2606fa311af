"""Prediction-powered means: by hand, against the published estimator, and covered as promised."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import powered
from engine.statistics.aggregation import summarise
from engine.statistics.inference import Settings
from engine.statistics.prediction_powered import label_weights, powered_mean
from store.records import ScoreState

NAN = float("nan")


def world(
    rng: np.random.Generator, groups: int, wrong: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Judge's values, people's values and groups of 1 to 3 answers that hang together; a tenth to a
    fifth do not apply, on which the judge may differ from people too."""
    group_of = np.repeat(np.arange(groups), rng.integers(1, 4, groups))
    size = len(group_of)
    score = 0.5 * rng.random(groups)[group_of] + 0.5 * rng.random(size)
    people = np.where(score < 0.35, 0.0, np.where(score < 0.55, 0.5, 1.0))
    noise = rng.choice([0.0, 0.5, 1.0], size, p=[0.2, 0.2, 0.6])
    judge = np.where(rng.random(size) < wrong, noise, people)
    not_applicable = rng.random(size) < 0.2
    people = np.where(not_applicable, NAN, people)
    judge = np.where((rng.random(size) < 0.1) ^ not_applicable, NAN, judge)
    return judge, people, group_of


def labelled_of(group_of: np.ndarray, groups: int) -> np.ndarray:
    return np.flatnonzero(group_of < groups)


def test_a_mean_by_hand() -> None:
    # people's mean .5; judge's over the labelled 5/8, over all 12/16
    judge = np.array([1.0, 1, 0, 1, 1, 0, 0, 1] + [1.0] * 7 + [0.0])
    people = np.array([1.0, 1, 0, 0, 1, 0, 0, 1])
    groups = np.arange(16)
    found = powered_mean(judge, groups, np.arange(8), people)
    assert (found.n_labelled, found.n_judged, found.groups_labelled) == (8, 16, 8)
    assert (found.judge_mean, found.human_mean) == (0.75, 0.5)
    assert found.mean == pytest.approx(0.5 + found.weight * (0.75 - 0.625))
    a = (people - 0.5) / 8
    b = np.concatenate([(judge[:8] - 0.625) / 8, np.zeros(8)]) - (judge - 0.75) / 16
    padded = np.concatenate([a, np.zeros(8)])
    assert found.weight == pytest.approx(padded @ b / (b @ b))


def test_without_groups_and_weights_it_is_the_published_estimator() -> None:
    """PPI++ of a mean with the tuned weight (Angelopoulos et al. 2023, example 6.1), whose
    unlabelled set is the rest of the population: the estimates agree, and so do the errors."""
    rng = np.random.default_rng(4)
    n, size = 200, 2000
    people = (rng.random(size) < 0.6).astype(float)
    judge = np.where(rng.random(size) < 0.2, 1 - people, people)
    found = powered_mean(judge, np.arange(size), np.arange(n), people[:n])
    y, f, rest = people[:n], judge[:n], judge[n:]
    spread = np.var(judge, ddof=1)
    tuned = np.cov(y, f)[0, 1] / ((1 + n / len(rest)) * spread)
    theirs = tuned * rest.mean() + (y - tuned * f).mean()
    error = np.sqrt(tuned**2 * np.var(rest) / len(rest) + np.var(y - tuned * f) / n)
    assert found.mean == pytest.approx(theirs, abs=0.003)
    assert found.high is not None
    assert found.mean is not None
    assert found.high - found.mean == pytest.approx(1.97 * error, rel=0.03)


def test_a_judge_that_knows_nothing_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    people = (np.arange(60) % 2).astype(float)
    useless = powered_mean(np.full(600, NAN), np.arange(600), np.arange(60), people)
    assert (useless.weight, useless.mean, useless.judge_mean) == (0.0, 0.5, None)
    contrary = np.concatenate([1 - people, rng.random(540)])
    found = powered_mean(contrary, np.arange(600), np.arange(60), people)
    assert (found.weight, found.mean) == (0.0, 0.5)
    assert found.worth == pytest.approx(1.0)


def test_too_little_says_why() -> None:
    judge = np.ones(20)
    few = powered_mean(judge, np.arange(20), np.arange(5), np.array([1.0, 0, 1, 0, 1]))
    assert (few.low, few.human_low) == (None, None)
    assert few.mean is not None
    assert few.reason == "too few labelled groups for an interval: 5"
    nothing = powered_mean(judge, np.arange(20), np.arange(3), np.full(3, NAN))
    assert nothing.mean is None
    assert "no label says" in nothing.reason


def test_weights_stand_for_the_strata_and_for_those_without_labels() -> None:
    strata = [("a", "x")] * 4 + [("a", "y")] * 2 + [("b", "x")] * 2
    # ("a", "y") has no label and falls to "a"; "b" has none at all and falls to everything
    weights = label_weights(strata, [0, 1])
    assert weights == pytest.approx([0.5, 0.5])
    weights = label_weights(strata, [0, 4, 6])
    assert weights == pytest.approx([4 / 8, 2 / 8, 2 / 8])
    with pytest.raises(ValueError, match="nothing"):
        label_weights(strata, [])


def test_labels_drawn_by_quota_are_weighted_back() -> None:
    """A sample of as many labels from a rare stratum as from a common one."""
    rng = np.random.default_rng(1)
    rare = np.arange(4000) % 10 == 0
    people = np.where(rare, 0.0, (rng.random(4000) < 0.9).astype(float))
    judge = np.where(rng.random(4000) < 0.2, 1 - people, people)
    labelled = np.sort(
        np.concatenate(
            [rng.choice(np.flatnonzero(where), 150, replace=False) for where in (rare, ~rare)]
        )
    )
    strata = [("rare",) if one else ("common",) for one in rare]
    weights = label_weights(strata, [int(at) for at in labelled])
    fair = powered_mean(judge, np.arange(4000), labelled, people[labelled], weights)
    naive = powered_mean(judge, np.arange(4000), labelled, people[labelled])
    assert fair.low is not None
    assert fair.high is not None
    assert naive.human_mean is not None
    assert fair.low <= people.mean() <= fair.high
    assert naive.human_mean < people.mean() - 0.2


def test_labels_that_weigh_unequally_count_as_fewer_and_widen_the_interval() -> None:
    """16 cells by Zipf, a label or two each, covered 70 to 88 % by the number of labels."""
    rng = np.random.default_rng(4)
    people = (rng.random(1000) < 0.5).astype(float)
    judge = np.where(rng.random(1000) < 0.25, 1 - people, people)
    labelled = np.arange(16)
    even = powered_mean(judge, np.arange(1000), labelled, people[labelled])
    uneven = powered_mean(
        judge, np.arange(1000), labelled, people[labelled], 1 / np.arange(1.0, 17.0)
    )
    assert even.effective == pytest.approx(16)
    assert uneven.effective == pytest.approx(7.2, abs=0.05)
    assert even.low is not None
    assert even.high is not None
    assert uneven.low is not None
    assert uneven.high is not None
    assert uneven.high - uneven.low > even.high - even.low
    one = np.array([1.0, *[1e-6] * 15])
    alone = powered_mean(judge, np.arange(1000), labelled, people[labelled], one)
    assert alone.low is None
    assert alone.reason == "labels weigh so unequally that they count as 1.0 groups"


def test_a_judge_that_was_right_on_all_labels_leaves_a_doubt() -> None:
    people = (np.arange(1000) % 2).astype(float)
    found = powered_mean(people, np.arange(1000), np.arange(50), people[:50])
    assert found.low is not None
    assert found.high is not None
    assert 0.01 < found.high - found.low < 0.2


@pytest.mark.parametrize("zipf", [0.0, 1.0, 1.6])
def test_intervals_after_draws_by_quota_cover_the_true_mean(zipf: float) -> None:
    random, held = np.random.default_rng(2), 0
    design = powered(zipf, 0.25)
    for _ in range(300):
        (low, high), true = design(random, 20)
        assert low is not None
        assert high is not None
        held += low <= true <= high
    assert held / 300 >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / 300)


REPETITIONS = 4_000


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [0.1, 0.25, 0.6])
def test_intervals_cover_the_true_mean_as_often_as_they_say(wrong: float) -> None:
    rng = np.random.default_rng(7)
    true = float(np.nanmean(world(rng, 400_000, wrong)[1]))
    joined = alone = 0
    for _ in range(REPETITIONS):
        judge, people, group_of = world(rng, 1000, wrong)
        labelled = labelled_of(group_of, 100)
        found = powered_mean(judge, group_of, labelled, people[labelled])
        assert found.low is not None
        assert found.high is not None
        assert found.human_low is not None
        assert found.human_high is not None
        joined += found.low <= true <= found.high
        alone += found.human_low <= true <= found.human_high
    print(f"wrong {wrong}: joined {joined / REPETITIONS:.3f}, people {alone / REPETITIONS:.3f}")
    assert 0.935 <= joined / REPETITIONS <= 0.975
    assert 0.935 <= alone / REPETITIONS <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "low"), [(100, 0.935), (50, 0.925), (20, 0.9)])
def test_bootstrapped_means_cover_the_true_mean(groups: int, low: float) -> None:
    """The interval of the headline of a matrix; at few groups it is a little too narrow."""
    rng = np.random.default_rng(8)
    true = float(np.nanmean(world(rng, 400_000, 0.0)[1]))
    hits = 0
    for repetition in range(REPETITIONS):
        _, people, group_of = world(rng, groups, 0.0)
        known = ~np.isnan(people)
        values = [float(one) for one in people[known]]
        found = summarise(
            values,
            [ScoreState.OK] * len(values),
            [str(one) for one in group_of[known]],
            settings=Settings(seed=repetition, resamples=999),
        )
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= true <= found.high
    print(f"{groups} groups: {hits / REPETITIONS:.3f}")
    assert low <= hits / REPETITIONS <= 0.965

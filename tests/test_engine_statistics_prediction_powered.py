"""Prediction-powered means: by hand, against the published estimator, and covered as promised."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import powered
from benchmarks.trust import covered
from benchmarks.trust_designs import DESIGNS
from engine.statistics.aggregation import summarise
from engine.statistics.draws import Labels, label_weights, variance_strata
from engine.statistics.inference import Powered, Settings, Target
from engine.statistics.prediction_powered import powered_difference, powered_mean
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


def alike(at: np.ndarray, people: np.ndarray) -> Labels:
    """Labels that were drawn alike."""
    return Labels(at, people, np.ones(len(at)))


def half(found: Powered, target: Target) -> float:
    """Half the width of the joined mean's interval, which there must be."""
    width = (found.run if target == "run" else found.new).half
    assert width is not None
    return width


def test_a_mean_by_hand() -> None:
    # people's mean .5; judge's over the labelled 5/8, over all 12/16
    judge = np.array([1.0, 1, 0, 1, 1, 0, 0, 1] + [1.0] * 7 + [0.0])
    people = np.array([1.0, 1, 0, 0, 1, 0, 0, 1])
    found = powered_mean(judge, np.arange(16), alike(np.arange(8), people))
    assert (found.answers, found.n_labelled, found.n_judged, found.groups_labelled) == (
        16,
        8,
        16,
        8,
    )
    assert (found.judge_mean, found.human_mean) == (0.75, 0.5)
    # covariance 6/8 - 5/8 * 1/2 over the labelled, by 5/8 * 3/8
    assert found.weight == pytest.approx((4 / 8 - 5 / 16) / (15 / 64))
    assert found.mean == pytest.approx(0.5 + found.weight * (0.75 - 0.625))


def test_both_targets_by_hand() -> None:
    """Without a judge: the usual variance of a mean, with and without the finite population."""
    people = np.tile([0.0, 0.5, 1.0, 0.5], 5)
    found = powered_mean(np.full(40, 0.5), np.arange(40), alike(np.arange(20), people))
    floor = 0.5 / 20**2
    t = 2.093024
    of_draw = people.var(ddof=1) / 20 * (1 - 20 / 40) + floor / 2
    assert half(found, "run") == pytest.approx(t * of_draw**0.5, rel=1e-6)
    assert half(found, "new") == pytest.approx(
        t * (people.var() / 20 * 20 / 19 * 40 / 39 + floor) ** 0.5, rel=1e-6
    )
    assert (found.run.target, found.new.target, found.run.method) == ("run", "new", "t")


def test_without_groups_and_weights_it_is_the_published_estimator() -> None:
    """PPI++ of a mean with the tuned weight (Angelopoulos et al. 2023, example 6.1), whose
    unlabelled set is the rest of the population: the estimates agree, and so do the errors."""
    rng = np.random.default_rng(4)
    n, size = 200, 2000
    people = np.where(rng.random(size) < 0.2, 0.5, (rng.random(size) < 0.6).astype(float))
    judge = np.where(rng.random(size) < 0.2, 1 - people, people)
    found = powered_mean(judge, np.arange(size), alike(np.arange(n), people[:n]))
    y, f, rest = people[:n], judge[:n], judge[n:]
    spread = np.var(judge, ddof=1)
    tuned = np.cov(y, f)[0, 1] / ((1 + n / len(rest)) * spread)
    theirs = tuned * rest.mean() + (y - tuned * f).mean()
    error = np.sqrt(tuned**2 * np.var(rest) / len(rest) + np.var(y - tuned * f) / n)
    assert found.mean == pytest.approx(theirs, abs=0.003)
    assert 2 * half(found, "new") == pytest.approx(2 * 1.97 * error, rel=0.03)


def test_a_judge_that_knows_nothing_changes_nothing() -> None:
    people = (np.arange(60) % 2).astype(float)
    useless = powered_mean(np.full(600, NAN), np.arange(600), alike(np.arange(60), people))
    assert (useless.weight, useless.mean, useless.judge_mean) == (0.0, 0.5, None)
    contrary = np.concatenate([1 - people, np.arange(540) % 2])
    found = powered_mean(contrary, np.arange(600), alike(np.arange(60), people))
    assert (found.weight, found.mean) == (0.0, 0.5)


def test_too_little_says_why() -> None:
    judge = np.ones(20)
    few = powered_mean(judge, np.arange(20), alike(np.arange(5), np.array([1.0, 0, 1, 0, 1])))
    assert (few.run.state, few.run.low, few.human_new.low) == ("too few", None, None)
    assert few.mean is not None
    assert few.new.reason == "too few labelled groups for an interval: 5"
    nothing = powered_mean(judge, np.arange(20), alike(np.arange(3), np.full(3, NAN)))
    assert (nothing.mean, nothing.run.state) == (None, "undefined")
    assert "no label says" in nothing.new.reason


def test_all_labelled_leaves_no_doubt_of_the_run_but_of_questions_like_these() -> None:
    rng = np.random.default_rng(5)
    judge, people, group_of = world(rng, 60, 0.3)
    found = powered_mean(judge, group_of, alike(np.arange(len(people)), people))
    assert (found.run.state, found.run.low, found.run.high) == ("census", found.mean, found.mean)
    assert found.mean == pytest.approx(np.nanmean(people))
    sums = np.bincount(group_of, np.nan_to_num(people - np.nanmean(people)))
    spread = (sums @ sums * 60 / 59) ** 0.5 / (~np.isnan(people)).sum()
    assert half(found, "new") > 2 * spread


def test_no_disagreement_seen_is_no_certainty() -> None:
    people = (np.arange(1000) % 2).astype(float)
    for judge in (people, np.where(np.arange(1000) % 3 == 0, people, 0.5 * people + 0.25)):
        found = powered_mean(judge, np.arange(1000), alike(np.arange(50), people[:50]))
        assert 0.005 < half(found, "run") < 0.15
        assert half(found, "new") > 0
    certain = powered_mean(np.ones(1000), np.arange(1000), alike(np.arange(50), np.ones(50)))
    assert certain.run.low is not None
    assert 0.9 < certain.run.low < 0.96


def test_copies_within_a_group_move_neither_point_nor_variance() -> None:
    rng = np.random.default_rng(6)
    judge, people, group_of = world(rng, 80, 0.3)
    at = np.sort(rng.choice(len(people), 60, replace=False))
    once = powered_mean(judge, group_of, alike(at, people[at]))
    thrice = (np.repeat(one, 3) for one in (judge, group_of))
    copies = (3 * at[:, None] + np.arange(3)).ravel()
    again = powered_mean(*thrice, alike(copies, np.repeat(people[at], 3)))
    assert again.mean == pytest.approx(once.mean)
    assert half(again, "new") == pytest.approx(half(once, "new"))


def test_order_and_names_of_rows_and_groups_move_nothing() -> None:
    rng = np.random.default_rng(8)
    judge, people, group_of = world(rng, 80, 0.3)
    at = np.sort(rng.choice(len(people), 60, replace=False))
    found = powered_mean(judge, group_of, alike(at, people[at]))
    order = rng.permutation(len(people))
    other = np.empty(len(order), dtype=np.int64)
    other[order] = np.arange(len(order))
    names = rng.permutation(group_of.max() + 1)
    shuffled = rng.permutation(at)
    again = powered_mean(
        judge[order], names[group_of[order]], alike(other[shuffled], people[shuffled])
    )
    for one, two in ((found.run, again.run), (found.new, again.new)):
        assert one.low is not None
        assert (two.low, two.high) == (pytest.approx(one.low), pytest.approx(one.high))
    assert again.mean == pytest.approx(found.mean)


def test_equal_chances_are_no_weights_and_a_factor_of_all_is_none() -> None:
    rng = np.random.default_rng(9)
    judge, people, group_of = world(rng, 300, 0.3)
    at = np.sort(rng.choice(len(people), 60, replace=False))
    plain = powered_mean(judge, group_of, alike(at, people[at]))
    same = powered_mean(judge, group_of, Labels(at, people[at], np.full(60, 7.3)))
    assert same.mean == pytest.approx(plain.mean)
    assert half(same, "run") == pytest.approx(half(plain, "run"))
    uneven = 1 / rng.random(60)
    one, two = (
        powered_mean(judge, group_of, Labels(at, people[at], factor * uneven)).mean
        for factor in (1.0, 9.0)
    )
    assert one == pytest.approx(two)
    assert one != pytest.approx(plain.mean, abs=1e-6)


def test_whole_groups_are_the_unit_of_their_draw() -> None:
    rng = np.random.default_rng(10)
    group_of = np.repeat(np.arange(100), 5)
    people = np.repeat(rng.choice([0.0, 0.5, 1.0], 100), 5)
    at = np.flatnonzero(group_of < 20)
    alone = alike(at, people[at])
    whole = Labels(at, people[at], np.ones(100), whole_groups=True)
    judge = np.full(500, 0.5)
    wide, narrow = (powered_mean(judge, group_of, one) for one in (whole, alone))
    assert half(wide, "run") > 2 * half(narrow, "run")
    assert wide.effective == pytest.approx(20)


def test_weights_stand_for_the_strata_and_for_those_without_labels() -> None:
    strata = [("a", "x")] * 4 + [("a", "y")] * 2 + [("b", "x")] * 2
    # ("a", "y") has no label and falls to "a"; "b" has none at all and falls to everything
    weights = label_weights(strata, [0, 1])
    assert weights == pytest.approx([0.5, 0.5])
    weights = label_weights(strata, [0, 4, 6])
    assert weights == pytest.approx([4 / 8, 2 / 8, 2 / 8])
    with pytest.raises(ValueError, match="nothing"):
        label_weights(strata, [])


def test_strata_of_few_labels_are_joined_along_their_places() -> None:
    sizes = {("a", "x"): 20, ("a", "y"): 9, ("a", "z"): 9, ("b", "x"): 9}
    strata = [place for place, size in sizes.items() for _ in range(size)]
    first = {place: strata.index(place) for place in sizes}
    wanted = {("a", "x"): 8, ("a", "y"): 4, ("a", "z"): 4, ("b", "x"): 3}
    labelled = [first[place] + at for place, n in wanted.items() for at in range(n)]
    numbers, merged = variance_strata(strata, labelled)
    of = {
        place: set(numbers[[at for at, one in enumerate(strata) if one == place]])
        for place in sizes
    }
    # y and z have eight labels together; the three of b join the largest
    assert of["a", "y"] == of["a", "z"] != of["a", "x"]
    assert of["b", "x"] in (of["a", "x"], of["a", "y"])
    assert merged == 3
    whole, merged = variance_strata([()] * 5, [0, 1])
    assert (set(whole), merged) == ({0}, 0)


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
    drawn_by = variance_strata(strata, [int(at) for at in labelled])
    fair = powered_mean(
        judge, np.arange(4000), Labels(labelled, people[labelled], weights, None, *drawn_by)
    )
    naive = powered_mean(judge, np.arange(4000), alike(labelled, people[labelled]))
    assert fair.run.low is not None
    assert fair.run.high is not None
    assert naive.human_mean is not None
    assert fair.run.low <= people.mean() <= fair.run.high
    assert naive.human_mean < people.mean() - 0.2
    # a graded judge: within strata less varies than in the whole
    graded = 0.8 * judge + 0.1
    by_strata, whole = (
        powered_mean(graded, np.arange(4000), Labels(labelled, people[labelled], weights, *rest))
        for rest in ((None, *drawn_by), ())
    )
    assert half(by_strata, "run") < half(whole, "run")


def test_labels_that_weigh_unequally_count_as_fewer_and_widen_the_interval() -> None:
    rng = np.random.default_rng(4)
    people = (rng.random(1000) < 0.5).astype(float)
    judge = np.where(rng.random(1000) < 0.25, 1 - people, people)
    labelled = np.arange(16)
    even = powered_mean(judge, np.arange(1000), alike(labelled, people[labelled]))
    zipf = Labels(labelled, people[labelled], 1 / np.arange(1.0, 17.0))
    uneven = powered_mean(judge, np.arange(1000), zipf)
    assert even.effective == pytest.approx(16)
    assert uneven.effective == pytest.approx(7.2, abs=0.05)
    assert half(uneven, "new") > half(even, "new")
    one = Labels(labelled, people[labelled], np.array([1.0, *[1e-6] * 15]))
    alone = powered_mean(judge, np.arange(1000), one)
    assert alone.new.low is None
    assert alone.new.reason == "labels weigh so unequally that they count as 1.0"


def test_a_rare_failure_has_an_exact_interval() -> None:
    """Two failures among sixty labels, on a graded judge: a normal interval ended below 1."""
    people = np.ones(1000)
    people[[3, 40, *range(100, 128)]] = 0
    judge = np.full(1000, 0.9)
    found = powered_mean(judge, np.arange(1000), alike(np.arange(60), people[:60]))
    assert (found.run.method, found.new.method) == ("exact", "exact")
    assert found.run.low is not None
    assert found.run.high is not None
    assert found.run.low < people.mean() < found.run.high < 1


@pytest.mark.parametrize(
    ("groups", "labels", "holding", "expected"),
    [(20, 300, 3, 3), (20, 300, 0, 0), (20, 300, 6, None), (20, 100, 3, None), (100, 300, 3, None)],
)
def test_a_rare_value_in_few_groups_is_said_where_labels_are_many(
    groups: int, labels: int, holding: int, expected: int | None
) -> None:
    group = np.arange(600) % groups
    is_wrong = (group < holding) & (np.arange(600) // groups % 3 == 0)
    people = np.where(is_wrong, 0.0, 1.0)
    at = np.arange(labels)
    found = powered_mean(np.ones(600), group, alike(at, people[at]))
    assert found.rare_groups == expected


def test_verdicts_of_0_and_1_have_an_interval_by_verdict() -> None:
    judge = np.arange(400) % 4 > 0
    people = judge ^ (np.arange(400) % 7 == 0)
    found = powered_mean(
        judge.astype(float), np.arange(400), alike(np.arange(40), people[:40].astype(float))
    )
    assert found.run.method == "by verdict"
    by_hand = sum(np.mean(people[:40][judge[:40] == one]) * np.mean(judge == one) for one in (0, 1))
    assert found.mean == pytest.approx(by_hand)


def differing(rng: np.random.Generator, kinder: float) -> tuple[np.ndarray, ...]:
    """People's and the judge's values of two equal runs; the judge is kinder to the first."""
    level = rng.beta(2, 1, 1000)
    people = [(rng.random(1000) < level).astype(float) for _ in range(2)]
    kind = np.where(rng.random(1000) < kinder, 1.0, people[0])
    noisy = np.where(rng.random(1000) < kinder, rng.integers(0, 2, 1000), people[1])
    return (*people, kind, noisy)


def test_p_is_below_5_percent_exactly_where_the_interval_excludes_nothing() -> None:
    rng, wins = np.random.default_rng(11), 0
    for _ in range(200):
        a, b, kind, noisy = differing(rng, 0.2)
        at = np.sort(rng.choice(1000, 40, replace=False))
        found = powered_difference(kind, noisy, np.arange(1000), alike(at, a[at]), alike(at, b[at]))
        assert found.is_paired
        for part in (found.run, found.new):
            assert part.p is not None
            assert part.low is not None
            assert part.high is not None
            assert (part.p < 0.05) == (not part.low <= 0 <= part.high)
        assert found.new.p is not None
        assert found.judge is not None
        assert found.judge > 0.03
        wins += found.new.p < 0.05
    assert wins / 200 <= 0.06 + 2 * (0.06 * 0.94 / 200) ** 0.5


def test_labels_of_other_questions_make_a_difference_of_two_means() -> None:
    rng = np.random.default_rng(12)
    a, b, kind, noisy = differing(rng, 0.2)
    order = rng.permutation(1000)
    first, second = np.sort(order[:60]), np.sort(order[60:120])
    found = powered_difference(
        kind, noisy, np.arange(1000), alike(first, a[first]), alike(second, b[second])
    )
    assert (found.is_paired, found.paired, found.n_a, found.n_b) == (False, 0, 60, 60)
    one = powered_mean(kind, np.arange(1000), alike(first, a[first]))
    two = powered_mean(noisy, np.arange(1000), alike(second, b[second]))
    assert one.mean is not None
    assert two.mean is not None
    assert found.difference == pytest.approx(one.mean - two.mean)
    swapped = powered_difference(
        noisy, kind, np.arange(1000), alike(second, b[second]), alike(first, a[first])
    )
    assert found.difference == pytest.approx(-(swapped.difference or 0))
    assert found.new.p == pytest.approx(swapped.new.p)


@pytest.mark.parametrize("name", list(DESIGNS))
def test_intervals_of_both_targets_hold_the_truth(name: str) -> None:
    for target, (held, there, _) in covered(DESIGNS[name], 50, 30, 70).items():
        assert held / there >= 0.93 - 2 * (0.93 * 0.07 / 70) ** 0.5, target


@pytest.mark.parametrize("zipf", [0.0, 1.0, 1.6])
def test_intervals_after_draws_by_quota_cover_the_true_mean(zipf: float) -> None:
    random, held = np.random.default_rng(2), 0
    design = powered(zipf, 0.25)
    for _ in range(150):
        (low, high), true = design(random, 20)
        assert low is not None
        assert high is not None
        held += low <= true <= high
    assert held / 150 >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / 150)


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
        found = powered_mean(judge, group_of, alike(labelled, people[labelled]))
        new, people_s = found.new, found.human_new
        assert new.low is not None
        assert new.high is not None
        assert people_s.low is not None
        assert people_s.high is not None
        joined += new.low <= true <= new.high
        alone += people_s.low <= true <= people_s.high
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

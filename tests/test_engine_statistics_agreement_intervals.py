"""Intervals of coefficients: whole groups are weighted, the same way each time, and they cover."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from threadpoolctl import threadpool_limits

from engine.statistics.agreement.intervals import FEWEST_GROUPS, measures
from engine.statistics.agreement.measures import STATISTICS

VALUES = (0, 1, 2)


def drawn(units, seed=0, agreeing=0.6):
    random = np.random.default_rng(seed)
    one = random.integers(3, size=units)
    two = np.where(random.random(units) < agreeing, one, random.integers(3, size=units))
    return list(zip(one.tolist(), two.tolist(), strict=True))


def test_the_interval_is_that_of_kappas_of_weighted_groups_and_one_more():
    ratings = drawn(60)
    groups = [at // 2 for at in range(60)]
    found = measures(ratings, VALUES, ["kappa_plain"], groups)["kappa_plain"]
    random = np.random.default_rng(9)
    kappas = []
    for _ in range(999):
        one, two = zip(*ratings, *random.integers(3, size=(2, 2)), strict=True)
        weights = np.repeat(random.exponential(size=31), 2)
        kappas.append(cohen_kappa_score(one, two, sample_weight=weights))
    # 30 groups: the ends lie a little farther out than the plain percentiles
    assert found.low == pytest.approx(np.quantile(kappas, 0.02), abs=0.03)
    assert found.high == pytest.approx(np.quantile(kappas, 0.98), abs=0.03)


def test_subjects_that_hang_together_widen_the_interval():
    alone = drawn(20, seed=3)
    fourfold = [unit for unit in alone for _ in range(4)]

    def width(groups):
        found = measures(fourfold, VALUES, ["kappa_plain"], groups)["kappa_plain"]
        return found.high - found.low

    assert width([at // 4 for at in range(80)]) > 1.5 * width(list(range(80)))


def test_every_statistic_has_an_interval_around_it():
    found = measures(drawn(80), VALUES, STATISTICS, list(range(80)))
    for name, one in found.items():
        assert one.low < one.value < one.high, name
    assert found == measures(drawn(80), VALUES, STATISTICS, list(range(80)))
    assert found != measures(drawn(80), VALUES, STATISTICS, list(range(80)), seed=1)


def test_values_stand_without_an_interval_where_there_is_none():
    few = FEWEST_GROUPS - 1
    found = measures(drawn(20), VALUES, ["ac1"], [at % few for at in range(20)])["ac1"]
    assert found.value is not None
    assert (found.low, found.interval_reason) == (None, f"too few groups for an interval: {few}")
    assert measures(drawn(9), VALUES, ["raw"], range(9), resamples=0)["raw"].low is None
    # nothing varies: no interval rather than one without width
    found = measures([(1, 1)] * 20, (0, 1), ["raw", "ac1", "kappa_plain"], range(20))
    assert (found["raw"].value, found["ac1"].value, found["kappa_plain"].value) == (1, 1, None)
    assert "all gave the value 1" in found["raw"].interval_reason
    assert found["ac1"].low is None


def test_raters_who_agreed_on_everything_may_yet_differ():
    found = {
        units: measures(
            [(at % 2, at % 2) for at in range(units)], (0, 1), ["raw", "kappa_plain"], range(units)
        )
        for units in (20, 200)
    }
    for name in ("raw", "kappa_plain"):
        few, many = found[20][name], found[200][name]
        assert few.high == many.high == few.value == 1
        assert few.low < many.low < 1
    # "rule of three": 3 / n is the upper limit, one-sided, for what never happened
    assert 0.8 < found[20]["raw"].low < 0.95
    assert found[200]["raw"].low == pytest.approx(1 - 3 / 200, abs=0.01)
    # one subject of ten has the rare value, on which kappa rests
    rare = measures([(1, 1)] * 9 + [(0, 0)], (0, 1), ["kappa_plain"], range(10))["kappa_plain"]
    assert rare.value == 1
    assert rare.low < 0.2


def test_a_pair_that_is_left_out_is_left_out_of_every_resample():
    """The third rater says nothing but 1, and shares no other subject with the second."""
    both = [(a, b, None) for a, b in drawn(40)]
    constant = [(1, None, 1)] * 10
    with_third = measures(both + constant, VALUES, ["kappa_plain"], range(50))["kappa_plain"]
    alone = measures(both, VALUES, ["kappa_plain"], range(40))["kappa_plain"]
    assert with_third.value == pytest.approx(alone.value)
    assert with_third.low == pytest.approx(alone.low, abs=0.05)
    assert with_third.high == pytest.approx(alone.high, abs=0.05)


def test_a_group_of_any_size_or_number_is_resampled_whole():
    one = measures(drawn(2100), VALUES, ["kappa_plain"], range(2100))["kappa_plain"]
    assert one.low < one.value < one.high
    # most subjects stand in one group
    ratings = drawn(120)
    lumped = [max(0, at - 110) for at in range(120)]
    found = measures(ratings, VALUES, ["kappa_plain"], lumped)["kappa_plain"]
    alone = measures(ratings, VALUES, ["kappa_plain"], range(120))["kappa_plain"]
    assert found.value == alone.value
    assert found.low < found.value < found.high


def joint(base, agreeing):
    base = np.asarray(base)
    return agreeing * np.diag(base) + (1 - agreeing) * np.outer(base, base)


EVEN = (1 / 3, 1 / 3, 1 / 3)
KAPPAS = ("kappa_plain", "kappa_quadratic")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "agreeing", "names"),
    [
        (EVEN, 0.6, (*KAPPAS, "raw")),
        (EVEN, 0.9, (*KAPPAS, "alpha_ordinal", "ac1", "raw")),
        ((0.7, 0.2, 0.1), 0.6, (*KAPPAS, "alpha_ordinal")),
        ((0.9, 0.1), 0.6, KAPPAS[:1]),
        ((0.92, 0.08), 0.8, (*KAPPAS[:1], "ac1")),
    ],
)
def test_the_interval_covers_as_often_as_it_says(base, agreeing, names):
    """4,000 repetitions at 100 groups. What does not agree is spread as by chance: kappa, weighted
    or not, and alpha are the share that agrees otherwise."""
    values = tuple(range(len(base)))
    random = np.random.default_rng(20)
    frequencies = joint(base, agreeing)
    true = dict.fromkeys(names, agreeing) | {"raw": np.trace(frequencies)}
    by_chance = sum(one * (1 - one) for one in base) / (len(base) - 1)
    true["ac1"] = (true["raw"] - by_chance) / (1 - by_chance)
    held, shown = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    with threadpool_limits(1):
        for repetition in range(4000):
            codes = random.choice(frequencies.size, p=frequencies.ravel(), size=100)
            ratings = list(zip(*divmod(codes, len(base)), strict=True))
            found = measures(ratings, values, names, range(100), seed=repetition)
            for name, one in found.items():
                if one.low is not None:
                    shown[name] += 1
                    held[name] += one.low <= true[name] <= one.high
    for name in names:
        # with a rare value, next to no repetition has none of it, and so no interval
        assert shown[name] > 0.999 * 4000
        assert 0.935 <= held[name] / shown[name] <= 0.965, (name, held, shown)


def test_a_group_of_like_subjects_is_as_uncertain_as_one_of_them():
    """100 identical groups of four covered 88 to 90 % by quadratic kappa, ordinal alpha and AC2."""
    random = np.random.default_rng(0)
    one = random.integers(0, 3, 100)
    other = np.where(random.random(100) < 0.9, one, random.integers(0, 3, 100))
    alone = np.stack([one, other], 1)
    names = ("kappa_quadratic", "alpha_ordinal", "ac2", "spearman")
    single = measures(alone.tolist(), [0, 1, 2], names, range(100))
    fourfold = measures(
        np.repeat(alone, 4, axis=0).tolist(), [0, 1, 2], names, [at // 4 for at in range(400)]
    )
    for name in names:
        assert fourfold[name].low == pytest.approx(single[name].low, abs=0.01)
        assert fourfold[name].high == pytest.approx(single[name].high, abs=0.01)


def test_subjects_with_one_rating_make_no_interval_narrower_by_their_number():
    random = np.random.default_rng(1)
    pairs = [
        (int(a), int(a if random.random() < 0.8 else b)) for a, b in random.integers(0, 3, (40, 2))
    ]
    single = [(place % 3, None) for place in range(200)]
    few = measures(pairs, [0, 1, 2], ["kappa_plain"], range(40))["kappa_plain"]
    many = measures([*pairs, *single], [0, 1, 2], ["kappa_plain"], range(240))["kappa_plain"]
    assert many.value == few.value
    assert many.high - many.low == pytest.approx(few.high - few.low, rel=0.15)

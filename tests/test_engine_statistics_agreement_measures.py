"""Coefficients of agreement: published worked examples, the kept libraries, and undefined ones."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from engine.statistics.agreement.measures import (
    STATISTICS,
    Statistic,
    cohen_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    measure,
    raw_agreement,
    spearman,
)

FOUR_OBSERVERS = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
"""Krippendorff 2011, section C, and Gwet 2014: 12 units, one of them rated once."""


def units(observers):
    rows = [[None if one == "." else int(one) for one in row.split()] for row in observers]
    return list(zip(*rows, strict=True))


def from_table(table):
    """Two raters' values whose cross-table this is."""
    pairs = [
        (row, column)
        for row, counts in enumerate(table)
        for column, count in enumerate(counts)
        for _ in range(count)
    ]
    return [one for one, _ in pairs], [two for _, two in pairs]


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_krippendorffs_four_observers(level, published):
    found = krippendorff_alpha(units(FOUR_OBSERVERS), level)
    assert found.value == pytest.approx(published, abs=5e-4)


def test_gwets_coefficients_of_the_same_observers():
    # 0.77544 and 0.91400 are what Gwet's own package irrCAC prints
    assert gwet_ac1(units(FOUR_OBSERVERS)).value == pytest.approx(0.77544, abs=5e-6)
    assert gwet_ac2(units(FOUR_OBSERVERS)).value == pytest.approx(0.91400, abs=5e-6)


def test_gwets_paradox_of_high_agreement_on_a_rare_value():
    # Gwet 2008, table 2: raters agree on 94 %, kappa is below 0
    a, b = from_table([[118, 5], [2, 0]])
    assert raw_agreement(list(zip(a, b, strict=True))).value == pytest.approx(0.944)
    assert cohen_kappa(a, b).value == pytest.approx(-0.0234, abs=5e-5)
    assert gwet_ac1(list(zip(a, b, strict=True))).value == pytest.approx(0.9408, abs=5e-5)


def test_kappa_of_the_diagnoses_of_fleiss_cohen_and_everitt():
    # Fleiss, Cohen & Everitt 1969, table 1: kappa .429
    a, b = from_table([[53, 5, 2], [11, 14, 5], [1, 6, 3]])
    assert cohen_kappa(a, b).value == pytest.approx(0.429, abs=5e-4)


def test_alpha_of_krippendorffs_two_observers():
    # Krippendorff 2011, section A (binary): alpha .095; section B (nominal): .692
    meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha(list(zip(meg, owen, strict=True))).value == pytest.approx(
        0.095, abs=5e-4
    )
    ben, gerry = "aabbdcccedda", "babbbccceddd"
    found = krippendorff_alpha(list(zip(ben, gerry, strict=True)))
    assert found.value == pytest.approx(0.692, abs=5e-4)


RATING = st.sampled_from([0, 1, 2])
PAIRS = st.lists(st.tuples(RATING, RATING), min_size=2, max_size=40)


@settings(max_examples=150, deadline=None)
@given(PAIRS)
@pytest.mark.filterwarnings("ignore")
def test_kappa_and_spearman_equal_the_kept_libraries(pairs):
    a, b = [one for one, _ in pairs], [two for _, two in pairs]
    for weights, theirs in (("plain", None), ("linear", "linear"), ("quadratic", "quadratic")):
        ours = cohen_kappa(a, b, weights, values=(0, 1, 2))
        expected = cohen_kappa_score(a, b, weights=theirs, labels=[0, 1, 2])
        if ours.value is None:
            assert math.isnan(expected)
            assert ours.reason
        else:
            assert ours.value == pytest.approx(expected, abs=1e-12)
    ranked = spearman(a, b, values=(0, 1, 2))
    if ranked.value is not None:
        assert ranked.value == pytest.approx(float(spearmanr(a, b).statistic), abs=1e-12)
    else:
        assert len(set(a)) == 1 or len(set(b)) == 1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(*[st.none() | RATING] * 3), min_size=1, max_size=30))
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_equals_the_package_krippendorff(level, ratings):
    table = np.array(
        [[np.nan if one is None else one for one in row] for row in zip(*ratings, strict=True)],
        dtype=float,
    )
    ours = krippendorff_alpha(ratings, level, values=(0, 1, 2))
    if ours.value is not None:
        theirs = krippendorff.alpha(
            table, level_of_measurement=level, value_domain=np.array([0.0, 1.0, 2.0])
        )
        assert ours.value == pytest.approx(float(theirs), abs=1e-12)
    else:
        assert ours.reason


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(*[st.none() | RATING] * 3), max_size=12))
def test_every_statistic_is_a_number_or_says_why_not(ratings):
    for name in STATISTICS:
        found = measure(ratings, (0, 1, 2), name)
        assert (found.value is None) == bool(found.reason)
        assert found.value is None or -1e9 < found.value <= 1 + 1e-12


def test_undefined_is_explained():
    assert cohen_kappa([], []) == Statistic(None, "nobody has labelled it")
    assert "too few" in cohen_kappa([1], [1], values=(0, 1)).reason
    same = cohen_kappa([1, 1, 1], [1, 1, 1], values=(0, 1))
    assert same == Statistic(None, "all gave the value 1: chance would agree as well")
    assert "no subject" in krippendorff_alpha([(1, None), (None, 0)], values=(0, 1)).reason
    assert "one value only" in spearman([1, 1, 1], [0, 1, 0], values=(0, 1)).reason
    # where kappa is undefined, AC1 is not
    assert gwet_ac1([(1, 1)] * 3, values=(0, 1)).value == 1


def test_kappa_is_zero_where_one_rater_wavers_and_the_other_does_not():
    assert cohen_kappa([1, 1, 1, 1], [0, 1, 0, 1], values=(0, 1)).value == 0


def test_values_that_are_not_legal_are_refused():
    with pytest.raises(ValueError, match="3 is none of the values"):
        cohen_kappa([3, 1], [1, 1], values=(0, 1, 2))
    with pytest.raises(ValueError, match=r"shorter|longer"):
        cohen_kappa([1, 1], [1])


def test_an_unused_legal_value_keeps_its_place():
    a, b = [0, 0, 2, 2], [0, 2, 2, 2]
    assert cohen_kappa(a, b, "linear", values=(0, 1, 2)).value == pytest.approx(0.5)
    # AC1 counts what could have been said: three values leave less to chance than two
    pairs = list(zip(a, b, strict=True))
    assert gwet_ac1(pairs, values=(0, 1, 2)).value > gwet_ac1(pairs, values=(0, 2)).value

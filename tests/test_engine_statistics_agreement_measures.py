"""Coefficients of agreement: published worked examples, the kept libraries, and undefined ones."""

from __future__ import annotations

import json
import math
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from engine.statistics.agreement.intervals import measures
from engine.statistics.agreement.measures import STATISTICS
from engine.statistics.agreement.statistic import Statistic

IRRCAC = json.loads((Path(__file__).parent / "data/irrcac.json").read_text("utf-8"))
"""What that package gives; `-` is a missing rating. Its weights "quadratic" make AC2, and alpha for
an interval scale."""

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


def measure(ratings, values, name):
    """One statistic, without its interval."""
    return measures(ratings, values, [name], range(len(ratings)), resamples=0)[name]


def figure(name, ratings):
    """One statistic over the values that were given, sorted."""
    return measure(
        ratings, sorted({one for unit in ratings for one in unit if one is not None}), name
    )


def from_table(table):
    """Two raters' values whose cross-table this is."""
    return [
        (row, column)
        for row, counts in enumerate(table)
        for column, count in enumerate(counts)
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_krippendorffs_four_observers(level, published):
    found = figure(f"alpha_{level}", units(FOUR_OBSERVERS))
    assert found.value == pytest.approx(published, abs=5e-4)


def test_gwets_coefficients_of_the_same_observers():
    # 0.77544 and 0.91400 are what Gwet's own package irrCAC prints
    assert figure("ac1", units(FOUR_OBSERVERS)).value == pytest.approx(0.77544, abs=5e-6)
    assert figure("ac2", units(FOUR_OBSERVERS)).value == pytest.approx(0.91400, abs=5e-6)


def test_incomplete_ratings_have_the_figures_of_gwets_own_package():
    """24 made-up tables of 2 to 4 raters and 2 to 5 values, up to 60 % of them missing."""
    for case in IRRCAC["cases"]:
        ratings = [[None if one == "-" else int(one) for one in unit] for unit in case["units"]]
        values = range(case["values"])
        ours = measures(ratings, values, case["expected"], range(len(ratings)), resamples=0)
        for name, expected in case["expected"].items():
            assert ours[name].value == pytest.approx(expected, abs=1e-9), (name, case)


def test_gwets_paradox_of_high_agreement_on_a_rare_value():
    # Gwet 2008, table 2: raters agree on 94 %, kappa is below 0
    pairs = from_table([[118, 5], [2, 0]])
    assert figure("raw", pairs).value == pytest.approx(0.944)
    assert figure("kappa_plain", pairs).value == pytest.approx(-0.0234, abs=5e-5)
    assert figure("ac1", pairs).value == pytest.approx(0.9408, abs=5e-5)


def test_kappa_of_the_diagnoses_of_fleiss_cohen_and_everitt():
    # Fleiss, Cohen & Everitt 1969, table 1: kappa .429
    pairs = from_table([[53, 5, 2], [11, 14, 5], [1, 6, 3]])
    assert figure("kappa_plain", pairs).value == pytest.approx(0.429, abs=5e-4)


def test_alpha_of_krippendorffs_two_observers():
    # Krippendorff 2011, section A (binary): alpha .095; section B (nominal): .692
    meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = figure("alpha_nominal", list(zip(meg, owen, strict=True)))
    assert found.value == pytest.approx(0.095, abs=5e-4)
    ben, gerry = "aabbdcccedda", "babbbccceddd"
    found = figure("alpha_nominal", list(zip(ben, gerry, strict=True)))
    assert found.value == pytest.approx(0.692, abs=5e-4)


RATING = st.sampled_from([0, 1, 2])
PAIRS = st.lists(st.tuples(RATING, RATING), min_size=2, max_size=40)


@settings(max_examples=150, deadline=None)
@given(PAIRS)
@pytest.mark.filterwarnings("ignore")
def test_kappa_and_spearman_equal_the_kept_libraries(pairs):
    a, b = [one for one, _ in pairs], [two for _, two in pairs]
    for weights, theirs in (("plain", None), ("linear", "linear"), ("quadratic", "quadratic")):
        ours = measure(pairs, (0, 1, 2), f"kappa_{weights}")
        expected = cohen_kappa_score(a, b, weights=theirs, labels=[0, 1, 2])
        if ours.value is None:
            assert math.isnan(expected)
            assert ours.reason
        else:
            assert ours.value == pytest.approx(expected, abs=1e-12)
    ranked = measure(pairs, (0, 1, 2), "spearman")
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
    ours = measure(ratings, (0, 1, 2), f"alpha_{level}")
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
    assert figure("kappa_plain", []) == Statistic(None, "nobody has labelled it")
    assert "too few" in measure([(1, 1)], (0, 1), "kappa_plain").reason
    same = measure([(1, 1)] * 3, (0, 1), "kappa_plain")
    assert same == Statistic(None, "all gave the value 1: chance would agree as well")
    assert "no subject" in measure([(1, None), (None, 0)], (0, 1), "alpha_nominal").reason
    assert "one value only" in measure([(1, 0), (1, 1), (1, 0)], (0, 1), "spearman").reason
    # where kappa is undefined, AC1 is not
    assert measure([(1, 1)] * 3, (0, 1), "ac1").value == 1


def test_kappa_is_zero_where_one_rater_wavers_and_the_other_does_not():
    assert measure([(1, 0), (1, 1), (1, 0), (1, 1)], (0, 1), "kappa_plain").value == 0


def test_values_that_are_not_legal_are_refused():
    with pytest.raises(ValueError, match="3 is none of the values"):
        measure([(3, 1), (1, 1)], (0, 1, 2), "kappa_plain")


def test_an_unused_legal_value_keeps_its_place():
    pairs = [(0, 0), (0, 2), (2, 2), (2, 2)]
    assert measure(pairs, (0, 1, 2), "kappa_linear").value == pytest.approx(0.5)
    # AC1 counts what could have been said: three values leave less to chance than two
    assert measure(pairs, (0, 1, 2), "ac1").value > measure(pairs, (0, 2), "ac1").value

"""Three raters label 127 answers by five metrics; all figures equal the kept libraries'."""

from __future__ import annotations

import random
from collections import defaultdict

import krippendorff
import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score
from tiny_workspaces import answer_and_score, make_corpus, make_release, make_run, prediction_ids
from tiny_workspaces import question as item

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.figures.agreement_figures import agreement, self_consistency
from engine.labelling.forms import load_form
from engine.labelling.session import LabelSession
from store.labels import consensus, standing
from store.labels.log.events import Subject
from store.labels.standing import Rated
from store.workspace import open_workspace

CASES = 127
RATERS = ("li", "wang", "zhao")
WAVERING = {"li": 0.1, "wang": 0.15, "zhao": 0.45}
"""How often a rater says something else than what is so."""
LEGAL = {
    "accuracy": (0, 1, 2),
    "completeness": ("na", 0, 1, 2),
    "hallucination": (0, 1),
    "utilization": (0, 1, 2),
    "numerical_accuracy": ("na", 0, 1),
}


def truth(case, metric):
    return random.Random(f"{case} {metric}").choice(LEGAL[metric])


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """The workspace, and what each rater said: {rater: {subject: {metric: value}}}."""
    folder = tmp_path_factory.mktemp("session")
    with open_workspace(folder / "workspace", create=True) as workspace:
        with workspace.write() as db:
            contents = {
                f"q{at}": item(f"Rate {at}?", topic=("rates", "funds")[at % 2])
                for at in range(CASES)
            }
            run = make_run(db, make_release(db, make_corpus(db), contents=contents))
            for prediction in prediction_ids(db, run):
                answer_and_score(db, prediction, [])
        draw_sample(
            workspace,
            SampleRequest(
                "s", "judge_labels", 127, runs=("first",), raters_wanted=3, repeat_share=0.2
            ),
        )
        said = {rater: label_all(workspace, rater) for rater in RATERS}
        yield workspace, said


def label_all(workspace, rater):
    draw = random.Random(rater)
    session = LabelSession(workspace, "judge_labels", rater)
    said = {}
    while queued := session.next():
        given = {}
        for metric, legal in LEGAL.items():
            value = truth(queued.subject.base, metric)
            if draw.random() < WAVERING[rater]:
                value = draw.choice(legal)
            answered = session.set(queued.subject, metric, value, active_ms=900)
            given[metric] = value
        assert answered.is_complete
        said[queued.subject.id] = given
    return said


@pytest.fixture(scope="module")
def rated(labelled):
    return standing.rated(labelled[0].db, load_form("judge_labels"), sample="s")


def columns(said, metric, *, applicable=True):
    """{rater: values by subject in one order}; None where not applicable."""
    subjects = sorted(said["li"].keys() - {key for key in said["li"] if "#" in key})
    assert len(subjects) == CASES
    read = {rater: [said[rater][subject][metric] for subject in subjects] for rater in RATERS}
    if applicable:
        return {r: [None if one == "na" else one for one in read[r]] for r in read}
    return {r: [one == "na" for one in read[r]] for r in read}


def both(a, b):
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return [x for x, _ in pairs], [y for _, y in pairs]


def find(rows, field, part="value", group=""):
    (row,) = [one for one in rows if (one.field, one.part, one.group) == (field, part, group)]
    return row


@pytest.mark.parametrize("metric", LEGAL)
def test_every_pair_equals_scikit_learn_and_scipy(labelled, rated, metric):
    values = columns(labelled[1], metric)
    rows = agreement(rated, load_form("judge_labels"), by="pair", resamples=0)
    numbers = [one for one in LEGAL[metric] if one != "na"]
    for a, b in (("li", "wang"), ("li", "zhao"), ("wang", "zhao")):
        one, two = both(values[a], values[b])
        row = find(rows, metric, group=f"{a} {b}")
        assert row.n == len(one)
        assert row.statistics["raw"].value == pytest.approx(np.mean(np.equal(one, two)))
        for name, weights in (
            ("kappa_plain", None),
            ("kappa_linear", "linear"),
            ("kappa_quadratic", "quadratic"),
        ):
            theirs = cohen_kappa_score(one, two, labels=numbers, weights=weights)
            assert row.statistics[name].value == pytest.approx(theirs)
        assert row.statistics["spearman"].value == pytest.approx(spearmanr(one, two).statistic)
        assert sum(map(sum, row.tables[0].counts)) == row.n
        assert row.base_rates[a] == tuple(one.count(value) for value in numbers)


@pytest.mark.parametrize("metric", LEGAL)
def test_all_three_equal_krippendorff_and_the_mean_of_pairs(labelled, rated, metric):
    values = columns(labelled[1], metric)
    row = find(agreement(rated, load_form("judge_labels"), resamples=0), metric)
    numbers = np.array([float(one) for one in LEGAL[metric] if one != "na"])
    table = np.array(
        [[np.nan if one is None else one for one in values[rater]] for rater in RATERS], float
    )
    for level in ("nominal", "ordinal"):
        theirs = krippendorff.alpha(table, level_of_measurement=level, value_domain=numbers)
        assert row.statistics[f"alpha_{level}"].value == pytest.approx(float(theirs))
    pairs = [
        cohen_kappa_score(*both(values[a], values[b]))
        for a, b in (("li", "wang"), ("li", "zhao"), ("wang", "zhao"))
    ]
    assert row.statistics["kappa_plain"].value == pytest.approx(np.mean(pairs))


def test_applicability_is_compared_before_the_value(labelled, rated):
    values = columns(labelled[1], "completeness", applicable=False)
    rows = agreement(rated, load_form("judge_labels"), by="pair", resamples=0)
    row = find(rows, "completeness", "applicability", "li wang")
    assert row.n == CASES
    assert row.statistics["kappa_plain"].value == pytest.approx(
        cohen_kappa_score(values["li"], values["wang"])
    )
    assert not [one for one in rows if (one.field, one.part) == ("accuracy", "applicability")]


def test_pooled_kappa_counts_not_applicable_as_a_value(labelled, rated):
    rows = agreement(rated, load_form("judge_labels"), by="pair", resamples=0)
    one, two = (
        [
            str(labelled[1][rater][subject][metric])
            for subject in sorted(labelled[1]["li"])
            if "#" not in subject
            for metric in LEGAL
        ]
        for rater in ("li", "wang")
    )
    row = find(rows, "pooled", group="li wang")
    assert row.n == CASES * 5 == 635
    assert row.statistics["kappa_plain"].value == pytest.approx(cohen_kappa_score(one, two))


def test_the_wavering_rater_is_told_by_pairs_and_by_own_repeats(labelled, rated):
    form = load_form("judge_labels")
    rows = agreement(rated, form, by="pair", resamples=0)
    kappas = {
        pair: find(rows, "pooled", group=pair).statistics["kappa_plain"].value
        for pair in ("li wang", "li zhao", "wang zhao")
    }
    assert kappas["li wang"] > max(kappas["li zhao"], kappas["wang zhao"])
    own = {one.group: one for one in self_consistency(rated, form) if one.field == "pooled"}
    assert {one.n for one in own.values()} == {25 * 5}
    consistency = {name: one.statistics["kappa_plain"].value for name, one in own.items()}
    assert consistency["zhao"] < min(consistency["li"], consistency["wang"])
    firsts, again = defaultdict(list), defaultdict(list)
    for subject, given in labelled[1]["zhao"].items():
        if "#" in subject:
            firsts["zhao"] += map(str, labelled[1]["zhao"][subject[:-2]].values())
            again["zhao"] += map(str, given.values())
    assert consistency["zhao"] == pytest.approx(cohen_kappa_score(firsts["zhao"], again["zhao"]))


def test_cells_hold_their_cases_and_intervals_repeat(rated):
    form = load_form("judge_labels")
    rows = agreement(rated, form, by="topic")
    assert find(rows, "accuracy", group="rates").n + find(rows, "accuracy", group="funds").n == 127
    found = find(rows, "accuracy", group="rates").statistics["kappa_quadratic"]
    assert found.low < found.value < found.high
    assert agreement(rated, form, by="topic") == rows
    other = find(agreement(rated, form, by="topic", seed=1), "accuracy", group="rates")
    assert other.statistics["kappa_quadratic"].low != found.low


def test_adjudication_leaves_agreement_as_it_was(labelled, rated):
    workspace, _ = labelled
    form = load_form("judge_labels")
    conflict = consensus.conflicts(workspace.db, form)[0]
    judge = LabelSession(workspace, "judge_labels", "adjudicator")
    judge.adjudicate(conflict.subject, conflict.field, conflict.raters[0].value)
    assert standing.rated(workspace.db, form, sample="s") == rated
    assert conflict not in consensus.conflicts(workspace.db, form)


def test_subjects_with_a_single_rating_count_for_chance_as_gwet_has_it():
    """irrCAC: of five subjects two have one rating; pi is .3, .3 and .4 over all five."""
    said = [(0, 0), (1, 1), (0, 1), (2, None), (2, None)]
    rated = [
        Rated(
            Subject("prediction", str(at)), rater, "accuracy", value, "human", "t", "qa", f"g{at}"
        )
        for at, pair in enumerate(said)
        for rater, value in zip("ab", pair, strict=True)
        if value is not None
    ]
    rows = agreement(rated, load_form("judge_labels"))
    (row,) = [one for one in rows if (one.field, one.part) == ("accuracy", "value")]
    by_chance = (0.3 * 0.7 + 0.3 * 0.7 + 0.4 * 0.6) / 2
    assert row.statistics["ac1"].value == pytest.approx((2 / 3 - by_chance) / (1 - by_chance))
    assert (row.n, row.groups) == (3, 3)
    assert row.statistics["raw"].value == pytest.approx(2 / 3)
    assert row.base_rates == {"a": (2, 1, 0), "b": (1, 2, 0)}

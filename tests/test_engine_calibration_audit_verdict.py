"""The verdict of an audit, by its documented thresholds."""

from __future__ import annotations

from msgspec.structs import replace

from engine.calibration.audit.audit_records import Probe
from engine.calibration.audit.verdict import BAR, FEWEST_LABELS, metric_audit, overall
from engine.calibration.calibration_records import Confusion, MetricCalibration
from engine.statistics.agreement.intervals import FEWEST_GROUPS
from engine.statistics.agreement.statistic import Statistic

NONE = Statistic(None, "undefined")
NOBODY = {"kappa_plain": NONE, "ac1": NONE}
CALIBRATION = MetricCalibration(
    metric="accuracy",
    n=60,
    groups=60,
    left_out={},
    accuracy=Statistic(0.9),
    kappa=Statistic(0.8, low=0.7, high=0.9),
    ac1=Statistic(0.95, low=0.9, high=0.98),
    applicability=NONE,
    kappa_quadratic=NONE,
    spearman=NONE,
    confusion=Confusion((0, 1, 2), ((20, 0, 0), (0, 20, 0), (0, 0, 20)), (0, 0, 0)),
    cells=(),
)
CLEAN = Probe("length", "", False, "accuracy", 50, 0, 0.0, -0.03, 0.03, 1.0, 0.0, "clean")


def judged(raters: float | None = None, **figures: object) -> str:
    people = Statistic(raters) if raters is not None else NONE
    found = metric_audit(replace(CALIBRATION, **figures), {"kappa_plain": people, "ac1": people})
    return found.verdict


def test_the_interval_meets_the_bar_not_the_figure() -> None:
    assert judged(kappa=Statistic(0.8, low=BAR, high=0.9)) == "trusted"
    assert judged(kappa=Statistic(0.7, low=0.55, high=0.8)) == "too few labels"
    assert judged(kappa=Statistic(0.4, low=0.3, high=0.59)) == "not trusted"


def test_no_judge_has_to_agree_better_than_people_do() -> None:
    assert judged(kappa=Statistic(0.5, low=0.45, high=0.58), raters=0.4) == "trusted"
    assert judged(kappa=Statistic(0.5, low=0.45, high=0.58), raters=0.9) == "not trusted"


def test_few_labels_are_too_few_and_the_missing_ones_are_counted() -> None:
    found = metric_audit(replace(CALIBRATION, n=12), NOBODY)
    assert (found.verdict, found.more) == ("too few labels", FEWEST_LABELS - 12)
    # half as wide takes four times the labels: .7 - .6 is half of .2
    found = metric_audit(
        replace(CALIBRATION, kappa=Statistic(0.7, low=0.5, high=0.9)),
        NOBODY,
    )
    assert found.more is not None
    assert abs(found.more - 180) <= 1


def test_an_agreement_without_an_interval_settles_nothing() -> None:
    lone = replace(CALIBRATION, groups=4, kappa=Statistic(0.8, interval_reason="4 groups"))
    found = metric_audit(lone, NOBODY)
    assert (found.verdict, found.reason) == ("too few labels", "4 groups")
    assert found.more == FEWEST_GROUPS - 4


def test_ac1_stands_in_where_nearly_all_labels_are_one_value() -> None:
    counts = ((1, 0, 0), (0, 1, 0), (0, 0, 58))
    skewed = replace(CALIBRATION, confusion=Confusion((0, 1, 2), counts, (0, 0, 0)))
    found = metric_audit(replace(skewed, kappa=Statistic(0.3, low=0.0, high=0.5)), NOBODY)
    assert (found.by, found.verdict) == ("ac1", "trusted")


def test_one_bias_is_enough_against_a_judge() -> None:
    good = metric_audit(CALIBRATION, NOBODY)
    assert overall("current", [good], [CLEAN], "")[0] == "trusted"
    biased = replace(CLEAN, effect=0.3, low=0.2, high=0.4, verdict="biased")
    verdict, reasons, _ = overall("current", [good], [biased], "")
    assert verdict == "not trusted"
    assert "length" in reasons[0]
    missed = Probe("denied", "", True, "accuracy", 50, 0, 0.2, 0.1, 0.3, None, None, "missed")
    assert overall("current", [good], [missed], "")[0] == "not trusted"


def test_what_is_not_settled_or_not_current_is_not_trusted() -> None:
    good = metric_audit(CALIBRATION, NOBODY)
    open_one = replace(CLEAN, verdict="unsettled", reason="about 90 groups would settle it")
    assert overall("current", [good], [open_one], "")[0] == "too few labels"
    rare = replace(open_one, change="notation", answers=9)
    assert overall("current", [good], [CLEAN, rare], "")[0] == "trusted"
    assert overall("current", [], [CLEAN], "")[0] == "too few labels"
    verdict, reasons, more = overall("current", [], [CLEAN], "", is_labelled=False)
    assert (verdict, more) == ("too few labels", None)
    assert "it gives none of these" in reasons[0]
    assert overall("stale", [good], [CLEAN], "")[0] == "stale"

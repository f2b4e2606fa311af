"""The verdict of an audit: whether a judge may be trusted, by rules with named thresholds.

An interval has to meet a bar, not the figure itself; docs/judges.md states the rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.calibration.audit.audit_records import MetricAudit, Probe, Verdict
from engine.calibration.audit.effects import LEAST_CAUGHT
from engine.calibration.calibration_records import MetricCalibration, Standing
from engine.judge.base import LABELLED
from engine.statistics.agreement.intervals import FEWEST_GROUPS
from engine.statistics.agreement.statistic import Statistic

BAR = 0.6
"""What the agreement with people has to reach, or that of people with each other where it is lower:
`substantial` of Landis and Koch 1977 begins there."""
FEWEST_LABELS = 30
"""Of a metric, before anything is said of it."""
ONE_VALUE = 0.9
"""Where one value has this share of people's labels, AC1 stands in for kappa, which is then low
however well judge and people agree."""
MOST_MORE = 10_000
"""More labels than these are not asked for."""
FEWEST_SHARE = 0.2
"""A probe that fits fewer of the answers, such as of numbers where hardly any has one, does not
hold the verdict back while it is unsettled."""
_NEAREST = 0.02
"""The agreement is taken to be at least so far from the bar when labels are counted that would
settle it."""


def metric_audit(calibration: MetricCalibration, raters: dict[str, Statistic]) -> MetricAudit:
    """The judge on one metric, with the verdict; `raters` is the agreement of people, by
    `kappa_plain` and `ac1`."""
    is_one_value = _commonest(calibration) >= ONE_VALUE
    figure = calibration.ac1 if is_one_value else calibration.kappa
    ceiling = raters["ac1" if is_one_value else "kappa_plain"]
    bar = BAR if ceiling.value is None else min(BAR, ceiling.value)
    verdict, reason, more = _against_bar(calibration, figure, bar)
    return MetricAudit(
        calibration,
        ceiling,
        "ac1" if is_one_value else "kappa",
        bar,
        verdict,
        reason,
        more,
    )


def _commonest(calibration: MetricCalibration) -> float:
    """The share of people's labels that have the commonest value."""
    assert calibration.confusion is not None, "metrics have one"
    counts = [sum(row) for row in calibration.confusion.counts]
    return max(counts) / sum(counts) if sum(counts) else 0.0


def _against_bar(
    calibration: MetricCalibration, figure: Statistic, bar: float
) -> tuple[Verdict, str, int | None]:
    n = calibration.n
    if n < FEWEST_LABELS:
        return "too few labels", f"{n} labels of at least {FEWEST_LABELS}", FEWEST_LABELS - n
    if figure.value is None or figure.low is None or figure.high is None:
        reason = figure.reason or figure.interval_reason
        lacking = max(FEWEST_GROUPS - calibration.groups, 1)
        return "too few labels", reason, lacking
    if figure.low >= bar:
        return "trusted", f"at least {figure.low:.2f}, and the bar is {bar:.2f}", None
    if figure.high < bar:
        return "not trusted", f"at most {figure.high:.2f}, and the bar is {bar:.2f}", None
    # the interval narrows as the root of the labels
    gap = max(abs(figure.value - bar), _NEAREST)
    reach = figure.value - figure.low if figure.value >= bar else figure.high - figure.value
    more = min(MOST_MORE, max(1, math.ceil(n * (reach / gap) ** 2) - n))
    reason = f"{figure.low:.2f} to {figure.high:.2f} holds the bar {bar:.2f}"
    return "too few labels", reason, more


def overall(
    standing: Standing,
    metrics: Sequence[MetricAudit],
    probes: Sequence[Probe],
    not_probed: str,
    *,
    is_labelled: bool = True,
) -> tuple[Verdict, tuple[str, ...], int | None]:
    """The verdict on a judge, its reasons, and the labels that it lacks where these are too few.

    One metric or probe against it is enough; trusted is who has all for it. `is_labelled` says
    whether people label any of its metrics.
    """
    if standing == "stale":
        changed = "its settings or prompts have changed since it scored the labelled answers"
        return "stale", (changed,), None
    against = [
        f"{one.calibration.metric}: agreement with people ({one.by}) {one.reason}"
        for one in metrics
        if one.verdict == "not trusted"
    ]
    against += [_probe_words(one) for one in probes if one.verdict in ("biased", "missed")]
    if against:
        return "not trusted", tuple(against), None
    if not metrics and not is_labelled:
        asked = f"people label {', '.join(LABELLED)}, and it gives none of these"
        return "too few labels", (asked,), None
    if not metrics:
        return "too few labels", ("nobody has labelled what it scored",), FEWEST_LABELS
    missing = [one for one in metrics if one.verdict == "too few labels"]
    most = max((one.answers + one.lost for one in probes), default=0)
    unsettled = [
        one
        for one in probes
        if one.verdict == "unsettled" and one.answers + one.lost >= FEWEST_SHARE * most
    ]
    reasons = [
        *(
            f"{one.calibration.metric}: {one.reason}; about {one.more:,} labels more"
            for one in missing
        ),
        *(f"{_probe_words(one)}; {one.reason}: ask about more answers" for one in unsettled),
    ]
    if reasons:
        more = max((one.more or 0 for one in missing), default=None)
        return "too few labels", tuple(reasons), more
    agreed = "agreement with people meets the bar on every labelled metric"
    probed = f"not probed: {not_probed}" if not_probed else "no probe found anything against it"
    return "trusted", (agreed, probed), None


def _probe_words(one: Probe) -> str:
    """`accuracy, length: +.12 (.08 to .16)`."""
    effect = "no figure" if one.effect is None else f"{one.effect:+.2f}"
    ends = "" if one.low is None or one.high is None else f" ({one.low:.2f} to {one.high:.2f})"
    if one.is_error:
        share = "none" if one.effect is None else f"{100 * one.effect:.0f} %"
        least = f"{100 * LEAST_CAUGHT:.0f} %"
        return f"{one.metric}, {one.change}: {share} caught{ends}, of at least {least}"
    return f"{one.metric}, {one.change}: {effect}{ends}, {one.verdict}"

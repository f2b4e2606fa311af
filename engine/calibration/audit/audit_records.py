"""An audit of a judge, as it is stored and rendered."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from engine.calibration.calibration_records import MetricCalibration, Standing
from engine.statistics.agreement.statistic import Statistic

Verdict = Literal["trusted", "not trusted", "too few labels", "stale"]
ProbeVerdict = Literal["clean", "biased", "unsettled", "na", "caught", "missed"]
"""Of a change that must leave the value: `clean`, `biased`; of planted errors: `caught`, `missed`.
`unsettled` is either before enough answers were probed, `na` where the metric never applies."""

DriftVerdict = Literal["no drift found", "drift", "too few answers"]


class MetricAudit(Struct, frozen=True):
    """A judge against people on one metric."""

    calibration: MetricCalibration
    raters: Statistic
    """The agreement of people with each other, by the statistic that the bar is set for: no judge
    can be expected above it."""
    by: Literal["kappa", "ac1"]
    """AC1 in the place of kappa where nearly all of people's labels are one value."""
    bar: float
    verdict: Verdict
    reason: str
    more: int | None = None
    """Labels that it would take beside those that there are, if the figures stay; null where more
    labels are not what is missing."""


class Bin(Struct, frozen=True):
    """Labels to whose value the judge gave about the same probability."""

    n: int
    stated: float
    """The mean probability."""
    right: float
    """The share on which people said the same."""


class Confidence(Struct, frozen=True):
    """The probabilities that a judge states beside its values, against people."""

    metric: str
    n: int
    brier: float
    """Mean of (probability - 1 if right, else 0)², 0 at best."""
    error: float | None
    """Expected calibration error: mean gap between stated and right in bins of equal numbers, an
    overestimate where labels are few; null with too few for two bins."""
    bins: tuple[Bin, ...]


class Probe(Struct, frozen=True):
    """What a change of the answers did to a metric."""

    change: str
    in_words: str
    is_error: bool
    """Whether it is a planted error, which must cost the value; others must leave it."""
    metric: str
    answers: int
    """Compared with their unchanged selves."""
    lost: int
    """Left out, since one of both has no usable value."""
    effect: float | None
    """Mean change of the value on [0, 1]; for the order of passages, the share of values that
    change beyond those that change by themselves; for planted errors, the share caught."""
    low: float | None
    high: float | None
    p: float | None
    """Of no effect, adjusted for all probes of the audit; null for planted errors."""
    flips: float | None
    """Share of values that change; null for planted errors."""
    verdict: ProbeVerdict
    reason: str = ""


class Consistency(Struct, frozen=True):
    """How often the same case gets the same value."""

    metric: str
    answers: int
    same: float
    """Share of pairs of repeats that agree."""


class Drift(Struct, frozen=True):
    """Another configuration of the judge, or another wording, on equal answers."""

    other: str
    metric: str
    answers: int
    flips: float | None
    """Share of values that differ, beyond those that differ between repeats; with its interval."""
    low: float | None
    high: float | None
    p: float | None
    """Of no drift, adjusted over the metrics."""
    shift: float | None
    """Mean of this judge minus the other's, on [0, 1]."""
    right: float | None
    """Share of people's labels that this judge gives, minus the other's share; null without any."""
    verdict: DriftVerdict


class Audit(Struct, frozen=True):
    judge: str
    name: str
    hash: str
    kind: str
    standing: Standing
    runs: tuple[str, ...]
    labels: int
    """People's labels that the judge has a usable value beside."""
    probed: int
    """Answers that were changed."""
    verdict: Verdict
    reasons: tuple[str, ...]
    """Why, the weightiest first."""
    more: int | None
    """Labels to give before the verdict can change, on the metric that lacks most."""
    pooled: MetricCalibration | None
    """All metrics together; null without labels."""
    metrics: tuple[MetricAudit, ...]
    confidence: tuple[Confidence, ...]
    consistency: tuple[Consistency, ...]
    probes: tuple[Probe, ...]
    drifts: tuple[Drift, ...] = ()
    wordings: tuple[Drift, ...] = ()
    """By other prompts."""
    not_probed: str = ""
    """Why nothing was changed; empty where something was."""

"""A judge's reply read as OmniEval's own code reads it: variant `omnieval` of its metrics.

Whatever `json_repair` makes of a reply counts. They ask for the value as `prediction`, and take the
metric's name in its place; here `value` is taken too, which the shipped prompts ask for. The range
of a value is not checked: a 3 of 2 is 1.5. A reply without a value is -1 there, as is a metric that
does not apply, and what is below 0 leaves the mean; here the states say which it was.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.judge.model.replies import read_reason
from engine.metrics.spec import MetricSpec, resolve
from store.records import MetricScore, ScoreState

VARIANT = "omnieval"
_HALVED = ("accuracy", "completeness", "utilization", "factuality")
_UNREAD = -1


def _as_theirs(name: str) -> MetricSpec:
    spec = resolve(name)
    return replace(
        spec,
        variant=VARIANT,
        minimum=0.0,
        maximum=None,
        # they ask whatever the golden answer holds
        needs=tuple(need for need in spec.needs if need != "golden_number"),
        description=f"{spec.description}, as OmniEval's code reads replies",
        source="RUC-NLPIR/OmniEval at b8385be",
        values=(),
        allows_na=True,
    )


METRICS = tuple(
    _as_theirs(name)
    for name in ("accuracy", "completeness", "hallucination", "utilization", "numerical_accuracy")
)


def their_value(metric: str, reply: str) -> float:
    """The value that their batch code gives a reply for a metric: -1 where it finds none."""
    said = _said(metric, reply)
    if said is None or said == _UNREAD:
        return _UNREAD
    return said / 2 if metric in _HALVED else said


def read_as_theirs(metric: str, reply: str) -> MetricScore:
    """The score of a reply: `na` where it says less than 0, `unparsed` where it says nothing."""
    if _said(metric, reply) is None:
        reason = "no value in the reply: -1 in OmniEval's code, which leaves the mean"
        return MetricScore(metric, VARIANT, None, ScoreState.UNPARSED, reason)
    value = their_value(metric, reply)
    if value < 0:
        return MetricScore(
            metric, VARIANT, None, ScoreState.NA, f"{value:g}, which leaves the mean"
        )
    reason = read_reason(_mended(reply).get("reason"))
    return MetricScore(metric, VARIANT, float(value), ScoreState.OK, reason)


def _said(metric: str, reply: str) -> int | None:
    """The number under `prediction`, else under the metric's name; null where there is none."""
    mended = _mended(reply)
    for key in ("prediction", metric, "value"):
        if key in mended:
            return _whole(mended[key])
    return None


def _mended(reply: str) -> dict[str, Any]:
    """The object in a reply; empty where there is none."""
    import json_repair

    try:
        mended = json_repair.loads(reply)
    except (ValueError, RecursionError, IndexError):
        return {}
    return mended if isinstance(mended, dict) else {}


def _whole(given: Any) -> int | None:
    if given is None:
        return _UNREAD
    try:
        return int(given)
    except (TypeError, ValueError, OverflowError):
        return None

"""A model judge's reply read as a value on its scale, as `na`, or as a problem."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any

from msgspec import Struct

from engine.metrics.spec import MetricSpec
from engine.models.asking import quoting
from engine.models.parse import parse_json
from store.labels.forms import NA
from store.records import MetricScore, ScoreState

_NA_WORDS = frozenset({"na", "n/a", "not applicable", "不适用"})
_DIGITS = re.compile(r"-?\d+")
_LONGEST_REASON = 600


class Judged(Struct, frozen=True):
    """A reply as a score; with a problem, the model may be asked once more."""

    score: MetricScore
    problem: str = ""
    repaired: bool = False


def read_judgement(spec: MetricSpec, reply: str, *, truncated: bool = False) -> Judged:
    """The score that a reply gives a metric.

    The value stands under `value`; `prediction` (OmniEval's word) or the metric's own name are
    taken in its place, and contradict it when they differ. A whole number, also as text, is a
    value; null, `n/a` and the like, or -1, say that the metric does not apply, which only
    completeness and numerical_accuracy can. Anything else is `unparsed`; a number off the scale
    is `out_of_range`, and never rounded or cut. A reply that is nothing but a number counts.
    """
    parsed = parse_json(reply)
    if parsed.value is None:
        cut = "the reply was cut short by the limit of tokens" if truncated else parsed.problem
        return _failed(spec, ScoreState.UNPARSED, cut, reply)
    reason = ""
    given: Any = parsed.value
    if isinstance(given, dict):
        fields = [given[key] for key in ("value", "prediction", spec.name) if key in given]
        if not fields:
            return _failed(spec, ScoreState.UNPARSED, 'the reply has no field "value"', reply)
        values = {_value(field) for field in fields}
        if len(values) > 1:
            return _failed(spec, ScoreState.UNPARSED, "the reply gives two values", reply)
        reason = read_reason(given.get("reason"))
        value = values.pop()
    else:
        value = _value(given)
    if value == _NOT_A_VALUE:
        return _failed(spec, ScoreState.UNPARSED, "the value is not a whole number", reply)
    if value == NA and spec.allows_na:
        score = MetricScore(
            spec.name, spec.variant, None, ScoreState.NA, reason or "the judge: n/a"
        )
        return Judged(score, repaired=parsed.repaired)
    if not spec.allows(value):
        shown = "n/a" if value == NA else value
        problem = f"{shown} is no value of {spec.name}"
        return _failed(spec, ScoreState.OUT_OF_RANGE, problem, reply)
    score = MetricScore(spec.name, spec.variant, float(value), ScoreState.OK, reason)
    return Judged(score, repaired=parsed.repaired)


_NOT_A_VALUE = ""


def _value(given: Any) -> int | float | str:
    """A number, NA, or `_NOT_A_VALUE`."""
    if given is None:
        return NA
    if isinstance(given, bool):
        return _NOT_A_VALUE
    if isinstance(given, str):
        folded = unicodedata.normalize("NFKC", given).strip().casefold()
        if folded in _NA_WORDS:
            return NA
        if not _DIGITS.fullmatch(folded) or len(folded) > 9:
            return _NOT_A_VALUE
        given = int(folded)
    if isinstance(given, int | float):
        if given == -1:
            return NA
        return int(given) if math.isfinite(given) and given == int(given) else given
    return _NOT_A_VALUE


def read_reason(given: Any) -> str:
    """The reason that a reply gives, on one line and not too long; empty without any."""
    text = " ".join(given.split()) if isinstance(given, str) else ""
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}..."


def _failed(spec: MetricSpec, state: ScoreState, problem: str, reply: str) -> Judged:
    score = MetricScore(spec.name, spec.variant, None, state, quoting(problem, reply))
    return Judged(score, problem)

"""Gates: whether one run is worse than another by more than a margin, or that cannot be told."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping

from msgspec import Struct, structs

from engine.calibration.calibration_records import CorrectedDifference
from engine.judge.registry import metric_spec
from engine.results.comparison import GateResult, GateVerdict
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import corrected_runs, shared_taxonomy, unit_scores
from engine.statistics.difference import difference
from engine.statistics.inference import MIN_GROUPS, Difference, Settings, TurnState
from engine.statistics.pairing import common_set
from store.errors import UsageError
from store.runs import results, runs

_UNSCORED = frozenset(
    {
        TurnState.UNPARSED,
        TurnState.OUT_OF_RANGE,
        TurnState.ERROR,
        TurnState.MISSING,
        TurnState.PENDING,
    }
)
"""What is not there because something failed or is still to come."""


class Gate(Struct, frozen=True):
    """A metric on which run a may be worse than run b by no more than a margin."""

    metric: str
    margin: float = 0.0
    """On [0, 1], where the means of compared runs lie."""

    @classmethod
    def read(cls, text: str) -> Gate:
        """The gate that `METRIC` or `METRIC:MARGIN` names. Raises UsageError for another text."""
        metric, mark, margin = text.partition(":")
        try:
            value = float(margin) if mark else 0.0
        except ValueError:
            value = math.nan
        if not metric or not 0 <= value < 1:
            raise UsageError(
                f"{text!r}: the margin is not a number from 0 to below 1.",
                "Write METRIC or METRIC:MARGIN, such as f1:0.02.",
                "--fail-if-worse",
            )
        return cls(metric, value)


def check_gate(
    db: sqlite3.Connection, name_a: str, name_b: str, gate: Gate, query: MetricQuery
) -> GateResult:
    """Whether run a is worse than run b on the gate's metric by more than its margin.

    `query` has the variant, judge and language; its metric is replaced by the gate's. Decided from
    the interval of the difference over groups, that of a judge's metric as people's labels correct
    it for questions like these where they suffice: see `gate_verdict`. Raises UsageError for runs
    of different datasets and a metric without direction, NotFound for what there is not.
    """
    a, b = runs.get(db, name_a), runs.get(db, name_b)
    shared_taxonomy(db, [a, b])
    query = structs.replace(query, metric=gate.metric)
    key = query.key(db, a.id)
    higher = metric_spec(key.name, key.variant).higher_is_better
    if higher is None:
        raise UsageError(
            f"Metric {key.name!r} has no better and worse.",
            "Choose another metric.",
            "--fail-if-worse",
        )
    common = common_set([unit_scores(db, run, key, query.rows, query.cols) for run in (a, b)])
    settings = Settings()
    found = difference(common, higher, settings)
    unscored = _unscored(common.left_out)
    corrected = corrected_runs(db, a, b, key, {})
    if corrected is not None and corrected.overall.new.state != "ok":
        corrected = None
    return GateResult(
        gate_verdict(found, gate.margin, higher, unscored, corrected),
        key,
        gate.margin,
        higher,
        unscored,
        found,
        settings,
        query.lang or results.main_language(db, a.id),
        corrected,
    )


def gate_verdict(
    found: Difference,
    margin: float,
    higher_is_better: bool,
    unscored: int = 0,
    corrected: CorrectedDifference | None = None,
) -> GateVerdict:
    """The verdict on run a: it holds where the worse end of the interval is no worse than the
    margin (a is non-inferior to b), and is not met where the whole interval is worse.

    The interval is that of `corrected` where it is given, as wide as labels in conflict could make
    it. With fewer than `MIN_GROUPS` groups that differ the other one decides nothing; runs without
    any difference hold. With turns of b that a could not be scored on nothing holds either: what
    failed may be what is worse.
    """
    is_same = found.items > 0 and found.ties == found.items
    if is_same and (corrected is None or corrected.overall.difference == 0):
        verdict = GateVerdict.HOLDS
    else:
        ends = _ends(found) if corrected is None else _corrected_ends(corrected)
        if ends is None:
            return GateVerdict.UNDECIDED
        worst, best = ends if higher_is_better else (-ends[1], -ends[0])
        if best < -margin:
            return GateVerdict.NOT_MET
        verdict = GateVerdict.HOLDS if worst >= -margin else GateVerdict.UNDECIDED
    return GateVerdict.UNDECIDED if unscored else verdict


def _ends(found: Difference) -> tuple[float, float] | None:
    if found.low is None or found.high is None or found.groups_differing < MIN_GROUPS:
        return None
    return found.low, found.high


def _corrected_ends(corrected: CorrectedDifference) -> tuple[float, float] | None:
    low, high = corrected.overall.new.low, corrected.overall.new.high
    return corrected.bounds_new or (None if low is None or high is None else (low, high))


def _unscored(left_out: Mapping[tuple[TurnState, ...], int]) -> int:
    return sum(turns for (a, b), turns in left_out.items() if a in _UNSCORED and b is TurnState.OK)

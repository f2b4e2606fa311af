"""The labels of metrics and their values: names, groups, directions, numbers."""

from __future__ import annotations

from collections.abc import Sequence

from engine.metrics.spec import MetricSpec
from engine.results.metric_order import group_of, in_order, spec_of
from store.records import ScoreState
from store.runs.results import MetricKey
from tui.language import later, read, tr
from tui.widgets.matrix import short_value
from tui.widgets.row_source import Cell, Column, Row, widest

STATE_WORDS = {
    ScoreState.NA: later("n/a"),
    ScoreState.UNPARSED: later("unparsed"),
    ScoreState.OUT_OF_RANGE: later("out of range"),
    ScoreState.ERROR: later("error"),
    ScoreState.MISSING: later("missing"),
}

_LEAST_WIDTH = 18
_LEAST_GROUP, _MOST_GROUP = 12, 22


def metric_columns(keys: Sequence[MetricKey]) -> tuple[Column, ...]:
    """Returns the columns of the metric picker, wide enough for every name but the longest of
    judges."""
    groups = min(widest([read(group_of(key)) for key in keys]), _MOST_GROUP)
    return (
        Column("group", max(groups, _LEAST_GROUP)),
        Column("metric", max(widest([key.name for key in keys]), _LEAST_WIDTH)),
        Column("better", 7),
        Column("what it says", minimum=16, drop=1),
    )


def metric_id(key: MetricKey) -> str:
    """Returns the id of a metric within a run."""
    return f"{key.name} {key.variant} {key.judge_id}"


def metric_rows(keys: Sequence[MetricKey]) -> list[Row]:
    """Returns the rows of the metric picker; a group is named on its first line."""
    rows, last = [], ""
    for key in in_order(keys):
        spec, group = spec_of(key), read(group_of(key))
        shown = group if group != last else ""
        last = group
        cells = (Cell(shown, "muted"), Cell(key.name, "strong"), better(spec), tr(spec.description))
        rows.append(Row(metric_id(key), cells))
    return rows


def better(spec: MetricSpec) -> str:
    if spec.higher_is_better is None:
        return "-"
    return tr("higher") if spec.higher_is_better else tr("lower")


def direction(spec: MetricSpec) -> str:
    """`higher is better`, and how the scale is shown when that is not as stored."""
    words = {
        True: tr("higher is better"),
        False: tr("lower is better"),
        None: tr("neither high nor low is better"),
    }[spec.higher_is_better]
    if spec.values and spec.maximum != 1:
        words += tr("; 0 to {maximum:g} is shown as 0 to 1", maximum=spec.maximum)
    return words


def value_text(spec: MetricSpec, value: float) -> str:
    """A single value as stored: `1/2` on a stepped scale, `.71` on a continuous one, `76`."""
    if spec.values:
        return f"{value:g}/{spec.maximum:g}"
    return short_value(value) if spec.maximum is not None else f"{value:g}"


def score_text(spec: MetricSpec, value: float | None, state: ScoreState | None) -> str:
    """The value, or the state that says why there is none."""
    if value is not None:
        return value_text(spec, value)
    return tr("pending") if state is None else tr(STATE_WORDS.get(state, state.value))

"""The outcome of an experiment in words."""

from __future__ import annotations

from engine.experiments.outcome import ExperimentOutcome, Recommendation
from engine.experiments.ranking import ArmValue
from engine.statistics.inference import MIN_GROUPS, Difference
from store.messages import plural


def legend(result: ExperimentOutcome) -> str:
    """The meaning of the table's marks, and what is lacking for intervals and tests."""
    few = result.recommendations[0].few_groups if result.recommendations else None
    lacking = (
        f" The items of the test side fall into {plural(few, 'group')} (of one document, dialogue"
        f" or question), and intervals and tests need {MIN_GROUPS}: ?."
        if few
        else ""
    )
    return (
        f"{result.dataset}: chosen on {plural(result.train, 'item')} (train), figures of"
        f" {result.test:,} others (test), with 95 % intervals. *: chosen; =: not told apart from it"
        " (sign-flip test, Holm over the arms); front: no arm is at least as good, cheap and fast;"
        f" ms, tokens, cost: of one answer.{lacking}"
    )


def recommendation(one: Recommendation) -> str:
    """The arm to take for all items or a part of them, and on what grounds."""
    part = f"{one.by} {one.part}" if one.part is not None else "all items"
    head = f"{part}: {one.arm} ({one.metric} {one.train_mean:.3f}"
    if one.value is None:
        return f"{head} on train; not tried on test)"
    if one.few_groups:
        verdict = f"{plural(one.few_groups, 'group')}, too few to tell arms apart"
    else:
        others = plural(one.tied, "other arm") if one.tied else "no other arm"
        verdict = f"{others} not told apart from it"
    value = with_interval(one.value)
    if one.base is None or one.base.difference is None:
        return f"{head} on train, {value} on test, n = {one.items:,}; {verdict})"
    gap = _gap(one.base.difference)
    return (
        f"{head} on train, {value} on test, n = {one.items:,}; against the base {gap}; {verdict})"
    )


def _gap(gap: Difference) -> str:
    p = "" if gap.p_holm is None else f", {_p(gap.p_holm)}"
    ends = "" if gap.low is None else f" [{gap.low:+.3f}, {gap.high:+.3f}]"
    return f"{gap.difference or 0.0:+.3f}{ends}{p}"


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def mark(value: ArmValue, is_chosen: bool) -> str:
    """`*` for the chosen arm, `?` for one that too few groups can tell nothing of, `=` for one that
    is not told apart from it, else a space."""
    if is_chosen:
        return "*"
    return "?" if value.few_groups else "=" if value.is_tied else " "


def with_interval(value: ArmValue) -> str:
    """The mean with the ends of its interval."""
    ends = "" if value.low is None else f" [{value.low:.3f}, {value.high:.3f}]"
    return f"{value.mean:.3f}{ends}"

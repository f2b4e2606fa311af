"""The order in which the metrics of runs are offered, and the groups that they are shown in."""

from __future__ import annotations

from collections.abc import Sequence

from engine.metrics.spec import DEFAULT_CUTOFFS, MetricSpec, metric_names
from store.runs.results import MetricKey

PREFERRED = ("accuracy", "f1", "rougeL")
"""The metric that is shown first, where a run has it."""


def spec_of(key: MetricKey) -> MetricSpec:
    # imported only now: all methods of judging come with it, and a desk shows no metrics
    from engine.judge.registry import metric_spec

    return metric_spec(key.name, key.variant)


def first_metric(keys: Sequence[MetricKey]) -> MetricKey | None:
    """Returns the metric to show first; None if there is none."""
    for name in PREFERRED:
        for key in keys:
            if key.name == name and key.variant == "standard":
                return key
    return keys[0] if keys else None


def group_of(key: MetricKey) -> str:
    """`judge rules`, `text`, `ranking`, or the variant for any but the standard one."""
    if key.judge:
        return f"judge {key.judge}"
    return spec_of(key).family if key.variant == "standard" else key.variant


def in_order(keys: Sequence[MetricKey]) -> list[MetricKey]:
    """Sorts metrics: judges, text, ranking, then other variants; as in the catalogue within
    each."""
    from engine.judge.registry import judged_names

    families = ("judge", "text", "ranking")
    judged = judged_names()

    def place(key: MetricKey) -> tuple[object, ...]:
        family = "judge" if key.judge else spec_of(key).family
        names = judged if key.judge else metric_names(key.variant, None, _cutoffs(keys))
        at = names.index(key.name) if key.name in names else len(names)
        return (key.variant != "standard", key.variant, families.index(family), key.judge, at)

    return sorted(keys, key=place)


def _cutoffs(keys: Sequence[MetricKey]) -> tuple[int, ...]:
    cutoffs = {int(key.name.partition("@")[2]) for key in keys if "@" in key.name}
    return tuple(sorted(cutoffs | set(DEFAULT_CUTOFFS)))

"""The scale of one's own metrics, which is one for all: from 0 to 1, higher is better."""

from __future__ import annotations

from engine.metrics.spec import MetricSpec

PREFIX = "own_"
"""How the names of one's own metrics begin, so that none is taken for another metric."""


def own_spec(name: str) -> MetricSpec:
    """The spec of one's own metric of that name."""
    description = "by a function in a Python file of the workspace"
    return MetricSpec(
        *(name, "standard", "judge", 0.0, 1.0, True, (), description, "the workspace"),
        allows_na=True,
    )

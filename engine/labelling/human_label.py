"""The label that people give one metric of an answer together, as settled among its raters."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from store.labels import consensus
from store.labels.consensus import RaterValue, Settled
from store.labels.forms import NA, Value

LabelSource = Literal["adjudicated", "unanimous", "majority", "single", "not_applicable"]
"""The way in which people's value came about; the first that there is counts."""


class HumanLabel(Struct, frozen=True):
    """The settled value of one metric of an answer, and the raters behind it."""

    value: int | None
    """On the metric's scale; null where the metric does not apply."""
    source: LabelSource
    raters: tuple[RaterValue, ...]
    """Nobody for a metric that the form did not ask, because it cannot apply."""
    adjudicator: str = ""

    @property
    def name(self) -> str:
        """The value as text, `na` where the metric does not apply."""
        return NA if self.value is None else str(self.value)


def human_label(label: Settled) -> HumanLabel | None:
    """The value of the raters together: the ruling, else that of all, else that of more than half;
    None where raters differ and no value has most of them behind it."""
    if label.source != "conflict":
        assert label.value is not None, "it is settled"
        return HumanLabel(_value(label.value), label.source, label.raters, label.adjudicator)
    value = consensus.majority(label.raters)
    return None if value is None else HumanLabel(_value(value), "majority", label.raters)


def _value(value: Value) -> int | None:
    return None if value == NA else int(value)  # type: ignore[arg-type]

"""The value that people give an answer together."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from store.labels import consensus
from store.labels.consensus import RaterValue, Settled
from store.labels.forms import NA, Value

TruthSource = Literal["adjudicated", "unanimous", "majority", "single", "not_applicable"]
"""How people's value came about; the first that there is counts."""


class HumanLabel(Struct, frozen=True):
    """What holds of one metric of an answer."""

    value: int | None
    """On the metric's scale; null where the metric does not apply."""
    source: TruthSource
    raters: tuple[RaterValue, ...]
    """Nobody for a metric that the form did not ask, because it cannot apply."""
    adjudicator: str = ""

    @property
    def name(self) -> str:
        """The value as text, `na` where the metric does not apply."""
        return NA if self.value is None else str(self.value)


def human_label(one: Settled) -> HumanLabel | None:
    """What raters say together: the ruling, else what all say, else what more than half say."""
    if one.source != "conflict":
        assert one.value is not None, "it is settled"
        return HumanLabel(_value(one.value), one.source, one.raters, one.adjudicator)
    value = consensus.majority(one.raters)
    return None if value is None else HumanLabel(_value(value), "majority", one.raters)


def _value(value: Value) -> int | None:
    return None if value == NA else int(value)  # type: ignore[arg-type]

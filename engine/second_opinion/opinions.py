"""What other libraries make of a run's values: where they differ most, and what they cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from store.messages import plural
from store.runs.results import MetricKey

TOLERANCE = 1e-9
"""Values as near as this are equal: libraries add in another order."""


class NotCheckable(Exception):
    """A library can say nothing of a run, for the reason given."""


class Value(NamedTuple):
    """A value of ours beside that of a library."""

    metric: str
    variant: str
    """Empty for what is no metric, such as a retriever's scores."""
    place: str
    """The turn that it is of."""
    ours: float
    theirs: float | None
    why: str = ""
    """Why the library has none, or one of another definition, where `theirs` is null."""


class MetricOpinion(Struct, frozen=True):
    """A metric as a library gives it, over all values that were compared."""

    metric: str
    variant: str
    values: int
    different: int
    """Those further apart than `TOLERANCE`."""
    largest: float
    """The largest difference, and where it is."""
    place: str
    ours: float
    theirs: float

    @property
    def name(self) -> str:
        """As the run's metrics are labelled."""
        return MetricKey(self.metric, self.variant).label


class LibraryOpinion(Struct, frozen=True):
    """The opinion of one library."""

    library: str
    version: str
    metrics: tuple[MetricOpinion, ...]
    left_out: dict[str, int]
    """How many values were not compared, by reason."""
    problem: str = ""
    """Why the library could say nothing at all."""

    @property
    def values(self) -> int:
        return sum(one.values for one in self.metrics)

    @property
    def different(self) -> int:
        return sum(one.different for one in self.metrics)

    @property
    def sentence(self) -> str:
        """The opinion in short: how many values differ, and where most."""
        if self.problem or not self.metrics:
            return f"{self.library}: {self.problem or 'nothing to compare'}"
        of = f"{plural(self.values, 'value')} of {plural(len(self.metrics), 'metric')}"
        if not self.different:
            return f"{self.library} {self.version}: {of}, all equal"
        most = max(self.metrics, key=lambda one: one.largest)
        return (
            f"{self.library} {self.version}: {of}, {self.different:,} different, most"
            f" {most.name} of {most.place}: {most.ours:.6g}, there {most.theirs:.6g}"
        )


def tally(library: str, version: str, values: Iterable[Value]) -> LibraryOpinion:
    """The opinion that values come to; metrics in the order in which they first appear."""
    compared: dict[tuple[str, str], MetricOpinion] = {}
    left_out: Counter[str] = Counter()
    for metric, variant, place, ours, theirs, why in values:
        if theirs is None:
            left_out[why] += 1
            continue
        gap = abs(ours - theirs)
        before = compared.get((variant, metric))
        if before is None or gap > before.largest:
            at = (gap, place, ours, theirs)
        else:
            at = (before.largest, before.place, before.ours, before.theirs)
        count, different = (before.values, before.different) if before else (0, 0)
        compared[variant, metric] = MetricOpinion(
            metric, variant, count + 1, different + (gap > TOLERANCE), *at
        )
    return LibraryOpinion(library, version, tuple(compared.values()), dict(left_out))

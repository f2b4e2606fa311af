"""What other libraries make of a run's values: where they differ most, and what they cannot say."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec import Struct

from store.jobs import jobs
from store.runs.results import MetricKey

TOLERANCE = 1e-9
"""Values as near as this are equal: libraries add in another order."""

EVENT = "opinion"
"""The kind of the job's events that hold a library's opinion each."""


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
    def different(self) -> int:
        return sum(one.different for one in self.metrics)


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


def stored_opinions(db: sqlite3.Connection, job_id: int) -> tuple[LibraryOpinion, ...]:
    """The opinions that a job has stored so far, in its order."""
    return tuple(
        msgspec.json.decode(event.text, type=LibraryOpinion)
        for event in jobs.events(db, job_id)
        if event.kind == EVENT
    )

"""The agreement of raters on a form; these records import no numpy, since screens hold them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from engine.statistics.agreement.statistic import Statistic
from store.labels.forms import Value

Part = Literal["applicability", "value"]
By = Literal["metric", "cell", "topic", "task", "pair"]

POOLED = "pooled"
"""The row over all fields, as OmniEval's Table 3: unweighted, `na` a value like the others."""
VERDICT = "verdict"
"""What a rater's value decides about an item: accept, discard or correct."""
AGAIN = "(again)"
"""Stands behind the name of a rater who labelled a hidden repeat."""


class PairTable(Struct, frozen=True):
    """How often one rater gave each value (rows) where the other gave each (columns)."""

    raters: tuple[str, str]
    counts: tuple[tuple[int, ...], ...]


class Agreement(Struct, frozen=True):
    """How far raters agree on one field; see docs/agreement.md."""

    group: str
    """The cell, topic or task; both names of a pair; the rater of a self-consistency; else empty.
    """
    field: str
    part: Part
    raters: tuple[str, ...]
    n: int
    """Subjects with values of two raters or more; for values, of two who find it applicable."""
    groups: int
    """Groups that these subjects form, which the intervals resample."""
    values: tuple[Value, ...]
    """Legal values in their order."""
    statistics: dict[str, Statistic]
    base_rates: dict[str, tuple[int, ...]]
    """How often each rater gave each value, over the n subjects."""
    tables: tuple[PairTable, ...]


class RaterAgreement(Struct, frozen=True):
    """All figures on the agreement of a form's raters."""

    raters: tuple[str, ...]
    rows: tuple[Agreement, ...]
    """Those that have a subject."""
    again: tuple[Agreement, ...]
    """Each rater against the same rater's hidden repeats."""
    after_reveal: int
    """Subjects that were labelled after looking at what the form hides, counted by rater."""
    with_aids: int
    """Subjects that were labelled with the comparison to the golden answer in sight, likewise."""
    subjects: int
    """Subjects that somebody has completed, hidden repeats apart."""
    shared: int
    """Those that two raters or more have completed."""
    conflicts: int
    """Fields of these subjects on which raters differ and nobody has ruled."""

"""An export before and after it is written; light, since screens hold these records."""

from __future__ import annotations

from msgspec import Struct

from store.formats.manifest import Manifest

FOLLOWING = "rows that follow from the records"
"""Ends the name of a count that is there to be checked, and says nothing new to a reader."""


class Preview(Struct, frozen=True):
    """Counts as the manifest of the export will have them; what is left out, by reason."""

    counts: dict[str, int]
    by_status: dict[str, int]
    left_out: dict[str, int]
    notes: tuple[str, ...] = ()
    problem: str = ""
    """Why nothing can be exported; empty when something can."""


class Verified(Struct, frozen=True):
    """A folder compared with its manifest."""

    manifest: Manifest
    problems: tuple[str, ...]

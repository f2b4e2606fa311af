"""What a reader must know about a matrix beside its numbers."""

from __future__ import annotations

from msgspec import Struct

from store.records import Lang


class Caption(Struct, frozen=True):
    """The title of a matrix and the language of the words around it."""

    run: str
    system: str
    dataset: str
    """Label of the release, `NAME@V`."""
    metric: str
    """Name of the metric, with its variant unless that is `standard`."""
    judge: str = ""
    """Empty for a metric that needs no judge."""
    baseline: bool = False
    """Whether to call the system a baseline."""
    notes: tuple[str, ...] = ()
    """Further sentences for the reader, printed below the matrix."""
    lang: Lang = "en"
    """Of the words around the numbers; the axes bring their own labels."""

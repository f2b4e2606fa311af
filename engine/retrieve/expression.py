"""A retriever as it is written: one name, or a weighted fusion of several."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from store.errors import UsageError

FUSION = "hybrid:"


class WeightedRetriever(Struct, frozen=True):
    """A retriever that takes part in a fusion, with the weight of its ranks."""

    name: str
    weight: float = 1.0


def read_expression(written: str) -> tuple[WeightedRetriever, ...]:
    """The sides of `hybrid:bm25+NAME*0.5`, or the one side of a plain name.

    Sides are joined by `+`; a weight follows its name after `*` and is 1 when left out. Raises
    `UsageError` for a fusion of fewer than two, a name that occurs twice and a weight that is
    not a number above 0.
    """
    if not written.startswith(FUSION):
        return (WeightedRetriever(written),)
    sides = tuple(_read_side(part, written) for part in written[len(FUSION) :].split("+"))
    names = [side.name for side in sides]
    if len(sides) < 2:
        raise UsageError(
            f"{written!r} joins only one retriever.", f"Write {FUSION}bm25+NAME, or the name alone."
        )
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{written!r} names {name!r} twice.", f"Give it a weight: {name}*2.")
    return sides


def write_expression(sides: Sequence[WeightedRetriever]) -> str:
    """The retriever that `read_expression` reads as these sides, of which there is one or more."""
    if len(sides) == 1:
        return sides[0].name
    return FUSION + "+".join(f"{side.name}*{side.weight:g}" for side in sides)


def _read_side(part: str, written: str) -> WeightedRetriever:
    name, star, weight = (piece.strip() for piece in part.partition("*"))
    if not name:
        raise UsageError(f"{written!r} has an empty name.", f"Write it like {FUSION}bm25+NAME*0.5.")
    try:
        value = float(weight) if star else 1.0
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise UsageError(
            f"{written!r} gives {name!r} the weight {weight!r}.", "Use a number above 0."
        )
    return WeightedRetriever(name, value)

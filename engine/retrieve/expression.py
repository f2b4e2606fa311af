"""A retriever as it is written: one name, or several that are joined."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct

from engine.retrieve.fusion import FUSIONS
from store.errors import UsageError

JOINS: dict[str, Callable[[float], float]] = {
    "concat": lambda weight: weight * weight,
    "cosines": lambda weight: weight,
}
"""The factor of a model's cosine by its weight: `concat` joins the vectors a * q / |q| end to end,
as equation 9 of EKRAG is printed, so that a weight counts twice; `cosines` sums a * cos."""

JOINING = (*FUSIONS, *JOINS)
"""The ways to join retrievers, as they stand before a colon."""


class WeightedRetriever(Struct, frozen=True):
    """A retriever that is joined with others, with its weight."""

    name: str
    weight: float = 1.0


class Expression(Struct, frozen=True):
    """The sides of a retriever, and how they are joined."""

    sides: tuple[WeightedRetriever, ...]
    joined: str = ""
    """One of JOINING; empty for a single side."""

    def __str__(self) -> str:
        if not self.joined:
            return self.sides[0].name
        sides = (
            side.name if side.weight == 1 else f"{side.name}*{side.weight!r}" for side in self.sides
        )
        return f"{self.joined}:{'+'.join(sides)}"


def read_expression(written: str) -> Expression:
    """The sides of `hybrid:bm25+NAME*0.5`, or the one side of a plain name.

    Sides are joined by `+`; a weight follows its name after `*` and is 1 when left out. Raises
    `UsageError` for a join of fewer than two, a name that occurs twice and a weight that is
    not a number above 0.
    """
    joined, colon, listed = written.partition(":")
    if not colon or joined not in JOINING:
        return Expression((WeightedRetriever(written),))
    sides = tuple(_read_side(part, written, joined) for part in listed.split("+"))
    names = [side.name for side in sides]
    if len(sides) < 2:
        raise UsageError(
            f"{written!r} joins only one retriever.",
            f"Write {joined}:{names[0]}+NAME, or the name alone.",
        )
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{written!r} names {name!r} twice.", f"Give it a weight: {name}*2.")
    return Expression(sides, joined)


def _read_side(part: str, written: str, joined: str) -> WeightedRetriever:
    name, star, weight = (piece.strip() for piece in part.partition("*"))
    if not name:
        raise UsageError(
            f"{written!r} has an empty name.", f"Write it like {joined}:bm25+NAME*0.5."
        )
    try:
        value = float(weight) if star else 1.0
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise UsageError(
            f"{written!r} gives {name!r} the weight {weight!r}.", "Use a number above 0."
        )
    return WeightedRetriever(name, value)

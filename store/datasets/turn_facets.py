"""Facets that say something of each turn, in the one text that a facet can be."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


def join(values: Sequence[str]) -> str:
    """The text of a single turn as it is; of several turns a JSON list, one entry a turn."""
    return values[0] if len(values) == 1 else msgspec.json.encode(list(values)).decode()


def split(text: object, turns: int) -> list[str]:
    """What `join` was given; the text for every turn where it is no such list."""
    if not isinstance(text, str):
        return [""] * turns
    if turns > 1:
        try:
            values = msgspec.json.decode(text, type=list[str])
        except msgspec.DecodeError:
            values = []
        if len(values) == turns:
            return values
    return [text] * turns

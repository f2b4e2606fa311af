"""Templates of requests to systems of one's own: JSON whose texts hold slots, as `{question}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from store.errors import InputError
from store.messages import choices

SLOTS = ("question", "history", "messages", "lang", "top_k", "hidden")
_TEXTS = ("question", "lang")
_SLOT = re.compile(r"\{([a-z_]+)\}")


def check_template(template: Mapping[str, Any], place: str) -> None:
    """Raises InputError for a slot that there is not, for a list in the midst of a text, and where
    the question is said nowhere."""
    asks = False
    for text in _texts(template):
        for name in _SLOT.findall(text):
            if name not in SLOTS:
                raise InputError(
                    f"{place} has the unknown slot {{{name}}}.", choices(name, SLOTS, "Slots")
                )
            if name not in _TEXTS and text != f"{{{name}}}":
                raise InputError(
                    f"{place} has {{{name}}} within a text.",
                    "It is a value of its own: let it be the whole text.",
                )
            asks = asks or name in ("question", "messages")
    if not asks:
        raise InputError(f"{place} has no slot {{question}}.", "Say where the question goes.")


def filled(value: Any, values: Mapping[str, Any]) -> Any:
    """A checked template with a value in the place of each slot."""
    if isinstance(value, Mapping):
        return {key: filled(inner, values) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, values) for inner in value]
    if not isinstance(value, str):
        return value
    whole = _SLOT.fullmatch(value)
    if whole is not None:
        return values[whole[1]]
    return _SLOT.sub(lambda slot: str(values[slot[1]]), value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value

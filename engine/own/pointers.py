"""JSON pointers (RFC 6901): the places of values in a reply."""

from __future__ import annotations

from typing import Any

from store.errors import InputError

MISSING = object()


def check_pointer(pointer: str, place: str) -> None:
    """Raises InputError for what is no JSON pointer; the empty one is the whole reply."""
    bad = pointer.replace("~0", "").replace("~1", "")
    if (pointer and not pointer.startswith("/")) or "~" in bad:
        raise InputError(
            f"{place} is {pointer!r}, which is no JSON pointer.",
            "Write a / before each key, as /result/documents; ~1 is a / in a key, ~0 a ~.",
        )


def value_at(value: Any, pointer: str) -> Any:
    """The value that a JSON pointer names in `value`; MISSING where there is none."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and _is_index(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) < 10 and (key == "0" or key[0] != "0")

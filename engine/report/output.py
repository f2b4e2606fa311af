"""Rendered results as one JSON document."""

from __future__ import annotations

from typing import Any


def json_text(value: Any) -> str:
    """One JSON document; `value` is anything msgspec encodes."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"

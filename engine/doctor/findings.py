"""A finding of the examination, with its state and its remedy."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Area = Literal["installation", "workspace", "host", "terminal", "providers"]
State = Literal["ok", "note", "broken"]
"""`note` is worth knowing and may be meant; `broken` keeps something from working."""


class Finding(Struct, frozen=True):
    area: Area
    name: str
    state: State
    detail: str
    remedy: str = ""


def size(count: int) -> str:
    """Bytes in a readable unit: `3.2 GB`."""
    amount = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"

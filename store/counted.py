"""Numbers with the word for what they count."""

from __future__ import annotations


def counted(number: int, name: str, plural: str = "") -> str:
    """`1 item`, `1,200 items`; `plural` for a name that takes more than an s."""
    return f"{number:,} {name if number == 1 else plural or f'{name}s'}"

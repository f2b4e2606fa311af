"""Rendered results as one JSON document."""

from __future__ import annotations

import re
from typing import Any

_CONTROLS = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What JSON allows as it is and a terminal obeys; it stands within strings only."""


def json_text(value: Any) -> str:
    """One JSON document; `value` is anything msgspec encodes."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"
    return _CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", text)

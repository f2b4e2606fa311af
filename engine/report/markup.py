"""Text made safe for XML and HTML."""

from __future__ import annotations

import re
from html import escape

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """The text for an element or a quoted attribute.

    Characters that XML forbids become U+FFFD; marks that reverse the direction of what follows
    are left out.
    """
    return escape(_ILLEGAL.sub("\ufffd", _BIDI.sub("", text)), quote=True)

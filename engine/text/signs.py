"""Tells whether only ASCII signs may be drawn on this terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping

ASCII_VARIABLE = "RAGDESK_ASCII"
"""Set to anything but empty or 0, only ASCII signs are drawn (`ragdesk --ascii`)."""


def draws_ascii(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether only ASCII signs may be drawn."""
    return environ.get(ASCII_VARIABLE, "") not in ("", "0")

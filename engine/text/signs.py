"""Tells whether only ASCII signs may be drawn on this terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping

ASCII_VARIABLE = "RAGDESK_ASCII"
"""Set to anything but empty or 0, only ASCII signs are drawn (`ragdesk --ascii`)."""


def draws_ascii(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether only ASCII signs may be drawn: as the variable says, else on the console of Linux,
    whose font has few others."""
    chosen = environ.get(ASCII_VARIABLE, "")
    return chosen != "0" if chosen else environ.get("TERM") == "linux"

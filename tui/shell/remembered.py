"""The choices of a person that the app remembers on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from store.errors import InputError
from store.files import write_whole


class Remembered(msgspec.Struct):
    """The remembered choices; a missing or malformed entry counts as not remembered."""

    auto_advance: dict[str, bool] = {}
    """By form: whether the next subject comes by itself once the form is complete."""


def state_file(environ: Mapping[str, str] = os.environ) -> Path:
    base = environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "ragdesk" / "remembered.json"


def recall(environ: Mapping[str, str] = os.environ) -> Remembered:
    """Reads the file; empty if it is absent, unreadable or broken."""
    try:
        return msgspec.json.decode(state_file(environ).read_bytes(), type=Remembered)
    except (OSError, msgspec.DecodeError):
        return Remembered()


def remember(what: Remembered, environ: Mapping[str, str] = os.environ) -> bool:
    """Replaces the file; returns False if that fails, which only loses the remembered choices."""
    file = state_file(environ)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(msgspec.json.encode(what).decode(), file, force=True)
    except (OSError, InputError):
        return False
    return True

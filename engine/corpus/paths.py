"""Paths of files as text that any file can hold.

A file name is bytes. Those that are not UTF-8, such as the names in GBK that an archive from
Windows unpacks to, are written as `\\xd5`, and a backslash that would read as such an escape as
`\\x5c`, so that two files never have one text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_LIKE_ESCAPE = re.compile(rb"\\(?=x[0-9a-fA-F]{2})")
_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")


def path_text(path: str | Path) -> str:
    """The path as text; a path in UTF-8 is itself unless it holds what looks like an escape."""
    return _LIKE_ESCAPE.sub(rb"\\x5c", os.fsencode(path)).decode("utf-8", "backslashreplace")


def path_of(text: str) -> Path:
    """The path that `path_text` wrote."""
    escaped = text.encode("utf-8", "surrogateescape")
    name = _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), escaped)
    return Path(os.fsdecode(name))


def former_text(path: Path) -> str:
    """The path as it was once written: bytes that are not UTF-8 as U+FFFD, whichever they are."""
    return os.fsencode(path).decode("utf-8", errors="replace")

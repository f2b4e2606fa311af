"""What can be copied, and the sequence that gives it to the terminal's clipboard (OSC 52)."""

from __future__ import annotations

import base64
import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from tui.language import later, tr

LIMIT = 74_994
"""Bytes of text in one sequence. In base64 that makes the 100,000 bytes which terminals take."""

IN_TMUX = later("In tmux this needs:  set -g set-clipboard on  (or allow-passthrough on)")


class Copyable(NamedTuple):
    """Something on the screen that a person may want elsewhere."""

    what: str
    """One or two words: `question`, `command`."""
    text: Callable[[], str]
    preview: str
    """Its beginning, or how much it is."""
    is_table: bool = False
    """Whether it is tab-separated values."""


@runtime_checkable
class HasCopies(Protocol):
    """A widget or screen that can say what there is to copy, first what the cursor is on."""

    def copies(self) -> Iterable[Copyable]: ...


def copyable(what: str, text: str) -> Copyable:
    """A text that is at hand."""
    return Copyable(what, lambda: text, " ".join(text[:200].split()))


def table(what: str, rows: int, text: Callable[[], str]) -> Copyable:
    """Tab-separated values, which are written when they are asked for."""
    preview = tr("{number:,} rows, tab-separated", number=rows)
    return Copyable(what, text, preview, is_table=True)


def command(folder: Path, words: Sequence[str]) -> str:
    """The command line of some words for the workspace in `folder`."""
    return shlex.join(["ragdesk", "--workspace", str(folder), *words])


def tsv(rows: Iterable[Iterable[str]]) -> str:
    """Lines of tab-separated values; tabs and line breaks in a value become blanks."""
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)


def cut(text: str) -> str:
    """As much of a text as one sequence may hold, in whole characters."""
    return text.encode()[:LIMIT].decode(errors="ignore")


def sequence(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """What a terminal puts `text`, of at most `LIMIT` bytes, into its clipboard by.

    Within tmux it is sent twice: tmux takes the first with `set-clipboard on`, and hands the
    second on to its terminal with `allow-passthrough on`. Either sets the same text.
    """
    plain = f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"
    if not environ.get("TMUX"):
        return plain
    return plain + "\x1bPtmux;" + plain.replace("\x1b", "\x1b\x1b") + "\x1b\\"

"""What a command prints: results on stdout, messages and progress on stderr."""

from __future__ import annotations

import argparse
import getpass
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from store.errors import WorkspaceError
from tui.whole_file import write_whole


def say(message: str) -> None:
    """A message to the person, never part of the result."""
    print(message, file=sys.stderr, flush=True)


def json_text(value: Any) -> str:
    """One JSON document; `value` is anything msgspec encodes."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def print_json(value: Any) -> None:
    sys.stdout.write(json_text(value))


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns aligned by cells, so that wide characters line up; numbers are right-aligned."""
    from tui.wrap import cell_width

    lines = [list(header), *[list(row) for row in rows]]
    widths = [max(cell_width(line[column]) for line in lines) for column in range(len(header))]
    numeric = [
        bool(rows) and all(_is_number(row[column]) for row in rows) for column in range(len(header))
    ]
    for line in lines:
        cells = [
            " " * (width - cell_width(text)) + text
            if right
            else text + " " * (width - cell_width(text))
            for text, width, right in zip(line, widths, numeric, strict=True)
        ]
        print("  ".join(cells).rstrip())


def write_result(text: str, out: Path | None) -> None:
    """Prints the result, or writes it to `out`, whole or not at all."""
    if out is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    write_whole(text, out)
    say(f"Wrote {out}.")


def rater(arguments: argparse.Namespace) -> str:
    """Who is at work: --rater, $RAGDESK_RATER, else the user's name."""
    if arguments.rater:
        return str(arguments.rater)
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise WorkspaceError("Your user name is unknown.", "Give --rater NAME.") from error


class ProgressLine:
    """A line on stderr that overwrites itself on a terminal, and speaks seldom into a file."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._shown = ""
        self._said = 0.0

    def show(self, text: str) -> None:
        if text == self._shown:
            return
        now = time.monotonic()
        if self._terminal:
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
        elif now - self._said >= 10.0:
            say(text)
            self._said = now
        self._shown = text

    def end(self, text: str = "") -> None:
        """Replaces the line by a last word, or clears it."""
        if self._terminal and self._shown:
            sys.stderr.write("\r\x1b[2K")
        if text:
            say(text)


def _is_number(text: str) -> bool:
    stripped = text.replace(",", "").replace(".", "").replace("%", "").strip("+-· ")
    return stripped.isdigit() or not stripped

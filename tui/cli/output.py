"""What a command prints: results on stdout, messages and progress on stderr."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.report.output import json_text, write_whole
from store.errors import WorkspaceError

NARROWEST = 40
"""A narrower terminal gets lines of so many cells."""


def say(message: str) -> None:
    """A message to the person, never part of the result."""
    print(message, file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    sys.stdout.write(json_text(value))


def terminal_width() -> int | None:
    """Columns of the terminal that results go to; None where they go elsewhere, and are not cut."""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return None
    # some programs open a terminal without saying how wide it is
    return max(columns, NARROWEST) if columns else None


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, keys: int = 1, grouped: bool = False
) -> None:
    """Columns aligned by cells, no wider than the terminal; in a pipe nothing is cut.

    The first `keys` columns say what a row is about; see `table_lines` for what gives way.
    """
    from engine.report.text_table import table_lines

    for line in table_lines(header, rows, width=terminal_width(), keys=keys, grouped=grouped):
        print(line)


def print_text(text: str, *, indent: int = 0) -> None:
    """Paragraphs, broken between words where they are wider than the terminal; further lines are
    indented."""
    from engine.report.text_table import sentence_lines

    for paragraph in text.splitlines() or [""]:
        for line in sentence_lines(paragraph, terminal_width(), indent=indent):
            print(line)


def write_result(text: str, out: Path | None) -> None:
    """Prints the result, or writes it to `out`, whole or not at all."""
    if out is None:
        sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")
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
        self._last = ""

    def show(self, text: str) -> None:
        if text == self._shown:
            return
        now = time.monotonic()
        if self._terminal:
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
        elif now - self._said >= 10.0:
            say(text)
            self._said, self._last = now, text
        self._shown = text

    def end(self, text: str = "") -> None:
        """Replaces the line by a last word, or clears it; says nothing a second time."""
        if self._terminal and self._shown:
            sys.stderr.write("\r\x1b[2K")
        if text and text != self._last:
            say(text)

"""The printing of results to standard output, and of messages to standard error."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tui.cli.streams import Guarded
from tui.language import language, later, read, tr

if TYPE_CHECKING:
    from engine.report.sheets import Sheet

T = TypeVar("T", contravariant=True)

NARROWEST = 40
"""A narrower terminal gets lines of so many cells."""


class Render(Protocol[T]):
    """A function of `engine.report` that turns a result into one of its formats."""

    def __call__(self, result: T, kind: str, /, *, width: int | None = None) -> str: ...


def print_line(english: str, /, **given: object) -> None:
    """Prints a line in the language of the interface, with each `{name}` filled from `given`."""
    print(tr(english, **given))


def tell(english: str, /, **given: object) -> None:
    """Prints a message to standard error, otherwise as `print_line`."""
    say(tr(english, **given))


def say(message: str) -> None:
    """Prints a message to standard error as it is."""
    print(message, file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    from engine.report.output import json_text

    sys.stdout.write(json_text(value))


def show(arguments: argparse.Namespace, value: Any, *lines: str) -> int:
    """Prints a result, as JSON or as lines; returns the exit code."""
    if arguments.json:
        print_json(value)
    else:
        for line in lines:
            print(line)
    return 0


def show_table(
    arguments: argparse.Namespace,
    value: Any,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    keys: int = 1,
    empty: str = "",
) -> int:
    """Prints a result, as JSON or as a table; `empty` says on standard error that a table would
    have no row. Returns the exit code."""
    if arguments.json:
        print_json(value)
    elif rows or not empty:
        print_table(header, rows, keys=keys)
    else:
        say(empty)
    return 0


def say_first(lines: Sequence[str], shown: int, rest: str) -> None:
    """Prints so many messages; of further ones only their number, in the braces of `rest`."""
    for line in lines[:shown]:
        say(line)
    if len(lines) > shown:
        say(rest.format(f"{len(lines) - shown:,}"))


def terminal_width() -> int | None:
    """Returns the columns of the terminal on standard output; None if it is not a terminal."""
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

    The headings are English texts. The first `keys` columns say what a row is about; see
    `table_lines` for what gives way.
    """
    from engine.report.text_table import table_lines

    heads = [tr(head) for head in header]
    for line in table_lines(heads, rows, width=terminal_width(), keys=keys, grouped=grouped):
        print(line)


def print_list(
    arguments: argparse.Namespace,
    name: str,
    rows: Sequence[dict[str, object]],
    columns: Sequence[str],
    *,
    empty: str,
) -> int:
    """Prints what a workspace holds of one kind, as JSON under `name` or as a table; `empty` where
    there is nothing. With --all a column says what is archived. Returns the exit code."""
    columns = [*columns, later("archived")] if arguments.all else columns
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    return show_table(arguments, {name: rows}, columns, cells, empty=empty)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return tr("archived") if value else ""
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_text(text: str, *, indent: int = 0) -> None:
    """Paragraphs, broken between words where they are wider than the terminal; further lines are
    indented."""
    from engine.report.text_table import paragraph_lines

    for paragraph in text.splitlines() or [""]:
        for line in paragraph_lines(paragraph, terminal_width(), indent=indent):
            print(line)


def write_result(arguments: argparse.Namespace, text: str) -> None:
    """Prints the result, or writes it to the file that --out names, whole or not at all."""
    out: Path | None = arguments.out
    if out is None:
        sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")
        return
    from store.files import write_whole

    write_whole(text, out, force=arguments.force)
    tell("Wrote {out}.", out=out)


_ROWS = (later("all"), later("initial"), later("hardest"))
"""Rows that are called by words of the program."""
_ABOVE = later("{number} to more")
"""The head of the bin above all others."""


def said(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Returns sheets with their texts in the language of the interface."""
    from msgspec import structs

    return [
        structs.replace(
            sheet,
            title=read(sheet.title),
            head=tuple(map(tr, sheet.head)),
            notes=tuple(map(read, sheet.notes)),
            rows=tuple((_said_name(sheet.head[0], first), *rest) for first, *rest in sheet.rows),
        )
        for sheet in sheets
    ]


def _said_name(head: str, name: str) -> str:
    return read(name) if head == "reason" or name in _ROWS else name


def write_sheets(
    arguments: argparse.Namespace, value: object, title: str, sheets: Sequence[Sheet]
) -> None:
    """Writes tables by --json, which gives `value`, --format (text, csv or html) and --out;
    `title` is that of a page."""
    from engine.report import sheets as rendered

    if arguments.json:
        print_json(value)
    elif arguments.format == "html":
        write_result(arguments, rendered.html(title, said(sheets), language()))
    elif arguments.format == "csv":
        write_result(arguments, rendered.csv(sheets))
    else:
        width = terminal_width() if arguments.out is None else None
        write_result(arguments, rendered.text(said(sheets), width=width))


def write_rendered(arguments: argparse.Namespace, render: Render[T], result: T) -> None:
    """Writes a result by --json, --format and --out; text that goes to a file is not cut."""
    kind = "json" if arguments.json else arguments.format
    width = terminal_width() if arguments.out is None else None
    write_result(arguments, render(result, kind, width=width))


class ProgressLine:
    """A line on standard error that is overwritten on a terminal, and printed rarely to a file."""

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
            self._empty()
            sys.stderr.write(text)
            sys.stderr.flush()
        elif now - self._said >= 10.0:
            say(text)
            self._said, self._last = now, text
        self._shown = text

    @staticmethod
    def _empty() -> None:
        if isinstance(sys.stderr, Guarded):
            sys.stderr.empty_line()

    def end(self, text: str = "") -> None:
        """Replaces the line by a last text, or clears it; a second call does nothing."""
        if self._terminal and self._shown:
            self._empty()
        if text and text != self._last:
            say(text)

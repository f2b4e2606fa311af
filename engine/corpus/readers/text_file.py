"""Reads a text or Markdown file as one document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions, with_warning
from engine.corpus.readers.whole_file import read_text
from store.records import Source

_TOP_HEADING = re.compile(r"^# +(\S.*)$", re.MULTILINE)
_FENCED_CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields a plain text, titled by its file name."""
    text, _, warning = read_text(path)
    yield with_warning(ReadDocument(text, Source(given, title=path.stem)), warning)


def read_markdown(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields a Markdown text, titled by its first top heading, else by its file name."""
    text, _, warning = read_text(path)
    title = heading(text) or path.stem
    yield with_warning(ReadDocument(text, Source(given, title=title)), warning)


def heading(text: str) -> str:
    """The first `# ` heading outside fenced code; empty when there is none."""
    # in fenced code a line that begins with # is a comment
    match = _TOP_HEADING.search(_FENCED_CODE.sub("", text))
    title = match.group(1).rstrip() if match else ""
    # signs at the end close the heading where a space stands before them
    closed = title.rstrip("#")
    return closed.rstrip() if closed.endswith(" ") else title

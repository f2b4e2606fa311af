"""Reads a Markdown file as one document, titled by its first top heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions
from engine.corpus.readers.whole_file import read_text
from store.records import Source

_TOP_HEADING = re.compile(r"^# +(.+?)(?: +#+)?\s*$", re.MULTILINE)
_FENCED_CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    decoded = read_text(path)
    warnings = (decoded.warning,) if decoded.warning else ()
    title = heading(decoded.text) or path.stem
    yield ReadDocument(decoded.text, Source(given, title=title), warnings=warnings)


def heading(text: str) -> str:
    """The first `# ` heading outside fenced code; empty when there is none."""
    # in fenced code a line that begins with # is a comment
    match = _TOP_HEADING.search(_FENCED_CODE.sub("", text))
    return match.group(1) if match else ""

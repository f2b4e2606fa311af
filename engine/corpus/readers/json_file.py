"""Reads JSON files: one object or a list of documents, or in JSONL one document for each line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from engine.corpus.decoding import decode
from engine.corpus.readers.contract import (
    LARGEST_DOCUMENT,
    Read,
    ReadOptions,
    Refusal,
    with_warning,
)
from engine.corpus.readers.json_record import to_document
from engine.corpus.readers.whole_file import HEAD, read_text, refuse_binary
from store.errors import InputError

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields the documents; members of a list are located as `item 1`, `item 2`, ..."""
    decoded = read_text(path)
    value = parse(decoded.text)
    members = enumerate(value, start=1) if isinstance(value, list) else [(0, value)]
    for number, member in members:
        document = to_document(member, given, f"item {number}" if number else "", options)
        yield with_warning(document, decoded.warning)


def read_lines(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields a document, or a refusal, for each line of a JSONL file, located as `line N` from 1,
    in constant memory."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        refuse_binary(head)
        if head.startswith(_UTF16_MARKS):
            raise InputError("the file is UTF-16;", "save it as UTF-8")
        file.seek(0)
        for number, line in _lines(file):
            if line is None:
                reason = f"the line is longer than {LARGEST_DOCUMENT:,} bytes"
                yield Refusal(given, f"line {number}", reason)
            elif line.strip():
                yield _document(line, given, f"line {number}", options)


def _document(line: bytes, given: str, locator: str, options: ReadOptions) -> Read:
    # each line is decoded by itself, so that bytes broken in one say nothing about the others
    text, _, warning = decode(line)
    try:
        return with_warning(to_document(parse(text), given, locator, options), warning)
    except InputError as error:
        return Refusal(given, locator, str(error))


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Lines with their numbers from 1; null for one that is too large to hold."""
    number = 0
    while line := file.readline(LARGEST_DOCUMENT + 1):
        number += 1
        if len(line) <= LARGEST_DOCUMENT:
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(LARGEST_DOCUMENT)
        yield number, None


def parse(text: str) -> Any:
    """The value of `text`. Raises InputError with the place of the error.

    The fast parser goes first; the standard one is asked about what that refuses, since it takes
    `NaN` and lone surrogates, which real files hold, and names the line of a fault.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        pass
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text else ""
        place = f"{line}column {error.colno}"
        raise InputError(f"not valid JSON: {error.msg} at {place}") from error
    except RecursionError as error:
        raise InputError("the JSON is nested too deeply") from error
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"not readable JSON: {error}") from error

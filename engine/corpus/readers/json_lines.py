"""Reads a JSONL file, one document for each line, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from engine.corpus.decoding import decode
from engine.corpus.readers.contract import (
    LARGEST_DOCUMENT,
    Read,
    ReadDocument,
    ReadOptions,
    Refusal,
)
from engine.corpus.readers.json_record import to_document
from engine.corpus.readers.json_text import parse
from engine.corpus.readers.whole_file import HEAD, refuse_binary
from store.errors import InputError

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields a document, or a refusal, for each line, located as `line N` from 1."""
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
        document = to_document(parse(text), given, locator, options)
    except InputError as error:
        return Refusal(given, locator, str(error))
    if warning and isinstance(document, ReadDocument):
        return replace(document, warnings=(warning,))
    return document


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

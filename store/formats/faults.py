"""Errors for files that cannot be read, with the line of the error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

import msgspec

from store.errors import InputError

T = TypeVar("T")

BOM = b"\xef\xbb\xbf"
_BYTE = re.compile(r" \(byte (\d+)\)")


def read_utf8(file: Path) -> str:
    """The text of a file; InputError, with the line, where it is missing or not UTF-8."""
    data = read_bytes(file)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(data, str(file)) from error


def read_bytes(file: Path) -> bytes:
    """The bytes of a file without a byte order mark; InputError where it cannot be read."""
    try:
        return file.read_bytes().removeprefix(BOM)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error


def read_json(file: Path, type: type[T], remedy: str = "Mend the file and try again.") -> T:
    """The value of a JSON file; InputError, with the line, for another shape."""
    data = read_bytes(file)
    try:
        return msgspec.json.decode(data, type=type)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise broken_json(data, str(file), error, remedy) from error


def not_utf8(data: bytes, name: str) -> InputError:
    """The error for a file that is not UTF-8, with the line of the first invalid byte."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return InputError(
            f"{name}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8.",
            "Save the file as UTF-8.",
        )
    return InputError(f"{name} is not UTF-8 text.", "Save it as UTF-8.")


def broken_json(data: bytes, name: str, error: Exception, remedy: str) -> InputError:
    """The error for a JSON file that msgspec refused, with the line if msgspec names a byte."""
    if isinstance(error, UnicodeDecodeError):
        return not_utf8(data, name)
    text = str(error)
    byte = _BYTE.search(text)
    if byte is None:
        return InputError(f"{name}: {text}.", remedy)
    line = data.count(b"\n", 0, int(byte[1])) + 1
    return InputError(f"{name}, line {line}: {_BYTE.sub('', text)}.", remedy)

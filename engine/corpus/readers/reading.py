"""Reads the files and folders that a person names, and reports those that cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions, Refusal
from engine.corpus.readers.formats import READERS
from engine.text.normalisation import normalise
from store.errors import InputError

Visited = frozenset[tuple[int, int]]
"""Device and inode of each folder on the way down."""


def read_paths(
    paths: Iterable[str | Path], options: ReadOptions | None = None
) -> Iterator[ReadDocument | Refusal]:
    """Reads `paths` in the order given, folders recursively in sorted order.

    Texts come normalised. Hidden files inside folders are passed over; whatever else holds no
    readable text is yielded as a Refusal and never stops the reading. Files of many documents are
    streamed. Raises InputError, before anything is read, when a path does not exist.
    """
    named = [Path(path) for path in paths]
    for path in named:
        if not os.path.lexists(path):
            raise InputError(f"{path} does not exist.", "Give the path of a file or a folder.")
    return _read_all(named, options or ReadOptions())


def list_files(paths: Iterable[str | Path]) -> Iterator[Path | Refusal]:
    """The files that `read_paths` would read, in its order, and refusals of paths it would not
    open.
    """
    for path in paths:
        yield from _files(Path(path), frozenset())


def _read_all(paths: list[Path], options: ReadOptions) -> Iterator[Read]:
    for found in list_files(paths):
        if isinstance(found, Refusal):
            yield found
        else:
            yield from _read_file(found, options)


def _files(path: Path, above: Visited) -> Iterator[Path | Refusal]:
    """The regular files under `path`; refusals for what is neither file nor folder."""
    shown = _shown(path)
    try:
        if path.is_symlink() and not path.exists():
            yield Refusal(shown, "", "the link leads nowhere or to itself")
        elif path.is_dir():
            yield from _folder(path, above)
        elif path.is_file():
            yield path
        else:
            yield Refusal(shown, "", "neither a file nor a folder")
    except OSError as error:
        yield Refusal(shown, "", _reason(error))


def _folder(path: Path, above: Visited) -> Iterator[Path | Refusal]:
    status = path.stat()
    here = (status.st_dev, status.st_ino)
    if here in above:
        yield Refusal(_shown(path), "", "the link leads back to a folder above it")
        return
    for name in sorted(os.listdir(path)):  # noqa: PTH208 (names alone are wanted, sorted)
        if not name.startswith("."):
            yield from _files(path / name, above | {here})


def _read_file(path: Path, options: ReadOptions) -> Iterator[Read]:
    shown = _shown(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        known = " ".join(sorted(READERS))
        yield Refusal(shown, "", f"the suffix {path.suffix!r} is not one of {known}")
        return
    try:
        number = 0
        for number, found in enumerate(reader(path, shown, options), start=1):  # noqa: B007
            yield _normalised(found)
        if not number:
            yield Refusal(shown, "", "the file holds no document")
    except OSError as error:
        yield Refusal(shown, "", _reason(error))
    except InputError as error:
        yield Refusal(shown, "", str(error))


def _normalised(found: Read) -> Read:
    if isinstance(found, Refusal):
        return found
    text = normalise(found.text)
    if not text or text.isspace():
        return Refusal(found.source.path, found.source.locator, "the text is empty")
    title = " ".join(normalise(found.source.title).split())
    return replace(found, text=text, source=replace(found.source, title=title))


def _reason(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def _shown(path: Path) -> str:
    """The path as text that any file can hold: bytes that are no UTF-8 become U+FFFD."""
    return os.fsencode(path).decode("utf-8", errors="replace")

"""Reads the files and folders that a person names, and reports those that cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from engine.corpus.decoding import decode
from engine.corpus.links import FOLLOW, LEADS_OUT, leads_out, resolved
from engine.corpus.paths import path_text
from engine.corpus.readers import csv_table, json_file, sqlite_file, text_file
from engine.corpus.readers.contract import Read, ReadDocument, Reader, ReadOptions, Refusal
from engine.corpus.readers.docx import docx_file
from engine.corpus.readers.html import html_file
from engine.corpus.readers.pdf import pdf_file
from engine.text.normalisation import normalise
from store.errors import InputError
from store.sharing.modes import DATABASE
from store.sharing.rights import group_reads

READERS: dict[str, Reader] = {
    ".txt": text_file.read,
    ".text": text_file.read,
    ".md": text_file.read_markdown,
    ".markdown": text_file.read_markdown,
    ".json": json_file.read,
    ".jsonl": json_file.read_lines,
    ".ndjson": json_file.read_lines,
    ".csv": csv_table.read,
    ".tsv": csv_table.read,
    ".docx": docx_file.read,
    ".html": html_file.read,
    ".htm": html_file.read,
    ".xhtml": html_file.read,
    ".pdf": pdf_file.read,
    ".sqlite": sqlite_file.read,
    ".sqlite3": sqlite_file.read,
    ".db": sqlite_file.read,
}
"""The reader of each file suffix. To add a format, write a module with a function of type
`contract.Reader` and name its suffixes here; libraries that only it needs are imported inside its
functions."""
_BY_LINE = frozenset({".jsonl", ".ndjson", ".csv", ".tsv"})
_BLOCK = 1 << 20

Visited = frozenset[tuple[int, int]]
"""Device and inode of each folder on the way down."""


def read_paths(
    paths: Iterable[str | Path], options: ReadOptions | None = None
) -> Iterator[ReadDocument | Refusal]:
    """Reads `paths` in the order given, folders recursively in sorted order.

    Texts come normalised. Hidden files inside folders are passed over; links inside them that lead
    out of what was named are refused unless the options follow them; whatever else holds no
    readable text is yielded as a Refusal and never stops the reading. Files of many documents are
    streamed. Raises InputError, before anything is read, when a path does not exist or none of
    them holds a file.
    """
    named = [Path(path) for path in paths]
    for path in named:
        if not os.path.lexists(path):
            raise InputError(f"{path} does not exist.", "Give the path of a file or a folder.")
    options = options or ReadOptions()
    if next(list_files(named, follow_links=options.follow_links), None) is None:
        raise InputError(
            f"There is nothing to read in {', '.join(map(path_text, named))}.",
            "Name files, or their folder.",
        )
    return _read_all(named, options)


def list_files(
    paths: Iterable[str | Path], *, follow_links: bool = False
) -> Iterator[Path | Refusal]:
    """The files that `read_paths` would read, in its order, and refusals of paths it would not
    open.
    """
    named = [Path(path) for path in paths]
    roots = resolved(named)
    for path in named:
        yield from _files(path, None if follow_links else roots)


def expected_documents(paths: Iterable[str | Path], *, follow_links: bool = False) -> int:
    """The number of documents in the files: one each, or one a line in formats of lines.

    A fast estimate: broken and empty lines count, the parts of a JSON list or a PDF do not.
    """
    total = 0
    for file in list_files(paths, follow_links=follow_links):
        if isinstance(file, Refusal):
            continue
        total += _lines(file) if file.suffix.lower() in _BY_LINE else 1
    return total


def _read_all(paths: list[Path], options: ReadOptions) -> Iterator[Read]:
    for file in list_files(paths, follow_links=options.follow_links):
        if isinstance(file, Refusal):
            yield file
        else:
            yield from _read_file(file, options)


def _files(named: Path, roots: Sequence[Path] | None) -> Iterator[Path | Refusal]:
    """The regular files under a named path, and refusals for what is neither file nor folder.

    Links lead no further than below `roots`; null for anywhere. Folders may be nested to any
    depth, so there is no recursion.
    """
    pending: list[tuple[Path, Visited]] = [(named, frozenset())]
    while pending:
        path, above = pending.pop()
        shown = path_text(path)
        try:
            if path.is_symlink() and not path.exists():
                yield Refusal(shown, "", "the link leads nowhere or to itself")
            elif _is_outside(path, named, roots):
                yield Refusal(shown, "", f"{LEADS_OUT}; {FOLLOW}")
            elif path.is_dir():
                status = path.stat()
                here = (status.st_dev, status.st_ino)
                if here in above:
                    yield Refusal(shown, "", "the link leads back to a folder above it")
                    continue
                names = sorted(os.listdir(path), reverse=True)  # noqa: PTH208 (names alone)
                within = above | {here}
                pending += [(path / name, within) for name in names if not name.startswith(".")]
            elif _is_workspace(path):
                yield Refusal(shown, "", "it is the database of a workspace")
            elif path.is_file():
                yield path
            else:
                yield Refusal(shown, "", "neither a file nor a folder")
        except OSError as error:
            yield Refusal(shown, "", _reason(error))


def _is_outside(path: Path, named: Path, roots: Sequence[Path] | None) -> bool:
    # what is no link is where its folder is, which was asked about before
    return path is not named and roots is not None and path.is_symlink() and leads_out(path, roots)


def _is_workspace(path: Path) -> bool:
    """Whether a file is a workspace's database, which is never opened as a document: closing it
    gives up the locks that the worker holds on it (https://www.sqlite.org/howtocorrupt.html)."""
    return (path.resolve() if path.is_symlink() else path).name in DATABASE


def _read_file(path: Path, options: ReadOptions) -> Iterator[Read]:
    shown = path_text(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        known = " ".join(sorted(READERS))
        yield Refusal(shown, "", f"the suffix {path.suffix!r} is not one of {known}")
        return
    try:
        if options.group is not None and not group_reads(path, options.group):
            yield Refusal(shown, "", "the group that shares the workspace may not read it")
            return
        number = 0
        for number, document in enumerate(reader(path, shown, options), start=1):  # noqa: B007
            yield _normalised(document, path)
        if not number:
            yield Refusal(shown, "", "the file holds no document")
    except OSError as error:
        yield Refusal(shown, "", _reason(error))
    except InputError as error:
        yield Refusal(shown, "", str(error))
    except RecursionError:
        yield Refusal(shown, "", "its parts are nested too deeply")


def _normalised(document: Read, path: Path) -> Read:
    if isinstance(document, Refusal):
        return document
    text = normalise(document.text)
    if not text or text.isspace():
        return Refusal(document.source.path, document.source.locator, "the text is empty")
    title = document.source.title
    if title == path.stem:  # a name that is not UTF-8 reads as the texts of its author do
        title = decode(os.fsencode(title)).text
    title = " ".join(normalise(title).split())
    return replace(document, text=text, source=replace(document.source, title=title))


def _lines(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b"")) or 1
    except OSError:
        return 0


def _reason(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"

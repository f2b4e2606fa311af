"""A folder of exported files, with its manifest, that is written completely or not at all."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from store.errors import InputError
from store.files import check_place
from store.formats import manifest
from store.formats.manifest import FileEntry, Manifest
from store.sharing.modes import make_folder, settle


class ExportFolder:
    """Writes named files into the folder and records the count and hash of each.

    The bytes follow from what is given alone: no time, no order of a set, nothing of the machine.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self.files: dict[str, FileEntry] = {}

    def json_lines(self, name: str, rows: Iterable[Any]) -> int:
        """Writes one JSON object in each line, keys in the order given; returns their number."""
        return self._lines(name, map(msgspec.json.encode, rows))

    def tab_separated(self, name: str, header: Iterable[str], rows: Iterable[Iterable[str]]) -> int:
        """Writes a header and one row in each line. Raises InputError for a value with a tab or
        line break.
        """
        encoded = (_row(name, row) for row in rows)
        return self._lines(name, encoded, header=_row(name, header))

    def json(self, name: str, value: Any) -> None:
        """Writes one JSON document, indented."""
        encoded = msgspec.json.encode(value, order="deterministic")
        self.data(name, msgspec.json.format(encoded, indent=2) + b"\n")

    def text(self, name: str, text: str) -> None:
        self.data(name, text.encode())

    def data(self, name: str, data: bytes, rows: int | None = None) -> None:
        """Writes a file of any kind, with the number of its `rows` where they are counted."""
        self._path(name).write_bytes(data)
        self.files[name] = FileEntry(sha256(data).hexdigest(), len(data), rows)

    def _lines(self, name: str, lines: Iterable[bytes], header: bytes | None = None) -> int:
        digest, size, rows = sha256(), 0, 0
        with self._path(name).open("wb") as out:
            if header is not None:
                digest.update(header + b"\n")
                size += out.write(header + b"\n")
            for line in lines:
                digest.update(line + b"\n")
                size += out.write(line + b"\n")
                rows += 1
        self.files[name] = FileEntry(digest.hexdigest(), size, rows)
        return rows

    def _path(self, name: str) -> Path:
        if name in self.files:
            raise ValueError(f"{name} is written twice")
        if ".." in PurePosixPath(name).parts:
            raise ValueError(f"{name} lies outside the folder")
        path = self._place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def write_manifest(
    folder: ExportFolder,
    format: str,
    format_version: int,
    source: dict[str, str],
    counts: dict[str, int],
    **more: Any,
) -> Manifest:
    """Ends an export with the last file, which holds the hashes of all others. `more` are further
    fields of `Manifest`, such as `by_status`.
    """
    made = Manifest(
        format,
        format_version,
        f"ragdesk {version('ragdesk')}",
        source,
        counts,
        files=dict(folder.files),
        **more,
    )
    folder.data(manifest.NAME, manifest.encode(made))
    return made


@contextlib.contextmanager
def whole_folder(out: Path, *, force: bool = False) -> Iterator[ExportFolder]:
    """A folder beside `out` to write into, which replaces it when the block ends without an error.

    Raises InputError, before anything is written, for a file of that name and for a folder that is
    not empty, unless `force` and an earlier export lies there.
    """
    _check_place(out, force=force)
    partial = out.with_name(f".{out.name}.partial")
    try:
        make_folder(out.parent)
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        yield ExportFolder(partial)
        settle(partial)
        _put_in_place(partial, out)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _check_place(out: Path, *, force: bool) -> None:
    check_place(out)
    if not out.name:  # `.` or `/`, in whose place nothing can be put
        raise InputError(f"{out} is there already.", "Name a new folder.")
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"{out} is a file.", "Name a folder.")
    if not any(out.iterdir()):
        return
    if not force:
        raise InputError(f"{out} is not empty.", "Name another folder, or replace it.", "--force")
    # --force replaces an export, never somebody's other files
    if not (out / manifest.NAME).is_file():
        raise InputError(f"{out} holds files that ragdesk did not export.", "Name another folder.")


def _put_in_place(partial: Path, out: Path) -> None:
    old = out.with_name(f".{out.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    try:
        partial.rename(out)
    except OSError:
        if old.exists():
            old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _row(name: str, values: Iterable[str]) -> bytes:
    cells = list(values)
    for cell in cells:
        if any(mark in cell for mark in "\t\n\r"):
            raise InputError(
                f"{cell!r} holds a tab or a line break, which {name} cannot hold.",
                "Export another kind.",
            )
    return "\t".join(cells).encode()

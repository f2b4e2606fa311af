"""The manifest of an exported folder, with the count and hash of each file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from store.errors import InputError

NAME = "manifest.json"
FOLLOWING = "rows that follow from the records"
"""Ends the name of a count that is there to be checked, and says nothing new to a reader."""

Recount = Callable[[Path], dict[str, int]]
"""Counts an exported folder's files again. Keys are those of `Manifest.counts`, and `status S`,
`rater R` and `guideline G` for the counts by status, rater and guideline; those that the layout
cannot tell are left out."""


class FileEntry(Struct, frozen=True):
    sha256: str
    bytes: int
    rows: int | None = None
    """Lines of a JSON Lines or tab-separated file, its header apart; null for other files."""


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    """The kind of the export, as `ragdesk export KIND` names it."""
    version: int
    """Of the format: a reader refuses one that it does not know."""
    program: str
    """The program that wrote it, with its version."""
    source: dict[str, str]
    """The exported dataset or release, and the filters that were set."""
    counts: dict[str, int]
    """The number of items, turns, documents and labels in the files."""
    by_status: dict[str, int] = {}
    by_rater: dict[str, int] = {}
    """Labels by rater."""
    by_guideline: dict[str, int] = {}
    """Labels by form and version of its guideline, `inspection 2`; `inspection -` without one."""
    notes: tuple[str, ...] = ()
    """The parts of the exported data that the layout cannot express."""
    files: dict[str, FileEntry] = {}


class Preview(Struct, frozen=True):
    """Counts as the manifest of the export will have them; what is left out, by reason."""

    counts: dict[str, int]
    by_status: dict[str, int]
    left_out: dict[str, int]
    notes: tuple[str, ...] = ()
    problem: str = ""
    """The reason why nothing can be exported; empty when something can."""


class Verified(Struct, frozen=True):
    """A folder compared with its manifest."""

    manifest: Manifest
    problems: tuple[str, ...]


def encode(manifest: Manifest) -> bytes:
    """The manifest as JSON; equal manifests give equal bytes."""
    ordered = msgspec.json.encode(manifest, order="deterministic")
    return msgspec.json.format(ordered, indent=2) + b"\n"


def read(folder: Path) -> Manifest:
    """The manifest of a folder. Raises InputError if it is missing or of another shape."""
    file = folder / NAME
    try:
        return msgspec.json.decode(file.read_bytes(), type=Manifest)
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}.", "Name a folder that was exported."
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}.", "Export the folder anew.") from error


def verify(folder: Path, recounts: Mapping[tuple[str, int], Recount]) -> Verified:
    """Compares an exported folder with its manifest: every hash, and every count made anew by what
    `recounts` holds for its format and version."""
    manifest = read(folder)
    problems = damage(folder, manifest)
    recount = recounts.get((manifest.format, manifest.version))
    if recount is None:
        problems.append(f"this program does not know format {manifest.format} {manifest.version}")
    elif not problems:
        problems += _miscounted(manifest, recount(folder))
    return Verified(manifest, tuple(problems))


def damage(folder: Path, manifest: Manifest) -> list[str]:
    """The differences between the folder's files and the hashes in the manifest, with missing and
    additional files; empty if there are none.
    """
    differences = [
        difference
        for name, entry in sorted(manifest.files.items())
        if (difference := _difference(folder / name, name, entry))
    ]
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    extra = sorted(present - manifest.files.keys() - {NAME})
    return differences + [f"{name} is not in the manifest" for name in extra]


def _difference(file: Path, name: str, entry: FileEntry) -> str:
    try:
        with file.open("rb") as data:
            digest = sha256()
            size = 0
            while block := data.read(1 << 20):
                digest.update(block)
                size += len(block)
    except OSError as error:
        return f"{name} cannot be read: {error.strerror}"
    if size != entry.bytes:
        return f"{name} has {size:,} bytes, not {entry.bytes:,}"
    return "" if digest.hexdigest() == entry.sha256 else f"{name} has been changed"


def _miscounted(manifest: Manifest, counted: dict[str, int]) -> list[str]:
    claimed: dict[str, Any] = dict(manifest.counts)
    for prefix, counts in (
        ("status", manifest.by_status),
        ("rater", manifest.by_rater),
        ("guideline", manifest.by_guideline),
    ):
        claimed |= {f"{prefix} {key}": count for key, count in counts.items()}
    return [
        f"{name}: the manifest says {claimed.get(name, 0):,}, the files hold {count:,}"
        for name, count in sorted(counted.items())
        if claimed.get(name, 0) != count
    ]

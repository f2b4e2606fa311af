"""Indexes on disk: derived, deletable, verified by hash before use, built again when damaged."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec
from msgspec import Struct

from engine.retrieve.index.base import (
    UNFINISHED,
    IndexColumns,
    Progress,
    Retriever,
    no_progress,
)
from engine.retrieve.index.kind import ArtefactKind
from engine.retrieve.names import retriever_entry
from store.errors import WorkspaceError
from store.sharing.modes import make_folder, settle

FORMAT = 1
"""Raise it whenever equal inputs give other files: the layout, or what `terms` returns."""

_MANIFEST = "manifest.json"
_VERIFIED = "verified"
"""The folder beside that of the indexes that says which files were whole when."""
_SETTLED = 2_000_000_000  # nanoseconds
_ABANDONED_AFTER = 24 * 3600.0  # seconds; no build takes a day


Loaded = TypeVar("Loaded")


class FileRecord(Struct, frozen=True):
    size: int
    blake2b: str


class Recipe(Struct, frozen=True):
    """Everything that determines an index; its hash is the artefact's name."""

    format: int
    kind: str
    parameters: Mapping[str, int | float | str]
    libraries: Mapping[str, str]
    """Distribution name to version."""
    inputs: str
    """The fingerprint of the chunks, see `store.corpora.corpora.fingerprint`."""

    def hash(self) -> str:
        encoded = msgspec.json.encode(self, order="sorted")
        return hashlib.blake2b(encoded, digest_size=16).hexdigest()


class Manifest(Struct, frozen=True):
    recipe: Recipe
    chunks: int
    files: dict[str, FileRecord]


def no_notice(message: str) -> None:
    """The notice callback for a caller who shows nothing."""


@overload
def open_or_build(
    root: Path,
    kind: str,
    inputs_fingerprint: str,
    chunks: Callable[[], IndexColumns],
    *,
    progress: Progress = ...,
    notify: Callable[[str], None] = ...,
) -> Retriever: ...


@overload
def open_or_build(
    root: Path,
    kind: ArtefactKind[Loaded],
    inputs_fingerprint: str,
    chunks: Callable[[], IndexColumns],
    *,
    progress: Progress = ...,
    notify: Callable[[str], None] = ...,
) -> Loaded: ...


def open_or_build(
    root: Path,
    kind: str | ArtefactKind[Any],
    inputs_fingerprint: str,
    chunks: Callable[[], IndexColumns],
    *,
    progress: Progress = no_progress,
    notify: Callable[[str], None] = no_notice,
) -> Any:
    """What `kind` makes of `chunks`, or the built-in retriever of that name: from the workspace
    `root`, or built there now.

    `chunks` is called only when there is an index to build. A damaged index is built again,
    after one sentence to `notify`. Processes that build the same index at once all succeed.
    Raises `UsageError` for an unknown kind, `InputError` when no chunk holds a word, and
    `WorkspaceError` when the folder cannot be written.
    """
    index_kind: ArtefactKind[Any] = retriever_entry(kind).kind() if isinstance(kind, str) else kind
    recipe = recipe_of(index_kind, inputs_fingerprint)
    folder = index_folder(root) / recipe.hash()
    if folder.exists():
        fault = _find_new_fault(folder, recipe)
        if fault is None:
            return _load(index_kind, folder)
        notify(f"The {recipe.kind} index {folder.name} is damaged ({fault}); it is built again.")
    columns = chunks().in_tie_order()
    try:
        make_folder(folder.parent)
        _remove_abandoned(folder.parent)
        _build(index_kind, recipe, columns, folder, progress)
        return _load(index_kind, folder)
    except OSError as problem:
        raise WorkspaceError(
            f"The {recipe.kind} index cannot be written in {folder.parent}: "
            f"{problem.strerror or problem}.",
            "Make the folder writable and free some space, then try again.",
        ) from problem


def index_folder(root: Path) -> Path:
    return root / "artefacts" / "index"


def remove_indexes(
    root: Path, inputs: Collection[str], document_ids: Collection[str]
) -> tuple[int, list[str]]:
    """Removes the indexes made from one of `inputs` (fingerprints), or that hold a chunk of one of
    `document_ids`. Returns how many went, and the folders that could not be removed."""
    from engine.retrieve.index.ranking import ChunkTable

    gone, ids, left = 0, set(document_ids), []
    for manifest in sorted(index_folder(root).glob(f"*/{_MANIFEST}")):
        folder = manifest.parent
        try:
            recipe = msgspec.json.decode(manifest.read_bytes(), type=Manifest).recipe
            if recipe.inputs not in inputs and not ChunkTable.read(folder).document_ids() & ids:
                continue
        except (
            OSError,
            ValueError,
        ):  # a damaged one is built again, or removed, by whoever uses it
            continue
        try:
            shutil.rmtree(folder)
            gone += 1
        except OSError:
            left.append(str(folder))
    return gone, left


def recipe_of(kind: ArtefactKind[Any], inputs_fingerprint: str) -> Recipe:
    libraries = {name: version(name) for name in kind.libraries}
    return Recipe(FORMAT, kind.name, kind.parameters(), libraries, inputs_fingerprint)


def _find_new_fault(folder: Path, recipe: Recipe) -> str | None:
    """What `find_fault` says; nothing where no file was written since it found none.

    To read all of an index takes longer than to search it. Whatever writes a file changes the time
    of its last change of state, which no program can set.
    """
    states = {path.name: path.stat() for path in sorted(folder.iterdir())}
    marks = {
        name: (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        for name, state in states.items()
    }
    record = msgspec.json.encode([recipe.hash(), marks])
    verified = folder.parent.parent / _VERIFIED / f"{folder.name}.json"
    try:
        if verified.read_bytes() == record:
            return None
    except OSError:
        pass
    fault = find_fault(folder, recipe)
    newest = max((state.st_ctime_ns for state in states.values()), default=0)
    # two writes within a tick of the clock leave the same time
    if fault is None and time.time_ns() - newest > _SETTLED:
        _write_whole(verified, record)
    return fault


def _write_whole(file: Path, data: bytes) -> None:
    """Writes a file as a whole, where it can be: it only saves time."""
    written = file.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
    try:
        make_folder(file.parent)
        written.write_bytes(data)
        settle(written)
        written.replace(file)
    except OSError:
        written.unlink(missing_ok=True)


def find_fault(folder: Path, recipe: Recipe) -> str | None:
    """The fault of the artefact in `folder`, in a few words; none when it is whole."""
    try:
        manifest = msgspec.json.decode((folder / _MANIFEST).read_bytes(), type=Manifest)
    except OSError:
        return "it has no manifest"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "its manifest cannot be read"
    if manifest.recipe != recipe:
        return "its manifest belongs to another index"
    for name, expected in manifest.files.items():
        try:
            record = _file_record(folder / name)
        except OSError:
            return f"{name} is missing"
        if record != expected:
            return f"{name} has changed"
    return None


def _load(kind: ArtefactKind[Loaded], folder: Path) -> Loaded:
    from engine.retrieve.index.ranking import ChunkTable

    return kind.load(folder, ChunkTable.read(folder))


def _build(
    kind: ArtefactKind[Any], recipe: Recipe, columns: IndexColumns, folder: Path, progress: Progress
) -> None:
    from engine.retrieve.index.ranking import ChunkTable

    unfinished = folder.parent / f"{UNFINISHED}{folder.name}-{secrets.token_hex(8)}"
    unfinished.mkdir()
    try:
        kind.build(columns.texts, unfinished, progress)
        ChunkTable.write(unfinished, columns)
        files = {path.name: _file_record(path) for path in sorted(unfinished.iterdir())}
        manifest = Manifest(recipe, len(columns.texts), files)
        encoded = msgspec.json.format(msgspec.json.encode(manifest))
        (unfinished / _MANIFEST).write_bytes(encoded + b"\n")
        settle(unfinished)
        _put_in_place(unfinished, folder, recipe)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _put_in_place(unfinished: Path, folder: Path, recipe: Recipe) -> None:
    """Rename `unfinished` to `folder` unless another process has put a whole index there."""
    while True:
        try:
            unfinished.rename(folder)
        except OSError as problem:
            if problem.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                raise
        else:
            return
        if find_fault(folder, recipe) is None:
            return
        aside = folder.with_name(f"{UNFINISHED}{folder.name}-{secrets.token_hex(8)}")
        try:
            folder.rename(aside)
        except FileNotFoundError:  # the other process was faster
            continue
        shutil.rmtree(aside, ignore_errors=True)


def _remove_abandoned(parent: Path) -> None:
    """Clear away what killed builds have left."""
    for path in parent.glob(f"{UNFINISHED}*"):
        try:
            age = time.time() - path.stat().st_mtime
        except FileNotFoundError:  # its build has just ended
            continue
        if age > _ABANDONED_AFTER:
            shutil.rmtree(path, ignore_errors=True)


def _file_record(path: Path) -> FileRecord:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=32))
        return FileRecord(os.fstat(file.fileno()).st_size, digest.hexdigest())

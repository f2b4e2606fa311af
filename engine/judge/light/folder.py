"""Trained judges on disk: `artefacts/trained/NAME/`, a folder each, verified before use.

The workspace's file holds the same files, since nothing else could make them again: a folder that
is missing is written from there, and a backup of the file has the judges.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct

from engine.judge.base import JudgeSpec
from engine.judge.light.features import NAMES
from engine.judge.light.model import LightJudge, MetricModel
from engine.judge.rules.config import JUDGE_VERSION
from engine.retrieve.index.base import UNFINISHED
from engine.text.segmentation import terms
from store.errors import InputError, UsageError, WorkspaceError
from store.hashing import bytes_hash
from store.messages import check_printable
from store.runs import trained_files
from store.sharing.modes import make_folder, settle
from store.workspace import FILE_NAME, open_workspace

if TYPE_CHECKING:
    from engine.retrieve.index.lsa import Projector

T = TypeVar("T")

VERSION = 1
"""Raised whenever equal files would give other scores."""

_JUDGE, _CARD, _MANIFEST = "judge.json", "README.md", "manifest.json"
_VOCABULARY, _IDF, _PROJECTION = "vocabulary.json", "idf.npy", "projection.npy"


class JudgeFile(Struct, frozen=True):
    """The content of `judge.json`."""

    version: int
    features: tuple[str, ...]
    models: tuple[MetricModel, ...]
    trained_on: tuple[int, ...]
    """Numbers of the answers that it was taught: none of them says how good it is."""


def trained_folder(workspace: Path) -> Path:
    """The folder of a workspace's trained judges."""
    return workspace / "artefacts" / "trained"


def trained_judges(workspace: Path) -> list[JudgeSpec]:
    """The trained judges of a workspace by name. InputError for a folder that cannot be read."""
    _write_missing(workspace)
    specs = []
    for file in sorted(trained_folder(workspace).glob(f"*/{_JUDGE}")):
        name = file.parent.name
        if name.startswith(UNFINISHED):
            continue
        judge = _judge_file(file)
        metrics = tuple(model.metric for model in judge.models)
        config = {
            "judge": name,
            "kind": "trained",
            "version": judge.version,
            # what the rules say is among the features
            "rules": JUDGE_VERSION,
            "files": _decode(file.with_name(_MANIFEST), dict[str, str]),
            "trained_on": judge.trained_on,
        }
        specs.append(JudgeSpec(name, "trained", metrics, config))
    return specs


def load_trained(workspace: Path, spec: JudgeSpec) -> LightJudge:
    """The judge, ready to compute.

    Raises InputError when its files are not those that the configuration names, or when it was
    trained for other features than this version computes.
    """
    folder = trained_folder(workspace) / spec.name
    for name, expected in spec.config["files"].items():
        if _file_hash(folder / name) != expected:
            raise InputError(
                f"{folder / name} is missing or has changed since the judge was trained.",
                f"Remove {folder}: it is written anew from the workspace's file.",
            )
    judge = _judge_file(folder / _JUDGE)
    if judge.version != VERSION or judge.features != NAMES:
        raise InputError(
            f"Judge {spec.name!r} was trained for another version of the features.",
            "Train it again.",
        )
    return LightJudge(judge.models, read_embedding(folder))


def check_name(name: str) -> None:
    """UsageError for a name that cannot be a folder's and a judge's."""
    if name:
        check_printable("judge", name)
    if not name or name != name.strip() or name.startswith(".") or set(name) & set("/\\@:"):
        raise UsageError(
            f"{name!r} cannot name a judge.", "Leave out / \\ @ : and spaces around it."
        )


def keep_trained(workspace: Path) -> None:
    """Puts the judges of the folder into the workspace's file, in the place of those of the same
    names. Judges whose files have changed since they were trained are left out."""
    if not (workspace / FILE_NAME).exists():
        return
    with open_workspace(workspace, alone=True) as opened:
        kept = trained_files.having(opened.db, _MANIFEST)
        for manifest in sorted(trained_folder(workspace).glob(f"*/{_MANIFEST}")):
            folder = manifest.parent
            if folder.name.startswith(UNFINISHED) or not (folder / _JUDGE).exists():
                continue
            if kept.get(folder.name) != manifest.read_bytes() and not _changed_files(folder):
                files = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
                with opened.write(durable=True) as db:
                    trained_files.put(db, folder.name, files)


def _write_missing(workspace: Path) -> None:
    """Writes the judges of the workspace's file that the folder lacks. Writes nothing to the file:
    judges are also looked up within a transaction."""
    if not (workspace / FILE_NAME).exists():
        return
    root = trained_folder(workspace)
    with open_workspace(workspace) as opened:
        for name in trained_files.having(opened.db, _MANIFEST):
            if not (root / name).exists():
                with _draft(root / name) as draft:
                    for file, content in trained_files.files(opened.db, name).items():
                        (draft / file).write_bytes(content)


def fine_tuned(workspace: Path) -> list[Path]:
    """The folders of fine-tuned models, which are too large for the workspace's file."""
    return sorted(path.parent for path in trained_folder(workspace).glob("*/adapter"))


def _changed_files(folder: Path) -> list[str]:
    """The files of a judge that are not those of its manifest."""
    hashes = _decode(folder / _MANIFEST, dict[str, str])
    return [name for name, expected in hashes.items() if _file_hash(folder / name) != expected]


@contextmanager
def writing(workspace: Path, name: str, *, replace: bool) -> Iterator[Path]:
    """A folder to write a judge into; it takes its place when the block ends well, else it goes.

    Raises UsageError when there is a judge of that name and it is not to be replaced.
    """
    check_name(name)
    final = trained_folder(workspace) / name
    if final.exists() and not replace:
        raise UsageError(
            f"There is a trained judge {name!r} already.",
            "Choose another name, or replace it.",
            "--force",
        )
    with _draft(final) as draft:
        yield draft
        files = sorted(file.name for file in draft.iterdir())
        hashes = {file: _file_hash(draft / file) for file in files if file != _CARD}
        (draft / _MANIFEST).write_bytes(msgspec.json.encode(hashes))
    keep_trained(workspace)


@contextmanager
def _draft(final: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place of `final` when the block ends well, else it
    goes. It is locked while it is written, so that what a killed process left is told from what
    another one is writing, and is cleared away."""
    draft = final.with_name(f"{UNFINISHED}{final.name}-{secrets.token_hex(4)}")
    try:
        make_folder(draft)
        with _locked(draft):
            _remove_abandoned(final.parent)
            yield draft
            old = final.with_name(f"{UNFINISHED}{final.name}-{secrets.token_hex(4)}")
            if final.exists():
                final.rename(old)
            settle(draft)
            draft.rename(final)
            shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise WorkspaceError(
            f"The judge cannot be written to {final}: {error.strerror or error}.",
            "Make the folder writable and free some space, then try again.",
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder. Raises BlockingIOError while another process holds it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _remove_abandoned(root: Path) -> None:
    for folder in root.glob(f"{UNFINISHED}*"):
        with suppress(OSError), _locked(folder):
            shutil.rmtree(folder, ignore_errors=True)


def write_embedding(folder: Path, texts: Sequence[str]) -> Projector | None:
    """Fits an embedding (LSA) to `texts` and writes it; none where no text holds a word."""
    from engine.retrieve.index.base import no_progress
    from engine.retrieve.index.lsa import LsaIndex
    from engine.retrieve.index.vectors import VECTORS

    if not any(map(terms, texts)):
        return None
    LsaIndex().build(texts, folder, no_progress)
    # what is embedded later is not among these texts
    (folder / VECTORS).unlink()
    return read_embedding(folder)


def write_judge(
    folder: Path, models: Sequence[MetricModel], trained_on: Sequence[int], card: str
) -> None:
    """Writes the models, the numbers of the answers that taught them, and the card."""
    content = JudgeFile(VERSION, NAMES, tuple(models), tuple(trained_on))
    (folder / _JUDGE).write_bytes(msgspec.json.encode(content))
    (folder / _CARD).write_text(card, encoding="utf-8")


def read_embedding(folder: Path) -> Projector | None:
    """The embedding in a judge's folder; none where it was trained without."""
    from engine.retrieve.index.lsa import Projector
    from engine.retrieve.index.postings import read_vocabulary
    from engine.retrieve.index.ranking import read_array

    if not (folder / _VOCABULARY).exists():
        return None
    return Projector(
        read_vocabulary(folder / _VOCABULARY),
        read_array(folder / _IDF),
        read_array(folder / _PROJECTION),
    )


def _judge_file(file: Path) -> JudgeFile:
    return _decode(file, JudgeFile)


def _decode(file: Path, type: type[T]) -> T:
    try:
        return msgspec.json.decode(file.read_bytes(), type=type)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from error
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}.", "Train the judge again.") from error


def _file_hash(file: Path) -> str:
    try:
        return bytes_hash(file.read_bytes())
    except OSError:
        return ""

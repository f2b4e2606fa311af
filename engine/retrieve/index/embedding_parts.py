"""Embedding many texts in parts that survive an interruption."""

from __future__ import annotations

import hashlib
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from engine.retrieve.index.base import UNFINISHED, Progress
from engine.retrieve.index.ranking import Vectors
from engine.retrieve.index.vectors import Embed


def embed_in_parts(
    embed: Embed,
    texts: Sequence[str],
    folder: Path,
    identity: Mapping[str, int | float | str],
    part_size: int,
    progress: Progress,
) -> Vectors:
    """One row for each text, in order; what an earlier call had finished is taken from `folder`.

    `identity` says what else shapes the vectors. Texts of like length are embedded together,
    longest first, so that little is spent on padding and a batch too large fails at once.
    """
    kept = folder / f"{UNFINISHED}vectors-{_hash(texts, identity)}"
    kept.mkdir(exist_ok=True)
    order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
    vectors: Vectors | None = None
    for start in range(0, len(order), part_size):
        progress("embed", start, len(order))
        rows = order[start : start + part_size]
        file = kept / f"{start}-{part_size}.npy"
        part = _read(file, len(rows))
        if part is None:
            part = embed([texts[row] for row in rows])
            _write(file, part)
        if vectors is None:
            vectors = np.empty((len(order), part.shape[1]), dtype=np.float32)
        vectors[rows] = part
    progress("embed", len(order), len(order))
    shutil.rmtree(kept, ignore_errors=True)
    assert vectors is not None, "there are texts"
    return vectors


def _hash(texts: Sequence[str], identity: Mapping[str, int | float | str]) -> str:
    digest = hashlib.blake2b(msgspec.json.encode(identity, order="sorted"), digest_size=16)
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()


def _read(file: Path, rows: int) -> Vectors | None:
    """The part, unless it is missing or damaged."""
    try:
        part: Vectors = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return part if part.ndim == 2 and len(part) == rows else None


def _write(file: Path, part: Vectors) -> None:
    # another process may build the same index: whole files only, and its folder may be gone
    written = file.with_name(f"{secrets.token_hex(8)}.npy")
    try:
        np.save(written, part)
        written.replace(file)
    except FileNotFoundError:
        return

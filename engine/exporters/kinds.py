"""The kinds of export: what writes each and what counts its files again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.exporters import archive, beir, omnieval, parquet
from engine.exporters.folder import ExportFolder, whole_folder, write_manifest
from engine.exporters.records import Verified
from engine.exporters.scope import Filters, Scope, choose
from engine.training import judge_export
from store.formats import manifest
from store.formats.manifest import Manifest
from store.history import exports
from store.records import ItemState
from store.workspace import Workspace

Recount = Callable[[Path], dict[str, int]]
"""Counts an exported folder's files again. Keys are those of `Manifest.counts`, and `status S`,
`rater R` and `guideline G` for the counts by status, rater and guideline; those that the layout
cannot tell are left out."""


class DatasetKind(Struct, frozen=True):
    """A layout for the items of a dataset."""

    version: int
    write: Callable[[Workspace, Scope, ExportFolder], dict[str, int]]
    """Writes the files; returns the counts for the manifest."""
    recount: Recount
    default_states: tuple[ItemState, ...] = (ItemState.ACCEPTED,)
    """Of a head's items, when no state is asked for; empty for all."""
    note: str = ""
    """What the layout cannot say."""


DATASET_KINDS: dict[str, DatasetKind] = {
    "omnieval": DatasetKind(
        1,
        omnieval.write,
        omnieval.recount,
        note="keys, states, offsets, languages and most facets have no place in this layout",
    ),
    "items": DatasetKind(1, archive.write, archive.recount, default_states=()),
    "beir": DatasetKind(
        1,
        beir.write,
        beir.recount,
        note="each turn of a conversation is a query of its own; quotes have no place here",
    ),
    "parquet": DatasetKind(1, parquet.write, parquet.recount),
}

RECOUNTS: dict[tuple[str, int], Recount] = {
    **{(name, kind.version): kind.recount for name, kind in DATASET_KINDS.items()},
    (judge_export.FORMAT, judge_export.VERSION): judge_export.recount,
}
"""By format and version, for `verify_export`. A kind that exports something else than a dataset's
items adds itself here, and writes by `whole_folder` and `write_manifest`."""


def export_dataset(
    workspace: Workspace,
    kind_name: str,
    dataset: str,
    out: Path,
    *,
    filters: Filters | None = None,
    anonymous: bool = False,
    force: bool = False,
) -> Manifest:
    """Writes a dataset (`NAME`, or a release `NAME@V`) into the folder `out`, whole or not at all.

    The same state of the workspace gives the same bytes. Raises InputError when `out` holds other
    files, and when no item passes the filters.
    """
    kind = DATASET_KINDS[kind_name]
    with exports.snapshot(workspace.db):
        scope = choose(
            workspace,
            dataset,
            filters or Filters(),
            default_states=kind.default_states,
            anonymous=anonymous,
        )
        with whole_folder(out, force=force) as folder:
            counts = kind.write(workspace, scope, folder)
            return write_manifest(
                folder,
                kind_name,
                kind.version,
                scope.source,
                counts,
                notes=(kind.note,) if kind.note else (),
                **scope.tallies(workspace),
            )


def verify_export(folder: Path) -> Verified:
    """Compares an exported folder with its manifest: every hash, and every count made anew."""
    said = manifest.read(folder)
    problems = manifest.damage(folder, said)
    recount = RECOUNTS.get((said.format, said.version))
    if recount is None:
        problems.append(f"this program does not know format {said.format} {said.version}")
    elif not problems:
        problems += _miscounted(said, recount(folder))
    return Verified(said, tuple(problems))


def _miscounted(said: Manifest, counted: dict[str, int]) -> list[str]:
    claimed: dict[str, Any] = dict(said.counts)
    for prefix, counts in (
        ("status", said.by_status),
        ("rater", said.by_rater),
        ("guideline", said.by_guideline),
    ):
        claimed |= {f"{prefix} {key}": count for key, count in counts.items()}
    return [
        f"{name}: the manifest says {claimed.get(name, 0):,}, the files hold {count:,}"
        for name, count in sorted(counted.items())
        if claimed.get(name, 0) != count
    ]

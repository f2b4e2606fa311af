"""The kinds of export: what writes each and what counts its files again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from engine.exporters import archive, beir, omnieval, parquet
from engine.exporters.scope import Filters, Scope, choose
from engine.training import judge_export
from store.formats import manifest
from store.formats.folder import ExportFolder, whole_folder, write_manifest
from store.formats.manifest import Manifest, Recount, Verified
from store.history import exports
from store.records import ItemState
from store.workspace import Workspace


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
    """Compares an export of any kind with its manifest."""
    return manifest.verify(folder, RECOUNTS)

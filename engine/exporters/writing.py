"""Writes exports of datasets, and compares any export with its manifest."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from engine.exporters.layouts import LAYOUTS, RUN_LAYOUTS, Layout
from engine.exporters.scope import Filters, choose
from engine.training import judge_export, preference_export
from store.formats import manifest
from store.formats.folder import whole_folder, write_manifest
from store.formats.manifest import Manifest, Recount, Verified
from store.records import ItemState
from store.workspace import Workspace, snapshot


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
    layout = LAYOUTS[kind_name]
    with snapshot(workspace.db):
        scope = choose(
            workspace,
            dataset,
            filters or Filters(),
            default_states=default_states(layout),
            anonymous=anonymous,
        )
        with whole_folder(out, force=force) as folder:
            counts: dict[str, int] = import_module(layout.module).write(workspace, scope, folder)
            return write_manifest(
                folder,
                kind_name,
                layout.version,
                scope.source,
                counts,
                notes=(layout.note,) if layout.note else (),
                **scope.tallies(workspace),
            )


def default_states(layout: Layout) -> tuple[ItemState, ...]:
    """The states of a head's items that are written where none is asked for; empty for all."""
    return () if layout.takes_every_state else (ItemState.ACCEPTED,)


def verify_export(folder: Path) -> Verified:
    """Compares an export of any kind with its manifest."""
    recounts: dict[tuple[str, int], Recount] = {
        (name, layout.version): import_module(layout.module).recount
        for name, layout in LAYOUTS.items()
    }
    recounts |= {
        (f"run-{name}", 1): import_module(layout.module).recount
        for name, layout in RUN_LAYOUTS.items()
    }
    # what exports something else than items or runs adds itself here
    recounts |= judge_export.RECOUNTS | preference_export.RECOUNTS
    return manifest.verify(folder, recounts)

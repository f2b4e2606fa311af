"""Removing a run, dataset or corpus for good: its rows, then the indexes that were made of it."""

from __future__ import annotations

from msgspec import Struct

from engine.retrieve.index.artefacts import remove_indexes
from store.corpora import corpora
from store.lifecycle import purging
from store.lifecycle.archiving import Thing
from store.lifecycle.purging import Removal
from store.workspace import Workspace


class Purged(Struct, frozen=True):
    removal: Removal
    indexes: int
    """Folders under `artefacts/index` that went too."""
    left: tuple[str, ...]
    """Those that could not be removed; nothing uses them."""


def purge(workspace: Workspace, thing: Thing) -> Purged:
    """Removes a thing with all that nothing else needs; see `store.lifecycle.purging`.

    Indexes are derived, so they go after the rows are gone for good: a crash in between leaves
    folders that nothing uses. Raises Conflict, saying what is in the way.
    """
    inputs = _fingerprints(workspace, thing)
    removal = purging.purge(workspace, thing)
    if thing.kind != "corpus":
        return Purged(removal, 0, ())
    gone, left = remove_indexes(workspace.folder, inputs, removal.documents)
    return Purged(removal, gone, tuple(left))


def _fingerprints(workspace: Workspace, thing: Thing) -> set[str]:
    """The fingerprints of the corpus' own indexes, unless another corpus holds the same texts."""
    if thing.kind != "corpus":
        return set()
    db = workspace.db
    corpus = corpora.get_by_id(db, thing.id)
    mine = corpora.fingerprint(db, corpus)
    others = (other for other in corpora.listing(db, archived=True) if other.id != corpus.id)
    return set() if any(corpora.fingerprint(db, other) == mine for other in others) else {mine}

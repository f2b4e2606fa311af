"""Finding a taxonomy by name: those that come with ragdesk, and the workspace's own."""

from __future__ import annotations

import sqlite3

from engine.taxonomy import load_taxonomy, shipped_taxonomies
from store import taxonomies
from store.errors import InputError, NotFound
from store.records import Taxonomy


def find_taxonomy(db: sqlite3.Connection, name: str) -> Taxonomy:
    """The taxonomy that `name` stands for. Raises NotFound naming those that exist."""
    if name in shipped_taxonomies():
        return load_taxonomy(name)
    found = taxonomies.find(db, name)
    if found is None:
        known = ", ".join(taxonomy_names(db))
        raise NotFound(f"There is no taxonomy {name!r}.", f"Taxonomies here: {known}.")
    return found.taxonomy


def taxonomy_names(db: sqlite3.Connection) -> tuple[str, ...]:
    """All names: those that come with ragdesk, then the workspace's own, each sorted."""
    own = (named.taxonomy.key for named in taxonomies.listing(db))
    return (*shipped_taxonomies(), *own)


def check_own_name(name: str) -> None:
    """Raises InputError for a name that a taxonomy of one's own cannot have."""
    if not name.strip() or name != name.strip():
        raise InputError(f"{name!r} cannot name a taxonomy.", "Use a name without spaces around.")
    if name in shipped_taxonomies():
        raise InputError(
            f"Taxonomy {name!r} comes with ragdesk and stays as it is.", "Choose another name."
        )


def save_taxonomy(db: sqlite3.Connection, taxonomy: Taxonomy, origin: str) -> int:
    """Keeps a taxonomy under its key; returns how many documents lost their topic by it.

    Raises InputError for a key that comes with ragdesk, and Conflict when a topic or task is gone
    that items of a dataset use.
    """
    check_own_name(taxonomy.key)
    if not taxonomy.topics:
        raise InputError(f"Taxonomy {taxonomy.key!r} has no topic.", "Give it at least one.")
    return taxonomies.save(db, taxonomy, origin)

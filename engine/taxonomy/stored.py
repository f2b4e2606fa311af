"""Taxonomies by name: those that come with ragdesk, and the workspace's own, which change."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from engine.taxonomy.definitions import load_taxonomy, parse_taxonomy, shipped_taxonomies
from engine.taxonomy.tree import pruned, read_authors_tree, taxonomy_of_tree
from store.corpora import taxonomies
from store.errors import InputError, UsageError
from store.messages import no_such
from store.records import Lang, Taxonomy


def find_taxonomy(db: sqlite3.Connection, name: str) -> Taxonomy:
    """The taxonomy that `name` stands for. Raises NotFound naming those that exist."""
    if name in shipped_taxonomies():
        return load_taxonomy(name)
    stored = taxonomies.find(db, name)
    if stored is None:
        raise no_such("taxonomy", name, taxonomy_names(db), "Taxonomies here")
    return stored.taxonomy


def taxonomy_names(db: sqlite3.Connection) -> tuple[str, ...]:
    """All names: those that come with ragdesk, then the workspace's own, each sorted."""
    own = (named.taxonomy.key for named in taxonomies.listing(db))
    return (*shipped_taxonomies(), *own)


def check_own_name(name: str) -> None:
    """Raises UsageError for a name that a taxonomy of one's own cannot have."""
    if not name.strip() or name != name.strip():
        raise UsageError(f"{name!r} cannot name a taxonomy.", "Leave out spaces around it.")
    if name in shipped_taxonomies():
        raise UsageError(
            f"Taxonomy {name!r} comes with ragdesk and stays as it is.", "Choose another name."
        )


def save_taxonomy(db: sqlite3.Connection, taxonomy: Taxonomy, origin: str) -> int:
    """Keeps a taxonomy under its key; returns how many documents lost their topic by it.

    Raises UsageError for a key that comes with ragdesk, InputError for a taxonomy without topics,
    and Conflict when a topic or task is gone that items of a dataset use.
    """
    check_own_name(taxonomy.key)
    if not taxonomy.topics:
        raise InputError(f"Taxonomy {taxonomy.key!r} has no topic.", "Give it at least one.")
    return taxonomies.save(db, taxonomy, origin)


def taxonomy_of_file(
    db: sqlite3.Connection, data: bytes, file: str, *, name: str = "", tasks_from: str = "omnieval"
) -> Taxonomy:
    """The taxonomy that a file holds, in our layout or as OmniEval's `topic_tree.json`, whose
    tasks then come from another. `name` is its key; a topic tree has none of its own.

    Raises InputError for a broken file, UsageError for a topic tree without a name.
    """
    root = read_authors_tree(data, file)
    if root is None:
        made = parse_taxonomy(data, file)
        return replace(made, key=name) if name else made
    if not name:
        raise UsageError("A topic tree has no key of its own.", "Name it.", "--name TAXONOMY")
    known = find_taxonomy(db, tasks_from)
    return taxonomy_of_tree(root, name, known, known.topics)


def prune_taxonomy(
    db: sqlite3.Connection,
    name: str,
    *,
    drop: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
    lang: Lang | None = None,
    new_name: str = "",
) -> tuple[Taxonomy, int]:
    """Drops and renames topics of a taxonomy, or of a copy called `new_name`; returns what it is
    now, and how many documents lost their topic by it.

    Raises what `pruned` and `save_taxonomy` raise, and UsageError for a taxonomy that comes with
    ragdesk without a new name, and for a new name that is taken.
    """
    taxonomy = find_taxonomy(db, name)
    if not new_name and name in shipped_taxonomies():
        raise UsageError(
            f"Taxonomy {name!r} comes with ragdesk and stays as it is.",
            "Prune a copy of it.",
            "--as NAME",
        )
    if new_name and taxonomies.find(db, new_name) is not None:
        raise UsageError(
            f"Taxonomy {new_name!r} exists already.", "Choose another name.", "--as NAME"
        )
    made = pruned(taxonomy, key=new_name, drop=drop, rename=rename, lang=lang)
    before = taxonomies.find(db, name)
    origin = f"{name} pruned" if before is None or new_name else before.origin
    if not origin.endswith("pruned"):
        origin += ", pruned"
    return made, save_taxonomy(db, made, origin)

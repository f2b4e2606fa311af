"""Which taxonomy OmniEval's items belong to where none is named: told by their topics."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from engine.importers.omnieval_files import named_cell
from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.stored import find_taxonomy, taxonomy_names
from store.corpora import corpora
from store.datasets import datasets
from store.errors import UsageError
from store.messages import listed
from store.records import UNASSIGNED, Taxonomy

STANDARD = "omnieval"
"""The taxonomy of the authors, which need not be named."""


def taxonomy_for(
    db: sqlite3.Connection, dataset: str, topics: Iterable[str]
) -> tuple[Taxonomy, bool]:
    """The taxonomy of the dataset; for a new one `omnieval` where it holds all topics, else the
    only taxonomy that does. The second says whether it was one other than these that was found.

    Where none holds all of them it is `omnieval`, and what it lacks is unassigned. Raises
    UsageError naming them where several do. `topics` are names as the items have them.
    """
    held = next((one for one in datasets.listing(db) if one.name == dataset), None)
    if held is not None:
        return corpora.taxonomy(db, held.taxonomy_id), False
    standard = load_taxonomy(STANDARD)
    # items without a topic say nothing about whose they are
    named = sorted(set(topics) - {"", UNASSIGNED})
    if _holds(standard, named):
        return standard, False
    others = (find_taxonomy(db, name) for name in taxonomy_names(db) if name != STANDARD)
    found = [one for one in others if _holds(one, named)]
    if len(found) > 1:
        names = listed([one.key for one in found])
        raise UsageError(
            f"Several taxonomies hold the topics of these items: {names}.",
            "Say which by --taxonomy NAME.",
        )
    return (found[0], True) if found else (standard, False)


def _holds(taxonomy: Taxonomy, topics: Iterable[str]) -> bool:
    return all(named_cell(topic, "", taxonomy)[0] != UNASSIGNED for topic in topics)

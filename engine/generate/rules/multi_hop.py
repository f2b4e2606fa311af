"""Drafts that take two steps: chains of documents, look-ups and calculations by turns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from engine.generate.rules import calculations, lookups
from engine.generate.rules.material import Material
from store.records import ItemContent


def build(material: Material) -> Iterator[ItemContent]:
    """One of each kind in turn, so that the first few differ."""
    sources = (
        lookups.across_documents(material),
        lookups.within_table(material),
        calculations.build(material),
    )
    for round_ in zip_longest(*sources):
        yield from (content for content in round_ if content is not None)

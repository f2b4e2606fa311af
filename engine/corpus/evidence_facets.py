"""The facets that follow from where an item's evidence stands (EKRAG, section 3.1): its modality,
and the hops between its places.

A person's word goes before: a facet that an item has is kept when its evidence changes, unless it
is what the evidence said before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, structs

from engine.prompts.languages import by_lang
from engine.text.tokens import count_tokens
from store.corpora import browsing, corpora
from store.corpora.corpora import Corpus
from store.records import Evidence, Facet, ItemContent

MODALITY, HOPS = "modality", "hops"
VALUES: dict[str, dict[str, tuple[str, str]]] = {
    MODALITY: {"text": ("文字", "text"), "table": ("表格", "table"), "both": ("两者", "both")},
    HOPS: {
        "single": ("单处", "one place"),
        "intra": ("同一文档多处", "apart in one document"),
        "inter": ("多个文档", "several documents"),
    },
}
"""The values of each facet in their order, with what they are called in Chinese and English."""
NEAR = 256
"""Tokens between two passages of a document, at most, that count as one place."""


class Place(Struct, frozen=True):
    """A document that evidence stands in."""

    text: str
    file: str
    """What it is part of: pages of one file are one document to whoever asks."""


def value_name(facet: str, value: str, lang: str) -> str:
    """What a value of a facet is called; one of another program's is called as it is."""
    return by_lang(lang, *VALUES[facet].get(value, (value, value)))


def facets_of(evidence: Sequence[Evidence], places: Mapping[str, Place]) -> dict[str, Facet]:
    """Modality and hops of some evidence; empty where there is none in a document of `places`.

    A line that begins with a pipe is a table's. `single` is one place, `intra` several of one
    document, with more than NEAR tokens between two of them, `inter` several documents.
    """
    known = [unit for unit in evidence if unit.document_id in places]
    if not known:
        return {}
    kinds = {kind for unit in known for kind in _kinds(unit, places[unit.document_id].text)}
    modality = kinds.pop() if len(kinds) == 1 else "both"
    return {MODALITY: modality, HOPS: _hops(known, places)}


def derived_facets(
    db: sqlite3.Connection, corpus: Corpus, content: ItemContent
) -> dict[str, Facet]:
    """The facets of an item by its evidence alone, whatever is said of it."""
    evidence = [unit for turn in content.turns for unit in turn.evidence]
    names = list(dict.fromkeys(unit.document_id for unit in evidence))
    files = browsing.files_of_pages(db, corpus, names)
    places = {
        name: Place(document.text, files.get(name, name))
        for name, document in corpora.documents_by_id(db, corpus, names).items()
    }
    return facets_of(evidence, places)


def with_facets(
    db: sqlite3.Connection, corpus: Corpus, content: ItemContent, before: ItemContent | None = None
) -> ItemContent:
    """The item with what its evidence says, where nobody says otherwise.

    Of one written anew, whatever it has is kept. `before` is the text that it was made from: what
    its evidence said is replaced, what a person said then or says now is kept.
    """
    said = {}
    if before is not None:
        implied = derived_facets(db, corpus, before)
        said = {name: value for name, value in implied.items() if before.facets.get(name) == value}
    kept = {name: value for name, value in content.facets.items() if said.get(name) != value}
    return structs.replace(content, facets={**derived_facets(db, corpus, content), **kept})


def _kinds(unit: Evidence, text: str) -> Iterator[str]:
    """`table` and `text`, as the lines are that the passage touches."""
    start, end = (
        (0, len(text)) if unit.start is None or unit.end is None else (unit.start, unit.end)
    )
    begin = text.rfind("\n", 0, start) + 1
    for line in text[begin:end].splitlines():
        if line.strip():
            yield "table" if line.lstrip().startswith("|") else "text"


def _hops(evidence: Sequence[Evidence], places: Mapping[str, Place]) -> str:
    if len({places[unit.document_id].file for unit in evidence}) > 1:
        return "inter"
    if len({unit.document_id for unit in evidence}) > 1:
        return "intra"
    spans = sorted((unit.start or 0, unit.end or 0) for unit in evidence if unit.start is not None)
    text = places[evidence[0].document_id].text
    reach = 0
    for (_, end), (start, _) in pairwise(spans):
        reach = max(reach, end)
        if count_tokens(text[reach:start]) > NEAR:
            return "intra"
    return "single"

"""The documents to set beside another: its neighbours in the same file, and those found by search.

A task says in which ways it uses a document and its partners; see `ways_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from engine.corpus.document import SourceDocument
from engine.text.duplicates import grams, similarity
from store.records import Task

Way = tuple[int, ...]
"""Which partners stand beside the document, counted from the best, 0."""

_ALONE: Way = ()
_ALL: Way = (-1,)
"""All partners at once, of which a stage chooses."""
_PAIRS: tuple[Way, ...] = ((0,), (1,), (2,))
_WAYS: dict[tuple[str, str], tuple[Way, ...]] = {
    ("document_pair", "contrast"): _PAIRS,
    ("document_pair", ""): (*_PAIRS, _ALONE),
    ("dialogue", ""): (*_PAIRS, _ALONE),
    # a chain of entities needs two documents, a calculation one; see `way_of`
    ("multi_hop", ""): ((0,), _ALONE, (1,), (2,)),
    ("document_group", ""): (_ALL,),
    # one turn for each kind of error
    ("hallucinated_text", ""): (_ALONE,) * 4,
    ("marked_spans", "abstractive"): (_ALONE, (0,), (1,)),
    ("marked_spans", "summarization"): (_ALONE, (0,), (0, 1)),
    ("marked_spans", "numerical"): (_ALONE, (0,), (1,)),
}
"""By the builder that a task's row names, and the task's key where one builder serves several."""
MOST = 5
"""Partners of a document that a model is given it with, or chooses from."""
MOST_BY_RULE = 20
"""Partners that rules look through: most pairs have nothing that rules can set side by side."""
_READ = 2_000
"""Characters of two documents that are compared."""
_TOO_ALIKE = 0.6
"""Jaccard similarity of 5-grams above which two documents are versions of one text."""
_QUERY = 400


def partner_query(document: SourceDocument) -> str:
    """The text to search with for documents on the same matter: the title and the beginning."""
    return f"{document.title}\n{document.text[:_QUERY]}".strip()


def choose_partners(
    document: SourceDocument, *found: Sequence[SourceDocument], most: int = MOST
) -> tuple[SourceDocument, ...]:
    """At most `most` partners: one of each list by turns, each list best first.

    Partners are of the document's language; versions of one text are no partners.
    """
    own = grams(document.text[:_READ])
    chosen: dict[str, SourceDocument] = {}
    for row in zip_longest(*found):
        for other in row:
            if len(chosen) == most:
                return tuple(chosen.values())
            if (
                other is not None
                and other.document_id not in (document.document_id, *chosen)
                and other.lang == document.lang
                and similarity(own, grams(other.text[:_READ])) < _TOO_ALIKE
            ):
                chosen[other.document_id] = other
    return tuple(chosen.values())


def ways_of(task: Task) -> tuple[Way, ...]:
    """The ways in which a model is given a document for a task, first the one to try first."""
    return _WAYS.get((task.builder, task.key)) or _WAYS.get((task.builder, "")) or (_ALONE,)


def way_of(task: Task, document_id: str, round: int) -> Way:
    """The way to use a document in its turn number `round`.

    After the last way comes the first once more. For multi-hop tasks half of the documents begin
    with the second way, so that calculations and chains come in equal numbers.
    """
    ways = ways_of(task)
    if task.builder == "multi_hop" and ord(document_id[-1]) % 2:
        ways = (ways[1], ways[0], *ways[2:])
    return ways[round % len(ways)]


def takes_partners(task: Task) -> bool:
    """Returns whether a task uses other documents beside the one whose turn it is."""
    return any(ways_of(task))


def needs_partners(task: Task) -> bool:
    """Returns whether nothing can be written for a task from one document."""
    return _ALONE not in ways_of(task)


def set_beside(document_id: str, partners: Sequence[str], way: Way) -> tuple[str, ...] | None:
    """The documents of one way of using a document; None when it has no such partner."""
    if way == _ALL:
        return (document_id, *partners) if partners else None
    if any(place >= len(partners) for place in way):
        return None
    return (document_id, *(partners[place] for place in way))

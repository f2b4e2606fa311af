"""Which documents go together: those of one source, and those that share rare terms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log
from pathlib import PurePosixPath

from engine.generate.records import SourceDocument
from engine.generate.rules.subjects import title_of
from engine.text.segmentation import terms
from store.records import UNASSIGNED

_READ = 4_000
"""Characters of a document whose terms are compared."""
_KEPT = 40
"""Terms of a document that are compared: its rarest that another document has too."""
_MOST_SHARING = 0.05
"""A term in a larger share of the documents says nothing of which belong together."""
_SAME_FOLDER = 0.35
_SAME_TOPIC = 0.15
_LEAST = 0.12
_TOO_ALIKE = 0.92
"""Above this two documents are versions of one text."""


def pair_partners(
    documents: Sequence[SourceDocument], most: int = 3
) -> dict[str, tuple[SourceDocument, ...]]:
    """For each document the partners to set beside it, best first, at most `most`.

    The measure is the cosine of tf-idf weights over each document's rarest shared terms, with a
    bonus for one folder and for one topic; partners are of one language. Ties go to the earlier
    document. Near-copies are no partners. The work grows with the pairs that share a rare term.
    """
    weights = _weights(documents)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(weights):
        for term in own:
            holders[term].append(number)
    folders: defaultdict[str, list[int]] = defaultdict(list)
    for number, document in enumerate(documents):
        if folder := _folder(document):
            folders[folder].append(number)
    return {
        document.document_id: tuple(
            documents[other] for other in _best(number, documents, weights, holders, folders, most)
        )
        for number, document in enumerate(documents)
    }


def _weights(documents: Sequence[SourceDocument]) -> list[dict[str, float]]:
    """Unit vectors over each document's rarest terms that at least one other document has."""
    counts = [
        Counter(
            term
            for term in terms(f"{title_of(document)} {document.text[:_READ]}")
            if len(term) > 1 and not term.isdecimal()
        )
        for document in documents
    ]
    spread = Counter(term for own in counts for term in own)
    most = max(12.0, _MOST_SHARING * len(documents))
    found: list[dict[str, float]] = []
    for own in counts:
        shared = {
            term: (1 + log(count)) * log(1 + len(documents) / spread[term])
            for term, count in own.items()
            if 2 <= spread[term] <= most
        }
        kept = dict(sorted(shared.items(), key=lambda entry: (-entry[1], entry[0]))[:_KEPT])
        length = sum(weight * weight for weight in kept.values()) ** 0.5
        found.append({term: weight / length for term, weight in kept.items()})
    return found


def _best(
    number: int,
    documents: Sequence[SourceDocument],
    weights: Sequence[Mapping[str, float]],
    holders: Mapping[str, Sequence[int]],
    folders: Mapping[str, Sequence[int]],
    most: int,
) -> list[int]:
    points: defaultdict[int, float] = defaultdict(float)
    for term, weight in weights[number].items():
        for other in holders[term]:
            points[other] += weight * weights[other][term]
    alike = dict(points)
    mine = documents[number]
    for other in folders.get(_folder(mine), ()):
        points[other] += _SAME_FOLDER
    for other in list(points):
        if mine.topic not in (UNASSIGNED, "") and documents[other].topic == mine.topic:
            points[other] += _SAME_TOPIC
    good = [
        other
        for other, worth in points.items()
        if other != number
        and worth >= _LEAST
        and alike.get(other, 0.0) <= _TOO_ALIKE
        and documents[other].lang == mine.lang
        and documents[other].document_id != mine.document_id
    ]
    return sorted(good, key=lambda other: (-points[other], other))[:most]


def _folder(document: SourceDocument) -> str:
    """The folder of a document's file; empty when it has none of its own."""
    parent = PurePosixPath(document.source).parent
    return "" if not document.source or str(parent) in (".", "/") else str(parent)

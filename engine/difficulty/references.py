"""The golden references of a question: the chunks that its key sentences stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.records import Evidence, Span

Places = Mapping[str, Sequence[Span]]
"""The chunks of each document, in their order."""


def reference_of(unit: Evidence, places: Places, similar: Mapping[Span, float]) -> Span | None:
    """The chunk that a piece of evidence stands in: the one that holds most of it, the first of
    equals. Of a whole document it is the chunk most like the question, since any part of it will
    do. None where the corpus has no such chunk."""
    chunks = places.get(unit.document_id, ())
    if not chunks:
        return None
    if unit.start is None or unit.end is None:
        return max(chunks, key=lambda chunk: similar.get(chunk, 0.0))
    best = max(chunks, key=lambda chunk: _shared(chunk, unit.start or 0, unit.end or 0))
    return best if _shared(best, unit.start, unit.end) > 0 else None


def _shared(chunk: Span, start: int, end: int) -> int:
    return min(chunk.end or 0, end) - max(chunk.start or 0, start)

"""Text and passages of several sentences of one document."""

from __future__ import annotations

from collections.abc import Sequence

from engine.corpus.document import SourceDocument
from store.records import Evidence, Lang

Span = tuple[int, int]


def text_of(text: str, spans: Sequence[Span], lang: Lang) -> str:
    """The sentences one after the other, in English with a space between."""
    return ("" if lang == "zh" else " ").join(text[start:end] for start, end in spans)


def passages(document: SourceDocument, spans: Sequence[Span]) -> tuple[Evidence, ...]:
    """One passage for sentences that follow each other, several for those that do not."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and not document.text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(passage(document, start, end) for start, end in joined)


def passage(document: SourceDocument, start: int, end: int) -> Evidence:
    return Evidence(document.document_id, start, end, document.text[start:end])

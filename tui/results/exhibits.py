"""The texts shown beside an answer: its evidence, and the passages retrieved for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from engine.corpus.naming import heading, known_as
from engine.labelling.reading.retrieved import GONE, RetrievedText, retrieved_texts
from engine.metrics.evidence import credit
from store.corpora.corpora import LiveDocument
from store.records import Evidence
from store.runs.details import PredictionDetail
from tui.language import later, tr
from tui.shell.theme import SIGNS
from tui.widgets.line import Piece
from tui.widgets.marks import SIGNS_OF_KINDS, Mark, overlaps, whole_occurrences

EXCERPT = 30_000
"""Characters shown on either side of a span of a long document."""
SHORTEST_FORM = 2
"""A golden answer of one character is found everywhere and says nothing."""

LEGEND = {
    "evidence": later("evidence"),
    "match": later("golden answer"),
    "answer": later("in the answer"),
}


class Exhibit(NamedTuple):
    kind: Literal["evidence", "retrieved", "read"]
    title: str
    text: str
    document_id: str = ""
    offset: int = 0
    """Where `text` begins in its document."""
    evidence: int | None = None
    """Which piece of evidence it is shown for, counted from 1."""
    source: str = ""
    """What its document is known by beside its title."""


def exhibits(
    detail: PredictionDetail, documents: Mapping[str, LiveDocument]
) -> tuple[Exhibit, ...]:
    """The evidence in its documents, the retrieved passages in their order, then what the generator
    read where stages made something else of them."""
    evidence = detail.evidence
    read = detail.context_stages[-1][1].passages if detail.context_stages else ()
    return (
        *(_evidence(detail, index, documents) for index in range(len(evidence))),
        *(
            _retrieved(detail, rank, one, documents.get(one.document_id))
            for rank, one in enumerate(retrieved_texts(detail, documents), 1)
        ),
        *(
            Exhibit(
                *(
                    "read",
                    tr(
                        "read {place}/{number}  {title}",
                        place=place,
                        number=len(read),
                        title=one.title,
                    ),
                    one.text,
                ),
                *(one.document_id, one.start),
            )
            for place, one in enumerate(read, 1)
        ),
    )


def legend(marks: Sequence[Mark]) -> list[Piece]:
    """Returns the legend of the kinds of marks that occur."""
    pieces: list[Piece] = []
    for kind, name in LEGEND.items():
        if any(mark.kind == kind for mark in marks):
            pieces += [(f"{SIGNS_OF_KINDS[kind]} ", "key"), (tr(name), kind), ("   ", "")]
    return pieces


def marks_in(shown: Exhibit, detail: PredictionDetail) -> tuple[Mark, ...]:
    """Marks the evidence, the golden answers and the answer in a stretch of the document."""
    text, offset = shown.text, shown.offset
    marks = [
        Mark(max(one.start - offset, 0), min(one.end - offset, len(text)), "evidence", label)
        for label, one in (
            (tr("evidence {index}", index=index + 1), one)
            for index, one in enumerate(detail.evidence)
        )
        if one.document_id == shown.document_id and one.start is not None and one.end is not None
        if one.start < offset + len(text) and one.end > offset
    ]
    golden = detail.content.turns[detail.turn].golden_answers
    matches = {
        span
        for form in golden
        if len(form.strip()) >= SHORTEST_FORM
        for span in whole_occurrences(text, form) or overlaps(text, form)
    }
    marks += [Mark(start, end, "match", tr("golden answer")) for start, end in sorted(matches)]
    if detail.answer:
        spans = overlaps(text, detail.answer) or whole_occurrences(text, detail.answer)
        marks += [Mark(start, end, "answer", "answer") for start, end in spans]
    return tuple(sorted(marks))


def first_mark(shown: Exhibit, marks: Sequence[Mark]) -> Mark | None:
    """Returns the mark of the evidence that the exhibit shows; None if it has no span."""
    label = tr("evidence {evidence}", evidence=shown.evidence)
    return next((mark for mark in marks if mark.label == label), None)


def evidence_ranks(detail: PredictionDetail) -> tuple[int | None, ...]:
    """Returns the rank at which each piece of evidence was retrieved; None if it was not."""
    ranks: dict[object, int] = {}
    for rank, gained in enumerate(credit(detail.hits or (), detail.evidence), 1):
        for index in gained:
            ranks[detail.evidence[index].span] = rank
    return tuple(ranks.get(one.span) for one in detail.evidence)


def _evidence(
    detail: PredictionDetail, index: int, documents: Mapping[str, LiveDocument]
) -> Exhibit:
    one = detail.evidence[index]
    document = documents.get(one.document_id)
    name = tr("evidence {index}/{number}", index=index + 1, number=len(detail.evidence))
    if document is None:
        return Exhibit("evidence", f"{name}  ({GONE})", one.quote or "")
    start, end = _window(document.text, one)
    note = (
        ""
        if end - start == len(document.text)
        else tr("  ({start:,}-{end:,} of the text)", start=start, end=end)
    )
    whole = tr("  whole document") if one.start is None else ""
    title, source = f"{name}{whole}  {heading(document)}{note}", known_as(document)
    text = document.text[start:end]
    return Exhibit("evidence", title, text, one.document_id, start, index + 1, source)


def _retrieved(
    detail: PredictionDetail, rank: int, one: RetrievedText, document: LiveDocument | None
) -> Exhibit:
    hits = detail.hits or ()
    name = tr("retrieved {rank}/{number}", rank=rank, number=len(hits))
    if document is None:
        return Exhibit("retrieved", f"{name}  ({GONE})", "")
    title = tr(
        "{name}{held}  score {score:.3g}  {heading}",
        name=name,
        held=_held(detail, rank),
        score=hits[rank - 1].score,
        heading=heading(document),
    )
    source = known_as(document)
    return Exhibit("retrieved", title, one.text, one.document_id, one.start, source=source)


def _held(detail: PredictionDetail, rank: int) -> str:
    """Names the pieces of evidence that were retrieved first at this rank."""
    ranks = evidence_ranks(detail)
    held = [str(index + 1) for index, at in enumerate(ranks) if at == rank]
    return tr("  {good} evidence {held}", good=SIGNS.good, held=", ".join(held)) if held else ""


def _window(text: str, one: Evidence) -> tuple[int, int]:
    if len(text) <= 2 * EXCERPT:
        return 0, len(text)
    if one.start is None or one.end is None:
        return 0, 2 * EXCERPT
    return max(one.start - EXCERPT, 0), min(one.end + EXCERPT, len(text))

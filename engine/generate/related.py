"""Tasks built in reverse from one report: the report is hidden, and others that tell of the same
matter take its place, chosen once, when the item is made (CRUD-RAG, section 3.2).

The authors searched the web; here the corpus is searched, by a retriever that is frozen with the
item. What it brings up counts only where it has the words of the golden text that weigh most, so
that the gold is not simply what one retriever likes.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from engine.corpus.document import SourceDocument, shortened
from engine.generate.articles import continuation, halves
from engine.generate.drafts import Problem
from engine.generate.items import ReadItem
from engine.taxonomy.shapes import DOCUMENTS, GOLD_BY
from engine.text.content_words import word_pattern, word_share, words_in
from engine.text.sentences import sentences
from store.records import Evidence, ItemContent, Task

DEFAULT = "lsa"
"""The retriever that chooses, where none is named: systems are tested by BM25 more often."""
STAGE = "related"
MOST_REPORTS = 10
SEARCHED = 30
"""Chunks that are looked at."""
MOST_WORDS = 20
LEAST_SHARE = 0.5
"""Share of the weightiest words of the golden text that a report has to hold, by characters in
Chinese. Of 13 continuations of Chinese news with such a report 10 had one on the same matter; of 17
with a best share of 0.4 to 0.5 only 7, as a person read them."""
_MOST_TEXT = 2_400
"""Characters of a report that is to be summed up which are searched with."""
_REVERSED = frozenset({"split_article", "hallucinated_text", "event_summary"})


class Report(Struct, frozen=True):
    """Another report on the matter of a golden text."""

    document_id: str
    share: float
    """Of the weightiest words of the golden text, those that it holds, 0 to 1."""
    words: tuple[str, ...]
    """Those words."""


class Related(Struct, frozen=True):
    """What was chosen for a golden text, and by what: the value of the stage `related`."""

    retriever: str
    words: tuple[str, ...]
    """The weightiest words of the golden text."""
    reports: tuple[Report, ...]


def is_reversed(task: Task) -> bool:
    """Returns whether a task's items are made from a report that they hide."""
    return task.builder in _REVERSED


class Sought(Struct, frozen=True):
    """A golden text that other reports are sought for; of a summary with the event before it, of a
    correction the sentences that differ."""

    texts: tuple[str, ...]
    """To search with."""
    golden: str
    sources: tuple[str, ...]
    """Documents that are no other reports: those that the item hides."""


def sought_for(content: ItemContent, task: Task, document_id: str) -> Sought:
    """What is sought for an item that was made from that document."""
    turn, sources = content.turns[0], sources_of(content, document_id)
    golden = turn.golden_answers[0]
    if task.builder == "event_summary":
        return Sought((turn.question,), f"{turn.question}\n{golden}", sources)
    texts = _sentences(golden)
    if task.builder == "hallucinated_text":
        # a report helps to correct an error where it tells of what the error is about
        texts = tuple(text for text in texts if text not in turn.question) or texts
        golden = "\n".join(texts)
    return Sought(texts, golden, sources)


def sought_before(document: SourceDocument, task: Task) -> Sought | None:
    """What is sought before an item is made of a document, so that nothing is paid for one that
    stands alone; None for a document that the task cannot use."""
    if task.builder == "event_summary":
        text = shortened(document.text, _MOST_TEXT)
        return Sought(_sentences(text), text, (document.document_id,))
    split = halves(document)
    if split is None:
        return None
    golden = continuation(document, split).quote or ""
    return Sought(_sentences(golden), golden, (document.document_id,))


def _sentences(text: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in sentences(text))


def choose_reports(words: Sequence[str], retrieved: Sequence[SourceDocument]) -> tuple[Report, ...]:
    """Those of the retrieved documents that hold enough of the words, best first, at most 10."""
    pattern = word_pattern(list(words))
    if pattern is None:
        return ()
    reports = [
        Report(
            document.document_id,
            round(share, 4),
            tuple(word for word in words if word in held),
        )
        for document in retrieved
        if (share := word_share(words, document.text)) >= LEAST_SHARE
        and (held := words_in(pattern, document.text))
    ]
    return tuple(sorted(reports, key=lambda report: -report.share)[:MOST_REPORTS])


def with_reports(item: ReadItem, related: Related) -> ReadItem:
    """The item with the reports as whole-document evidence beside that of its source; without any
    it has a fatal problem: nothing could be retrieved for it."""
    content = item.content
    if content is None:
        return item
    if not related.reports:
        message = "no other report of the corpus tells of the matter"
        return ReadItem(None, (*item.problems, Problem("nothing_related", message)))
    turn = content.turns[0]
    others = tuple(Evidence(report.document_id) for report in related.reports)
    facets = {
        **content.facets,
        DOCUMENTS: len({unit.document_id for unit in turn.evidence}) + len(others),
        GOLD_BY: related.retriever,
    }
    turns = (replace(turn, evidence=(*turn.evidence, *others)),)
    return replace(item, content=replace(content, turns=turns, facets=facets))


def sources_of(content: ItemContent, first: str) -> tuple[str, ...]:
    """Ids of the documents that an item was made from: the one whose turn it was, and those that
    it quotes. A whole document is not quoted."""
    quoted = (
        unit.document_id
        for turn in content.turns
        for unit in turn.evidence
        if unit.start is not None
    )
    return tuple(dict.fromkeys((first, *quoted)))

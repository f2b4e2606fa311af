"""Articles split into a beginning and a continuation, and the items that are made of the halves."""

from __future__ import annotations

import re

from msgspec import Struct

from engine.corpus.document import SourceDocument
from engine.prompts.languages import by_lang
from engine.text.sentences import sentences
from store.records import Evidence, Turn

FEWEST = 6
"""Sentences of an article that can be split."""
_HEADING = re.compile(r"\A[^。！？]{0,80}?正文：\s*(?:原标题：)?")
"""What news files write before the article itself: date, place, source."""
_NOISE = re.compile(r"返回搜狐|责任编辑|责编[:：]")
_MOST_ARTICLE = 2_400

Span = tuple[int, int]


class Split(Struct, frozen=True):
    """Offsets of an article's beginning, from `start`, and of its continuation, up to `end`."""

    start: int
    middle: int
    end: int


def article_sentences(document: SourceDocument) -> list[Span]:
    """The sentences of an article of plain prose; none for other documents and for shorter ones."""
    text = document.text[:_MOST_ARTICLE]
    heading, noise = _HEADING.match(text), _NOISE.search(text)
    begin = heading.end() if heading else 0
    spans = sentences(text[begin : noise.start() if noise else len(text)])
    placed = [(begin + start, begin + end) for start, end in spans]
    is_prose = len(placed) >= FEWEST and not any(text[start] in "|#" for start, _ in placed)
    return placed if is_prose else []


def halves(document: SourceDocument) -> Split | None:
    """The split of an article at the sentence with which its second half begins."""
    spans = article_sentences(document)
    if not spans:
        return None
    first, last = spans[0][0], spans[-1][1]
    middle = next(
        start for start, end in spans if end - first >= (last - first) / 2 and start > first
    )
    return Split(first, middle, last)


def beginning(document: SourceDocument, split: Split) -> str:
    return document.text[split.start : split.middle].strip()


def continuation(document: SourceDocument, split: Split) -> Evidence:
    """The second part of an article, in its place."""
    stripped = document.text[split.middle : split.end].strip()
    at = document.text.index(stripped, split.middle)
    return Evidence(document.document_id, at, at + len(stripped), stripped)


def continuation_turn(document: SourceDocument, split: Split) -> Turn:
    """The question that carries the beginning, answered by the continuation."""
    ask = by_lang(document.lang, "请续写下面这篇文章：", "Continue this article: ")
    rest = continuation(document, split)
    return Turn(f"{ask}{beginning(document, split)}", (rest.quote or "",), (rest,))


def correction_turn(document: SourceDocument, split: Split, faulty: str) -> Turn:
    """The question that carries the beginning and a continuation with errors, answered by the
    article's own continuation."""
    head = beginning(document, split)
    ask = by_lang(
        document.lang,
        f"文章开头：{head}\n续文（含有与事实不符之处，请改正）：{faulty}",
        f"Beginning: {head}\nContinuation (it holds an error; correct it): {faulty}",
    )
    rest = continuation(document, split)
    return Turn(ask, (rest.quote or "",), (rest,))

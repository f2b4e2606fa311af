"""Drafts for CRUD-RAG's tasks: split articles, articles with an error planted, event summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.corpus.document import SourceDocument
from engine.generate.rules import contrast, long_form, main_matter
from engine.generate.rules.material import Material
from engine.generate.rules.passages import passage
from engine.generate.rules.surface import grouped
from engine.prompts.languages import by_lang
from engine.text.numbers import Kind, Number, numbers
from engine.text.sentences import sentences
from store.records import Evidence, ItemContent, Turn

_FEWEST = 6
"""Sentences of an article that can be split."""
_NOISE = re.compile(r"返回搜狐|责任编辑|责编[:：]")
_MOST_ARTICLE = 2_400
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALES_OF_ERROR = (2, 3, 5)


def continuation(material: Material) -> Iterator[ItemContent]:
    """The second half of an article, given the first."""
    halves = _halves(material.document)
    if halves is None:
        return
    (start, middle), end = halves
    text = material.document.text
    first, second = text[start:middle].strip(), text[middle:end].strip()
    ask = by_lang(material.lang, "请续写下面这篇文章：", "Continue this article: ")
    evidence = _place(material.document, middle, end)
    yield material.item([Turn(f"{ask}{first}", (second,), (evidence,))], "continuation")


def hallucination_fix(material: Material) -> Iterator[ItemContent]:
    """A continuation in which one figure was changed, to be put right."""
    halves = _halves(material.document)
    if halves is None:
        return
    (start, middle), end = halves
    text = material.document.text
    second = text[middle:end].strip()
    figures = [number for number in numbers(second) if _can_err(number)]
    for number in material.shuffled(figures)[:2]:
        wrong = _with_error(second, number, material.draw.choice(_SCALES_OF_ERROR))
        if wrong is None:
            continue
        asks = by_lang(
            material.lang,
            f"文章开头：{text[start:middle].strip()}\n续文（含有与事实不符之处，请改正）：{wrong}",
            f"Beginning: {text[start:middle].strip()}\nContinuation (it holds an error; "
            f"correct it): {wrong}",
        )
        evidence = _place(material.document, middle, end)
        yield material.item([Turn(asks, (second,), (evidence,))], "changed_figure")


def across_documents(material: Material) -> Iterator[ItemContent]:
    """Questions over two documents: comparisons, then like sections.

    Three documents on one event cannot be told apart by rule, so that task gets no drafts.
    """
    if material.task.key != "qa_2doc":
        return
    yield from contrast.build(material)
    yield from long_form.pairs(material)


def event_summary(material: Material) -> Iterator[ItemContent]:
    """The sentences on the matter that an article, and its partners, return to most."""
    turn = next(main_matter.turns(material), None)
    if turn is None:
        yield from long_form.build(material)
        return
    yield material.item([turn], "event")


def _halves(document: SourceDocument) -> tuple[tuple[int, int], int] | None:
    """Start and middle of an article of plain prose, and its end; None for other documents."""
    text = document.text[:_MOST_ARTICLE]
    noise = _NOISE.search(text)
    spans = sentences(text[: noise.start()] if noise else text)
    if len(spans) < _FEWEST or any(text[start] in "|#" for start, _ in spans):
        return None
    total = spans[-1][1] - spans[0][0]
    middle = next(
        start for start, end in spans if end - spans[0][0] >= total / 2 and start > spans[0][0]
    )
    return (spans[0][0], middle), spans[-1][1]


def _place(document: SourceDocument, start: int, end: int) -> Evidence:
    stripped = document.text[start:end].strip()
    begin = document.text.index(stripped, start)
    return passage(document, begin, begin + len(stripped))


def _can_err(number: Number) -> bool:
    return number.date is None and not number.is_year and number.kind is not Kind.ORDINAL


def _with_error(text: str, number: Number, scale: int) -> str | None:
    """`text` with the figure of one number multiplied; None where it is spelled out."""
    written = text[number.start : number.end]
    figure = _FIGURE.search(written)
    if figure is None or abs(number.figure) == 0:
        return None
    changed = grouped(abs(number.figure) * scale)
    at = number.start + figure.start()
    return f"{text[:at]}{changed}{text[at + len(figure.group()) :]}"

"""Drafts for CRUD-RAG's tasks: split articles, articles with an error planted, event summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.generate import articles
from engine.generate.articles import continuation_turn, correction_turn, halves
from engine.generate.rules import contrast, long_form, main_matter
from engine.generate.rules.material import Material
from engine.generate.rules.surface import grouped
from engine.text.numbers import Kind, Number, numbers
from store.records import ItemContent

_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALES_OF_ERROR = (2, 3, 5)


def continuation(material: Material) -> Iterator[ItemContent]:
    """The second half of an article, given the first."""
    split = halves(material.document)
    if split is not None:
        yield material.item([continuation_turn(material.document, split)], "continuation")


def hallucination_fix(material: Material) -> Iterator[ItemContent]:
    """A continuation in which one figure was changed, to be put right."""
    split = halves(material.document)
    if split is None:
        return
    second = articles.continuation(material.document, split).quote or ""
    figures = [number for number in numbers(second) if _can_err(number)]
    for number in material.shuffled(figures)[:2]:
        wrong = _with_error(second, number, material.draw.choice(_SCALES_OF_ERROR))
        if wrong is not None:
            turn = correction_turn(material.document, split, wrong)
            yield material.item([turn], "changed_figure")


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
